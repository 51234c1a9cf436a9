package bag

import "gorgonia.org/gather/internal/num"

// meanColumns is how many columns a mean of integers works on at a time, and meanSums how
// many sums: they stay in the near caches.
const (
	meanColumns = 512
	meanSums    = 2048
)

// intMeans has what makes the means of integers, for each kind. Its functions are made
// once: a generic function made into a value where it is used would be an allocation in
// every call.
var intMeans = [num.Kinds]func(r *reduction, bags, columns interval) int{
	num.Int8: meanIntegers[int8], num.Int16: meanIntegers[int16], num.Int32: meanIntegers[int32], num.Int64: meanIntegers[int64],
	num.Uint8: meanIntegers[uint8], num.Uint16: meanIntegers[uint16], num.Uint32: meanIntegers[uint32], num.Uint64: meanIntegers[uint64],
}

// meanIntegers writes the exact means of some columns of some bags, rounded toward
// minus infinity.
func meanIntegers[T num.Integer](r *reduction, bags, columns interval) int {
	buf := buffers.Get().(*buffer)
	defer buffers.Put(buf)
	for part := columns.lo; part < columns.hi; part += meanColumns * r.width {
		c := interval{part, min(part+meanColumns*r.width, columns.hi)}
		n := (c.hi - c.lo) / r.width
		atOnce := min(meanSums/n, len(buf.counts))
		for lo, p := bags.lo, r.First(bags.lo, r.n); lo < bags.hi; {
			hi := min(lo+atOnce, bags.hi)
			in := interval{p, r.End(hi-1, p, r.n)}
			if bad := meanSome[T](r, buf, interval{lo, hi}, c, in); bad >= 0 {
				return bad
			}
			lo, p = hi, in.hi
		}
	}
	return -1
}

// meanSome writes the means of some columns of some bags, which have some positions.
func meanSome[T num.Integer](r *reduction, buf *buffer, bags, columns, in interval) int {
	n := (columns.hi - columns.lo) / r.width
	buf.sums = num.Resize(buf.sums, (bags.hi-bags.lo)*n)
	clear(buf.sums)
	w := r.window(r.row)
	defer w.Release()
	table := num.As[T](r.Table[columns.lo:])
	counts := buf.counts[:bags.hi-bags.lo]
	clear(counts)
	bad := r.each(w, in, bags.lo, 1, whole, func(rows int) {
		for t, bag := range w.Places[:rows] {
			// Borders that are changed during the call may give other bags.
			if b := int(bag) - bags.lo; uint(b) < uint(len(counts)) {
				counts[b]++
				num.AddWide(buf.sums[b*n:][:n], table[int(w.Offsets[t])/r.width:][:n])
			}
		}
	})
	for b, count := range counts {
		out := r.out[(bags.lo+b)*r.row:][columns.lo:columns.hi]
		if count == 0 {
			r.setEmpty(out, columns.lo)
			continue
		}
		for i, sum := range buf.sums[b*n:][:n] {
			num.As[T](out)[i] = T(sum.Mean(uint64(count)))
		}
	}
	return bad
}
