package diff

import (
	"fmt"
	"slices"

	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/graph"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/gather/shapes"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// SegmentSoftmaxGrad is the gradient of a SegmentSoftmax with respect to its data. op is
// the operator of its node, result is the node, segmentIDs are its input, and grad is the
// gradient of the result. With y the result and g its gradient, it is
//
//	y·(g - Σ g·y)
//
// over each segment and column. It has gradients with respect to grad and to result;
// those of the latter have none again.
func SegmentSoftmaxGrad(op G.Op, grad, result, segmentIDs *G.Node) (*G.Node, error) {
	const name = "SegmentSoftmaxGrad"
	p, ok := paramsOf(op)
	if !ok || p.Op != plan.SegmentSoftmax {
		return nil, errors.Errorf("%s: op is %s, the operator of a SegmentSoftmax is needed", name, fault.Cut(fmt.Sprint(op)))
	}
	if err := graph.Nodes(name, []string{"grad", "result", "segmentIDs"}, grad, result, segmentIDs); err != nil {
		return nil, err
	}
	if err := graph.Named(name, "segmentIDs", segmentIDs); err != nil {
		return nil, err
	}
	if err := core.CheckDtypes(&p, result.Dtype(), segmentIDs.Dtype()); err != nil {
		return nil, err
	}
	return applySoftmax(core.SoftmaxVJP, p, segmentIDs, grad, result)
}

// softmaxMap is a derivative of a SegmentSoftmax, an operator of tensors that are all
// alike and of segment ids.
type softmaxMap struct {
	graph.Operator
	is     core.SoftmaxMap
	params plan.Params
}

func applySoftmax(is core.SoftmaxMap, p plan.Params, segmentIDs *G.Node, in ...*G.Node) (*G.Node, error) {
	names := [...]string{core.SoftmaxVJP: "SegmentSoftmaxGrad", core.SoftmaxSecond: "SegmentSoftmaxSecond"}
	n := len(in)
	nodes := append(in[:n:n], segmentIDs)
	arguments := append(core.SoftmaxArguments[is][:n:n], "segmentIDs")
	op := &softmaxMap{is: is, params: p, Operator: graph.New(graph.Description{
		Name:     fmt.Sprintf("%s of %v", names[is], p),
		Operands: graph.OperandsOf(arguments, nodes...),
		Result:   graph.OperandOf(in[0]),
		Shape: func(in ...tensor.Shape) (tensor.Shape, error) {
			for i, s := range in[:n] {
				if !slices.Equal(s, in[n-1]) {
					return nil, fault.Errorf(shapes.ErrShape, "%s: %s %v must have the shape %v of result", names[is], arguments[i], fault.Shape(s), fault.Shape(in[n-1]))
				}
			}
			return p.Shape(in[n-1], in[n])
		},
		Run: func(dst *tensor.Dense, in []tensor.Tensor) (*tensor.Dense, error) {
			return is.Apply(p, dst, in[n], in[:n]...)
		},
		Unnamed: n,
		Instead: []string{in[n-1].Name()},
	})}
	return graph.Apply(op, nodes...)
}

// DiffWRT is true for grad and result, unless this is a second derivative.
func (op *softmaxMap) DiffWRT(int) []bool {
	wrt := make([]bool, op.Arity())
	for i := range wrt[:len(wrt)-1] {
		wrt[i] = true
	}
	return wrt
}

func (op *softmaxMap) checkSecond() error {
	if op.is == core.SoftmaxSecond {
		return errors.Errorf("%v: a third derivative of a softmax is not here", fault.Operator(op))
	}
	return nil
}

// SymDiff gives the gradient of grad, of which the map is its own adjoint, and that of
// result.
func (op *softmaxMap) SymDiff(inputs G.Nodes, _, tangent *G.Node) (G.Nodes, error) {
	if err := op.checkSecond(); err != nil {
		return nil, err
	}
	if err := graph.CheckSymDiff(op, inputs, tangent); err != nil {
		return nil, err
	}
	grad, result, ids := inputs[0], inputs[1], inputs[2]
	ofGrad, err := applySoftmax(core.SoftmaxVJP, op.params, ids, tangent, result)
	if err != nil {
		return nil, err
	}
	ofResult, err := applySoftmax(core.SoftmaxSecond, op.params, ids, tangent, grad, result)
	return G.Nodes{ofGrad, ofResult, nil}, err
}

// DoDiff adds to the gradients what SymDiff makes of them.
func (op *softmaxMap) DoDiff(_ G.ExecutionContext, inputs G.Nodes, output *G.Node) error {
	if err := op.checkSecond(); err != nil {
		return err
	}
	return graph.Backward(op, inputs, output, func(tangent *tensor.Dense, in []tensor.Tensor) error {
		ofGrad, err := core.SoftmaxVJP.Apply(op.params, nil, in[2], tangent, in[1])
		if err != nil {
			return err
		}
		ofResult, err := core.SoftmaxSecond.Apply(op.params, nil, in[2], tangent, in[0], in[1])
		if err != nil {
			return err
		}
		return graph.AccumulateAll(inputs, []tensor.Tensor{ofGrad, ofResult, nil})
	})
}

var (
	_ G.SDOp = (*softmaxMap)(nil)
	_ G.ADOp = (*softmaxMap)(nil)
)
