package bag

import (
	"math/bits"
	"sync/atomic"
	"unsafe"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/simd"
)

// divides reports whether results are sums to be divided: the mean of one row is its sum.
func (r *reader) divides() bool { return r.Reduction == num.Mean && r.PerBag != 1 }

// divide divides the sums of n bags, whose columns of a number of bytes are in out, by their counts,
// which are in the buffer. Those without positions stay as they are.
func (r *reader) divide(buf *buffer, out []byte, n, bytes int) {
	counts, means := buf.counts[:n], simd.Active().Means[r.Kind]
	switch {
	case r.Kind == num.Int64 || r.Kind == num.Uint64: // no sum has overflown
		num.DivideRows(num.As[uint64](out), counts, r.Inner, bytes/8)
		return
	case r.PerBag > 0 && !r.SkipBad && bytes == r.row: // by the same number
		buf.places[0] = 0
		means.DivideRows(out, buf.places[:1], counts[:1], n*bytes)
		return
	case r.Inner == 1:
		means.Divide(out[:n*r.row], num.Bytes(counts), 0)
		return
	}
	full := 0
	for b, count := range counts {
		counts[full], buf.places[full] = count, int64(b*r.row)
		full += int(uint32(-count) >> 31)
	}
	means.DivideRows(out, buf.places[:full], counts[:full], bytes)
}

// A mean of integers of 64 bits is a sum, divided, if that cannot overflow. The numbers tell: all of a table are read for that
// first, in order, or those that are added are checked by the loop that adds them. That loop does it
//
//   - if the table has more than four times as many rows as are added;
//   - if it has more than twice as many, which are longer than those of simd.ShortLoops, or bags have more than checkedBag
//     positions on average;
//   - likewise if it has as many or more, and less than a quarter of farTable bytes;
//   - if the table's rows are not contiguous.
//
// See benchmarks/results/thresholds.md.
const checkedBag = 16

// reduceMeans is reduceBags for means of integers, whose sums may overflow.
func (j *job) reduceMeans(n int) int {
	bound := uint64(1) << (63 - bits.Len(uint(max(1, n)))) // n numbers below it have no sum that overflows
	if j.Kind == num.Int64 {
		j.bias, bound = bound, 2*bound // those from -bound on are not negative then
	}
	switch {
	case j.Kind != num.Int64 && j.Kind != num.Uint64 || j.Pitch > 0 && j.SkipBad:
		j.exact = true
	case j.Idx != nil && !j.SkipBad && (j.Pitch > 0 || j.Rows > 4*n ||
		(j.Inner > simd.ShortColumns || n > checkedBag*j.Bags) && (j.Rows > 2*n || j.Rows >= n && len(j.Table) < farTable/4)):
		j.checks, j.short = true, simd.CheckedSums
	default:
		par.Run(j.by(func(j *job, lo, hi int) int {
			atomic.OrUint64(&j.magnitude, num.Magnitude(num.As[uint64](j.Table[lo*j.row:hi*j.row]), j.bias))
			return -1
		}), j.Rows, par.Grains(j.Rows, j.row))
		j.exact = j.magnitude >= bound
	}
	bad := j.reduceBags(n)
	if j.checks && bad < 0 && j.magnitude >= bound { // what has been written is not the means
		j.exact, j.checks, j.short = true, false, nil
		return j.reduceBags(n)
	}
	return bad
}

// meanColumns is how many columns a mean of integers works on at a time: their sums stay in
// the near caches.
const meanColumns = 512

// meanLoops are the loops of runs for means of integers, for each kind.
var meanLoops = [num.Kinds]func(sums []num.Wide, table, out []byte, offsets, ends []int64, row, complete, carry int){
	num.Int8: meanLoop[int8], num.Int16: meanLoop[int16], num.Int32: meanLoop[int32], num.Int64: meanLoop[int64],
	num.Uint8: meanLoop[uint8], num.Uint16: meanLoop[uint16], num.Uint32: meanLoop[uint32], num.Uint64: meanLoop[uint64],
}

// meanLoop adds the rows of bags to sums, which hold those of the first bag's rows that came
// before. It writes the exact means of bags that are complete, rounded toward minus infinity.
func meanLoop[T num.Integer](sums []num.Wide, table, out []byte, offsets, ends []int64, row, complete, carry int) {
	data, results, n, width, t, count := num.As[T](table), num.As[T](out), len(sums), int(unsafe.Sizeof(T(0))), 0, carry
	for b, end := range ends {
		if count == 0 {
			clear(sums)
		}
		num.AddWideRows(sums, data, offsets[t:end])
		count, t = count+int(end)-t, int(end)
		if b < complete && count > 0 {
			to := results[b*row/width:][:n]
			for i, sum := range sums {
				to[i] = num.MeanOf[T](sum, count)
			}
			count = 0
		}
	}
}
