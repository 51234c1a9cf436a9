package gather

import "gorgonia.org/gather/dense"

// An Option changes how an operator works; the functions below make one each. An
// operator refuses an option that it does not have, with [ErrOption], and of
// several of one kind the last one counts. Options are plain values without
// exported fields: they can be kept, compared and given again, also to package
// dense, whose options they are.
type Option = dense.Option

// WithBatchDims makes the first n dims of data and indices batch dims: each
// batch of data is indexed by its own batch of indices. For [Gather] and
// [GatherND]. Gather accepts a negative n, counted from the rank of indices.
//
// Sources: ONNX GatherND-12, OpenVINO Gather-7 and GatherND-5.
func WithBatchDims(n int) Option { return dense.WithBatchDims(n) }

// WithFusedBatchDims makes [GatherND] multiply its batch dims into one leading
// dim of the result: (b0, b1, …) becomes (b0*b1, …). The values and their order
// stay the same.
//
// Source: OpenVINO GatherND-5.
func WithFusedBatchDims() Option { return dense.WithFusedBatchDims() }

// OutOfRange says what an operator does with an index outside its axis: [Reject],
// [ZeroFill], [Clamp] or [Skip]. See [WithOutOfRange].
type OutOfRange = dense.OutOfRange

const (
	// Reject makes it an [*IndexError]. It is the default.
	Reject OutOfRange = dense.Reject
	// ZeroFill writes zeros (empty strings) where such an index points. The
	// gradient drops what was filled.
	ZeroFill OutOfRange = dense.ZeroFill
	// Clamp takes the nearest index in range: the first for one below it, the last
	// for one behind. The gradient goes to what was read. An axis of size 0 has no
	// index to take, which is an [*IndexError].
	Clamp OutOfRange = dense.Clamp
	// Skip leaves the update of such an index out: it changes no old value, no mean
	// counts it, and its gradient is 0. A tuple of ScatterND with one index out of
	// range is left out as a whole.
	Skip OutOfRange = dense.Skip
)

// WithOutOfRange chooses what is done with an index out of range. A negative index first
// counts from the end, unless there is [WithNonNegativeIndices].
//
//	Gather, GatherElements, GatherND              Reject, ZeroFill, Clamp
//	the scatters, and the operators of segments   Reject, Skip
//	the operators of bags                         Reject, ZeroFill
//
// Gradients follow their operator. ZeroFill leaves a position of a bag out, and a mean
// does not count it. For batches that are padded there is [WithPadding]: -1 is the last
// element, not out of range.
//
// Sources: OpenVINO Gather-8 (ZeroFill), StableHLO gather (Clamp) and scatter (Skip);
// JAX has the modes "fill", "clip" and "drop".
func WithOutOfRange(m OutOfRange) Option { return dense.WithOutOfRange(m) }

// WithPadding makes indices that equal id stand for nothing: a gather gives zeros (empty
// strings), a scatter leaves the update out, a bag or a segment the position, which no mean
// counts; and none of them gets a gradient. A tuple of [GatherND] or [ScatterND] that has the
// id anywhere is left out as a whole. A bag of padding alone is an empty bag.
//
// An index is compared as it is given, before negative ones count from the end and before
// anything is checked: [WithOutOfRange] and [WithNonNegativeIndices] are about all others.
// With WithPadding(-1) the last row still has its index counted from the front. Without it
// -1 is the last row, with ZeroFill and Skip, too. Among segment ids padding may stand
// anywhere: the others are ascending. In [EmbeddingSegments] it is among the indices of the
// table. A default row that is the padding is [ErrOption]. For all but [GatherTree].
//
// Tables have it as [gorgonia.org/gather/embedding.WithPadding]. In PyTorch padding_idx is a row of the
// table, which is left out of bags and gets no gradient, but a lookup returns it.
func WithPadding(id int64) Option { return dense.WithPadding(id) }

// WithNonNegativeIndices makes negative indices out of range, as the older
// OpenVINO operators define them. By default they count from the end.
func WithNonNegativeIndices() Option { return dense.WithNonNegativeIndices() }

// Reduction is how a scatter combines an update with its target: [None], [Add],
// [Sub], [Mul], [Min], [Max], [Mean] or [SqrtN]. See [WithReduction]. Its String is the name
// that ONNX gives it, "none" for None and so on, "sub" and "mean" for those that OpenVINO
// alone has, and "sqrtn".
type Reduction = dense.Reduction

const (
	// None overwrites: of several updates the last one, in row-major order of
	// the indices, wins, and gets the gradient. It is the default.
	None Reduction = dense.None
	// Add sums. For bool it is OR.
	Add Reduction = dense.Add
	// Sub subtracts every update. For bool it is XOR.
	Sub Reduction = dense.Sub
	// Mul multiplies. For bool it is AND.
	Mul Reduction = dense.Mul
	// Min takes the least, or NaN if there is one; the gradient is split evenly
	// over all that are the least. For bool it is AND; complex numbers have none.
	Min Reduction = dense.Min
	// Max takes the greatest, or NaN if there is one; the gradient is split
	// evenly over all that are the greatest. For bool it is OR; complex numbers
	// have none.
	Max Reduction = dense.Max
	// Mean is the mean of the updates and the old value. That of integers is
	// exact and rounded toward minus infinity; bool has none.
	Mean Reduction = dense.Mean
	// SqrtN is for bags of floats alone: their sum over the root of the number of rows or,
	// with weights, of the sum of their squares. TensorFlow calls it sqrtn.
	SqrtN Reduction = dense.SqrtN
)

// WithReduction chooses how [ScatterElements], [ScatterND] and [ScatterUpdate]
// combine updates with data, and how [EmbeddingBagOffsets], [EmbeddingBagPacked] and
// [EmbeddingSegments] reduce a bag: by Add, which is their default, Mean, SqrtN
// or Max. Integers wrap around. Updates of one target are combined in row-major order of the
// indices.
//
// Sources: ONNX ScatterElements-18 and ScatterND-18 (none, add, mul, min, max),
// OpenVINO ScatterElementsUpdate-12 (mean), ScatterNDUpdate-15 (sub) and
// EmbeddingBagOffsets-15 (sum, mean).
func WithReduction(r Reduction) Option { return dense.WithReduction(r) }

// WithInitValue(false) makes a scatter start the reduction of a target without its
// old value: sums, differences and means from 0, products from 1, minimum and
// maximum from the first update. An element that no index addresses keeps its value.
// Without a reduction the option changes nothing.
//
// Source: OpenVINO ScatterElementsUpdate-12, use_init_val.
func WithInitValue(use bool) Option { return dense.WithInitValue(use) }

// WithDefaultIndex makes row i of the table the result of a bag without positions,
// instead of zeros. It is not weighted, and gets the gradient of such a bag. For
// [EmbeddingBagOffsets], where -1 stands for none, and [EmbeddingSegments].
//
// Sources: OpenVINO EmbeddingBagOffsets-15, EmbeddingSegmentsSum-3.
func WithDefaultIndex(i int) Option { return dense.WithDefaultIndex(i) }

// WithLengths makes offsets of [EmbeddingBagOffsets] the number of positions of each bag:
// none is negative, and their sum is the number of indices, else it is [ErrShape]. TorchRec
// calls them the lengths of a KeyedJaggedTensor. Not together with [WithLastOffset].
func WithLengths() Option { return dense.WithLengths() }

// WithLastOffset makes offsets of [EmbeddingBagOffsets] one more than there are bags: the
// last is the number of indices, else it is [ErrShape].
//
// Source: PyTorch's embedding_bag, include_last_offset.
func WithLastOffset() Option { return dense.WithLastOffset() }

// FillMode is what [SegmentMax] writes for a segment without rows: [FillZero] or
// [FillLowest]. See [WithFillMode].
type FillMode = dense.FillMode

const (
	// FillZero writes zeros. It is the default.
	FillZero FillMode = dense.FillZero
	// FillLowest writes the lowest finite number of the dtype.
	FillLowest FillMode = dense.FillLowest
)

// WithFillMode chooses what [SegmentMax] writes for a segment without rows. Of WithFillMode and
// WithEmptySegment the last one counts.
//
// Source: OpenVINO SegmentMax-16.
func WithFillMode(m FillMode) Option { return dense.WithFillMode(m) }

// WithEmptySegment makes x the elements of a segment without rows, instead of 0. It is
// rounded to the dtype of data; one that an integer cannot be is [ErrOption]. For
// [SegmentSum], [SegmentMean], [SegmentMin], [SegmentMax] and [SegmentProd].
func WithEmptySegment(x float64) Option { return dense.WithEmptySegment(x) }

// BF16 is a bfloat16, the element of a [BFloat16] tensor: the upper 16 bits of a
// float32.
type BF16 = dense.BF16

// The 16-bit floats as dtypes. The element of a Float16 tensor is a
// float16.Float16 of github.com/x448/float16.
var (
	Float16  = dense.Float16
	BFloat16 = dense.BFloat16
)
