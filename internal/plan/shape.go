package plan

import (
	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/shapes"
	"gorgonia.org/tensor"
)

// Shape is the shape of the result for inputs of the given shapes: data and
// indices for a gather, data, indices and updates for a scatter, and the four
// inputs of GatherTree. It and what runs the operator call the same functions of
// package shapes, so the two cannot disagree.
func (p Params) Shape(in ...tensor.Shape) (tensor.Shape, error) {
	if int(p.Op) >= len(arities) {
		return nil, errors.Errorf("no operator %d", p.Op)
	}
	if len(in) != arities[p.Op] {
		return nil, fault.Errorf(shapes.ErrShape, "%v: %d shapes, %d are needed", p.Op, len(in), arities[p.Op])
	}
	switch p.Op {
	case Gather:
		return shapes.Gather(in[0], in[1], p.Axis, p.BatchDims)
	case GatherElements:
		return shapes.GatherElements(in[0], in[1], p.Axis)
	case GatherND:
		out, err := shapes.GatherND(in[0], in[1], p.BatchDims)
		if err == nil && p.FusedBatchDims {
			out = shapes.FuseBatchDims(out, p.BatchDims)
		}
		return out, err
	case ScatterElements:
		return shapes.ScatterElements(in[0], in[1], in[2], p.Axis)
	case ScatterND:
		return shapes.ScatterND(in[0], in[1], in[2])
	case ScatterUpdate:
		return shapes.ScatterUpdate(in[0], in[1], in[2], p.Axis)
	}
	return shapes.GatherTree(in[0], in[1], in[2], in[3])
}

// arities are the numbers of inputs of the operators.
var arities = [...]int{
	Gather: 2, GatherElements: 2, GatherND: 2,
	ScatterElements: 3, ScatterND: 3, ScatterUpdate: 3, GatherTree: 4,
}

// Normal counts the axis and the batch dims from the front, for data of rank r
// and indices of rank q that Shape has accepted: axis -1 and axis r-1 are one
// operator then, not two.
func (p Params) Normal(r, q int) Params {
	if p.Op.hasAxis() && p.Axis < 0 {
		p.Axis += r
	}
	if p.Op == Gather && p.BatchDims < 0 {
		p.BatchDims += q
	}
	return p
}
