package kernel

import (
	"sync"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/simd"
)

// tuples are the index tuples of a call of the form Block, as a scatter reads them: by
// blocks or, where there are few, by partitions of their rows.
type tuples struct {
	*Call
	partitions int      // how many share each block, 0 if none do
	cached     []int64  // the offsets of all tuples in bytes, checked, or nil
	memory     *[]int64 // of the pool, which cached is in
}

// tupleRun is some index tuples of a block, with checked indices.
type tupleRun[T any] struct {
	number  int     // of the block
	block   []T     // the block of data
	updates []T     // the block's updates, from those of some tuple on
	offsets []int64 // the offset in the block of each tuple's target
	rows    []int64 // the row of updates that is each tuple's
}

// eachTuple calls work for the tuples of some blocks, or for those of them whose targets
// are in a partition, as many at a time as have offsets: in bytes or, of strings, elements.
// It returns the position of the first bad index, or -1.
func eachTuple[T byte | string](t *tuples, blocks interval, me int, work func(tupleRun[T])) int {
	return eachTupleOf(t, interval{blocks.lo * t.N, blocks.hi * t.N}, me, work, nil)
}

// eachTupleOf is eachTuple for some tuples, counted through all blocks. It calls missing
// with those that it leaves out, because an index is out of range; if that is nil, work gets
// the rows of the others. Some offsets are always left for the next call of work, so that
// there is a row to prefetch at any time.
func eachTupleOf[T byte | string](t *tuples, positions interval, me int, work func(tupleRun[T]), missing func(position int)) int {
	c := t.Call
	items, data, units := num.As[T](c.Items), num.As[T](c.Data), unitsOf[T](c)
	span, row := c.Span*units, c.Inner*units
	buf, rows := simd.OffsetsFor(c.N), &simd.InOrder
	defer simd.OffsetsPool.Put(buf)
	mine := par.PartitionOf(me, max(1, t.partitions), t.spanBytes())
	skips := c.Fill && missing == nil
	if mine.Of > 1 || skips {
		rows = simd.OffsetsPool.Get().(*simd.Offsets)
		defer simd.OffsetsPool.Put(rows)
	}
	block := positions.lo / c.N
	batch, outer := block/c.Outer, block%c.Outer
	first := positions.lo - block*c.N // tuple of the block
	for ; block*c.N < positions.hi; block, first = block+1, 0 {
		end := min(c.N, positions.hi-block*c.N)
		targets := data[block*span:][:span]
		updates := items[block*c.N*row:][:c.N*row]
		tuple := batch * c.N // the first of the block
		if outer++; outer == c.Outer {
			batch, outer = batch+1, 0
		}
		for left := 0; first < end; {
			n := min(simd.OffsetsAtOnce, end-first)
			at, done, bad := buf[:], n, 0
			if t.cached != nil {
				at = t.cached[tuple+first:]
			} else {
				done, bad = c.offsets(at[left:], tuple+first+left, n-left, units)
				for done += left; skips && done < n; done++ {
					at[done] = outOfRange
					more, _ := c.offsets(at[done+1:], tuple+first+done+1, n-done-1, units)
					done += more
				}
			}
			now := done
			if left = 0; done == n && first+n < end && t.cached == nil {
				left = simd.Lookahead
				now -= left
			}
			count := now
			if mine.Of > 1 || skips {
				count = filter(mine, buf, rows, at[:now])
				at = buf[:]
			}
			if count > 0 {
				work(tupleRun[T]{block, targets, updates[first*row:], at[:count], rows[:count]})
			}
			if left > 0 {
				copy(buf[:left], buf[now:])
			}
			if first += now; done < n {
				if !c.Fill {
					return (tuple+first)*len(c.Axes) + bad
				}
				missing(block*c.N + first)
				first++
			}
		}
	}
	return -1
}

// outOfRange is the offset of a tuple that is left out.
const outOfRange = -1

// filter copies the offsets in range that are in a partition, which may stand where they
// are copied to, writes down the rows of updates that go there, and returns how many they are.
func filter(p par.Partition, to, rows *simd.Offsets, at []int64) int {
	n := 0
	for t, offset := range at {
		to[n], rows[n] = offset, int64(t)
		n += p.Has(offset) &^ int(offset>>63)
	}
	return n
}

// A scatter reads its tuples more than once if it is in place, where all must be good before
// the first write, if it sets or counts what they address, and if partitions share data. To
// turn a tuple into an offset takes four times as long as to read the offset again: then
// offsets are cached.

// cachedMost is how many offsets are cached at most.
const cachedMost = 8 << 20

// offsetMemory is for cached offsets, for the next call, too.
var offsetMemory = sync.Pool{New: func() any { return new([]int64) }}

// caches reports whether the offsets of all tuples are cached.
func (t *tuples) caches(blocks int, again bool) bool {
	c := t.Call
	if len(c.Axes) < 2 || c.Fill || c.Width == 0 || c.tuples() > cachedMost {
		return false
	}
	alone := blocks < fewBlocks && par.Threads() > 1 && blocks*c.N*c.Inner >= 2*scatterGrain
	return c.Atomic || again || alone
}

// cache fills cached. It returns the position in Idx of the first bad index, or -1.
func (t *tuples) cache() int {
	n := t.Call.tuples()
	t.memory = offsetMemory.Get().(*[]int64)
	*t.memory = num.Resize(*t.memory, n+simd.Lookahead)
	t.cached = (*t.memory)[:n]
	clear((*t.memory)[n:])
	return par.Run(t, n, par.Grains(n, 16*len(t.Axes)))
}

// Piece fills a part of cached.
func (t *tuples) Piece(lo, hi int) int {
	done, bad := t.offsets(t.cached[lo:hi], lo, hi-lo, t.Width)
	if done < hi-lo {
		return (lo+done)*len(t.Axes) + bad
	}
	return -1
}

// release returns the memory of cached to the pool.
func (t *tuples) release() {
	if t.memory != nil {
		offsetMemory.Put(t.memory)
	}
	*t = tuples{}
}
