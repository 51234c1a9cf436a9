package kernel

import (
	"math"
	"sync"
	"sync/atomic"
	"unsafe"

	"gorgonia.org/gather/internal/num"
)

// A mean of floats is a sum that is divided by how many terms it has. Each target has
// a count, in memory of its own that is 0 between calls: where indices pick most of a
// block, it is counted while it is added, and all the block is divided after that,
// with vectors. Else indices are read once more, to count and to divide what they pick.
// They are checked again, as another goroutine may change them, and the terms are
// counted that have been divided: a count that is left would be wrong in the next call.
// Rows have one count each.

// countsMost is how many bytes of counts a call has at most, beside which it goes by
// tiles.
const countsMost = 64 << 20

// meanDensity is how many elements a block has at most for each that its indices pick
// where it is all divided. With vectors that takes 0.2 to 1 ns an element, and 5 to 10 to
// go after one that an index picks (2 cores of a Zen 3).
const meanDensity = 16

// countMemory is for counts, all 0, for the next call, too.
var countMemory = sync.Pool{New: func() any { return new(counter) }}

// A counter has counts. They begin half a page off from where data does: the processor
// takes a load for one of what it has just stored if the addresses differ by pages
// alone, and waits.
type counter struct {
	memory []int32 // of which there is a page more
	counts []int32
	left   atomic.Int64 // terms that have been counted, and no count of which is 0 again
}

// countsFor takes n counts from memory for a call, which give gives back.
func (c *Call) countsFor(n int) *counter {
	const more = page / 4
	k := countMemory.Get().(*counter)
	if cap(k.memory) < n+more {
		k.memory = make([]int32, n+more)
	}
	k.memory = k.memory[:n+more]
	off := (address(c.Data) + page/2 - address(num.Bytes(k.memory))) % page / 4
	k.counts = k.memory[off:][:n]
	return k
}

func address(mem []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(mem))) }

// give gives counts back, which are not all 0 if there was a bad index, or one that
// has been changed since it was counted.
func (k *counter) give(bad int) {
	if bad >= 0 || k.left.Swap(0) != 0 {
		clearAny(k.counts)
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
	if !c.countsItems() {
		counts /= max(1, c.Inner)
	}
	if blocks := c.Batch * c.Outer; blocks < fewBlocks {
		counts *= blocks
	}
	return counts <= countsMost/4 && c.N < math.MaxInt32
}

// countsItems reports whether each element has a count of its own.
func (c *Call) countsItems() bool { return c.Form == Elements || c.Inner == 1 && len(c.Axes) == 1 }

// Mean replaces every target in data by the mean of its updates and, without NoInit,
// of its old value:
//
//	data[…] = (data[…] + items[…] + items[…] + …) / the number of terms
//
// It may be called where Counts reports so, for kinds with gradients. It returns the
// position in Idx of the first bad index, or -1.
func (c *Call) Mean(kind num.Kind) int {
	c.width, c.mean = kind.Width(), active.means[kind]
	if c.NoInit {
		c.neutral = neutrals[kind][num.Add]
	}
	loops, blocks, few := &active.combine[kind][num.Add], c.Batch*c.Outer, byBlocks
	if blocks*c.N*c.Inner == 0 {
		return -1
	}
	if !c.countsItems() {
		if c.Inner >= ownedSumElements {
			few = byOwners
		}
		return c.meanRows(loops, blocks, few)
	}
	if c.Form == Elements && c.Inner >= ownedColumns {
		few = byColumns
	}
	return c.meanItems(loops, blocks, few)
}

// more is how many terms a target has beside its updates.
func (c *Call) more() int {
	if c.NoInit {
		return 0
	}
	return 1
}

// meanItems is Mean for single items.
func (c *Call) meanItems(loops *combineLoops, blocks int, few division) int {
	columns := c.Inner
	loop := pick(c.Idx32, meanOfPicked[int32], meanOfPicked[int64])
	if c.shortMeans() {
		c.row = loops.offset
	} else {
		c.item = c.itemWork(loops.item, c.width)
	}
	dense := c.N > 1 && meanDensity*c.N*c.Inner >= c.Span
	if dense {
		loop = meanOfAll
	}
	if c.mean.counted != nil && !c.shortMeans() {
		c.item.marked, c.item.mark = pickMarked(c.Idx32, c.mean.counted), 4
	}
	if c.blends = dense && c.NoInit && c.hasOld(blocks); c.NoInit && !c.blends {
		c.startItems(columns)
	}
	if few == byColumns && blocks < fewBlocks {
		c.counts = c.countsFor(blocks * c.Span)
	}
	return c.sharedCounts(c.scatter([2]Loop{loop, loop}, blocks, few))
}

// hasOld reports whether there are the old values of data, elsewhere, while the loop
// runs.
func (c *Call) hasOld(blocks int) bool {
	if c.Atomic {
		return c.keepsOld(blocks)
	}
	return c.Old != nil
}

// sharedCounts gives back the counts that goroutines have shared, if they have, after
// a call that met a bad index or -1.
func (c *Call) sharedCounts(bad int) int {
	if c.counts != nil {
		c.counts.give(bad)
	}
	return bad
}

// shortMeans reports whether runs go by offsets, of many of them at a time, as those of a
// single item do here, which is to be counted.
func (c *Call) shortMeans() bool {
	return c.shortRuns(c.Inner) || c.N*c.Inner == 1 && c.Outer == 1
}

// meanOfAll runs blocks, or columns of all of them, and divides all elements.
func meanOfAll(c *Call, lo, hi int) int {
	if c.columns {
		return c.meanOfColumns(span{lo, hi})
	}
	size := c.spanBytes()
	each := max(1, copiedBefore/max(1, size))
	memory, bad := c.countsFor(min(each, hi-lo)*c.Span), -1
	for ; lo < hi && bad < 0; lo += each {
		end := min(lo+each, hi)
		data, counts := c.Data[lo*size:end*size], num.Bytes(memory.counts)[:4*(end-lo)*c.Span]
		c.startMeans(data)
		if bad = c.addCounted(lo, end, counts); bad < 0 {
			c.quotients(lo*size, counts)
		}
	}
	memory.give(bad)
	return bad
}

func (c *Call) meanOfColumns(columns span) int {
	n, each, all := columns.len(), c.Inner, num.Bytes(c.counts.counts)
	if n == each {
		n, each = len(c.counts.counts), len(c.counts.counts) // all in one
	}
	for at := columns.lo; at < len(c.counts.counts); at += each {
		c.startMeans(c.Data[at*c.width:][:n*c.width])
	}
	if bad := c.addCounted(columns.lo, columns.hi, all); bad >= 0 {
		return bad
	}
	for at := columns.lo; at < len(c.counts.counts); at += each {
		c.quotients(at*c.width, all[4*at:][:4*n])
	}
	return -1
}

// startMeans clears data if the old values of what the indices do not pick are put
// back after that.
func (c *Call) startMeans(data []byte) {
	if c.blends {
		clearAny(data)
	}
}

// addCounted adds the items of blocks, or of columns, and counts them.
func (c *Call) addCounted(lo, hi int, counts []byte) int {
	if c.item.marked != nil {
		return c.item.scatter(c, lo, hi, counts)
	}
	if c.item.loop == nil {
		if c.Idx32 {
			return addCountedShort[int32](c, lo, hi, num.As[int32](counts))
		}
		return addCountedShort[int64](c, lo, hi, num.As[int32](counts))
	}
	if bad := c.item.scatter(c, lo, hi, nil); bad >= 0 {
		return bad
	}
	count := c.counting()
	return count.scatter(c, lo, hi, counts)
}

// addCountedShort is addCounted for short runs, by offsets.
func addCountedShort[I Index](c *Call, lo, hi int, counts []int32) int {
	first, shift := int64(lo*c.spanBytes()), log2(c.width)
	return eachShortRun[I](c, lo, hi, false, func(from int, items []byte, at []int64) {
		c.row(pointer(c.Data[from:]), pointer(items), &at[0], &inOrder[0], len(at), c.width, c.width, 0)
		for _, at := range at {
			counts[(int64(from)+at-first)>>shift]++
		}
	})
}

// counting is the work that counts items and does nothing else with them.
func (c *Call) counting() itemWork {
	return itemWork{bytes: c.width, marked: pickMarked(c.Idx32, countLoopsGo), mark: 4}
}

// quotients divides the sums from a byte of data on that have a count.
func (c *Call) quotients(from int, counts []byte) {
	to := c.Data[from:][:len(counts)/4*c.width]
	old := to
	if c.blends {
		old = c.old[from:][:len(to)]
	}
	for len(counts) > 0 {
		n := min(len(counts)/4, rowBytesAtOnce/c.width)
		c.quotientsPiece(to[:n*c.width], old[:n*c.width], counts[:4*n])
		to, old, counts = to[n*c.width:], old[n*c.width:], counts[4*n:]
	}
}

//go:noinline
func (c *Call) quotientsPiece(to, old, counts []byte) {
	c.mean.quotients(pointer(to), pointer(old), pointer(counts), len(counts)/4, c.more())
}

// countedAtOnce is how many counts of blocks are in use at a time, where blocks are small.
const countedAtOnce = 16 << 10

// meanOfPicked runs blocks, or columns of all of them, and divides the elements that
// their indices pick.
func meanOfPicked[I Index](c *Call, lo, hi int) int {
	if c.columns {
		bad := c.addCounted(lo, hi, num.Bytes(c.counts.counts))
		if bad < 0 {
			bad = dividePicked[I](c, span{0, c.Batch}, span{lo, hi}, c.counts)
		}
		return bad
	}
	each := max(1, min(resolved/(c.N*c.Inner), countedAtOnce/max(1, c.Span)))
	memory, bad := c.countsFor(min(each, hi-lo)*c.Span), -1
	for ; lo < hi && bad < 0; lo += each {
		end := min(lo+each, hi)
		if bad = c.addCounted(lo, end, num.Bytes(memory.counts)); bad < 0 {
			bad = dividePicked[I](c, span{lo, end}, span{0, c.Inner}, memory)
		}
	}
	memory.give(bad)
	return bad
}

// dividePicked divides the elements of some columns of blocks that their indices pick.
func dividePicked[I Index](c *Call, blocks, cols span, k *counter) int {
	first, number := blocks.lo*c.spanBytes(), numbersOf(c.width)
	firsts, divisors := buffers.Get().(*offsetBuffer), buffers.Get().(*offsetBuffer)
	defer buffers.Put(firsts)
	defer buffers.Put(divisors)
	by := unsafe.Slice((*int32)(unsafe.Pointer(divisors)), resolved)
	left, bad := blocks.len()*c.N*cols.len(), -1
	divide := func(from int, _ []byte, at []int64) {
		own, terms := number.takeCounts(firsts, by, at, k.counts[(from-first)/c.width:], int32(c.more()))
		left -= terms
		c.quotientRows(c.Data[from:], firsts[:own], by, c.width)
	}
	if c.shortMeans() {
		bad = eachShortRun[I](c, blocks.lo, blocks.hi, false, divide)
	} else {
		bad = eachLongRun[I](c, blocks, cols, divide)
	}
	k.left.Add(int64(left))
	return bad
}

// eachLongRun is eachShortRun for some columns of blocks, run by run.
func eachLongRun[I Index](c *Call, blocks, cols span, work func(from int, items []byte, at []int64)) int {
	lines, n, step := c.N, cols.len(), c.width
	if c.Inner == 1 {
		lines, n, step = 1, c.N, 0
	}
	idx, axis := num.As[I](c.Idx), c.axis(0, c.width)
	at := buffers.Get().(*offsetBuffer)
	defer buffers.Put(at)
	for block := blocks.lo; block < blocks.hi; block++ {
		for line := range lines {
			first := block/c.Outer*c.N*c.Inner + line*c.Inner + cols.lo
			for t := 0; t < n; t += resolved {
				now := min(resolved, n-t)
				done := resolveAxis(at[:], idx[first+t:][:now], axis, step)
				if done > 0 {
					work(block*c.spanBytes()+cols.lo*c.width+t*step, nil, at[:done])
				}
				if done < now {
					return first + t + done
				}
			}
		}
	}
	return -1
}
