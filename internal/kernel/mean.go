package kernel

import (
	"math"
	"sync"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/simd"
)

// A mean of floats is a sum divided by the number of its terms. The sum is a reduction, and
// so is the number: of ones, into counts of the rows of data. Then all counts are looked
// through, and what has one is divided.

// countsMost is how many bytes of counts a call has at most. Means with more are made on
// tiles, by package adjoint.
const countsMost = 64 << 20

// countMemory is for counts, all 0, for the next call, too.
var countMemory = sync.Pool{New: func() any { return new(means) }}

// means has the counts of rows, and divides sums by them.
type means struct {
	counts []int32
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
	s := &c.scatter
	if s.describe(c, true) {
		return -1
	}
	rows, more := len(c.Data)/s.unit, int32(1)
	if c.NoInit {
		more = 0
	}
	m := countMemory.Get().(*means)
	*m = means{num.Resize(m.counts, rows), simd.Active().Means[kind], more, c.Data, s.unit, c.Width}
	bad := m.count(c, &s.nest)
	if bad >= 0 { // another goroutine has changed it since Reduce
		par.Clear(m.counts)
	} else {
		par.Run(m, rows, par.Grains(len(c.Data), 1))
	}
	m.data = nil
	countMemory.Put(m)
	return bad
}

// one is the item of a count.
var one = num.Bytes([]int32{1})

// count counts the updates of each row.
func (m *means) count(c *Call, e *nest) int {
	ones := Get()
	defer ones.Put()
	loops, axes := ones.AvailableLoops(), ones.AvailableAxes()
	for _, l := range e.loops {
		loops = append(loops, Loop{l.N, 0, l.Data / e.unit, l.Idx})
	}
	for _, a := range c.Axes {
		axes = append(axes, Axis{a.Size, a.Stride * c.Width / e.unit})
	}
	ones.Describe(&Description{
		Width: 4, Data: num.Bytes(m.counts), Items: one, Idx: c.Idx, Idx32: c.Idx32, NonNegative: c.NonNegative,
		Loops: loops, Axes: axes,
	})
	return ones.Reduce(num.Int32, num.Add)
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
