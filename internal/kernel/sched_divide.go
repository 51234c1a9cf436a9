package kernel

import (
	"unsafe"

	"gorgonia.org/gather/internal/num"
)

// division is how a scatter is divided between goroutines: so that no two of
// them meet in data and every target gets its updates in order.
type division uint8

const (
	// byBlocks gives each goroutine blocks of data.
	byBlocks division = iota
	// byColumns gives each some columns of all blocks.
	byColumns
	// byOwners gives each some pages of data: it looks at all indices, and
	// works on the rows that are its own. Rows divided by columns would share
	// pages, and what the processor reads ahead would be another core's.
	byOwners
)

// scatterGrain is how many elements a goroutine should at least scatter to be
// worth its start.
const scatterGrain = 16 << 10

// fewBlocks is how many blocks are too few to be dealt out.
const fewBlocks = 4

// scatter runs the loop of a scatter by blocks of so many bytes, or where they
// are few by what else the loop can do.
func (c *Call) scatter(loops [2]Loop, blocks, size int, few division) int {
	if blocks >= fewBlocks {
		few = byBlocks
	}
	loop := pick(c.Idx32, loops[0], loops[1])
	run := func(loop Loop) int { return c.divide(loop, blocks, size, few) }
	if c.Atomic {
		return c.atomic(loop, blocks, size, run)
	}
	if c.Old != nil && blocks >= fewBlocks {
		c.copyOld(blocks * size)
		loop = c.copyBefore(loop, c.Data, c.Old, size)
	} else {
		c.copyOld(0)
	}
	return run(loop)
}

// divide divides the work.
func (c *Call) divide(loop Loop, blocks, size int, few division) int {
	each := max(1, c.N*c.Inner)
	switch few {
	case byColumns:
		c.columns = true
		return c.Run(loop, c.Inner, max(16, scatterGrain/max(1, blocks*c.N)))
	case byOwners:
		c.owners = 1
		if grains := blocks * each / scatterGrain; grains > 1 {
			c.owners = min(threads(), grains)
		}
		return c.Run(loop, c.owners, 1)
	}
	least := max(1, scatterGrain/each)
	if each == 1 {
		least = stepsGrain
	}
	if c.then != nil {
		least = min(least, grain(size))
	}
	return c.Run(loop, blocks, least)
}

// copyOld copies the old values of data, if there are any, from a byte on.
func (c *Call) copyOld(from int) {
	if from < len(c.Old) {
		copyAll(c.Data[from:], c.Old[from:])
	}
}

// copyAll copies memory of any size.
func copyAll(to, from []byte) {
	c := Get()
	defer c.Put()
	c.Items, c.Data = to, from
	c.Copy(1, len(from))
}

// copyBefore is the loop with a copy of its blocks, of so many bytes each, before.
func (c *Call) copyBefore(loop Loop, to, from []byte, block int) Loop {
	c.then, c.to, c.from, c.block = loop, to, from, block
	return copyThen
}

// copyThen copies some blocks and runs the loop on them while they are in the
// cache. When that stops at a bad index it still copies the rest: Run goes on to
// the end, and what has been kept must be complete.
func copyThen(c *Call, lo, hi int) int {
	step := max(1, copiedBefore/max(1, c.block))
	for ; lo < hi; lo += step {
		end := min(lo+step, hi)
		c.copyBlocks(lo, end)
		if bad := c.then(c, lo, end); bad >= 0 {
			c.copyBlocks(end, hi)
			return bad
		}
	}
	return -1
}

func (c *Call) copyBlocks(lo, hi int) {
	copyAny(c.to[lo*c.block:hi*c.block], c.from[lo*c.block:hi*c.block])
}

// copiedBefore is about how much is copied before it is worked on: a page or,
// if they are larger, a block. The rest of the nearest cache is for the loop.
const copiedBefore = 4 << 10

type span struct{ lo, hi int }

// cut says which blocks and which columns of each the positions lo to hi are.
func (c *Call) cut(lo, hi, blocks int) (block, column span) {
	if c.columns {
		return span{0, blocks}, span{lo, hi}
	}
	return span{lo, hi}, span{0, c.Inner}
}

// A run is some index tuples of a block, with checked indices.
type run[T any] struct {
	line    []T     // the block of data
	updates []T     // those of the tuples from some tuple of the block on
	at      []int64 // the offset of each target in the block
	places  []int64 // the place of each tuple in updates, in rows
}

// eachRun calls work for runs of index tuples, in the blocks lo to hi or for the
// owners lo to hi. Offsets are in units of which an element has scale.
func eachRun[T any, I Index](c *Call, lo, hi, scale int, work func(run[T])) int {
	if c.owners == 0 {
		return ownRuns[T, I](c, span{lo, hi}, 0, scale, work)
	}
	bad := -1
	for me := lo; me < hi; me++ {
		bad = ownRuns[T, I](c, span{0, c.Batch * c.Outer}, me, scale, work) // of all owners the same
	}
	return bad
}

// ownRuns is eachRun for one owner, or for all if data is not divided by owners.
func ownRuns[T any, I Index](c *Call, blocks span, me, scale int, work func(run[T])) int {
	items, data, idx := num.As[T](c.Items), num.As[T](c.Data), num.As[I](c.Idx)
	k := len(c.Axes)
	buf, places := buffers.Get().(*offsetBuffer), &inOrder
	defer buffers.Put(buf)
	owner := ownerOf[T](c, me, scale)
	if owner.of > 1 {
		places = buffers.Get().(*offsetBuffer)
		defer buffers.Put(places)
	}
	for block := blocks.lo; block < blocks.hi; block++ {
		line := data[block*c.Span:][:c.Span]
		updates := items[block*c.N*c.Inner:][:c.N*c.Inner]
		tuples := idx[block/c.Outer*c.N*k:][:c.N*k]
		for t := 0; t < c.N; {
			n := min(resolved, c.N-t)
			done, bad := offsets(c, buf[:], tuples[t*k:][:n*k], scale)
			own := done
			if owner.of > 1 {
				own = owner.filter(buf[:done], places)
			}
			if own > 0 {
				work(run[T]{line, updates[t*c.Inner:], buf[:own], places[:own]})
			}
			if t += done; done < n {
				if !c.Fill {
					return block/c.Outer*c.N*k + t*k + bad
				}
				t++
			}
		}
	}
	return -1
}

// inOrder holds the places 0, 1, 2 …
var inOrder = func() (places offsetBuffer) {
	for i := range places {
		places[i] = int64(i)
	}
	return places
}()

// owner is one of several owners of data.
type owner struct {
	me, of uint64
	shift  int // offsets that are equal but for so many bits have one owner
}

func ownerOf[T any](c *Call, me, scale int) owner {
	const page = 4 << 10
	o := owner{me: uint64(me), of: uint64(max(1, c.owners))}
	var element T
	unit := int(unsafe.Sizeof(element)) / scale
	// Small data has too few pages to deal out.
	if c.Span*int(unsafe.Sizeof(element)) >= 256*page {
		for o.shift = 12; unit > 1; unit /= 2 {
			o.shift--
		}
	}
	return o
}

// filter moves the offsets that are the owner's to the front, writes down their
// places, and returns how many they are.
func (o owner) filter(at []int64, places *offsetBuffer) int {
	own := 0
	for t, offset := range at {
		at[own], places[own] = offset, int64(t)
		own += o.owns(offset)
	}
	return own
}

// owns is 1 if what is at an offset is the owner's, and 0 if not.
func (o owner) owns(offset int64) int {
	// A number that is hard to guess from the row makes all owners' shares
	// alike, whatever rows are used most. There is no branch to guess either.
	hash := uint64(offset) >> o.shift * 0x9E3779B97F4A7C15
	whose := hash >> 32 * o.of >> 32
	return int(((whose ^ o.me) - 1) >> 63)
}
