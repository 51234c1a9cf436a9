package kernel

import (
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/simd"
)

// elementScatter is a scatter or a reduction of single elements. It runs some steps of the
// shared loop at a time. Before them it copies old values to data or to an undo log, and
// sets what the indices address to what a reduction starts from; the loop then finds data
// in the cache.
type elementScatter struct {
	nest
	op    elementOp
	fill  elementOp // sets the targets to the neutral element, if it has a loop
	steps int       // at a time, if something comes before the loop
	copy  regionCopy
}

// scatterElements scatters single elements by op. If there is a neutral element, targets are
// set to that before.
func (c *Call) scatterElements(op elementOp, neutral []byte) int {
	s := &c.memory().scatter
	defer s.release()
	s.describe(c, c.widthInMemory())
	s.begin(op, neutral)
	return s.runAll(s)
}

func (s *elementScatter) begin(op elementOp, neutral []byte) {
	s.op = op
	if neutral != nil {
		s.fill = elementOp{loop: byIndexWidth(s.Call, simd.Active().FillItems[simd.Log2(s.Width)]), one: neutral[:s.Width]}
	}
}

func (s *elementScatter) release() {
	s.op, s.fill, s.steps = elementOp{}, elementOp{}, 0
	s.copy.to, s.copy.from = nil, nil
}

// runAll runs the work, which is s or has it, on all of the nest.
func (s *elementScatter) runAll(work par.Work) int {
	_, _, positions := longest(s.dims, true)
	if positions == 0 {
		return -1
	}
	s.divide()
	n, grains := s.dims[s.shared].N, s.grains(positions, positions/scatterGrain)
	r := &s.copy.region
	var log undoLog
	switch whole := r.describe(&s.nest); {
	case s.Atomic && !s.Fill && s.Width > 0 && r.loggable(len(s.Idx)):
		log = newUndoLog(r.bytes)
		defer log.release()
		s.copy.to, s.copy.from = log.saved, s.Data
	case s.Atomic && !s.Fill:
		if bad := s.Check(); bad >= 0 {
			return bad
		}
	case s.Old != nil && whole && r.bytes > copiedBefore:
		all := n * s.dims[s.shared].Data
		s.copyOld(all)
		s.copy.to, s.copy.from = s.Data[:all], s.Old[:all]
	default:
		s.copyOld(0)
	}
	bad := -1
	switch columns := s.shared == len(s.dims)-1 && s.shared > 0; {
	case s.dims[s.shared].Data == 0 || s.Form == Walk && !s.distinct():
		s.steps = n
		bad = work.Piece(0, n) // pieces could meet in data
	case columns:
		s.steps = filledColumns
		bad = par.RunEven(work, n, n/chunkColumns, grains)
	default:
		s.steps = max(1, chunkPositions*n/positions, copiedBefore*n/max(1, r.bytes))
		if s.copy.to != nil {
			grains = max(grains, r.bytes/par.GrainBytes)
		}
		bad = par.Run(work, n, grains)
	}
	if bad < 0 {
		return -1
	}
	if log.saved != nil {
		r.each(0, n, func(at, bytes int) { par.Copy(s.Data[at:][:bytes], log.saved[at:][:bytes]) })
	}
	return s.first(bad)
}

// chunkPositions is how many targets are set to the neutral element at a time.
const chunkPositions = 1024

// divide chooses the loop that goroutines share: one that moves in data, so that they do
// not meet there, and the outermost that is long enough.
func (s *elementScatter) divide() {
	for i, d := range s.dims {
		if d.Data != 0 && d.N >= fewBlocks && (i < len(s.dims)-1 || i == 0) {
			s.shared = i
			return
		}
	}
	s.shared, _, _ = longest(s.dims, true)
	if s.shared == len(s.dims)-1 && s.shared > 0 && s.dims[s.shared].N < dividedColumns {
		s.shared = 0
	}
}

// Piece runs some steps of the loop that is shared.
func (s *elementScatter) Piece(lo, hi int) int {
	if s.copy.to == nil && s.fill.loop == nil {
		return s.chunk(lo, hi)
	}
	for ; lo < hi; lo += s.steps {
		end := min(lo+s.steps, hi)
		if bad := s.chunk(lo, end); bad >= 0 {
			s.copy.run(end, hi) // what has been copied must be complete
			return bad
		}
	}
	return -1
}

// chunk runs some steps at once.
func (s *elementScatter) chunk(lo, hi int) int {
	s.copy.run(lo, hi)
	if s.fill.loop != nil {
		if bad := s.apply(&s.fill, nil, lo, hi); bad >= 0 {
			return bad
		}
	}
	return s.apply(&s.op, nil, lo, hi)
}
