package opset

import (
	"math"
	"math/bits"
	"slices"
	"strconv"

	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/tensor"
)

// ErrMaxBytes is what WithMaxBytes does not allow.
var ErrMaxBytes = dense.ErrMaxBytes

// DefaultMaxBytes is the limit of a Budget that none was set for.
const DefaultMaxBytes = 16 << 30

// A Budget counts the memory of one model before it is allocated.
type Budget struct {
	limit, used uint64
}

// NewBudget makes a budget of so many bytes.
func NewBudget(limit int64) (*Budget, error) {
	if limit < 1 {
		return nil, errors.Errorf("WithMaxBytes(%d), the least is 1", limit)
	}
	return &Budget{limit: uint64(limit)}, nil
}

// Limit is the whole of the budget.
func (b *Budget) Limit() int64 { return int64(b.limit) }

// Take counts n bytes more, of what the text says. It is an error, and counts
// nothing, if there are not as many left.
func (b *Budget) Take(n uint64, text func() string) error {
	if n > b.limit-b.used {
		return fault.Errorf(ErrMaxBytes, "%s takes %s bytes, WithMaxBytes allows %d, of which %d are taken",
			text(), bytesText(n), b.limit, b.used)
	}
	b.used += n
	return nil
}

func bytesText(n uint64) string {
	if n == math.MaxUint64 {
		return "2^64 or more"
	}
	return strconv.FormatUint(n, 10)
}

// TensorBytes is the size of a tensor's elements; what is more than 64 bits can
// count is as much as they can. A string counts by its header: its text is a part
// of the file, or of the data that the user gives.
func TensorBytes(dt tensor.Dtype, shape []int) uint64 {
	if dt.Type == nil || slices.Contains(shape, 0) {
		return 0
	}
	size := uint64(dt.Size())
	for _, n := range shape {
		high, low := bits.Mul64(size, uint64(n))
		if high != 0 {
			return math.MaxUint64
		}
		size = low
	}
	return size
}
