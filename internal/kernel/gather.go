package kernel

import (
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/simd"
)

// Gather copies, for every index, what it addresses in data to its item; Form says
// what that is. In the form Elements the width must be that of a word. It returns the
// position in Idx of the first bad index, or -1.
func (c *Call) Gather() int {
	switch c.Form {
	case Elements:
		return c.gatherElements(c.widthInMemory())
	case Walk:
		return c.gatherWalk()
	}
	return c.gatherBlock()
}

func (c *Call) gatherBlock() int {
	blocks := c.Batch * c.Outer
	n := blocks * c.N
	if n*c.Inner == 0 {
		return -1
	}
	if c.Width == 0 {
		if c.singles() {
			return c.gatherElements(c.widthInMemory())
		}
		return par.Run((*gatherStrings)(c), n, par.Grains(n, 16*c.Inner))
	}
	// Values are only moved, never interpreted, so a row of elements is as good
	// as one element of the row's size, or as a row of bytes.
	row := c.rowBytes()
	if len(c.Axes) == 1 && (simd.IsWord(row) || c.N == 1 && c.Outer == 1 && c.Batch > 1) {
		return c.gatherElements(row)
	}
	return par.Run((*gatherRows)(c), n, par.Grains(n, row))
}

func (c *Call) gatherWalk() int {
	n, _ := c.walkGrains()
	if n == 0 {
		return -1
	}
	switch fast := c.Width > 0 && simd.IsWord(c.Width); {
	case (fast || c.Width == 0) && c.itemWalk():
		return c.gatherElements(c.widthInMemory())
	case fast && c.isCopy():
		if at, bad := c.resolve(0); bad < 0 {
			return c.copySlab(at)
		}
	case fast && c.rowWalk():
		return c.runRows(toItems, nil, nil)
	}
	return c.steps(&moves[moveAs(c.Width)].gather, c.Items, false)
}

// elementGather gathers single elements.
type elementGather struct {
	nest
	op elementOp // without a loop for rows
}

// gatherElements gathers single elements, of so many bytes each. An element may be a row.
func (c *Call) gatherElements(bytes int) int {
	g := &c.memory().gather
	g.describe(c, bytes)
	n := g.share(sharedSteps)
	if n == 0 {
		return -1
	}
	switch g.op = (elementOp{clears: true}); {
	case c.Width == 0:
		g.op.loop = byIndexWidth(c, simd.CopyStrings)
	case simd.IsWord(bytes):
		g.op.loop = byIndexWidth(c, simd.Active().CopyItems[simd.Log2(bytes)])
	}
	return par.Run(g, g.dims[g.shared].N, g.grains(n, par.Grains(n, max(bytes, 16))))
}

// Piece gathers the steps lo to hi of the loop that is shared.
func (g *elementGather) Piece(lo, hi int) int {
	if g.op.loop != nil {
		return g.apply(&g.op, nil, lo, hi)
	}
	row := g.unit
	copyRows, ahead := simd.CopyLoop(row), simd.Distance(row)
	return g.offsets(lo, hi, func(at position, offsets []int64) {
		n := len(offsets)
		copyRows.Run(num.Pointer(g.Data[at.data:]), num.Pointer(g.Items[at.items:][:n*row]), &offsets[0], n, row, row, ahead)
	}, func(item int) { par.Clear(g.Items[item:][:row]) })
}

// move is how elements of one width are moved, step by step.
type move struct{ gather, scatter, fill stepLoop }

// moves holds the moves for widths 1, 2, 4 and 8, at the width's logarithm,
// and for strings.
var moves = [...]move{moveOf[uint8](), moveOf[uint16](), moveOf[uint32](), moveOf[[8]byte](), moveOf[string]()}

func moveOf[T any]() move {
	return move{stepLoopOf(gatherLine[T]), stepLoopOf(scatterLine[T]), stepLoopOf(fillLine[T])}
}

// moveAs chooses from moves. Elements of another width are moved as bytes.
func moveAs(width int) int {
	switch width {
	case 0:
		return len(moves) - 1
	case 1, 2, 4:
		return width / 2
	case 8:
		return 3
	}
	return 0
}

func gatherLine[T any](items, data []T, itemAt, dataAt, n, stepItems, stepData int) {
	switch {
	case dataAt < 0:
		var zero T
		for i := range n {
			items[itemAt+i*stepItems] = zero
		}
	case stepItems == 1 && stepData == 1:
		par.Copy(items[itemAt:itemAt+n], data[dataAt:dataAt+n])
	default:
		for i := range n {
			items[itemAt+i*stepItems] = data[dataAt+i*stepData]
		}
	}
}

func scatterLine[T any](items, data []T, itemAt, dataAt, n, stepItems, stepData int) {
	switch {
	case dataAt < 0:
	case stepItems == 1 && stepData == 1:
		par.Copy(data[dataAt:dataAt+n], items[itemAt:itemAt+n])
	default:
		for i := range n {
			data[dataAt+i*stepData] = items[itemAt+i*stepItems]
		}
	}
}

// fillLine repeats the items that there are.
func fillLine[T any](items, data []T, _, datum, n, _, stepData int) {
	if datum < 0 {
		return
	}
	item := 0
	for i := range n {
		data[datum+i*stepData] = items[item]
		if item++; item == len(items) {
			item = 0
		}
	}
}
