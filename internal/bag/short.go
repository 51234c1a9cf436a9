package bag

import (
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
)

// isShort reports whether there is a loop in simd for bags of such short rows.
func (r *reduction) isShort() bool {
	return r.Inner <= simd.ShortColumns && r.Weights == nil && len(r.Stored.Bytes) == 0 && simd.ShortBagLoops[r.Kind][r.op()][0] != nil
}

// reduceShort reduces some bags, and returns the first position with a bad index, or -1.
func (r *reduction) reduceShort(bags interval) int {
	buf := buffers.Get().(*buffer)
	b := &buf.short
	defer func() {
		*b = simd.ShortBags{}
		buffers.Put(buf)
	}()
	which := 1
	if r.Idx32 {
		which = 0
	}
	reduce := simd.ShortBagLoops[r.Kind][r.op()][which]
	*b = simd.ShortBags{Columns: r.Inner, Size: r.axis.Size, NegativeOffset: r.axis.NegativeOffset, SkipBad: r.SkipBad}
	for p := r.First(bags.lo, r.n); bags.lo < bags.hi; {
		n := min(len(buf.ends), bags.hi-bags.lo)
		r.ends(buf.ends[:n], bags.lo, p, r.n)
		if b.Ends = buf.ends[:n]; r.Idx == nil {
			b.Data = num.Pointer(r.Table[p*r.row:])
		} else {
			b.Data, b.Idx = num.Pointer(r.Table), num.Pointer(r.Idx[p*r.idxWidth():])
		}
		out := r.out[bags.lo*r.row:][:n*r.row]
		if bad := reduce(b, &out[0], buf.counts[:]); bad >= 0 {
			return p + bad
		}
		for t, count := range buf.counts[:n] {
			if count == 0 {
				r.setEmpty(out[t*r.row:][:r.row], 0)
			}
		}
		if r.Reduction == num.Mean {
			r.divide(buf, out, n, r.row)
		}
		p += int(buf.ends[n-1])
		bags.lo += n
	}
	return -1
}
