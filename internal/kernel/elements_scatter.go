package kernel

import (
	"sync"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
)

// elementScatter is a scatter or a reduction of single elements. It goes some steps of
// the loop that is shared at a time, so that what is done to data before finds it in the
// nearest cache after that: old values are copied there or kept, and what the indices pick
// is set to what a reduction starts from.
type elementScatter struct {
	elements
	op    elementOp
	start elementOp // sets the targets to the neutral element, if it has a loop
	write func(to, from []string, at []int64, row int)
	steps int // at a time, 0: all
	copy  regionCopy
}

var elementScatters = sync.Pool{New: func() any { return new(elementScatter) }}

// scatterWords scatters single elements by op, which is nil for strings. Without the old
// value the targets are set to the neutral element before.
func (c *Call) scatterWords(op *elementOp, neutral []byte) (bad int, ok bool) {
	s := elementScatters.Get().(*elementScatter)
	defer elementScatters.Put(s)
	defer s.release()
	if !s.describe(c, max(1, c.width)) {
		return 0, false
	}
	if s.positions() == 0 {
		return -1, true
	}
	if op == nil {
		s.write = writeStrings
	} else {
		s.op = *op
	}
	if neutral != nil {
		s.start = elementOp{loop: byIndexWidth(c, *active.fillItem[log2(c.width)]), one: neutral[:c.width]}
	}
	return s.runAll(s), true
}

func (s *elementScatter) release() {
	*s = elementScatter{elements: elements{buf: s.buf}}
}

// runAll runs the work, which is s or has it, on all of the nest.
func (s *elementScatter) runAll(work par.Work) int {
	positions := s.positions()
	s.divide()
	n := s.dims[s.shared].N
	each := positions / n
	var log undoLog
	var r region
	switch whole := r.describe(&s.elements); {
	case s.Atomic:
		if !r.loggable(len(s.Idx)) {
			if bad := s.Check(); bad >= 0 {
				return bad
			}
			break
		}
		log = newUndoLog(r.bytes)
		defer log.release()
		s.copy = regionCopy{to: log.saved, from: s.Data, region: r, past: log.past}
	case s.Old != nil && whole && n > 1:
		all := n * s.dims[s.shared].Data
		s.copyOld(all)
		s.copy = regionCopy{to: s.Data[:all], from: s.Old[:all], region: r}
	default:
		s.copyOld(0)
	}
	bad := -1
	grain := max(1, scatterGrain/each)
	switch last := s.shared == len(s.dims)-1 && s.shared > 0; {
	case s.dims[s.shared].Data == 0 || !s.apart():
		bad = work.Piece(0, n)
	case last:
		s.steps = startedColumns
		bad = par.RunEven(work, n, max(pieceColumns, grain))
	default:
		s.steps = max(1, chunkPositions/each)
		if s.copy.to != nil {
			s.steps = max(1, copiedBefore*n/max(1, r.bytes))
			grain = min(grain, par.Grain(r.bytes/n))
		}
		bad = par.Run(work, n, grain)
	}
	if bad < 0 {
		return -1
	}
	if log.saved != nil {
		r.each(0, n, func(at, bytes int) { copyAny(s.Data[at:][:bytes], log.saved[at:]) })
	}
	return s.first(bad)
}

// chunkPositions is how many targets are set to the neutral element at a time.
const chunkPositions = 1024

// divide chooses the loop that goroutines share: one that moves in data, so that they do
// not meet there, and the outermost that is worth it.
func (s *elementScatter) divide() {
	for i, d := range s.dims {
		if d.Data != 0 && d.N >= fewBlocks && (i < len(s.dims)-1 || i == 0) {
			s.shared = i
			return
		}
	}
	s.shared = s.largest(true)
	if s.shared == len(s.dims)-1 && s.shared > 0 && s.dims[s.shared].N < ownedColumns {
		s.shared = 0
	}
}

// apart reports whether no two positions are one place in data.
func (s *elementScatter) apart() bool { return s.Form != Walk || s.distinct() }

// Piece runs some steps of the loop that is shared.
func (s *elementScatter) Piece(lo, hi int) int {
	if s.steps == 0 {
		return s.chunk(lo, hi)
	}
	for ; lo < hi; lo += s.steps {
		end := min(lo+s.steps, hi)
		if bad := s.chunk(lo, end); bad >= 0 {
			s.copy.run(end, hi) // what is kept must be complete
			return bad
		}
	}
	return -1
}

// chunk runs some steps at once.
func (s *elementScatter) chunk(lo, hi int) int {
	s.copy.run(lo, hi)
	if s.start.loop != nil {
		if bad := s.run(&s.start, marks{}, lo, hi); bad >= 0 {
			return bad
		}
	}
	if s.write != nil {
		items, data := num.As[string](s.Items), num.As[string](s.Data)
		return s.offsets(lo, hi, func(at place, offsets []int64) {
			s.write(data[at.data:], items[at.items:][:len(offsets)], offsets, 1)
		}, nil)
	}
	return s.run(&s.op, marks{}, lo, hi)
}
