package simd

import (
	"unsafe"

	"gorgonia.org/gather/internal/num"
)

// CheckedMeans write the means of bags of rows of a few integers of 64 bits, which indices address, rounded toward minus
// infinity, and return the first bad index, or -1. They are wrong if a sum overflows, as ShortBags.Magnitude tells.
var CheckedMeans = &ShortBagLoops{Bags: checkedLoops, Long: checkedLoops, Again: checkedLoops}

var checkedLoops = [...]func(b *ShortBags, out *byte) int{nil, checkedMeans[int32], checkedMeans[int64]}

func checkedMeans[I Index](b *ShortBags, out *byte) int {
	results, t, all := view[int64](unsafe.Pointer(out), b.Columns*len(b.Ends)), 0, uint64(0)
	for _, end := range b.Ends {
		n := int(end) - t
		for c := range results[:b.Columns] {
			if n == 0 { // there may be no index behind it
				results[c] = *(*int64)(unsafe.Pointer(b.Empty))
				continue
			}
			idx := view[I](byteAt(b.Idx, t*int(unsafe.Sizeof(I(0)))), n)
			sum, bits, bad := checkedSum(byteAt(b.Data, 8*c), idx, b.Size, b.NegativeOffset, 8*b.Columns, b.Bias)
			if bad >= 0 {
				return t + bad
			}
			all |= bits
			results[c] = num.MeanOf[int64](num.Wide{High: uint64(int64(sum) >> 63), Low: sum}, n)
		}
		results, t = results[b.Columns:], int(end)
	}
	b.Magnitude = all
	return -1
}

// checkedSum is a function of its own: in one with others its loop would have too few registers.
//
//go:noinline
func checkedSum[I Index](data unsafe.Pointer, idx []I, size, negativeOffset uint64, bytes int, bias uint64) (sum, all uint64, bad int) {
	for p, v := range idx {
		j := uint64(v)
		if j >= size {
			if j += negativeOffset; j >= size {
				return 0, 0, p
			}
		}
		u := *(*uint64)(unsafe.Add(data, int(j)*bytes))
		sum, all = sum+u, all|(u+bias)
	}
	return sum, all, -1
}
