package bag

import (
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
)

// Bags of single numbers: a loop reads an index, checks it and combines the number. To
// resolve the indices first takes as long as that.

// ofNumbers reports whether there is a loop for the bags.
func (r *reduction) ofNumbers() bool {
	return r.Inner == 1 && r.Weights == nil && len(r.Stored.Bytes) == 0 && simd.ShortBags[r.Kind][r.op()].Rows != nil
}

// reduceNumbers reduces some bags, and returns the first position with a bad index, or -1.
func (r *reduction) reduceNumbers(bags interval) int {
	buf := buffers.Get().(*buffer)
	defer buffers.Put(buf)
	which, empty := 1, zeros[:]
	if r.Idx32 {
		which = 0
	}
	switch {
	case r.Default >= 0:
		empty = r.Table[r.Default*r.row:]
	case r.Empty != nil:
		empty = r.Empty
	}
	reduce := simd.ShortBags[r.Kind][r.op()].Numbers[which]
	b := simd.NumberBags{Empty: &empty[0], Size: r.axis.Size, NegativeOffset: r.axis.NegativeOffset, SkipBad: r.SkipBad}
	for p := r.First(bags.lo, r.n); bags.lo < bags.hi; {
		n := min(len(buf.ends), bags.hi-bags.lo)
		end := p
		for t := range n {
			end = r.End(bags.lo+t, end, r.n)
			buf.ends[t] = int64(end - p)
		}
		if b.Ends = buf.ends[:n]; end > p {
			if b.Data = num.Pointer(r.Table); r.Idx == nil {
				b.Data = &r.Table[p*r.row]
			} else {
				b.Idx = &r.Idx[p*r.idxWidth()]
			}
		}
		out := r.out[bags.lo*r.row:][:n*r.row]
		if bad := reduce(&b, &out[0], buf.counts[:]); bad >= 0 {
			return p + bad
		}
		if r.Reduction == num.Mean {
			r.divide(buf, out, n, r.row)
		}
		bags.lo, p = bags.lo+n, end
	}
	return -1
}
