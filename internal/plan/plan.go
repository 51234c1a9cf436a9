// Package plan says what one call of an operator is to do: which operator,
// along which axis, under which options. The graph operators, their gradients
// and the operators on plain tensors all carry this one description, so that
// none of them can forget a setting the others know.
package plan

import (
	"math"
	"strconv"
	"strings"

	"gorgonia.org/gather/internal/num"
)

// Op names an operator.
type Op uint8

// The operators.
const (
	Gather Op = iota
	GatherElements
	GatherND
	ScatterElements
	ScatterND
	ScatterUpdate
	GatherTree
	EmbeddingBagOffsets
	EmbeddingBagPacked
	EmbeddingSegments
	SegmentMax
	SegmentSum
	SegmentMean
	SegmentMin
	SegmentProd
	SegmentSoftmax
)

// String is the operator's name as ONNX or OpenVINO spells it.
func (op Op) String() string {
	if int(op) < len(opNames) {
		return opNames[op]
	}
	return unknown(op)
}

// unknown is a function of its own so that String is inlined.
//
//go:noinline
func unknown(op Op) string { return "operator " + strconv.Itoa(int(op)) }

var opNames = [...]string{
	"Gather", "GatherElements", "GatherND",
	"ScatterElements", "ScatterND", "ScatterUpdate", "GatherTree",
	"EmbeddingBagOffsets", "EmbeddingBagPacked", "EmbeddingSegments", "SegmentMax",
	"SegmentSum", "SegmentMean", "SegmentMin", "SegmentProd", "SegmentSoftmax",
}

// hasAxis reports whether the operator works along an axis.
func (op Op) hasAxis() bool {
	return op == Gather || op == GatherElements || op == ScatterElements || op == ScatterUpdate
}

// Gathers reports whether the operator is one of the three gathers.
func (op Op) Gathers() bool { return op <= GatherND }

// Scatters reports whether the operator is one of the three scatters.
func (op Op) Scatters() bool { return op == ScatterElements || op == ScatterND || op == ScatterUpdate }

// Bags reports whether the operator reduces bags of rows.
func (op Op) Bags() bool { return op >= EmbeddingBagOffsets && op <= SegmentMax }

// Segments reports whether each position of the operator has the number of its bag.
func (op Op) Segments() bool { return op >= EmbeddingSegments && op <= SegmentSoftmax }

// Reduces reports whether the operator reduces the rows of segments, as SegmentMax does
// as a bag.
func (op Op) Reduces() bool { return op >= SegmentSum && op <= SegmentProd }

// reduction is the operator's without an option.
func (op Op) reduction() Reduction {
	switch op {
	case SegmentMax:
		return Max
	case SegmentMin:
		return Min
	case SegmentMean:
		return Mean
	case SegmentProd:
		return Mul
	case SegmentSum, EmbeddingBagOffsets, EmbeddingBagPacked, EmbeddingSegments:
		return Add
	}
	return None
}

// Elements reports whether each index addresses one element, on its own line
// along the axis.
func (op Op) Elements() bool { return op == GatherElements || op == ScatterElements }

// Tuples reports whether the last dim of the indices holds index tuples.
func (op Op) Tuples() bool { return op == GatherND || op == ScatterND }

// FillMode is what SegmentMax writes for a segment without rows.
type FillMode uint8

// The modes.
const (
	FillZero   FillMode = iota
	FillLowest          // the lowest finite number of the dtype
)

// Reduction is how a scatter combines an update with what its target holds.
type Reduction = num.Reduction

// The reductions.
const (
	None = num.None
	Add  = num.Add
	Sub  = num.Sub
	Mul  = num.Mul
	Min  = num.Min
	Max  = num.Max
	Mean = num.Mean

	SqrtN = num.SqrtN // of bags alone
)

// Settings are what the options of a call add up to. The zero value is the
// default of every option.
type Settings struct {
	BatchDims      int
	FusedBatchDims bool
	OutOfRange     OutOfRange
	NonNegative    bool // negative indices are out of range
	Reduction      Reduction
	NoInit         bool // a target's old value takes no part in the reduction
	HasDefault     bool // an empty bag is the row DefaultIndex of the table
	DefaultIndex   int
	Lengths        bool // offsets are how many positions each bag has
	LastOffset     bool // there is one offset more than bags, the number of indices
	FillMode       FillMode
	Empty          float64 // the elements of a segment without rows
	SkipBehind     bool    // SegmentMax's Skip is for ids from NumSegments on alone
	Padded         bool    // indices that are Padding, as they are given, stand for nothing
	Padding        int64
}

// DefaultRow is the row that is the result of an empty bag, or -1.
func (s *Settings) DefaultRow() int {
	if s.HasDefault {
		return s.DefaultIndex
	}
	return -1
}

// FillsEmpty reports whether the elements of a segment without rows are another number
// than the 0 that kernels write: -0 is one, too.
func (s *Settings) FillsEmpty() bool { return math.Float64bits(s.Empty) != 0 }

// Beyond is what a uint64 above the greatest int64 is read as: no index, and not the
// padding.
func (s *Settings) Beyond() int64 {
	if s.Padded && s.Padding == math.MaxInt64 {
		return math.MaxInt64 - 1
	}
	return math.MaxInt64
}

// Params is an operator with its axis and settings.
type Params struct {
	Op   Op
	Axis int
	// NumSegments is how many bags an operator with segments has.
	NumSegments int
	Settings
}

// WithReduction is the operator with another reduction.
func (p Params) WithReduction(r Reduction) Params {
	p.Reduction = r
	return p
}

// WithPolicy is the operator with another policy.
func (p Params) WithPolicy(m OutOfRange) Params {
	p.OutOfRange = m
	return p
}

// WithoutDefault is the operator without a default row.
func (p Params) WithoutDefault() Params {
	p.HasDefault, p.DefaultIndex = false, 0
	return p
}

// PaddingLeftOut is the operator on indices that count from the front, or are -1: the padding.
func (p Params) PaddingLeftOut() Params {
	p.NonNegative, p.OutOfRange = true, ZeroFill
	if p.Op.Scatters() {
		p.OutOfRange = Skip
	}
	return p
}

// String prints every field that is not at its default, so that two Params
// print alike only if they are equal. Operators hash by it.
func (p Params) String() string {
	var fields []string
	add := func(name, value string) { fields = append(fields, name+"="+value) }
	if p.Op.hasAxis() {
		add("axis", strconv.Itoa(p.Axis))
	}
	if p.Op.Segments() {
		add("num_segments", strconv.Itoa(p.NumSegments))
	}
	if p.BatchDims != 0 {
		add("batch_dims", strconv.Itoa(p.BatchDims))
	}
	if p.FusedBatchDims {
		add("fused_batch_dims", "true")
	}
	if p.OutOfRange != Reject {
		add("out_of_range", p.OutOfRange.setting())
	}
	if p.NonNegative {
		add("non_negative", "true")
	}
	if p.Reduction != p.Op.reduction() {
		add("reduction", p.Reduction.String())
	}
	if p.NoInit {
		add("init_value", "false")
	}
	if p.HasDefault {
		add("default_index", strconv.Itoa(p.DefaultIndex))
	}
	if p.Lengths {
		add("lengths", "true")
	}
	if p.LastOffset {
		add("last_offset", "true")
	}
	if p.FillMode != FillZero {
		add("fill_mode", "lowest")
	}
	if p.SkipBehind {
		add("skip", "behind")
	}
	if p.FillsEmpty() {
		add("empty_segment", strconv.FormatFloat(p.Empty, 'g', -1, 64))
	}
	if p.Padded {
		add("padding", strconv.FormatInt(p.Padding, 10))
	}
	if len(fields) == 0 {
		return p.Op.String()
	}
	return p.Op.String() + "(" + strings.Join(fields, ", ") + ")"
}
