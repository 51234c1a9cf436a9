package bag

import (
	"math/bits"
	"sync/atomic"
	"unsafe"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/simd"
)

// divide divides the sums of n bags, of which so many bytes are in out, by their counts,
// which are in the buffer. Those without positions stay as they are.
func (r *reader) divide(buf *buffer, out []byte, n, bytes int) {
	counts, means := buf.counts[:n], simd.Active().Means[r.Kind]
	switch {
	case r.Kind == num.Int64 || r.Kind == num.Uint64:
		r.divideWords(out, counts, bytes)
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

// divideWords divides sums of integers of 64 bits, of which none overflows an int64.
func (r *reader) divideWords(out []byte, counts []int32, bytes int) {
	for b, count := range counts {
		if count <= 1 {
			continue
		}
		row, n := num.As[int64](out[b*r.row:][:bytes]), int64(count)
		for i, sum := range row {
			quo, rem := sum/n, sum%n
			row[i] = quo + rem>>63 // Go rounds toward zero
		}
	}
}

// A mean of integers of 64 bits is a sum, divided, if that cannot overflow. The numbers
// tell: they are read for that, as a table or, if that is much larger, by their positions.

// overflows reports whether sums of integers may overflow their kind.
func (j *job) overflows() bool {
	bound := uint64(1) << (63 - bits.Len(uint(max(1, j.n)))) // n numbers below it have no sum that overflows
	if j.Kind == num.Int64 {
		j.bias, bound = bound, 2*bound // those from -bound on are not negative then
	} else if j.Kind != num.Uint64 {
		return true
	}
	// To read short rows that are not needed takes less time than to find those that are.
	if j.Rows <= j.n || j.Inner < 8 && j.Rows/4 <= j.n {
		par.Run(j.by((*job).magnitudeOfTable), j.Rows, par.Grains(j.Rows, j.row))
	} else {
		par.Run(j.by((*job).magnitudeOfPositions), j.n, par.Grains(j.n, j.row))
	}
	return j.magnitude >= bound
}

func (j *job) magnitudeOfTable(lo, hi int) int {
	atomic.OrUint64(&j.magnitude, magnitude(j.Table[lo*j.row:hi*j.row], j.bias))
	return -1
}

func (j *job) magnitudeOfPositions(lo, hi int) int {
	buf, all := buffers.Get().(*buffer), uint64(0)
	defer buffers.Put(buf)
	for lo < hi {
		to := buf.places[:min(simd.OffsetsAtOnce, hi-lo)]
		n := j.offsets(to, lo)
		for _, at := range to[:n] {
			all |= magnitude(j.Table[at:][:j.row], j.bias)
		}
		lo += max(n, 1) // the first one may have a bad index
	}
	atomic.OrUint64(&j.magnitude, all)
	return -1
}

// magnitude has all bits that numbers have, each with a bias.
func magnitude(mem []byte, bias uint64) (all uint64) {
	numbers := num.As[uint64](mem)
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
		for ; t < int(end); t++ {
			num.AddWide(sums, data[int(offsets[t])/width:][:n])
			count++
		}
		if b < complete && count > 0 {
			to := results[b*row/width:][:n]
			for i, sum := range sums {
				to[i] = num.MeanOf[T](sum, count)
			}
			count = 0
		}
	}
}
