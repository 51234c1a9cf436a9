package simd

import (
	"sync"
	"unsafe"
)

// Index is what indices are stored as. An int is one of these, by its size.
type Index interface{ int32 | int64 }

// Axis is an axis that indices address, with its stride in the units of offsets.
type Axis struct {
	Size uint64
	// NegativeOffset is what is added to an index below zero, before it is compared once
	// more with the size: the size itself, or 0 where negatives are not allowed. Adding
	// the size cannot wrap, so the least int64 stays out of range.
	NegativeOffset uint64
	Stride         int64
}

// AxisOf is an axis of so many rows, of which negative indices count from the end unless they are
// out of range.
func AxisOf(size int, nonNegative bool, stride int) Axis {
	negative := uint64(size)
	if nonNegative {
		negative = 0
	}
	return Axis{uint64(size), negative, int64(stride)}
}

// Row is an index counted from the front. Of one that is out of range it is not below the size of the axis.
func Row[I Index](v I, negativeOffset uint64) uint64 {
	return uint64(int64(v) + int64(v)>>63&int64(negativeOffset))
}

// OffsetsAtOnce is how many index tuples are turned into offsets at a time, at most.
const OffsetsAtOnce = 1024

// Lookahead is how many offsets behind the last one a loop may read, only to prefetch
// what is there. Whatever it is, the result is right. But an offset that an earlier call
// left may lie in no memory at all: to prefetch from there takes longer than a short row.
const Lookahead = 32

// PackedLookahead is Lookahead of the loops over rows in fewer bits, which are short: in
// the same number of bytes there are more of them.
const PackedLookahead = 96

// Offsets is memory for offsets, with room behind them for the loops that look ahead.
type Offsets [OffsetsAtOnce + PackedLookahead]int64

// Iota holds the numbers 0, 1, 2 …
var Iota = func() (numbers Offsets) {
	for i := range numbers {
		numbers[i] = int64(i)
	}
	return numbers
}()

// OffsetsPool holds *Offsets. On the stack they would not stay: loops are called through
// variables, and might keep what they are given.
var OffsetsPool = sync.Pool{New: func() any { return new(Offsets) }}

// Resolve turns indices of one axis into offsets base + index*stride + t*step. It returns
// how many are good before the first bad one.
func Resolve[I Index](to []int64, idx []I, a Axis, base, step int) int {
	to = to[:len(idx)]
	from := int64(base)
	for t, v := range idx {
		j := uint64(v)
		if j >= a.Size {
			if j += a.NegativeOffset; j >= a.Size {
				return t
			}
		}
		to[t] = int64(j)*a.Stride + from
		from += int64(step)
	}
	return len(idx)
}

// AddOffsets adds what the indices of one axis address, each so many from the one before, to
// offsets. It returns how many are good before the first bad one.
func AddOffsets[I Index](to []int64, idx []I, step int, a Axis) int {
	for t := range to {
		j := uint64(*after(&idx[0], t*step))
		if j >= a.Size {
			if j += a.NegativeOffset; j >= a.Size {
				return t
			}
		}
		to[t] += int64(j) * a.Stride
	}
	return len(to)
}

// Good is how many indices of an axis, each so many from the one before, come before the first
// that is out of range. To add NegativeOffset makes one comparison of two: it cannot wrap around
// for an index that is not negative, and makes no other smaller than the limit but those that
// count from the end.
func Good[I Index](idx []I, step int, a Axis) (n int) {
	more, limit, all := a.NegativeOffset, a.Size+a.NegativeOffset, (len(idx)+step-1)/step
	for ; n+4 <= all; n += 4 {
		p := (*I)(unsafe.Pointer(&idx[n*step]))
		q := after(p, step)
		r := after(q, step)
		if uint64(*p)+more >= limit || uint64(*q)+more >= limit || uint64(*r)+more >= limit || uint64(*after(r, step))+more >= limit {
			break
		}
	}
	for n < all && uint64(idx[n*step])+more < limit {
		n++
	}
	return n
}

// after is the index so many behind another.
func after[I Index](p *I, n int) *I {
	return (*I)(unsafe.Add(unsafe.Pointer(p), n*int(unsafe.Sizeof(*p))))
}
