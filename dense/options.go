package dense

import (
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/tensor"
)

// An Option changes how an operator works. Options are plain values: they can
// be kept, compared and passed again, and passing them allocates nothing. An
// operator refuses an option that it does not have, with [ErrOption].
type Option = plan.Option

// WithBatchDims makes the first n dims of data and indices batch dims: each
// batch of data is indexed by its own batch of indices. For Gather and
// GatherND. Gather accepts a negative n, counted from the rank of indices.
//
// Sources: ONNX GatherND-12, OpenVINO Gather-7 and GatherND-5.
func WithBatchDims(n int) Option {
	return plan.Of(plan.BatchDims, plan.Settings{BatchDims: n})
}

// WithFusedBatchDims makes GatherND multiply its batch dims into one leading
// dim of the result: (b0, b1, …) becomes (b0*b1, …). The values and their order
// stay the same.
//
// Source: OpenVINO GatherND-5.
func WithFusedBatchDims() Option {
	return plan.Of(plan.FusedBatchDims, plan.Settings{FusedBatchDims: true})
}

// OutOfRange says what an operator does with an index outside its axis.
type OutOfRange = plan.OutOfRange

const (
	// Reject returns an [*IndexError]. It is the default.
	Reject = plan.Reject
	// ZeroFill writes zeros (empty strings) where such an index points. The
	// gradient drops what was filled.
	ZeroFill = plan.ZeroFill
	// Clamp takes the nearest index in range: the first for one below it, the last
	// for one behind. The gradient goes to what was read. An axis of size 0 has no
	// index to take, which is an [*IndexError].
	Clamp = plan.Clamp
	// Skip leaves the update of such an index out: it changes no old value, no mean
	// counts it, and its gradient is 0. A tuple of ScatterND with one index out of
	// range is left out, too.
	Skip = plan.Skip
)

// WithOutOfRange chooses what is done with an index out of range. A negative index first
// counts from the end, unless there is [WithNonNegativeIndices].
//
//	Gather, GatherElements, GatherND              Reject, ZeroFill, Clamp
//	the scatters, and the operators of segments   Reject, Skip
//	the operators of bags                         Reject, ZeroFill
//
// An adjoint takes what its operator takes. ZeroFill leaves a position of a bag out. For
// batches that are padded there is [WithPadding]: -1 is the last element, not out of range.
//
// Sources: OpenVINO Gather-8 (ZeroFill), StableHLO gather (Clamp) and scatter (Skip);
// JAX has the modes "fill", "clip" and "drop".
func WithOutOfRange(m OutOfRange) Option {
	return plan.Of(plan.OutOfRangePolicy, plan.Settings{OutOfRange: m})
}

// WithPadding makes indices that equal id stand for nothing: a gather gives zeros (empty
// strings), a scatter leaves the update out, a bag or a segment the position, which no mean
// counts; and none of them gets a gradient. A tuple of GatherND or ScatterND that has the id
// anywhere is left out as a whole. A bag of padding alone is an empty bag.
//
// An index is compared as it is given, before negative ones count from the end and before
// anything is checked: [WithOutOfRange] and [WithNonNegativeIndices] are about all others.
// With WithPadding(-1) the last row still has its index counted from the front. Without it
// -1 is the last row, with ZeroFill and Skip, too. Among segment ids padding may stand
// anywhere: the others are ascending. In EmbeddingSegments it is among the indices of the
// table. A default row that is the padding is [ErrOption]. For all but GatherTree.
//
// Tables have it as embedding.WithPadding. In PyTorch padding_idx is a row of the
// table, which is left out of bags and gets no gradient, but a lookup returns it.
func WithPadding(id int64) Option {
	return plan.Of(plan.PaddingGiven, plan.Settings{Padded: true, Padding: id})
}

// WithNonNegativeIndices makes negative indices out of range, as the older
// OpenVINO operators define them. By default they count from the end.
func WithNonNegativeIndices() Option {
	return plan.Of(plan.NonNegative, plan.Settings{NonNegative: true})
}

// Reduction is how a scatter combines an update with its target.
type Reduction = plan.Reduction

const (
	// None overwrites: of several updates the last one, in row-major order of
	// the indices, wins. It is the default.
	None = plan.None
	// Add sums. For bool it is OR.
	Add = plan.Add
	// Sub subtracts every update. For bool it is XOR.
	Sub = plan.Sub
	// Mul multiplies. For bool it is AND.
	Mul = plan.Mul
	// Min takes the least, or NaN if there is one. For bool it is AND; complex
	// numbers have none.
	Min = plan.Min
	// Max takes the greatest, or NaN if there is one. For bool it is OR; complex
	// numbers have none.
	Max = plan.Max
	// Mean is the mean of the updates and the old value. For integers it is exact
	// and rounded toward minus infinity; bool has none.
	Mean = plan.Mean
	// SqrtN is for bags of floats alone: their sum over the root of the number of rows or,
	// with weights, of the sum of their squares. TensorFlow calls it sqrtn.
	SqrtN = plan.SqrtN
)

// WithReduction chooses how the scatters combine updates with data, and how
// EmbeddingBagOffsets, EmbeddingBagPacked and EmbeddingSegments reduce a bag: by Add,
// which is their default, Mean, SqrtN or Max. Integers wrap around. Updates of one target
// are combined in row-major order of the indices.
//
// Sources: ONNX ScatterElements-18 and ScatterND-18 (none, add, mul, min, max),
// OpenVINO ScatterElementsUpdate-12 (mean), ScatterNDUpdate-15 (sub) and
// EmbeddingBagOffsets-15 (sum, mean).
func WithReduction(r Reduction) Option {
	return plan.Of(plan.ReductionKind, plan.Settings{Reduction: r})
}

// WithInitValue(false) makes a scatter start the reduction of a target without its
// old value: sums, differences and means from 0, products from 1, minimum and maximum
// from the first update. An element that no index addresses keeps its value. Without a
// reduction the option changes nothing.
//
// Source: OpenVINO ScatterElementsUpdate-12, use_init_val.
func WithInitValue(use bool) Option {
	return plan.Of(plan.InitValue, plan.Settings{NoInit: !use})
}

// WithDefaultIndex makes row i of the table the result of a bag without positions,
// instead of zeros. It is not weighted, and gets the gradient of such a bag. For
// EmbeddingBagOffsets, where -1 stands for none, and EmbeddingSegments.
//
// Sources: OpenVINO EmbeddingBagOffsets-15, EmbeddingSegmentsSum-3.
func WithDefaultIndex(i int) Option {
	return plan.Of(plan.DefaultIndexGiven, plan.Settings{HasDefault: true, DefaultIndex: i})
}

// WithLengths makes offsets of EmbeddingBagOffsets the number of positions of each bag:
// none is negative, and their sum is the number of indices, else it is [ErrShape]. TorchRec
// calls them the lengths of a KeyedJaggedTensor. Not together with WithLastOffset.
func WithLengths() Option {
	return plan.Of(plan.LengthsGiven, plan.Settings{Lengths: true})
}

// WithLastOffset makes offsets of EmbeddingBagOffsets one more than there are bags: the last
// is the number of indices, else it is [ErrShape].
//
// Source: PyTorch's embedding_bag, include_last_offset.
func WithLastOffset() Option {
	return plan.Of(plan.LastOffsetGiven, plan.Settings{LastOffset: true})
}

// FillMode is what SegmentMax writes for a segment without rows.
type FillMode = plan.FillMode

const (
	// FillZero writes zeros. It is the default.
	FillZero = plan.FillZero
	// FillLowest writes the lowest finite number of the dtype.
	FillLowest = plan.FillLowest
)

// WithFillMode chooses what SegmentMax writes for a segment without rows. Of WithFillMode and
// WithEmptySegment the last one counts.
//
// Source: OpenVINO SegmentMax-16.
func WithFillMode(m FillMode) Option {
	return plan.Of(plan.FillModeGiven, plan.Settings{FillMode: m})
}

// WithEmptySegment makes x the elements of a segment without rows, instead of 0. It is
// rounded to the dtype of data; one that an integer cannot be is [ErrOption]. For
// SegmentSum, SegmentMean, SegmentMin, SegmentMax and SegmentProd.
func WithEmptySegment(x float64) Option {
	return plan.Of(plan.EmptySegment, plan.Settings{Empty: x})
}

// WithReuse makes the operator write its result to dst, which it also returns. dst
// must have the result's dtype and shape, in any memory layout, and must not overlap
// an input; only a scatter may be given its own data as dst, and then changes it in
// place. All from a tensor's first element to its last counts as its memory: of one matrix
// two halves of rows can be input and dst, two halves of columns cannot. Where elements of dst
// itself share memory, as with strides of 0, one of their results is there or, from a scatter with
// a reduction, what the updates of all of them make. After an [*IndexError]
// dst holds anything, except that a scatter's own data is unchanged. Strings cannot be written to a
// given tensor: package tensor hides them from the garbage collector there.
//
// The call allocates nothing, except for a scatter with the reduction Mean or from which
// Skip leaves updates out, for SegmentSoftmax, with WithEmptySegment, for bags and GatherTree
// if a tensor is not row-major, and for ranks above 8.
func WithReuse(dst *tensor.Dense) Option { return plan.Into(dst) }
