package core

import (
	"reflect"
	"strings"
	"unsafe"

	"gorgonia.org/gather/internal/elem"
	"gorgonia.org/tensor"
)

// unclearedBytes is from what size on the memory of a result is not cleared before it is
// overwritten. See benchmarks/results/thresholds.md.
var unclearedBytes = 128 << 10

// newDense makes a tensor of a shape, with anything in it.
func newDense(dt tensor.Dtype, shape tensor.Shape) *tensor.Dense {
	n := product(shape)
	switch width, _ := elem.Width(dt); {
	case width == 0:
		// Of would make bytes, in which the garbage collector sees no strings.
		return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(elem.Strings(dt, n)))
	case n*width < unclearedBytes:
		// New(Of(dt)) would register dt in a list that nothing guards: two first
		// uses of new dtypes would race.
		return tensor.NewDense(dt, shape)
	default:
		return Over(uncleared(n*width), dt, shape)
	}
}

// Over is a tensor on memory, which is aligned, of a dtype that holds no pointers. It
// has elements.
func Over(memory []byte, dt tensor.Dtype, shape tensor.Shape) *tensor.Dense {
	first := unsafe.Pointer(unsafe.SliceData(memory))
	return tensor.NewDense(dt, shape, tensor.WithBacking(reflect.SliceAt(dt.Type, first, len(memory)/int(dt.Size())).Interface()))
}

// uncleared is memory with anything in it. No byte slice is made without clearing
// it, but what a Builder has in reserve is none of its readers' business. Nobody else
// has the memory: the Builder and its string, whose only byte may change with it,
// end here.
//
// The memory holds no pointers, and from unclearedBytes on it begins with a page. It
// is a variable for tests, which put something there.
var uncleared = func(n int) []byte {
	var reserve strings.Builder
	reserve.Grow(n)
	reserve.WriteByte(0)
	return unsafe.Slice(unsafe.StringData(reserve.String()), n)
}
