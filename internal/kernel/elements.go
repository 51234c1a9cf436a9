package kernel

import (
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
)

// Single elements: each index addresses one element of data, or a row that is one word.
// One loop reads an index, checks it and moves its element.

// elementOp is what is done to single elements.
type elementOp struct {
	lines   simd.LineLoop
	items   simd.ItemLoop // for contiguous lines, if there is one
	inLines int           // up to how many elements lines are faster for these, if that is more than shortRun
	one     []byte        // the item of all indices, if there is only one
	waits   uint64        // up to how many targets the updates of one wait for each other
}

// singles reports whether each index addresses one word.
func (e *nest) singles() bool {
	return len(e.Axes) == 1 && e.tail == len(e.loops) && simd.IsWord(e.unit) && (e.Width > 0 || e.unit == e.widthInMemory())
}

// elements runs op on all of a part: two nested loops at a time, the innermost and the one
// around it or, where these are short, a longer one, some hundred elements of it for each
// iteration of the loops between.
func (p *part) elements(op *elementOp) int {
	last, inner, around := len(p.loops)-1, Loop{N: 1, Items: p.unit, Idx: 1}, Loop{N: 1}
	if last >= 0 {
		inner = p.loops[last]
	}
	p.line.Axis, p.line.Skip = p.axis(0, p.widthInMemory()), p.SkipBad
	if last <= 0 {
		return p.run(op, p.at, &around, 1, &inner)
	}
	long, inside := p.longLoop(op)
	around = p.loops[long]
	ahead := elementOp{lines: simd.Active().PrefetchLines[p.Call.wide()]}
	far, atOnce := long == last-1 && p.far() && p.positions*simd.CacheLine >= farData, max(1, simd.ItemsAtOnce/inner.N)
	switch {
	case far:
		atOnce = max(1, prefetched/inner.N)
	case long < last-1 || p.across(op, &around, &inner):
		atOnce = max(shortRun, linesAtOnce/inside)
	}
	p.around.reset(p.loops[:long], p.at)
	for more := true; more; more = p.around.step() {
		for l := 0; l < around.N; l += atOnce {
			n := min(atOnce, around.N-l)
			if next := l + n; far && next < around.N {
				p.line.Skip = true
				p.runLines(&ahead, p.around.plus(next, &around), &around, min(atOnce, around.N-next), &inner)
				p.line.Skip = p.SkipBad
			}
			p.inner.reset(p.loops[long+1:last], p.around.plus(l, &around))
			for more := true; more; more = p.inner.step() {
				if bad := p.run(op, p.inner.position, &around, n, &inner); bad >= 0 {
					return bad
				}
			}
		}
	}
	return -1
}

// longLoop chooses the loop to go along beside the innermost: the one around it or, where both
// are short, or that one is and updates wait for each other, a longer one. It says how many
// iterations the loops inside of that have. Updates of one target stay in their order: of the
// loops that do not move in data none changes places with another.
func (p *part) longLoop(op *elementOp) (long, inside int) {
	last := len(p.loops) - 1
	long, inside = last-1, p.loops[last].N
	if inside*p.loops[long].N > shortRun && (p.line.Size > op.waits || p.loops[long].N > shortRun) || !p.separate {
		return long, inside
	}
	still := p.loops[long].Data == 0
	for i := long - 1; i >= 0; i-- {
		l := &p.loops[i]
		if l.N > 2*p.loops[long].N && !(still && l.Data == 0) {
			long = i
		}
		still = still || l.Data == 0
	}
	for _, l := range p.loops[long+1 : last] {
		inside *= l.N
	}
	return long, inside
}

// across reports whether the loop around a short one, or around one whose updates wait for each other, changes places with
// it. Its lines share cache lines. It moves in data: else the updates of one element would follow each other, and each would
// wait for the one before. An axis of a few far rows is left to the processor, which follows each of them as long as they are
// gone through in order. So are long runs of items that the caches do not hold.
func (p *part) across(op *elementOp, outer, inner *Loop) bool {
	shared := outer.Idx == 0 && (inner.N <= shortRun || op.waits > 0 && inner.N <= 2*shortRun || p.line.Size <= op.waits)
	short := inner.N <= shortLine || shared || inner.N <= shortRun && p.line.Size <= op.waits/2
	inOrder := p.line.Size <= streams && p.line.Size*uint64(p.line.Stride) >= farData || outer.Items >= farItems && len(p.Items) >= turnedBytes
	return short && p.separate && outer.Data != 0 && outer.Data <= simd.CacheLine && !inOrder
}

// run runs op on two loops, the outer one n times, some thousand elements at a time: loops in
// assembly cannot be preempted, and those in Go only where the runtime interrupts them.
func (p *part) run(op *elementOp, at position, outer *Loop, n int, inner *Loop) int {
	if n >= shortRun && p.across(op, outer, inner) {
		line := *outer
		line.N = n
		outer, n, inner = inner, inner.N, &line
	}
	contiguous := op.items != nil && inner.N > max(shortRun, op.inLines) && inner.Items == p.unit && inner.Idx == 1
	if !contiguous && inner.N <= simd.ItemsAtOnce {
		return p.runLines(op, at, outer, n, inner)
	}
	for i := range n {
		if bad := p.runInner(op, at.plus(i, outer), contiguous, inner); bad >= 0 {
			return bad
		}
	}
	return -1
}

// runInner runs op on the inner loop. A bad index and some elements after it are left to the
// loop for lines, which knows what to do with it.
func (p *part) runInner(op *elementOp, at position, contiguous bool, inner *Loop) int {
	some := *inner
	for t := 0; t < inner.N; t += some.N {
		some.N = min(simd.ItemsAtOnce, inner.N-t)
		if contiguous {
			done := p.runItems(op, at.plus(t, inner), inner.Data, some.N)
			if t, some.N = t+done, min(some.N-done, afterSkipped); some.N == 0 {
				continue
			}
		}
		if bad := p.runLines(op, at.plus(t, inner), &some, 1, &some); bad >= 0 {
			return bad
		}
	}
	return -1
}

// dataAt is where a position's data is. Where no index is good there may be none.
func (p *part) dataAt(at position) *byte {
	if p.line.Size == 0 {
		return nil
	}
	return byteOf(p.Data, at.data)
}

//go:noinline
func (p *part) runLines(op *elementOp, at position, outer *Loop, n int, inner *Loop) int {
	item, next, step, l := byteOf(p.Items, at.items), outer.Items, inner.Items, &p.line
	if op.one != nil {
		item, next, step = num.Pointer(op.one), 0, 0
	}
	l.From, l.Outer = at.data, simd.Loop{N: n, Items: next, Data: outer.Data, Idx: outer.Idx}
	l.Run = simd.Loop{N: inner.N, Items: step, Data: inner.Data, Idx: inner.Idx}
	if t := op.lines(p.dataAt(at), item, byteOf(p.Idx, at.idx*num.IndexBytes(p.Idx32)), l); t < n*inner.N {
		return at.idx + t/inner.N*outer.Idx + t%inner.N*inner.Idx
	}
	return -1
}

// runItems is where a goroutine can be stopped between two calls into assembly.
//
//go:noinline
func (p *part) runItems(op *elementOp, at position, step, n int) int {
	a := &p.line.Axis
	return op.items(p.dataAt(at), byteOf(p.Items, at.items), byteOf(p.Idx, at.idx*num.IndexBytes(p.Idx32)),
		n, int(a.Size), int(a.NegativeOffset), int(a.Stride), step)
}

// far reports whether elements lie in lines of their own, in runs so short that the loops, which see no
// further than a run, wait for memory at the end of each.
func (e *nest) far() bool {
	if len(e.Data) < farData || simd.Active().PrefetchLines[0] == nil || len(e.loops) == 0 {
		return false
	}
	last := len(e.loops) - 1
	if last > 0 && e.loops[last-1].Data < simd.CacheLine {
		return false // neighbouring lines find much of the same memory
	}
	return e.span() >= farSpan && e.loops[last].N <= farRun
}

// span is how many bytes of data the axes reach over. It only chooses loops: an axis of size 1 may have any stride.
func (e *nest) span() (bytes int) {
	for _, a := range e.Axes {
		bytes += a.Size * a.Stride * e.widthInMemory()
	}
	return bytes
}

// grains is how many grains a call has: as many as given, or more if each element waits for memory.
func (e *nest) grains(grains int) int {
	if e.far() {
		return max(grains, e.positions/farGrain)
	}
	return grains
}

// movedInLines is inLines of elements that are moved.
func (c *Call) movedInLines() int { return movedRun * num.IndexBytes(c.Idx32) }

// wide is which of two loops is that for the width of the indices.
func (c *Call) wide() int { return num.IndexBytes(c.Idx32) / 8 }
