package kernel

import (
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/simd"
)

// gather is a gather that goroutines share.
type gather struct {
	nest
	single bool
	op     elementOp // of single elements
	rows   rowOp     // of all else
	whole  part
}

// Gather copies, for every index tuple, what it addresses in data to its item. It returns
// the position in Idx of the first bad index, or -1.
func (c *Call) Gather() int {
	g := &c.gather
	if g.describe(c, true) {
		return -1
	}
	g.turn(fewCopied)
	switch g.single = g.singles(); {
	case g.single && c.Width > 0:
		g.op = elementOp{lines: simd.Active().CopyLines[simd.Log2(g.unit)][c.wide()], items: simd.Active().CopyItems[simd.Log2(g.unit)][c.wide()], inLines: c.movedInLines()}
	case g.single:
		g.op = elementOp{lines: simd.CopyStrings[c.wide()]}
	case c.Width > 0:
		g.rows = rowOp{copy: simd.CopyLoop(g.unit), change: simd.SetLoop(g.unit), few: fewCopied}
	default:
		g.rows = rowOp{copy: simd.CopyStringRows, change: simd.SetStringRows}
	}
	grains, parts := g.grains(par.Grains(g.positions, max(g.unit, 16))), 1
	if grains > 1 && g.separate {
		parts = g.divide()
	}
	return c.First(par.RunParts(g, g.steps(), parts, grains))
}

// divide chooses the loop that goroutines divide: the outermost that is long enough, so that
// each cache line of data is read by one of them, or the longest. It returns into how many
// parts at most.
func (g *gather) divide() (parts int) {
	longest, most := 0, 0
	for i, l := range g.loops {
		if l.N >= dividedSteps && g.tail == len(g.loops) {
			g.divided = i
			return l.N
		}
		if l.N > most {
			longest, most = i, l.N
		}
	}
	if g.divided = longest; most < dividedSteps && g.unit >= par.GrainBytes && g.tail == len(g.loops) {
		g.divided = len(g.loops)
	}
	if parts = g.steps(); g.tail < len(g.loops) {
		parts = max(2, parts/(4*longLine)) // not narrower than a few lines
	}
	return parts
}

// Piece gathers some iterations of the divided loop.
func (g *gather) Piece(lo, hi int) int {
	p, bad := g.part(&g.whole, lo, hi), 0
	if g.single {
		bad = p.elements(&g.op)
	} else {
		bad = p.rows(&g.rows, par.Partition{})
	}
	p.release(&g.whole)
	return bad
}
