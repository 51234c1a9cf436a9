package core

import (
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/gather/internal/simd"
)

// rule says what becomes of the indices of tuples.
type rule struct {
	sizes []int // of the axes that a tuple addresses
	plan.Settings
}

// negativeOffset is that of an axis of a size: see simd.Row.
func (r *rule) negativeOffset(size int) uint64 {
	return simd.AxisOf(size, r.NonNegative, 0).NegativeOffset
}

// What place makes of an index that has no place.
const (
	refused = -1
	leftOut = -2
)

// place is the place of an index on an axis of a size, counted from the front.
func (r *rule) place(v int64, size int) int64 {
	row := int64(simd.Row(v, r.negativeOffset(size)))
	switch {
	case r.Padded && v == r.Padding:
		return leftOut
	case uint64(row) < uint64(size):
		return row
	case r.OutOfRange == plan.ZeroFill || r.OutOfRange == plan.Skip:
		return leftOut
	case r.OutOfRange == plan.Clamp && size > 0:
		return min(max(row, 0), int64(size)-1)
	}
	return refused
}

// leaveOut writes the places of indices. A tuple that has one without a place, as it is the
// padding or left out if it is out of range, ends with -1. It returns the position of the
// first index that is refused, or -1. Tuples may be changed in place.
func leaveOut[T, F int32 | int64](r *rule, to []T, from []F) int {
	k := len(r.sizes)
	to = to[:len(from)]
	if k == 1 {
		size, negativeOffset, padded, padding := r.sizes[0], r.negativeOffset(r.sizes[0]), r.Padded, r.Padding
		if r.OutOfRange == plan.Clamp && size > 0 && !padded { // without a branch for each
			for i, index := range from {
				to[i] = T(min(max(int64(simd.Row(index, negativeOffset)), 0), int64(size)-1))
			}
			return -1
		}
		for i, index := range from {
			v := int64(index)
			row := int64(simd.Row(v, negativeOffset))
			if padded && v == padding || uint64(row) >= uint64(size) {
				if row = r.place(v, size); row == refused {
					return i
				}
				row = max(row, -1)
			}
			to[i] = T(row)
		}
		return -1
	}
	for i := 0; i < len(from); i += k {
		least, bad := int64(0), -1
		for c, size := range r.sizes {
			row := r.place(int64(from[i+c]), size)
			if row == refused && bad < 0 {
				bad = i + c
			}
			to[i+c], least = T(row), min(least, row)
		}
		switch least {
		case refused:
			return bad
		case leftOut:
			to[i+k-1] = -1
		}
	}
	return -1
}

// ResolveIDs turns ids of the rows of a table into rows counted from the front, in place, and those
// that are left out into -1. It returns the position of the first that is out of range, or -1:
// that one is as it was. Inlined into another package it would allocate the rule.
//
//go:noinline
func ResolveIDs(ids []int64, rows int, s *plan.Settings) int {
	r := rule{[]int{rows}, *s}
	return leaveOut(&r, ids, ids)
}

// withoutPadding lists the positions of segment ids that are loaded and not the padding. If
// these are neighbours the list is nil, and they are the n from first on; else the ids
// are replaced by a copy without the padding.
func (x *indices) withoutPadding(padding int64) (list []int64, first, n int) {
	memory := takeScratch(2 * x.size)
	list = (*memory)[:x.size]
	ids := num.Bytes((*memory)[x.size:])
	if x.is32 {
		n = keep(list, num.As[int32](ids), num.As[int32](x.loaded), padding)
	} else {
		n = keep(list, num.As[int64](ids), num.As[int64](x.loaded), padding)
	}
	if n == 0 || int(list[n-1]-list[0]) == n-1 {
		if n > 0 {
			first = int(list[0])
		}
		scratch.Put(memory)
		return nil, first, n
	}
	x.release()
	x.loaded, x.scratch = ids[:n*num.IndexBytes(x.is32)], memory
	return list[:n], 0, n
}

// keep writes the ids that are not the padding, and their positions, and returns how many.
func keep[I int32 | int64](positions []int64, to, from []I, padding int64) int {
	n := 0
	for i, id := range from {
		positions[n], to[n] = int64(i), id // or the next one overwrites it
		if int64(id) != padding {
			n++
		}
	}
	return n
}
