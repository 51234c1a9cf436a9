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
// dim of the output: (b0, b1, …) becomes (b0*b1, …). The values and their order
// stay the same.
//
// Source: OpenVINO GatherND-5.
func WithFusedBatchDims() Option {
	return plan.Of(plan.FusedBatchDims, plan.Settings{FusedBatchDims: true})
}

// OutOfRange says what a gather does with an index outside its axis.
type OutOfRange = plan.OutOfRange

const (
	// Reject returns an [*IndexError]. It is the default.
	Reject = plan.Reject
	// ZeroFill writes zeros (empty strings) where such an index points. The
	// gradient drops what was filled.
	ZeroFill = plan.ZeroFill
)

// WithOutOfRange chooses what the gathers do with an index out of range.
//
// Source of ZeroFill: OpenVINO Gather-8.
func WithOutOfRange(m OutOfRange) Option {
	return plan.Of(plan.OutOfRangePolicy, plan.Settings{OutOfRange: m})
}

// WithNonNegativeIndices makes negative indices out of range, as the older
// OpenVINO operators define them. By default they count from the end.
func WithNonNegativeIndices() Option {
	return plan.Of(plan.NonNegative, plan.Settings{NonNegative: true})
}

// WithReuse makes the operator write its result to dst, which it also returns,
// and allocate nothing. dst must have the result's dtype and shape, in any
// memory layout, and must not overlap an input; only a scatter may be given its
// own data as dst, and then changes it in place. After an error of a gather dst
// holds anything; a scatter has not touched it. Strings cannot be written to a
// given tensor: package tensor hides them from the garbage collector there.
func WithReuse(dst *tensor.Dense) Option { return plan.Into(dst) }
