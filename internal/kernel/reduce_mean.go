package kernel

import (
	"math"
	"sync"
	"sync/atomic"
	"unsafe"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/simd"
)

// A mean of floats is a sum divided by the number of its terms. Each target has a count, in
// memory that is 0 between calls. Where indices address most of a block, terms are counted
// while they are added, and all of the block is divided after that, with vectors. Elsewhere
// the indices are read and checked again, as another goroutine may change them, to divide
// what they address; if that are not all terms, the counts are cleared for the next call.
// Rows have one count each.

// countsMost is how many bytes of counts a call has at most. Means with more are made on
// tiles, by package adjoint.
const countsMost = 64 << 20

// meanDensity is how many elements a block has at most for each that its indices address
// where all of it is divided. With vectors that takes 0.2 to 1 ns an element; by indices
// it takes 5 to 10 (2 cores of a Zen 3).
const meanDensity = 16

// countMemory is for counts, all 0, for the next call, too.
var countMemory = sync.Pool{New: func() any { return new(counter) }}

// A counter has counts. They begin half a page off from where data does: where addresses
// differ by whole pages, the processor takes a load for one of what it has just stored,
// and waits.
type counter struct {
	memory []int32 // of which there is a page more
	counts []int32
	left   atomic.Int64 // terms that have been counted, and no count of which is 0 again
}

// countsFor acquires n counts for a call.
func (c *Call) countsFor(n int) *counter {
	const more = page / 4
	k := countMemory.Get().(*counter)
	k.memory = num.Resize(k.memory, n+more)
	off := (address(c.Data) + page/2 - address(num.Bytes(k.memory))) % page / 4
	k.counts = k.memory[off:][:n]
	return k
}

func address(mem []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(mem))) }

// release returns counts to the pool. They are not all 0 if there was a bad index, or one
// that has been changed since it was counted.
func (k *counter) release(bad int) {
	if bad >= 0 || k.left.Swap(0) != 0 {
		par.Clear(k.counts)
	}
	countMemory.Put(k)
}

// Counts reports whether Mean can be called: for calls of the forms Block and Elements
// whose counts are not too many.
func (c *Call) Counts() bool {
	if c.Form == Walk {
		return false
	}
	counts := c.Span
	if !c.singles() {
		counts /= max(1, c.Inner)
	}
	if c.Batch < fewBlocks { // else each goroutine has those of some blocks
		counts *= c.Batch * c.Outer
	}
	return counts <= countsMost/4 && c.N < math.MaxInt32
}

// Mean replaces every target in data by the mean of its updates and, without NoInit,
// of its old value:
//
//	data[…] = (data[…] + items[…] + items[…] + …) / the number of terms
//
// It may be called where Counts reports so, for kinds with gradients. It returns the
// position in Idx of the first bad index, or -1.
func (c *Call) Mean(kind num.Kind) int {
	loops, mean := &simd.Active().Combine[kind][num.Add], simd.Active().Means[kind]
	var neutral []byte
	if c.NoInit {
		neutral = neutrals[kind][num.Add]
	}
	if !c.singles() {
		return c.scatterRows(rowLoop(loops, c), neutral, mean, c.Inner >= partitionedSumElements)
	}
	m := &c.memory().mean
	defer m.release()
	m.describe(c, c.Width)
	m.begin(elementOp{loop: byIndexWidth(c, loops.Items)}, neutral)
	m.mean = mean
	m.count = elementOp{counted: byIndexWidth(c, simd.CountLoops)}
	if mean.Counted != nil {
		m.op, m.count = elementOp{counted: byIndexWidth(c, mean.Counted)}, elementOp{}
	}
	m.dense = meanDensity*c.N*c.Inner >= c.Span
	if m.divide(); c.Batch < fewBlocks {
		m.counts = c.countsFor(c.Batch * c.Outer * c.Span)
	}
	bad := m.runAll(m)
	if m.counts != nil {
		m.counts.release(bad)
	}
	return bad
}

// more is how many terms a target has beside its updates.
func (c *Call) more() int {
	if c.NoInit {
		return 0
	}
	return 1
}

// elementMean is a mean of single elements: a scatter that counts, and divides after that.
type elementMean struct {
	elementScatter
	mean   *simd.MeanLoops
	count  elementOp // counts, if the loop that adds does not
	dense  bool      // all elements of the region are divided
	counts *counter  // for all of data, if goroutines share them
}

func (m *elementMean) release() {
	m.elementScatter.release()
	m.mean, m.count, m.counts = nil, elementOp{}, nil
}

// countedAtOnce is how many counts of blocks are in use at a time, where blocks are small.
const countedAtOnce = 16 << 10

// Piece runs some steps of the loop that is shared.
func (m *elementMean) Piece(lo, hi int) int {
	if m.counts != nil {
		for ; lo < hi; lo += m.steps {
			end := min(lo+m.steps, hi)
			if bad := m.means(lo, end, m.counts, 0); bad >= 0 {
				m.copy.run(end, hi)
				return bad
			}
		}
		return -1
	}
	// Each step is a batch, whose targets lie side by side.
	batch := m.dims[m.shared].Data
	each := max(1, min(m.steps, countedAtOnce*m.unit/batch))
	k, bad := m.countsFor(min(each, hi-lo)*batch/m.unit), -1
	for ; lo < hi && bad < 0; lo += each {
		bad = m.means(lo, min(lo+each, hi), k, lo*batch)
	}
	m.copy.run(min(lo, hi), hi)
	k.release(bad)
	return bad
}

// means runs some steps at once. There are counts from a byte of data on.
func (m *elementMean) means(lo, hi int, k *counter, from int) int {
	m.copy.run(lo, hi)
	if m.fill.loop != nil {
		if bad := m.apply(&m.fill, nil, lo, hi); bad >= 0 {
			return bad
		}
	}
	counts := elementCounts{num.Bytes(k.counts), from}
	bad := m.apply(&m.op, &counts, lo, hi)
	if bad < 0 && m.count.counted != nil {
		bad = m.apply(&m.count, &counts, lo, hi)
	}
	switch {
	case bad >= 0:
		return bad
	case m.dense:
		m.copy.each(lo, hi, func(at, bytes int) {
			m.mean.Divide(m.Data[at:][:bytes], counts.mem[(at-from)/m.unit*4:][:bytes/m.unit*4], m.more())
		})
		return -1
	}
	return m.divideTargets(lo, hi, k, from)
}

// divideTargets divides the elements that the indices address.
func (m *elementMean) divideTargets(lo, hi int, k *counter, from int) int {
	number, left := rowNumberOf(m.unit, len(m.Data)), 0
	firsts, divisors := simd.OffsetsPool.Get().(*simd.Offsets), simd.OffsetsPool.Get().(*simd.Offsets)
	defer simd.OffsetsPool.Put(firsts)
	defer simd.OffsetsPool.Put(divisors)
	by := unsafe.Slice((*int32)(unsafe.Pointer(divisors)), simd.OffsetsAtOnce)
	bad := m.offsets(lo, hi, func(at position, offsets []int64) {
		n, terms := number.takeCounts(firsts, by, offsets, k.counts[(at.data-from)/m.unit:], int32(m.more()))
		left += len(offsets) - terms
		m.mean.DivideRows(m.Data[at.data:], firsts[:n], by, m.unit)
	}, func(int) {})
	k.left.Add(int64(left))
	return bad
}
