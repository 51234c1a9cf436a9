package bag

import (
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
)

// shortLoops are the loops over bags of rows of a few numbers, or nil if there are none.
func (r *reduction) shortLoops() *simd.ShortBagLoops {
	if r.Inner > simd.ShortColumns || r.Weights != nil || len(r.Stored.Bytes) > 0 || r.SkipBad && r.Idx != nil {
		return nil
	}
	return simd.ShortLoops[r.Kind][r.op()]
}

// longBags is from how many positions on a bag is long to loops over short rows.
const longBags = 64

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
	reduce, start := r.short.Bags[which], r.start()
	if r.n/longBags > r.Bags {
		reduce = r.short.Long[which]
	}
	*b = simd.ShortBags{Columns: r.Inner, Size: r.axis.Size, NegativeOffset: r.axis.NegativeOffset}
	for p := r.First(bags.lo, r.n); bags.lo < bags.hi; {
		n := min(len(buf.ends), bags.hi-bags.lo)
		r.ends(buf.ends[:n], bags.lo, p, r.n)
		if b.Ends = buf.ends[:n]; r.Idx == nil {
			b.Data = num.Pointer(r.Table[p*r.row:])
		} else {
			b.Data, b.Idx = num.Pointer(r.Table), num.Pointer(r.Idx[p*r.idxWidth():])
		}
		out := r.out[bags.lo*r.row:][:n*r.row]
		if bad := reduce(b, &out[0]); bad >= 0 {
			return p + bad
		}
		if start != nil || r.Reduction == num.Mean {
			r.finish(buf, out, n, 0, interval{0, r.row})
		}
		p += int(buf.ends[n-1])
		bags.lo += n
	}
	return -1
}
