package diff

import (
	"fmt"

	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/elem"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/graph"
	"gorgonia.org/gather/internal/plan"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// SegmentGrad is the gradient of a reduction of segments with respect to its data. op is
// the operator of its node, data and segmentIDs are its inputs, and grad, of the shape
// of its result, is the gradient of that. With g the gradient of the result of a row's
// segment, and N the number of its rows:
//
//	operator      gradient of a row
//	SegmentSum    g
//	SegmentMean   g/N
//	SegmentProd   g · ∏ other rows
//	SegmentMin    g/T if it is the least, else 0
//
// element by element, where T is the number of rows that have the least value. It is that
// of the updates of a ScatterUpdate without the old values, with the same gradients of
// its own: see [ScatterGradUpdates].
func SegmentGrad(op G.Op, grad, data, segmentIDs *G.Node) (*G.Node, error) {
	const name = "SegmentGrad"
	p, ok := paramsOf(op)
	if !ok || !p.Op.Reduces() {
		return nil, notSegments(name, op)
	}
	if err := graph.Nodes(name, []string{"grad", "data", "segmentIDs"}, grad, data, segmentIDs); err != nil {
		return nil, err
	}
	if err := graph.Named(name, "segmentIDs", segmentIDs); err != nil {
		return nil, err
	}
	if dt := data.Dtype(); !elem.IsDifferentiable(dt) {
		return nil, fault.Errorf(elem.ErrDtype, "%s: data has dtype %v, allowed are floats and complex numbers", name, elem.Name(dt))
	}
	// What the scatter would change is not read, but has the shape of grad.
	return applyVJP(core.VJPUpdates, core.SegmentScatter(p), grad, grad, segmentIDs, data)
}

func notSegments(caller string, op G.Op) error {
	return errors.Errorf("%s: op is %s, the operator of segments is needed", caller, fault.Cut(fmt.Sprint(op)))
}

// AddSegmentTo is the backward pass of an operator of segments on LispMachine: it adds
// the gradient of data to that which inputs[0] holds.
func AddSegmentTo(op Operator, inputs G.Nodes, output *G.Node) error {
	p, ok := paramsOf(op)
	if !ok || !p.Op.Reduces() && p.Op != plan.SegmentSoftmax {
		return notSegments("AddSegmentTo", op)
	}
	return graph.Backward(op, inputs, output, func(grad *tensor.Dense, in []tensor.Tensor) error {
		var data *tensor.Dense
		var err error
		if p.Op == plan.SegmentSoftmax {
			data, err = core.SoftmaxVJP.Apply(p, nil, in[1], grad, output.Value().(tensor.Tensor))
		} else {
			data, err = core.VJPUpdates.Apply(core.SegmentScatter(p), nil, grad, grad, in[1], in[0])
		}
		if err != nil {
			return err
		}
		return graph.AccumulateAll(inputs[:1], []tensor.Tensor{data})
	})
}
