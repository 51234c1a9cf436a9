package bag

import (
	"sync"

	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/simd"
)

// WeightsGradient writes to out, (n), the gradient of the weights, given that of
// the results, (Bags, Inner):
//
//	out[p] = Σ table[idx[p], c] grad[b(p), c] over c
//
// where b(p) is the bag of p and complex rows of the table are conjugated. Column
// c goes into sum c%16 of sixteen, each product and each sum rounded, and the
// second half of the sums is added to the first until one is left. It is 0 for a
// position that is left out, and for one in no bag.
//
// It returns the first position with a bad index, or -1.
func (d *Description) WeightsGradient(out, grad []byte) int {
	w := weightsGradients.Get().(*weightsGradient)
	*w = weightsGradient{reader: d.reader()}
	w.out, w.grad = out[:w.n*w.width], grad[:w.Bags*w.row]
	bad := par.Run(w, w.n, par.Grains(w.n, 2*w.row))
	*w = weightsGradient{}
	weightsGradients.Put(w)
	return bad
}

// weightsGradient is the job of WeightsGradient. Its pieces are positions.
type weightsGradient struct {
	reader
	out, grad []byte
}

var weightsGradients = sync.Pool{New: func() any { return new(weightsGradient) }}

func (w *weightsGradient) Piece(lo, hi int) int {
	in := w.inBags()
	clear(w.out[lo*w.width : hi*w.width])
	if bad := w.refused(lo, min(hi, in.lo)); bad >= 0 {
		return bad
	}
	if from, to := max(lo, in.lo), min(hi, in.hi); from < to {
		if bad := w.dots(from, to); bad >= 0 {
			return bad
		}
	}
	return w.refused(max(lo, in.hi), hi)
}

// dots makes the dot products of some positions, all of which are in bags.
func (w *weightsGradient) dots(lo, hi int) int {
	if w.Rows == 0 { // all are left out, or refused
		return w.refused(lo, hi)
	}
	buf, window := buffers.Get().(*buffer), w.window(w.row)
	defer buffers.Put(buf)
	defer window.Release()
	window.UsePlaces()
	loop := simd.Active().Bags[w.Kind].DotRows
	if w.row > partBytes {
		loop = simd.Go.Bags[w.Kind].DotRows // a row this long would be too much assembly
	}
	bag := w.bagAt(lo, w.n)
	for p := lo; p < hi || window.Len() > 0; {
		from := window.Len()
		free := window.Free(hi - p)
		n, leavesOut := w.resolve(free, p)
		if n < len(free) {
			return p + n
		}
		for t, offset := range free {
			if leavesOut && offset == par.LeftOut {
				free[t] = 0 // its product is cleared
			}
		}
		bag = w.places(window.Places[from:][:n], p, w.n, bag, 1)
		window.Add(n)
		p += n
		if now := window.Ready(p == hi); now > 0 {
			first := p - window.Len()
			out := w.out[first*w.width:][:now*w.width]
			data, offsets := w.rows(buf, window, interval{0, w.row}, now)
			loop(data, &w.grad[0], offsets, &window.Places[0], &out[0], now, w.row, w.row, window.Ahead)
			w.clearLeftOut(out, first)
			window.Drop(now)
		}
	}
	return -1
}

// clearLeftOut clears what belongs to positions that are left out.
func (w *weightsGradient) clearLeftOut(out []byte, first int) {
	for t := 0; w.SkipBad && t < len(out)/w.width; t++ {
		if _, ok := w.rowAt(first + t); !ok {
			clear(out[t*w.width:][:w.width])
		}
	}
}
