package diff

import (
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/graph"
	"gorgonia.org/gather/internal/plan"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// scatterJVP makes the tangent of a scatter's result of that of data, or of that of
// updates. It is an operator of (tangent, data, indices, updates).
type scatterJVP struct{ scatterMap }

func applyJVP(jvp core.ScatterMap, p plan.Params, tangent, data, indices, updates *G.Node) (*G.Node, error) {
	op := &scatterJVP{newScatterMap(jvp, p, data, indices, updates)}
	return graph.Apply(op, tangent, data, indices, updates)
}

// DiffWRT is true for what the operator depends on.
func (op *scatterJVP) DiffWRT(int) []bool { return op.wrt() }

// SymDiff gives the gradient of the tangent, which is the VJP of grad, and those of
// data and updates, second derivatives of the scatter for the cotangent grad.
func (op *scatterJVP) SymDiff(inputs G.Nodes, _, grad *G.Node) (G.Nodes, error) {
	if err := op.checkSecond(); err != nil {
		return nil, err
	}
	if err := graph.CheckSymDiff(op, inputs, grad); err != nil {
		return nil, err
	}
	tangent, data, indices, updates := inputs[0], inputs[1], inputs[2], inputs[3]
	vjp, err := applyVJP(transposed[op.is], op.params, grad, data, indices, updates)
	if err != nil {
		return nil, err
	}
	return op.hvpNodes(vjp, tangent, grad, data, indices, updates)
}

// DoDiff adds to the gradients what SymDiff makes of them.
func (op *scatterJVP) DoDiff(_ G.ExecutionContext, inputs G.Nodes, output *G.Node) error {
	if err := op.checkSecond(); err != nil {
		return err
	}
	return graph.Backward(op, inputs, output, func(grad *tensor.Dense, in []tensor.Tensor) error {
		tangent, scatter := in[0], in[1:]
		vjp, err := op.transpose(grad, scatter)
		if err != nil {
			return err
		}
		gradients, err := op.hvpTensors(vjp, tangent, grad, scatter)
		if err != nil {
			return err
		}
		return graph.AccumulateAll(inputs, gradients)
	})
}

var (
	_ G.SDOp = (*scatterJVP)(nil)
	_ G.ADOp = (*scatterJVP)(nil)
)
