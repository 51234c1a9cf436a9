package kernel

import (
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/simd"
)

// division is how a scatter is divided between goroutines: so that no two of
// them meet in data and every target gets its updates in order.
type division uint8

const (
	// byBlocks gives each goroutine blocks of data.
	byBlocks division = iota
	// byColumns gives each some columns of all blocks.
	byColumns
	// byOwners gives each some pages of data: it reads all indices, and
	// works on the rows that are its own. Rows divided by columns would share
	// pages, and what the processor reads ahead would be another core's.
	byOwners
)

// scatter runs the loop of a scatter of Items into Data: by blocks or, where data has
// fewer than fewBlocks of them, by what the loop can be divided by then, columns or
// owners.
func (c *Call) scatter(loops [2]Loop, blocks int, few division) int {
	if blocks >= fewBlocks {
		few = byBlocks
	}
	loop, size := pick(c.Idx32, loops[0], loops[1]), c.spanBytes()
	if c.keepsOffsets(blocks) {
		bad := c.keepOffsets()
		defer c.dropOffsets()
		if bad >= 0 {
			return bad
		}
	} else if c.Atomic {
		return c.atomic(loop, blocks, few)
	}
	if c.blends {
		c.copyOld(blocks * size)
		c.old = c.Old
	} else if c.Old != nil && blocks >= fewBlocks {
		c.copyOld(blocks * size)
		c.copyBefore(c.Data, c.Old, size)
	} else {
		c.copyOld(0)
	}
	return c.divide(loop, blocks, few)
}

// divide runs the loop by what few says, each goroutine at least a grain of it.
func (c *Call) divide(loop Loop, blocks int, few division) int {
	each := max(1, c.N*c.Inner)
	loop = c.staged(loop, few)
	switch few {
	case byColumns:
		c.columns = true
		return c.Run(loop, c.Inner, max(pieceColumns, scatterGrain/max(1, blocks*c.N)))
	case byOwners:
		c.owners = 1
		if grains := blocks * each / scatterGrain; grains > 1 {
			c.owners = min(par.Threads(), grains)
		}
		return c.Run(loop, c.owners, 1)
	}
	minBlocks := max(1, scatterGrain/each)
	if each == 1 || c.Inner == 1 && c.farItems() {
		minBlocks = c.farBlocks()
	}
	if c.stages.to != nil {
		minBlocks = min(minBlocks, par.Grain(c.spanBytes()))
	}
	return c.Run(loop, blocks, minBlocks)
}

// copyOld copies the old values of data, if there are any, from a byte on.
func (c *Call) copyOld(from int) {
	if from < len(c.Old) {
		copyAll(c.Data[from:], c.Old[from:])
	}
}

// copyAll copies memory of any size. A Call for little of it would take longer than the
// rest of a small scatter.
func copyAll(to, from []byte) {
	if len(from) < 2*copyGrain {
		copyAny(to[:len(from)], from)
		return
	}
	c := Get()
	defer c.Put()
	c.Items, c.Data = to, from
	c.Copy(1, len(from))
}

// copyBefore has blocks, of so many bytes each, copied before the loop runs on them.
func (c *Call) copyBefore(to, from []byte, block int) {
	c.stages.to, c.stages.from, c.stages.block = to, from, block
}

// staged is the loop with what comes before it.
func (c *Call) staged(loop Loop, by division) Loop {
	s := &c.stages
	if s.to == nil && s.start == nil {
		return loop
	}
	s.then, s.each = loop, 1
	switch by {
	case byBlocks:
		s.each = max(1, copiedBefore/max(1, c.spanBytes()))
		if s.to == nil {
			s.each = max(s.each, simd.OffsetsAtOnce/(c.N*c.Inner)) // as many as may have offsets at a time
		}
	case byColumns:
		s.each = startedColumns
	}
	return inStages
}

// inStages copies some blocks, starts them, and runs the loop on them while they
// are in the cache. When that stops at a bad index it still copies the rest: Run
// goes on to the end, and what has been kept must be complete.
func inStages(c *Call, lo, hi int) int {
	s := &c.stages
	for bad := -1; ; lo = min(lo+s.each, hi) {
		if lo == hi {
			return bad
		}
		end := min(lo+s.each, hi)
		c.copyBlocks(lo, end)
		found := -1
		if s.start != nil {
			found = s.start(c, lo, end)
		}
		if found < 0 {
			found = s.then(c, lo, end)
		}
		if found < 0 {
			continue
		}
		if !c.columns {
			c.copyBlocks(end, hi)
			return found
		}
		// The next columns may have one that comes sooner.
		if bad < 0 || found < bad {
			bad = found
		}
	}
}

func (c *Call) copyBlocks(lo, hi int) {
	if s := &c.stages; s.to != nil {
		s.copy(s.to[lo*s.block:hi*s.block], s.from[lo*s.block:hi*s.block])
	}
}

type span struct{ lo, hi int }

func (s span) len() int { return s.hi - s.lo }

// cut says which blocks and which columns of each the positions lo to hi are.
func (c *Call) cut(lo, hi, blocks int) (block, column span) {
	if c.columns {
		return span{0, blocks}, span{lo, hi}
	}
	return span{lo, hi}, span{0, c.Inner}
}

// picks are some index tuples of a block, with checked indices.
type picks[T any] struct {
	number  int     // of the block
	block   []T     // the block of data
	updates []T     // the block's updates, from those of some tuple on
	at      []int64 // the offset in the block of each tuple's target
	rows    []int64 // the row of updates that is each tuple's
}

// eachPicks calls work for some index tuples after the other, in the blocks lo to
// hi or for the owners lo to hi. Offsets are in units of which an element has
// scale.
func eachPicks[T any, I Index](c *Call, lo, hi, scale int, work func(picks[T])) int {
	if c.owners == 0 {
		return ownPicks[T, I](c, span{lo, hi}, 0, scale, work)
	}
	bad := -1
	for me := lo; me < hi; me++ {
		bad = ownPicks[T, I](c, span{0, c.Batch * c.Outer}, me, scale, work) // of all owners the same
	}
	return bad
}

// ownPicks is eachPicks for one owner, or for all if data is not divided by owners.
func ownPicks[T any, I Index](c *Call, blocks span, me, scale int, work func(picks[T])) int {
	items, data, idx := num.As[T](c.Items), num.As[T](c.Data), num.As[I](c.Idx)
	k, units := len(c.Axes), unitsOf[T](c)
	span, row := c.Span*units, c.Inner*units
	buf, rows := simd.OffsetsPool.Get().(*simd.Offsets), &inOrder
	defer simd.OffsetsPool.Put(buf)
	owner := c.owner(me, scale)
	if owner.of > 1 {
		rows = simd.OffsetsPool.Get().(*simd.Offsets)
		defer simd.OffsetsPool.Put(rows)
	}
	for block := blocks.lo; block < blocks.hi; block++ {
		targets := data[block*span:][:span]
		updates := items[block*c.N*row:][:c.N*row]
		tuples := idx[block/c.Outer*c.N*k:][:c.N*k]
		for t := 0; t < c.N; {
			n := min(simd.OffsetsAtOnce, c.N-t)
			at, done, bad := buf[:], n, 0
			if c.kept != nil {
				at = c.kept[block/c.Outer*c.N+t:]
			} else {
				done, bad = offsets(c, at, tuples[t*k:][:n*k], scale)
			}
			own := done
			if owner.of > 1 {
				own = owner.filter(buf, rows, at[:done])
				at = buf[:]
			}
			if own > 0 {
				work(picks[T]{block, targets, updates[t*row:], at[:own], rows[:own]})
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

// inOrder holds the rows 0, 1, 2 …
var inOrder = func() (rows simd.Offsets) {
	for i := range rows {
		rows[i] = int64(i)
	}
	return rows
}()

// owner is one of several owners of data.
type owner struct {
	me, of uint64
	shift  int // offsets that are equal but for so many bits have one owner
}

// owner is the owner of that number. Offsets are in units of which an element has
// scale.
func (c *Call) owner(me, scale int) owner {
	o := owner{me: uint64(me), of: uint64(max(1, c.owners))}
	// Small data has too few pages to deal out.
	if c.spanBytes() >= ownedPages*page {
		unit := c.width / scale
		for o.shift = pageShift; unit > 1; unit /= 2 {
			o.shift--
		}
	}
	return o
}

// filter copies the offsets that are the owner's, which may stand where they are
// copied to, writes down the rows of updates that go there, and returns how many they
// are.
func (o owner) filter(to, rows *simd.Offsets, at []int64) int {
	own := 0
	for t, offset := range at {
		to[own], rows[own] = offset, int64(t)
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
