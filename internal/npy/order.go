package npy

import (
	"slices"

	"gorgonia.org/gather/internal/num"
)

// Order is how the data of a file lie in it. The zero value is the order of what
// Read reads.
type Order struct {
	BigEndian bool
	Fortran   bool // the first axis is the fastest
}

// Convert returns data of a header in little-endian and C's order, in the same memory
// unless they are in Fortran's.
func (o Order) Convert(h Header, data []byte) []byte {
	width := h.Kind.Width()
	if o.BigEndian {
		part := width
		if h.Kind == num.Complex64 || h.Kind == num.Complex128 {
			part /= 2
		}
		for number := range slices.Chunk(data, part) {
			slices.Reverse(number)
		}
	}
	if !o.Fortran {
		return data
	}
	strides, stride := make([]int, len(h.Shape)), width
	for axis, n := range h.Shape {
		strides[axis], stride = stride, stride*n
	}
	out := make([]byte, len(data))
	position, from := make([]int, len(h.Shape)), 0
	for to := 0; to < len(out); to += width {
		copy(out[to:to+width], data[from:])
		for axis := len(position) - 1; axis >= 0; axis-- {
			position[axis]++
			if from += strides[axis]; position[axis] < h.Shape[axis] {
				break
			}
			from, position[axis] = from-strides[axis]*h.Shape[axis], 0
		}
	}
	return out
}
