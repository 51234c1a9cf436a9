package plan

import (
	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/shapes"
	"gorgonia.org/tensor"
)

// RankHint is a capacity for shapes on a caller's stack that most results fit.
const RankHint = 8

// Shape is the shape of the result for inputs of the given shapes, those of
// Arguments.
func (p Params) Shape(in ...tensor.Shape) (tensor.Shape, error) {
	return p.AppendShape(make(tensor.Shape, 0, RankHint), in...)
}

// AppendShape is Shape, appended to a caller's buffer; it allocates nothing if that
// is long enough, and the result has no more than RankHint dims. Whatever runs an
// operator, infers a shape or reads a model comes here: it is the only choice of
// a function of package shapes by operator.
func (p *Params) AppendShape(buf tensor.Shape, in ...tensor.Shape) (tensor.Shape, error) {
	if int(p.Op) >= len(arities) {
		return nil, errors.Errorf("no operator %d", p.Op)
	}
	if n := arities[p.Op]; len(in) != n && !(len(in) == n+1 && p.Op.Weighted()) {
		return nil, fault.Errorf(shapes.ErrShape, "%v: %d shapes, %d are needed", p.Op, len(in), arities[p.Op])
	}
	// Called by name, and with a result that is copied, the functions are inlined
	// and make their shapes on this stack.
	var shape tensor.Shape
	var err error
	switch p.Op {
	case Gather:
		shape, err = shapes.Gather(in[0], in[1], p.Axis, p.BatchDims)
	case GatherElements:
		shape, err = shapes.GatherElements(in[0], in[1], p.Axis)
	case GatherND:
		if shape, err = shapes.GatherND(in[0], in[1], p.BatchDims); err == nil && p.FusedBatchDims {
			shape = fuseBatchDims(shape, p.BatchDims)
		}
	case ScatterElements:
		shape, err = shapes.ScatterElements(in[0], in[1], in[2], p.Axis)
	case ScatterND:
		shape, err = shapes.ScatterND(in[0], in[1], in[2])
	case ScatterUpdate:
		shape, err = shapes.ScatterUpdate(in[0], in[1], in[2], p.Axis)
	case EmbeddingBagOffsets:
		if shape, err = shapes.EmbeddingBagOffsets(in[0], in[1], in[2], in[3:]...); err == nil && p.LastOffset {
			shape[0]--
		}
	case EmbeddingBagPacked:
		shape, err = shapes.EmbeddingBagPacked(in[0], in[1], in[2:]...)
	case EmbeddingSegments:
		shape, err = shapes.EmbeddingSegments(in[0], in[1], in[2], p.NumSegments, in[3:]...)
	case SegmentMax:
		shape, err = shapes.SegmentMax(in[0], in[1], p.NumSegments)
	case SegmentSum:
		shape, err = shapes.SegmentSum(in[0], in[1], p.NumSegments)
	case SegmentMean:
		shape, err = shapes.SegmentMean(in[0], in[1], p.NumSegments)
	case SegmentMin:
		shape, err = shapes.SegmentMin(in[0], in[1], p.NumSegments)
	case SegmentProd:
		shape, err = shapes.SegmentProd(in[0], in[1], p.NumSegments)
	case SegmentSoftmax:
		shape, err = shapes.SegmentSoftmax(in[0], in[1], p.NumSegments)
	default:
		shape, err = shapes.GatherTree(in[0], in[1], in[2], in[3])
	}
	if err != nil {
		return nil, err
	}
	if p.Op.Bags() {
		if err := p.fitBags(in); err != nil {
			return nil, err
		}
	}
	return append(buf, shape...), nil
}

// fuseBatchDims replaces the batch dims of a result of GatherND by their product, the
// shape that OpenVINO GatherND-5 gives. The values and their order in memory stay the
// same. The shape is edited in place.
func fuseBatchDims(out tensor.Shape, batchDims int) tensor.Shape {
	if batchDims < 2 {
		return out
	}
	for _, n := range out[1:batchDims] {
		out[0] *= n
	}
	return append(out[:1], out[batchDims:]...)
}

// fitBags checks what settings of bags need of the inputs, whose shapes fit.
func (p *Params) fitBags(in []tensor.Shape) error {
	if len(in) > arities[p.Op] && p.Reduction == Max {
		return fault.Errorf(ErrOption, "%v: weights do not apply to WithReduction(max), only to add, mean and sqrtn", p.Op)
	}
	if p.LastOffset && in[2][0] == 0 {
		return fault.Errorf(shapes.ErrShape, "%v: offsets %v with WithLastOffset, 1 or more are needed: the last one is the number of indices", p.Op, fault.Shape(in[2]))
	}
	if rows := in[0][0]; p.HasDefault && p.DefaultIndex >= rows {
		return fault.Errorf(ErrOption, "%v: WithDefaultIndex(%d), the table has %d rows", p.Op, p.DefaultIndex, rows)
	}
	return nil
}

// arities are the numbers of inputs of the operators.
var arities = [...]int{
	Gather: 2, GatherElements: 2, GatherND: 2,
	ScatterElements: 3, ScatterND: 3, ScatterUpdate: 3, GatherTree: 4,
	EmbeddingBagOffsets: 3, EmbeddingBagPacked: 2, EmbeddingSegments: 3, SegmentMax: 2,
	SegmentSum: 2, SegmentMean: 2, SegmentMin: 2, SegmentProd: 2, SegmentSoftmax: 2,
}

// Normalize counts the axis and the batch dims from the front, for data of rank r
// and indices of rank q that Shape has accepted: axis -1 and axis r-1 are one
// operator then, not two.
func (p *Params) Normalize(r, q int) {
	if p.Op.hasAxis() && p.Axis < 0 {
		p.Axis += r
	}
	if p.Op == Gather && p.BatchDims < 0 {
		p.BatchDims += q
	}
}

// Arguments are the names of an operator's inputs, in their order. The last one of
// those that are Weighted may be left out.
func (op Op) Arguments() []string { return arguments[op] }

var arguments = [...][]string{
	Gather:              {"data", "indices"},
	GatherElements:      {"data", "indices"},
	GatherND:            {"data", "indices"},
	ScatterElements:     {"data", "indices", "updates"},
	ScatterND:           {"data", "indices", "updates"},
	ScatterUpdate:       {"data", "indices", "updates"},
	GatherTree:          {"stepIDs", "parentIDs", "maxSeqLen", "endToken"},
	EmbeddingBagOffsets: {"table", "indices", "offsets", "weights"},
	EmbeddingBagPacked:  {"table", "indices", "weights"},
	EmbeddingSegments:   {"table", "indices", "segmentIDs", "weights"},
	SegmentMax:          {"data", "segmentIDs"},
	SegmentSum:          {"data", "segmentIDs"},
	SegmentMean:         {"data", "segmentIDs"},
	SegmentMin:          {"data", "segmentIDs"},
	SegmentProd:         {"data", "segmentIDs"},
	SegmentSoftmax:      {"data", "segmentIDs"},
}

// Arguments are those of the operator: with lengths these are called so, and not offsets.
func (p *Params) Arguments() []string {
	if p.Lengths {
		return withLengths
	}
	return p.Op.Arguments()
}

var withLengths = []string{"table", "indices", "lengths", "weights"}

// Weighted reports whether the operator takes weights, which may be left out.
func (op Op) Weighted() bool { return op >= EmbeddingBagOffsets && op <= EmbeddingSegments }
