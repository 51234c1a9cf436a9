package kernel

import (
	"gorgonia.org/gather/internal/par"
)

// A cursor iterates over the positions of the loops around rows, and resolves their index
// tuples into the offsets of a window, across all of these loops: a loop of few iterations
// costs no more than a long one.
type cursor struct {
	*part
	// The last two loops. The tuples of both are side by side, or the outer one does not
	// move the index.
	outerLoop, innerLoop Loop
	marks                bool // tuples with a bad index get par.LeftOut
	places               bool // the window has the offset of each item

	reached int // how many positions of the last two loops
	left    int // positions, in all loops
}

// lastTwo are the last two loops around rows, or loops that run once, and how many positions all
// have. The others begin anew.
func (p *part) lastTwo() (outer, inner Loop, left int) {
	loops, outer, inner := p.loops[:p.tail], Loop{N: 1}, Loop{N: 1}
	if last := len(loops) - 1; last >= 0 && loops[last].Idx != 0 {
		inner, loops = loops[last], loops[:last]
	} else if last >= 0 {
		inner = Loop{N: 1, Items: loops[last].Items} // from one position to the next
	}
	if last := len(loops) - 1; last >= 0 && (loops[last].Idx == 0 || loops[last].Idx == inner.N) {
		outer, loops = loops[last], loops[:last]
	}
	left = outer.N * inner.N
	for _, l := range loops {
		left *= l.N
	}
	p.around.reset(loops, p.at)
	return outer, inner, left
}

// packed reports whether the items of neighbouring positions are the same distance apart
// throughout.
func (e *nest) packed() bool {
	for i := 1; i < e.tail; i++ {
		if e.loops[i-1].Items != e.loops[i].N*e.loops[i].Items {
			return false
		}
	}
	return true
}

// item is where the item of the next position is.
func (c *cursor) item() int {
	return c.around.items + c.reached/c.innerLoop.N*c.outerLoop.Items + c.reached%c.innerLoop.N*c.innerLoop.Items
}

// fill adds positions to a window, as many as it has room for. It stops before a bad index,
// unless it marks those, and returns its position in the indices, or -1.
func (c *cursor) fill(w *par.Window) int {
	for c.left > 0 {
		to := w.Free(c.left)
		if len(to) == 0 {
			break
		}
		n, bad := c.next(to)
		if c.places {
			c.addPlaces(w.Places[w.Len():][:n])
		}
		w.Add(n)
		c.pass(n)
		if bad >= 0 {
			return bad
		}
	}
	return -1
}

// pass goes n positions on, in the last two loops.
func (c *cursor) pass(n int) {
	c.left -= n
	if c.reached += n; c.reached == c.outerLoop.N*c.innerLoop.N {
		c.reached = 0
		c.around.step()
	}
}

// next resolves positions of the last two loops: whole inner loops, or a part of one. It returns how
// many, and the position in the indices of a bad index behind them, or -1.
func (c *cursor) next(to []int64) (n, bad int) {
	in := &c.innerLoop
	o, t := 0, c.reached
	if c.outerLoop.N > 1 {
		o, t = c.reached/in.N, c.reached%in.N
	}
	at := c.around.plus(o, &c.outerLoop).plus(t, in)
	first, base, step, runs := at.idx, at.data, in.Data, 1
	if c.outerLoop.N > 1 && t == 0 && len(to) >= in.N {
		runs = min(len(to)/in.N, c.outerLoop.N-o)
	}
	all := to[:min(len(to), runs*in.N-t)]
	to = all
	switch {
	case runs == 1 || c.outerLoop.Idx == in.N && c.outerLoop.Data == in.N*in.Data:
		runs = 1 // the offsets of all are one row
	case c.outerLoop.Idx == 0:
		to = all[:in.N] // the others have the same indices
	default:
		base, step = 0, 0
	}
	n, bad = 0, -1
	for n < len(to) {
		done, component := c.Resolve(to[n:], first+n, c.widthInMemory(), base+n*step, step)
		if n += done; n == len(to) {
			break
		}
		if !c.marks {
			bad = (first+n)*len(c.Axes) + component
			break
		}
		to[n] = par.LeftOut
		n++
	}
	switch {
	case runs == 1:
	case c.outerLoop.Idx != 0:
		for r := 0; r*in.N < n; r++ {
			shift(all[r*in.N:min((r+1)*in.N, n)], at.data+r*c.outerLoop.Data, in.Data)
		}
	case n == in.N:
		for from := int64(c.outerLoop.Data); n < len(all); from += int64(c.outerLoop.Data) {
			for _, at := range to {
				all[n] = at + from
				n++
			}
		}
	}
	return n, bad
}

// addPlaces writes where the items of the next positions are.
func (c *cursor) addPlaces(to []int64) {
	o, t := c.reached/c.innerLoop.N, c.reached%c.innerLoop.N
	place := c.around.items + o*c.outerLoop.Items + t*c.innerLoop.Items
	for i := range to {
		to[i] = int64(place)
		place += c.innerLoop.Items
		if t++; t == c.innerLoop.N {
			o, t = o+1, 0
			place = c.around.items + o*c.outerLoop.Items
		}
	}
}
