package diff

import (
	"fmt"

	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/graph"
	"gorgonia.org/gather/internal/plan"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// scatterHVP is a second derivative of a scatter that multiplies, an operator of
// (tangent, cotangent, data, indices, updates). It is the gradient, of data or of
// updates, of
//
//	Σ cotangent[j] · dy[j]
//
// where dy is the tangent of the result for the one given, of data or of updates.
type scatterHVP struct{ graph.Operator }

func applyHVP(hvp core.ScatterMap, p plan.Params, tangent, cotangent, data, indices, updates *G.Node) (*G.Node, error) {
	d := describe(fmt.Sprintf("ScatterSecond of %s of %v", hvpNames[hvp], p), hvp, p, data, indices, updates)
	return graph.Apply(&scatterHVP{graph.New(d)}, tangent, cotangent, data, indices, updates)
}

// hvpNames say what an HVP is the gradient of, and what the tangent is of.
var hvpNames = [...]string{
	core.UpdatesByData: "updates by data", core.DataByUpdates: "data by updates",
	core.UpdatesByUpdates: "updates by updates",
}

// DiffWRT is true but for indices: the operator depends on all else. There is no
// operator for its gradients, which SymDiff and DoDiff say.
func (op *scatterHVP) DiffWRT(int) []bool { return []bool{true, true, true, false, true} }

// SymDiff is an error.
func (op *scatterHVP) SymDiff(G.Nodes, *G.Node, *G.Node) (G.Nodes, error) { return nil, op.third() }

// DoDiff is an error.
func (op *scatterHVP) DoDiff(G.ExecutionContext, G.Nodes, *G.Node) error { return op.third() }

func (op *scatterHVP) third() error {
	return errors.Errorf("%v: this is the second derivative, and the third is not available", fault.Operator(op))
}

// second is an HVP that is the gradient of a map's operand.
type second struct {
	hvp core.ScatterMap
	of  int // the operand's place
}

// seconds are the gradients of data and of updates that a map has.
func (op *scatterMap) seconds() []second {
	const data, updates = 1, 3
	onData, onUpdates := op.dependsOn()
	switch {
	case op.ofData() && onUpdates:
		return []second{{core.UpdatesByData, updates}}
	case onData:
		return []second{{core.DataByUpdates, data}, {core.UpdatesByUpdates, updates}}
	case onUpdates:
		return []second{{core.UpdatesByUpdates, updates}}
	}
	return nil
}

// hvpNodes are the gradients of a map's operands: first, and seconds as nodes.
func (op *scatterMap) hvpNodes(first, tangent, cotangent, data, indices, updates *G.Node) (G.Nodes, error) {
	gradients := G.Nodes{first, nil, nil, nil}
	for _, s := range op.seconds() {
		var err error
		if gradients[s.of], err = applyHVP(s.hvp, op.params, tangent, cotangent, data, indices, updates); err != nil {
			return nil, err
		}
	}
	return gradients, nil
}

// hvpTensors are the same on tensors.
func (op *scatterMap) hvpTensors(first, tangent, cotangent tensor.Tensor, scatter []tensor.Tensor) ([]tensor.Tensor, error) {
	gradients := []tensor.Tensor{first, nil, nil, nil}
	for _, s := range op.seconds() {
		var err error
		if gradients[s.of], err = s.hvp.Apply(op.params, nil, tangent, cotangent, scatter[0], scatter[1], scatter[2]); err != nil {
			return nil, err
		}
	}
	return gradients, nil
}

var (
	_ G.SDOp = (*scatterHVP)(nil)
	_ G.ADOp = (*scatterHVP)(nil)
)
