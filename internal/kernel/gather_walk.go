package kernel

import "gorgonia.org/gather/internal/num"

// gatherWalk is Gather in the form Walk.
func (c *Call) gatherWalk() int {
	n, grain := c.walkGrain()
	if n == 0 {
		return -1
	}
	switch fast := c.width > 0 && IsWord(c.width); {
	case c.width == 0 && c.itemWalk():
		return c.runWalk(pick(c.Idx32, gatherWalkStrings[int32], gatherWalkStrings[int64]), false)
	case fast && c.isCopy():
		if at, bad := c.resolveOne(); bad < 0 {
			return c.copySlab(at)
		}
	case fast && c.itemWalk():
		c.gatherItem(c.width)
		return c.runWalk(walkItems, false)
	case fast && c.rowWalk():
		c.strided = strided{moves: toItems}
		return c.runWalk(pick(c.Idx32, walkRows[int32], walkRows[int64]), false)
	}
	move := &moves[moveAs(c.width)]
	c.step = move.gather
	return c.Run(pick(c.Idx32, move.loops[0], move.loops[1]), n, grain)
}

// resolveOne resolves the one tuple of a walk that has no loop over them.
func (c *Call) resolveOne() (at, bad int) {
	if c.Idx32 {
		return resolve(c, num.As[int32](c.Idx)[:len(c.Axes)])
	}
	return resolve(c, num.As[int64](c.Idx)[:len(c.Axes)])
}

// move is how elements of one width are moved.
type move struct {
	gather, scatter, fill any // LineFuncs
	loops                 [2]Loop
}

// moves holds the moves for widths 1, 2, 4 and 8, at the width's logarithm,
// and for strings.
var moves = [...]move{
	moveOf[uint8](), moveOf[uint16](), moveOf[uint32](), moveOf[[8]byte](), moveOf[string](),
}

func moveOf[T any]() move {
	return move{LineFunc[T](gatherLine[T]), LineFunc[T](scatterLine[T]), LineFunc[T](fillLine[T]), [2]Loop{walk[T, int32], walk[T, int64]}}
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
		copyAny(items[itemAt:itemAt+n], data[dataAt:dataAt+n])
	default:
		for i := range n {
			items[itemAt+i*stepItems] = data[dataAt+i*stepData]
		}
	}
}
