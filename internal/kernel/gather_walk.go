package kernel

// gatherWalk is Gather in the form Walk.
func (c *Call) gatherWalk() int {
	n, grain := c.walkGrain()
	if n == 0 {
		return -1
	}
	move := &moves[moveAs(c.width)]
	c.step = move.gather
	return c.Run(pick(c.Idx32, move.loops[0], move.loops[1]), n, grain)
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
