package openvino

import (
	"gorgonia.org/gather/internal/opset"
)

// A ReadOption is a setting of [ReadLayers]. The zero ReadOption changes nothing.
type ReadOption struct {
	maxBytes int64
	given    bool
}

// WithMaxBytes bounds the memory that [ReadLayers] takes for one file: for its
// text, and for the layers that it makes of it. It is 16 GiB where it is not set,
// and must be at least 1. What would exceed it is an error that wraps
// [ErrMaxBytes] and says where in the file.
func WithMaxBytes(n int64) ReadOption { return ReadOption{n, true} }

// ErrMaxBytes is wrapped by the errors about memory that [WithMaxBytes] does not
// allow.
var ErrMaxBytes = opset.ErrMaxBytes

// readBudget is what the options allow.
func readBudget(options []ReadOption) (*opset.Budget, error) {
	limit := int64(opset.DefaultMaxBytes)
	for _, o := range options {
		if o.given {
			limit = o.maxBytes
		}
	}
	return opset.NewBudget(limit)
}
