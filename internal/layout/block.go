package layout

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"gorgonia.org/tensor"
)

// A Block is a tensor on memory with guards before and after it.
type Block[T any] struct {
	Dense  *tensor.Dense
	Memory []T // all of it, guards and junk included

	places []int // of the elements in Memory, in row-major order
	before []T   // a copy of Memory
}

// guard is how many elements lie before and behind a block.
const guard = 5

// Lay makes a tensor that holds the values, given in row-major order. All other
// memory is set to junk. Where the layout does not suit the shape, it is row-major.
func Lay[T any](l Layout, values []T, junk T, shape ...int) *Block[T] {
	if len(values) == 0 {
		dtype := tensor.Dtype{Type: reflect.TypeFor[T]()}
		return &Block[T]{Dense: tensor.NewDense(dtype, slices.Clone(shape))} // Of would write to a list of dtypes
	}
	if !l.Suits(shape) {
		l = RowMajor
	}
	p := l.parent(shape)
	b := &Block[T]{Memory: slices.Repeat([]T{junk}, tensor.ProdInts(p.shape)+2*guard), places: p.places(l, shape)}
	for i, place := range b.places {
		b.Memory[place] = values[i]
	}
	b.before = slices.Clone(b.Memory)
	b.Dense = l.view(p, b.Memory[guard:len(b.Memory)-guard])
	return b
}

// places are those of a tensor's elements in memory, in row-major order.
func (p parent) places(l Layout, shape []int) []int {
	strides := Strides(p.shape, l.columnMajor)
	origin := guard
	for axis, start := range p.starts {
		origin += start * strides[axis]
	}
	places := []int{origin}
	for i, axis := range p.axes {
		next := make([]int, 0, len(places)*shape[i])
		for _, place := range places {
			for c := range shape[i] {
				next = append(next, place+c*p.steps[axis]*strides[axis])
			}
		}
		places = next
	}
	return places
}

// Values are the block's elements in row-major order.
func (b *Block[T]) Values() []T {
	out := make([]T, len(b.places))
	for i, place := range b.places {
		out[i] = b.Memory[place]
	}
	return out
}

// Restore sets everything back to what it was when the block was made.
func (b *Block[T]) Restore() { copy(b.Memory, b.before) }

// Stray returns an error if memory other than the elements changed.
func (b *Block[T]) Stray() error {
	outside := slices.Clone(b.Memory)
	for _, place := range b.places {
		outside[place] = b.before[place]
	}
	return b.sameAs(outside)
}

// Touched returns an error if any memory changed.
func (b *Block[T]) Touched() error { return b.sameAs(b.Memory) }

func (b *Block[T]) sameAs(now []T) error {
	if Identical(now, b.before) {
		return nil
	}
	for i := range b.before {
		if !Identical(now[i:i+1], b.before[i:i+1]) {
			return fmt.Errorf("memory at %d of %d (tensor at %v) changed from %v to %v", i, len(now), b.places, b.before[i], now[i])
		}
	}
	return nil
}

// Identical tells 0 from -0, and finds a NaN equal to itself.
func Identical[T any](a, b []T) bool {
	if reflect.TypeFor[T]().Kind() != reflect.String {
		return bytes.Equal(bits(a), bits(b))
	}
	return slices.EqualFunc(a, b, func(x, y T) bool { return *(*string)(unsafe.Pointer(&x)) == *(*string)(unsafe.Pointer(&y)) })
}

// bits is the memory of a list.
func bits[T any](list []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(list))), len(list)*int(unsafe.Sizeof(*new(T))))
}
