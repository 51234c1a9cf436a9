package kernel

import (
	"math"
	"sync"
	"sync/atomic"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/simd"
)

// A mean of floats is a sum divided by the number of its terms. The sum is a reduction, and
// so is the number: of ones, into counts of the rows of data. Where indices address most of
// data, all rows are looked through and divided; elsewhere the indices are read and checked
// again, as another goroutine may change them, to divide what they address.

// countsMost is how many bytes of counts a call has at most. Means with more are made on
// tiles, by package adjoint.
const countsMost = 64 << 20

// meanDensity is how many rows data has at most for each that the indices address
// where all of them are looked through.
const meanDensity = 16

// countMemory is for counts, all 0, for the next call, too.
var countMemory = sync.Pool{New: func() any { return new(means) }}

// means has the counts of rows, and divides sums by them.
type means struct {
	counts []int32
	left   atomic.Int64 // terms that have been counted, and no count of which is 0 again
	loops  *simd.MeanLoops
	more   int32 // terms beside the updates
	data   []byte
	row    int // bytes
	width  int // of an element
}

// Counts reports whether Mean can be called: where rows of data, and positions, are not too
// many to be counted.
func Counts(rows, positions int) bool { return rows <= countsMost/4 && positions < math.MaxInt32 }

// Mean replaces every target in data by the mean of its updates and, without NoInit,
// of its old value:
//
//	data[…] = (data[…] + items[…] + items[…] + …) / the number of terms
//
// Data is packed. It may be called where Counts reports so, for kinds with gradients. It
// returns the position in Idx of the first bad index, or -1.
func (c *Call) Mean(kind num.Kind) int {
	if bad := c.Reduce(kind, num.Add); bad >= 0 {
		return bad
	}
	s := &c.memory().scatter
	if s.describe(c, true) {
		return -1
	}
	rows := len(c.Data) / s.unit
	m := countMemory.Get().(*means)
	defer m.release()
	m.counts = num.Resize(m.counts, rows)
	m.loops, m.data, m.row, m.width = simd.Active().Means[kind], c.Data, s.unit, c.Width
	if m.more = 1; c.NoInit {
		m.more = 0
	}
	m.left.Store(int64(s.positions))
	dense := meanDensity*s.positions >= rows
	if bad := m.count(c, &s.nest); bad >= 0 {
		return bad
	}
	if dense {
		m.left.Store(0)
		par.Run(m, rows, par.Grains(len(c.Data), 1))
		return -1
	}
	again := Get()
	defer again.Put()
	again.Description = Description{Width: c.Width, Data: c.Data, Items: c.Items, Idx: c.Idx, Idx32: c.Idx32, Loops: c.Loops, Axes: c.Axes, NonNegative: c.NonNegative}
	t := &again.memory().scatter
	t.describe(again, true)
	defer t.release()
	t.row.means = m
	return t.run(partitionedSumElements * c.Width)
}

// one is the item of a count.
var one = num.Bytes([]int32{1})

// count counts the updates of each row.
func (m *means) count(c *Call, e *nest) int {
	d := Get()
	defer d.Put()
	d.Description = Description{
		Width: 4, Data: num.Bytes(m.counts), Items: one, Idx: c.Idx, Idx32: c.Idx32, NonNegative: c.NonNegative,
		Loops: d.Loops, Axes: d.Axes,
	}
	for _, l := range e.loops {
		d.Loops = append(d.Loops, Loop{l.N, 0, l.Data / e.unit, l.Idx})
	}
	for _, a := range c.Axes {
		d.Axes = append(d.Axes, Axis{a.Size, a.Stride * c.Width / e.unit})
	}
	return d.Reduce(num.Int32, num.Add)
}

// release returns counts to the pool. They are not all 0 if there was a bad index, or one
// that has been changed since it was counted.
func (m *means) release() {
	if m.left.Swap(0) != 0 {
		par.Clear(m.counts)
	}
	m.data = nil
	countMemory.Put(m)
}

// quotients is memory for the offsets of some rows, and for what they are divided by.
type quotients struct {
	rows simd.Offsets
	by   [simd.OffsetsAtOnce]int32
}

var quotientsMemory = sync.Pool{New: func() any { return new(quotients) }}

// Piece divides those of the rows lo to hi that have a count.
func (m *means) Piece(lo, hi int) int {
	counts, sums := m.counts[lo:hi], m.data[lo*m.row:hi*m.row]
	if m.row == m.width {
		m.loops.Divide(sums, num.Bytes(counts), int(m.more))
		return -1
	}
	q := quotientsMemory.Get().(*quotients)
	defer quotientsMemory.Put(q)
	n := 0
	for row, count := range counts {
		if count > 0 {
			q.rows[n], q.by[n], counts[row] = int64(row*m.row), count+m.more, 0
			n++
		}
		if n > 0 && (n == simd.OffsetsAtOnce || row == len(counts)-1) {
			m.loops.DivideRows(sums, q.rows[:n], q.by[:], m.row)
			n = 0
		}
	}
	return -1
}

// divide divides rows at offsets from a byte of data on.
func (m *means) divide(data []byte, at []int64, from, row int) {
	q := quotientsMemory.Get().(*quotients)
	defer quotientsMemory.Put(q)
	n, terms := m.take(&q.rows, q.by[:], at, int64(from))
	if n == 0 {
		return
	}
	m.loops.DivideRows(data, q.rows[:n], q.by[:], row)
	m.left.Add(int64(-terms))
}

// take finds the offsets of rows that have a count, by what their sums are to be
// divided, and how many terms those have. It leaves counts that are 0: of offsets that are
// alike only the first is found. What it finds are offsets from the beginning of data: the
// number of a row depends on all of it. There is no branch to predict.
//
//go:noinline
func (m *means) take(to *simd.Offsets, by []int32, at []int64, from int64) (found, terms int) {
	m.preload(at, from)
	for _, at := range at {
		at += from
		count := &m.counts[m.number(at)]
		to[found&(simd.OffsetsAtOnce-1)], by[found&(simd.OffsetsAtOnce-1)] = at, *count+m.more
		found += 1 - int(uint32(*count-1)>>31)
		terms += int(*count)
		*count = 0
	}
	return found, terms
}

// number is the number of the row at an offset: rows with gaps between them begin anywhere, but as
// no two overlap, no two have the same number.
func (m *means) number(at int64) int64 { return at / int64(m.row) }

// preload reads the counts of rows before they are worked on: the work depends on them, and
// the processor would wait for one after the other.
//
//go:noinline
func (m *means) preload(at []int64, from int64) (all int32) {
	for _, at := range at {
		all |= m.counts[m.number(at+from)]
	}
	return all
}
