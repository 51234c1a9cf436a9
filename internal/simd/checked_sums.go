package simd

import (
	"sync/atomic"
	"unsafe"

	"gorgonia.org/gather/internal/num"
)

// CheckedSums write the sums of bags of rows of integers of 64 bits, which indices address, and return the first bad
// index, or -1. What ShortBags.Magnitude points to tells whether one may overflow an int64, if none is bad.
var CheckedSums = &ShortBagLoops{Bags: checkedLoops, Long: checkedLoops, Again: checkedLoops, Apart: checkedLoops}

var checkedLoops = [...]func(b *ShortBags, out *byte) int{nil, checkedSums[int32], checkedSums[int64]}

func checkedSums[I Index](b *ShortBags, out *byte) int {
	results, t, all, sums := view[uint64](unsafe.Pointer(out), b.Columns*len(b.Ends)), 0, uint64(0), checkedRows[I]
	if b.Columns == 1 {
		sums = checkedNumbers[I]
	}
	for _, end := range b.Ends {
		row, n := results[:b.Columns], int(end)-t
		if results = results[len(row):]; n == 0 { // there may be no index behind it
			num.Fill(row, *(*uint64)(unsafe.Pointer(b.Empty)))
			continue
		}
		bits, bad := sums(row, b.Data, view[I](byteAt(b.Idx, t*int(unsafe.Sizeof(I(0)))), n), b.Stride, b.Size, b.NegativeOffset, b.Bias)
		if bad >= 0 {
			return t + bad
		}
		t, all = int(end), all|bits
	}
	atomic.OrUint64(b.Magnitude, all)
	return -1
}

// checkedNumbers keeps the sum of rows of one number in a register.
func checkedNumbers[I Index](to []uint64, data *byte, idx []I, stride int, size, negativeOffset, bias uint64) (all uint64, bad int) {
	sum := uint64(0)
	for p, v := range idx {
		j := uint64(v)
		if j >= size {
			if j += negativeOffset; j >= size {
				return 0, p
			}
		}
		u := *(*uint64)(byteAt(data, stride*int(j)))
		sum, all = sum+u, all|(u+bias)
	}
	to[0] = sum
	return all, -1
}

// checkedRows keeps the sums in memory, and adds four rows at a time. Each row is read once: to check it first takes as
// long as to add it.
func checkedRows[I Index](to []uint64, data *byte, idx []I, stride int, size, negativeOffset, bias uint64) (all uint64, bad int) {
	clear(to)
	p := 0
	for ; p+4 <= len(idx); p += 4 {
		i, j, k, l := Row(idx[p], negativeOffset), Row(idx[p+1], negativeOffset), Row(idx[p+2], negativeOffset), Row(idx[p+3], negativeOffset)
		if max(i, j, k, l) >= size {
			break // the loop below finds the first of them
		}
		all |= addFourChecked(to, byteAt(data, int(i)*stride), byteAt(data, int(j)*stride), byteAt(data, int(k)*stride), byteAt(data, int(l)*stride), bias)
	}
	for ; p < len(idx); p++ {
		j := Row(idx[p], negativeOffset)
		if j >= size {
			return 0, p
		}
		row := byteAt(data, int(j)*stride)
		for c := range to {
			u := *(*uint64)(unsafe.Add(row, 8*c))
			to[c] += u
			all |= u + bias
		}
	}
	return all, -1
}

// addFourChecked adds four rows, and returns the bits of their numbers. In the loop over indices it would take more registers than
// there are.
//
//go:noinline
func addFourChecked(sums []uint64, r, s, t, u unsafe.Pointer, bias uint64) (all uint64) {
	for c := range sums {
		w, x, y, z := *(*uint64)(unsafe.Add(r, 8*c)), *(*uint64)(unsafe.Add(s, 8*c)), *(*uint64)(unsafe.Add(t, 8*c)), *(*uint64)(unsafe.Add(u, 8*c))
		sums[c] += w + x + y + z
		all |= (w + bias) | (x + bias) | (y + bias) | (z + bias)
	}
	return all
}
