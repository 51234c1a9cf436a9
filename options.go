package gather

import "gorgonia.org/gather/dense"

// An Option changes how an operator works. An operator refuses an option that
// it does not have, with [ErrOption]. The options are those of package dense.
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

// OutOfRange says what a gather does with an index outside its axis.
type OutOfRange = dense.OutOfRange

const (
	// Reject makes it an [*IndexError]. It is the default.
	Reject = dense.Reject
	// ZeroFill writes zeros (empty strings) where such an index points. The
	// gradient drops what was filled.
	ZeroFill = dense.ZeroFill
)

// WithOutOfRange chooses what the gathers do with an index out of range.
//
// Source of ZeroFill: OpenVINO Gather-8.
func WithOutOfRange(m OutOfRange) Option { return dense.WithOutOfRange(m) }

// WithNonNegativeIndices makes negative indices out of range, as the older
// OpenVINO operators define them. By default they count from the end.
func WithNonNegativeIndices() Option { return dense.WithNonNegativeIndices() }
