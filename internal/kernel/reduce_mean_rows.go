package kernel

import (
	"unsafe"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/simd"
)

// meanOfRows runs some blocks, in a partition.
func (s *rowScatter) meanOfRows(blocks interval, me int) int {
	if s.counts != nil {
		return s.addAndDivideRows(blocks, me, 0, s.counts)
	}
	k := s.countsFor((blocks.hi - blocks.lo) * (s.Span / s.Inner))
	bad := s.addAndDivideRows(blocks, me, blocks.lo, k)
	k.release(bad)
	return bad
}

// addAndDivideRows adds rows and divides the sums. There are counts for the blocks from the
// first one on.
func (s *rowScatter) addAndDivideRows(blocks interval, me, first int, k *counter) int {
	row, rows, counts, left := s.rowBytes(), s.Span/s.Inner, k.counts, 0
	ahead, number, fill := simd.Distance(row), rowNumberOf(row, s.spanBytes()), filler{}
	firsts := simd.OffsetsFor(0)
	defer simd.OffsetsPool.Put(firsts)
	if s.neutral != nil {
		fill = fillerOf(s.neutral, row)
		defer fill.release()
	}
	bad := eachTuple(&s.tuples, blocks, me, func(r tupleRun[byte]) {
		left += len(r.offsets)
		n := number.addCounts(firsts, r.offsets, counts[(r.number-first)*rows:][:rows])
		if s.neutral != nil {
			fill.rows(r.block, firsts[:n])
		}
		s.loop.Run(num.Pointer(r.block), num.Pointer(r.updates), &r.offsets[0], &r.rows[0], len(r.offsets), row, row, ahead)
	})
	if bad >= 0 {
		return bad
	}
	density := 1 // counts of rows must be written out for each element
	if s.Inner == 1 {
		density = meanDensity
	}
	if s.counts == nil && s.Inner <= narrowRow && density*s.N >= rows {
		for block := blocks.lo; block < blocks.hi; block++ {
			s.divideBlock(block, counts[(block-first)*rows:][:rows])
		}
		return -1
	}
	divisors := simd.OffsetsPool.Get().(*simd.Offsets)
	defer simd.OffsetsPool.Put(divisors)
	by := unsafe.Slice((*int32)(unsafe.Pointer(divisors)), simd.OffsetsAtOnce)
	bad = eachTuple(&s.tuples, blocks, me, func(r tupleRun[byte]) {
		n, terms := number.takeCounts(firsts, by, r.offsets, counts[(r.number-first)*rows:][:rows], int32(s.more()))
		left -= terms
		s.mean.DivideRows(r.block, firsts[:n], by, row)
	})
	k.left.Add(int64(left))
	return bad
}

// addCounts counts rows at offsets, and finds the offsets of those that had no count.
//
//go:noinline
func (n rowNumber) addCounts(to *simd.Offsets, at []int64, counts []int32) (found int) {
	n.preload(at, counts)
	for _, at := range at {
		count := &counts[n.of(at)]
		to[found&(simd.OffsetsAtOnce-1)] = at
		found += int(uint32(*count-1) >> 31) // 1 if it is 0
		*count++
	}
	return found
}

// takeCounts finds the offsets of rows that have a count, by what their sums are to be
// divided, and how many terms those have. It leaves counts that are 0: of offsets that are
// alike only the first is found. There is no branch to predict.
//
//go:noinline
func (n rowNumber) takeCounts(to *simd.Offsets, by []int32, at []int64, counts []int32, more int32) (found, terms int) {
	n.preload(at, counts)
	for _, at := range at {
		count := &counts[n.of(at)]
		to[found&(simd.OffsetsAtOnce-1)], by[found&(simd.OffsetsAtOnce-1)] = at, *count+more
		found += 1 - int(uint32(*count-1)>>31)
		terms += int(*count)
		*count = 0
	}
	return found, terms
}

// narrowRow is how many elements a row has at most whose count is written out for each of
// them, where most rows of a block are divided: then vectors divide many rows at a time.
const narrowRow = 16

// divideBlock divides all rows of a block that have a count.
func (s *rowScatter) divideBlock(block int, counts []int32) {
	data := s.Data[block*s.spanBytes():][:s.spanBytes()]
	if s.Inner == 1 {
		s.mean.Divide(data, num.Bytes(counts), s.more())
		return
	}
	k := s.countsFor(simd.ItemsAtOnce)
	defer k.release(-1)
	for len(counts) > 0 {
		n := min(len(counts), simd.ItemsAtOnce/s.Inner)
		each := k.counts[:n*s.Inner]
		for i, count := range counts[:n] {
			row := each[i*s.Inner:][:s.Inner]
			for j := range row {
				row[j] = count
			}
		}
		par.Clear(counts[:n])
		s.mean.Divide(data[:n*s.rowBytes()], num.Bytes(each), s.more())
		data, counts = data[n*s.rowBytes():], counts[n:]
	}
}

// preload reads the counts of rows before they are worked on: the work depends on them, and
// the processor would wait for one after the other.
//
//go:noinline
func (n rowNumber) preload(at []int64, counts []int32) (all int32) {
	for _, at := range at {
		all |= counts[n.of(at)]
	}
	return all
}
