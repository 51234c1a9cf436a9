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

// divide divides the sums of n bags, of which so many bytes are in out, by their counts,
// which are in the buffer. Those without positions stay as they are.
func (r *reader) divide(buf *buffer, out []byte, n, bytes int) {
	counts, means := buf.counts[:n], simd.Active().Means[r.Kind]
	switch {
	case r.Kind == num.Int64 || r.Kind == num.Uint64:
		r.divideWords(out, counts, bytes)
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

// divideWords divides sums of integers of 64 bits, of which none overflows an int64, and rounds toward
// minus infinity: the quotient of x < 0 is that of ^x, inverted.
func (r *reader) divideWords(out []byte, counts []int32, bytes int) {
	sums, step, columns := num.As[uint64](out), r.row/8, bytes/8
	for b, count := range counts {
		if count <= 1 {
			continue
		}
		row, l, inverse := sums[b*step:][:columns], bits.Len(uint(count)-1), uint64(0)
		if len(row) >= 4 {
			inverse, _ = bits.Div64(1<<(l-1), 0, uint64(count))
		}
		for i, sum := range row {
			sign := uint64(int64(sum) >> 63)
			if sum ^= sign; inverse == 0 {
				row[i] = sum/uint64(count) ^ sign
			} else {
				// The product with 2^(63+l)/n, rounded up, is the quotient of numbers below 2^63, too, and takes
				// less time: see Granlund and Montgomery, Division by Invariant Integers using Multiplication.
				quotient, _ := bits.Mul64(sum, inverse+1)
				row[i] = quotient>>(l-1) ^ sign
			}
		}
	}
}

// A mean of integers of 64 bits is a sum, divided, if that cannot overflow. The numbers
// tell: they are read for that, as a table or, if that is much larger, by their positions.

// overflows reports whether sums of integers of n positions may overflow their kind.
func (j *job) overflows(n int) bool {
	bound := uint64(1) << (63 - bits.Len(uint(max(1, n)))) // n numbers below it have no sum that overflows
	if j.Kind == num.Int64 {
		j.bias, bound = bound, 2*bound // those from -bound on are not negative then
	} else if j.Kind != num.Uint64 {
		return true
	}
	// To read short rows that are not needed takes less time than to find those that are.
	if j.Rows <= n || j.Inner < 8 && j.Rows/4 <= n {
		par.Run(j.by((*job).magnitudeOfTable), j.Rows, par.Grains(j.Rows, j.row))
	} else {
		par.Run(j.by((*job).magnitudeOfPositions), n, par.Grains(n, j.row))
	}
	return j.magnitude >= bound
}

func (j *job) magnitudeOfTable(lo, hi int) int {
	atomic.OrUint64(&j.magnitude, magnitude(num.As[uint64](j.Table[lo*j.row:hi*j.row]), j.bias))
	return -1
}

func (j *job) magnitudeOfPositions(lo, hi int) int {
	buf, all, bias, first, numbers := buffers.Get().(*buffer), uint64(0), j.bias, j.First(0, j.n), num.As[uint64](j.Table)
	defer buffers.Put(buf)
	for lo < hi {
		to := buf.places[:min(simd.OffsetsAtOnce, hi-lo)]
		n := j.offsets(to, first+lo)
		if j.Inner <= num.FewColumns {
			for c := range uint(j.Inner) {
				for _, at := range to[:n] {
					all |= numbers[uint(at)/8+c] + bias
				}
			}
		} else {
			for _, at := range to[:n] {
				all |= magnitude(numbers[uint(at)/8:][:j.Inner], bias)
			}
		}
		lo += max(n, 1) // the first one may have a bad index
	}
	atomic.OrUint64(&j.magnitude, all)
	return -1
}

// magnitude has all bits that numbers have, each with a bias.
func magnitude(numbers []uint64, bias uint64) (all uint64) {
	for ; len(numbers) >= 4; numbers = numbers[4:] {
		x := (*[4]uint64)(numbers)
		all |= (x[0] + bias) | (x[1] + bias) | (x[2] + bias) | (x[3] + bias)
	}
	for _, x := range numbers {
		all |= x + bias
	}
	return all
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
