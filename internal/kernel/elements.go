package kernel

import (
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
)

// Single elements: each index addresses one element of data, or a row that is one word.
// One loop reads an index, checks it and moves its element.

// elementOp is what is done to single elements.
type elementOp struct {
	nest   simd.NestLoop
	line   simd.ItemLoop // for contiguous runs, if there is one in assembly
	one    []byte        // the item of all indices, if there is only one
	clears bool          // items whose index is out of range
}

// singles reports whether each index addresses one word.
func (e *nest) singles() bool {
	return len(e.Axes) == 1 && e.tail == len(e.loops) && simd.IsWord(e.unit) && (e.Width > 0 || e.unit == e.widthInMemory())
}

// elements runs op on all of a part.
func (p *part) elements(op *elementOp) int {
	n, loops := &p.lines, p.loops
	n.Axis, n.Skip = p.axis(0, p.widthInMemory()), p.SkipBad
	n.Outer, n.Middle, n.Inner = Loop{N: 1}, Loop{N: 1}, Loop{N: 1, Items: p.unit}
	if last := len(loops) - 1; last >= 0 {
		n.Inner, loops = loops[last], loops[:last]
	}
	if last := len(loops) - 1; last >= 0 {
		n.Middle, loops = loops[last], loops[:last]
	}
	if last := len(loops) - 1; last >= 0 {
		n.Outer, loops = loops[last], loops[:last]
	}
	if len(loops) == 0 {
		return p.block(op, p.at)
	}
	p.outer.reset(loops, p.at)
	for more := true; more; more = p.outer.step() {
		if bad := p.block(op, p.outer.position); bad >= 0 {
			return bad
		}
	}
	return -1
}

// block runs op on the three innermost loops, from a position on.
func (p *part) block(op *elementOp, at position) int {
	n := &p.lines
	vector := op.line != nil && n.Inner.N > shortRun && n.Inner.Items == p.unit && op.one == nil
	far := p.far()
	if !vector && !far {
		return p.run(op, at, n)
	}
	some := &p.some
	*some = *n
	some.Outer.N = 1
	lines := n.Middle.N
	if far {
		lines = max(1, prefetched/n.Inner.N)
	}
	for o := range n.Outer.N {
		for m := 0; m < n.Middle.N; m += lines {
			start := at.plus(o, &n.Outer).plus(m, &n.Middle)
			some.Middle.N = min(lines, n.Middle.N-m)
			if next := m + lines; far && next < n.Middle.N {
				p.prefetch(at.plus(o, &n.Outer).plus(next, &n.Middle), min(lines, n.Middle.N-next))
			}
			if !vector {
				if bad := p.run(op, start, some); bad >= 0 {
					return bad
				}
				continue
			}
			for l := range some.Middle.N {
				if bad := p.line(op, start.plus(l, &n.Middle)); bad >= 0 {
					return bad
				}
			}
		}
	}
	return -1
}

// run runs op on some lines by the loop in Go.
func (p *part) run(op *elementOp, at position, n *simd.Nest) int {
	item := byteOf(p.Items, at.items)
	if op.one != nil {
		item = num.Pointer(op.one)
		n.Outer.Items, n.Middle.Items, n.Inner.Items = 0, 0, 0
	}
	done := op.nest(byteOf(p.Data, at.data), item, byteOf(p.Idx, at.idx*p.indexBytes()), n)
	if done == n.Len() {
		return -1
	}
	line := done / n.Inner.N
	return at.idx + line/n.Middle.N*n.Outer.Idx + line%n.Middle.N*n.Middle.Idx + done%n.Inner.N
}

// line runs op on the innermost loop by the loop in assembly, which cannot be preempted:
// some thousand elements a call, each of which enters a function that checks its stack.
func (p *part) line(op *elementOp, at position) int {
	for t, n := 0, p.lines.Inner.N; t < n; {
		done, bad := p.vector(op, at.plus(t, &p.lines.Inner), min(simd.ItemsAtOnce, n-t))
		if t += done; !bad {
			continue
		}
		if !p.SkipBad {
			return at.idx + t
		}
		if op.clears {
			clear(p.Items[at.items+t*p.unit:][:p.unit])
		}
		t++
	}
	return -1
}

//go:noinline
func (p *part) vector(op *elementOp, at position, n int) (done int, bad bool) {
	a := &p.lines.Axis
	done = op.line(byteOf(p.Data, at.data), byteOf(p.Items, at.items), byteOf(p.Idx, at.idx*p.indexBytes()),
		n, int(a.Size), int(a.NegativeOffset), int(a.Stride), p.lines.Inner.Data)
	return done, done < n
}

// far reports whether lines are to be prefetched, as the loops, which see no further than a
// run, would wait for memory at the end of each.
func (e *nest) far() bool {
	if len(e.Data) < farData || simd.Active().PrefetchLines[0] == nil || len(e.loops) == 0 {
		return false
	}
	a := e.axis(0, e.widthInMemory())
	return int(a.Size)*int(a.Stride) >= farSpan && e.loops[len(e.loops)-1].N <= farRun
}

// grains is how many grains so many elements are: as many as given, or more if each waits for
// memory.
func (e *nest) grains(grains int) int {
	if e.far() {
		return max(grains, e.positions/farGrain)
	}
	return grains
}

// prefetch asks for what the indices of some lines address.
func (p *part) prefetch(at position, lines int) {
	size, n := p.indexBytes(), &p.lines
	byIndexWidth(p.Call, simd.Active().PrefetchLines)(byteOf(p.Data, at.data), byteOf(p.Idx, at.idx*size), lines, n.Inner.N,
		int(n.Axis.NegativeOffset), int(n.Axis.Stride), n.Inner.Data, n.Middle.Data, n.Middle.Idx*size)
}

// byIndexWidth is the loop for the width of the indices.
func byIndexWidth[L any](c *Call, loops [2]L) L {
	if c.Idx32 {
		return loops[0]
	}
	return loops[1]
}
