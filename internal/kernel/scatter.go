package kernel

import (
	"slices"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/simd"
)

// scatter is a scatter or a reduction that goroutines share. Some iterations of the divided
// loop are run at a time. Before them old values are copied to data or, without them, targets
// are set to the neutral element; the loops then find data in the cache.
type scatter struct {
	nest
	task
	whole part
}

// task is what a scatter does.
type task struct {
	single  bool
	same    bool      // all axes have one element: indices are checked first, and not read again
	element elementOp // of single elements
	row     rowOp     // of all else

	neutral    []byte    // what targets are set to first, or nil
	setSingle  elementOp // sets single elements to that
	setRows    rowOp     // and rows
	block      int       // bytes of old values to copy before an iteration of the divided loop, or 0
	atOnce     int       // iterations of the divided loop
	partitions int       // of the rows, if these are divided
}

// nestOfScatter describes a scatter. If there is nothing to scatter it copies the old values, and
// returns nil.
func (c *Call) nestOfScatter() *scatter {
	s := &c.scatter
	s.task = task{}
	if s.describe(c, c.Separate) {
		c.copyOld(0)
		return nil
	}
	return s
}

// Scatter overwrites, for every index tuple, what it addresses in data by its item, in
// the order of the indices, so that the last writer wins. It returns the position in Idx
// of the first bad index, or -1.
func (c *Call) Scatter() int {
	s := c.nestOfScatter()
	if s == nil {
		return -1
	}
	s.turn(fewRows)
	switch s.single = s.singles(); {
	case s.single && c.Width == 0:
		s.element.lines = simd.SetStrings[c.wide()]
	case c.Width == 0:
		s.row.change = simd.SetStringRows
	case s.single:
		s.element = elementOp{lines: simd.Active().SetLines[simd.Log2(s.unit)][c.wide()], items: simd.Active().SetItems[simd.Log2(s.unit)][c.wide()], inLines: c.movedInLines()}
	default:
		s.row = rowOp{change: simd.SetLoop(s.unit), few: fewRows}
	}
	return s.run()
}

// Reduce combines what the index tuples address in data with their items, in the order of
// the indices:
//
//	data[…] ⊕= items[…]
//
// The kind must have the reduction (Has). It returns the position in Idx of the
// first bad index, or -1.
func (c *Call) Reduce(kind num.Kind, r num.Reduction) int {
	s := c.nestOfScatter()
	if s == nil {
		return -1
	}
	if c.Width != 2 || kind.IsInteger() || r == num.Add { // of 16-bit floats only sums have a loop for elements
		s.turn(fewCombined)
	}
	if c.NoInit {
		s.neutral = num.Neutral(kind, r)
	}
	loops := &simd.Active().Combine[kind][r]
	targets, updates := 1, 0 // of the innermost loop, which has no updates if it moves in data
	for _, a := range s.Axes {
		targets *= a.Size
	}
	still := func(l Loop) bool { return l.Data == 0 }
	if last := len(s.loops) - 1; last >= 0 && still(s.loops[last]) {
		updates = s.loops[last].N
	}
	few := loops.FewRows != nil && s.unit <= fewElements*c.Width && simd.FewTargets(targets, updates, s.positions)
	// A second loop over the updates of one target, with a gap between, would change places with parts of the first.
	s.same = !few && loops.Same != nil && s.separate && !s.SkipBad && s.unit <= fewElements*c.Width && targets == 1 && updates > shortRun &&
		slices.IndexFunc(s.loops, still) == len(s.loops)-1
	s.single = !s.same && s.singles() && s.unit == c.Width
	switch {
	case s.single && few:
		s.element.lines, s.element.items = loops.Lines[c.wide()], loops.FewItems[c.wide()]
	case s.single && kind.IsInteger():
		s.element = elementOp{lines: loops.Lines[c.wide()], items: loops.Items[c.wide()], waits: waitingTargets / 2}
	case s.single:
		s.element = elementOp{lines: loops.Lines[c.wide()], items: loops.Items[c.wide()], waits: waitingTargets}
	case few:
		s.row.change = loops.FewRows
	case s.same:
		s.row.change, s.tail = loops.Same, 0
	case s.unit == c.Width:
		s.row.change = loops.Offsets
	default:
		s.row.change = loops.Rows
	}
	return s.run()
}

// Has reports whether values of the kind can be combined by the reduction.
func Has(kind num.Kind, r num.Reduction) bool { return simd.Go.Combine[kind][r].Rows != nil }

// Clear sets to zero what the index tuples address in data. It does not read the items. It
// returns the position in Idx of the first bad index, or -1.
func (c *Call) Clear() int {
	s := c.nestOfScatter()
	if s == nil {
		return -1
	}
	s.neutral, s.single = num.Neutral(num.Uint8, num.Add), s.singles()
	return s.run()
}

// run runs the scatter.
func (s *scatter) run() int {
	elements := s.positions * (s.unit >> simd.Log2(s.widthInMemory()))
	grains := s.grains(elements / scatterGrain)
	grains, even := s.divide(grains)
	if bad := s.prepare(grains); bad >= 0 {
		return bad
	}
	n, bad := s.steps(), -1
	switch {
	case s.partitions > 0:
		bad = par.Run(s, s.partitions, grains)
	case !s.separate || s.divided < len(s.loops) && s.loops[s.divided].Data == 0:
		s.atOnce = n
		bad = s.Piece(0, n) // pieces could meet in data
	case even:
		s.atOnce = n // what some columns have is not contiguous
		bad = par.RunEven(s, n, n/chunkColumns, grains)
	default:
		bad = par.Run(s, n, max(grains, n*s.block/par.GrainBytes))
	}
	return s.First(bad)
}

// divide chooses what goroutines divide, so that they do not meet in data or, more than seldom, in its cache lines: the
// outermost loop over data that is long enough, else a loop of fewer blocks, the columns of long rows, or partitions of the
// rows. It returns the grains, or into how many parts if that is less, and whether pieces are to be as large as possible: each
// reads all indices.
func (s *scatter) divide(grains int) (parts int, even bool) {
	last, longest, most, near := len(s.loops)-1, 0, 1, len(s.Data) < par.FarBytes
	elements := s.single || s.unit == s.widthInMemory() && s.tail == len(s.loops)
	for i, l := range s.loops {
		// The first loop has blocks of data, one behind the other, unless what is inside of it has longer strides.
		reach, blocks := l.N*l.Data, i == 0 && 2*l.N*l.Data >= len(s.Data)
		if l.Data == 0 || !blocks && (reach < dividedBytes || near && reach < dividedRow) || l.N < fewBlocks && l.Data < blockBytes {
			continue
		}
		if l.N >= fewBlocks && (!elements || i < last || i == 0) {
			s.divided = i
			return grains, false
		}
		if l.N > most {
			longest, most = i, l.N
		}
	}
	s.divided, even = longest, elements && last > 0 && longest == last
	switch {
	case elements || !s.separate || s.tail < len(s.loops) || grains < 2 || par.Threads() == 1:
	case s.unit >= dividedRow && s.Width > 0:
		s.divided, most, even = len(s.loops), grains, true
	case par.Partitions(s.unit, len(s.Data), grains) > 1:
		s.partitions, most = par.Partitions(s.unit, len(s.Data), grains), grains
	}
	return min(grains, most), even
}

// prepare does what comes before the first write. It returns the position of a bad index, or
// -1. The rows of one window are all resolved before they are written.
func (s *scatter) prepare(grains int) int {
	resolved := !s.single && s.separate && s.neutral == nil && grains < 2 && s.positions <= par.RowsAtOnce(s.unit)
	if s.same || s.Atomic && !s.SkipBad && !resolved {
		if bad := s.Check(); bad >= 0 {
			return bad
		}
	}
	n, size, changes := s.steps(), len(s.Data), s.positions*max(s.unit, simd.CacheLine)
	if s.Old != nil && s.partitions == 0 && size > copiedBefore && size <= max(simd.CachedBytes, 8*changes) && s.inBlocks() {
		s.block = s.loops[s.divided].Data
	}
	s.copyOld(n * s.block)
	s.atOnce = n
	if s.block > 0 || s.neutral != nil {
		s.atOnce = max(1, chunkPositions*n/s.positions, copiedBefore*n/max(1, size))
	}
	switch {
	case s.neutral == nil:
	case s.single:
		s.setSingle = elementOp{lines: simd.Active().SetLines[simd.Log2(s.unit)][s.Call.wide()], one: s.neutral[:s.unit]}
	default:
		s.setRows = rowOp{change: simd.SetLoop(s.unit), one: s.neutral}
	}
	return -1
}

// inBlocks reports whether each iteration of the divided loop writes to a block of data that is
// its own.
func (s *scatter) inBlocks() bool {
	if s.divided == len(s.loops) {
		return false
	}
	reach := s.unit
	for i, l := range s.loops {
		if i != s.divided {
			reach += (l.N - 1) * l.Data
		}
	}
	for _, a := range s.Axes {
		reach += (a.Size - 1) * a.Stride * s.Width
	}
	block := s.loops[s.divided].Data
	return reach <= block && block*s.steps() <= len(s.Data)
}

// Piece runs some iterations of the divided loop, or some partitions of all.
func (s *scatter) Piece(lo, hi int) int {
	bad := -1
	if s.partitions > 0 {
		for me := lo; me < hi; me++ {
			bad = s.some(0, s.steps(), par.PartitionOf(me, s.partitions, len(s.Data))) // of all partitions the same
		}
		return bad
	}
	for ; lo < hi && bad < 0; lo += s.atOnce {
		end := min(lo+s.atOnce, hi)
		if s.block > 0 {
			par.Copy(s.Data[lo*s.block:end*s.block], s.Old[lo*s.block:end*s.block])
		}
		bad = s.some(lo, end, par.Partition{})
	}
	if s.block > 0 && lo < hi { // what has been copied must be complete
		par.Copy(s.Data[lo*s.block:hi*s.block], s.Old[lo*s.block:hi*s.block])
	}
	return bad
}

func (s *scatter) some(lo, hi int, mine par.Partition) int {
	whole := &s.whole
	if s.partitions > 0 {
		whole = nil // each partition is all of the nest
	}
	p, bad := s.part(whole, lo, hi), -1
	if s.setSingle.lines != nil {
		bad = p.elements(&s.setSingle)
	} else if s.setRows.change != nil {
		bad = p.rows(&s.setRows, mine)
	}
	switch {
	case bad >= 0:
	case s.element.lines != nil:
		bad = p.elements(&s.element)
	case s.row.change != nil:
		bad = p.rows(&s.row, mine)
	}
	p.release(whole)
	return bad
}
