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

// bagAt is the bag that a position belongs to.
func (r *reader) bagAt(p int) int {
	return search(r.Bags-1, func(b int) bool { return r.First(b+1, r.n) > p })
}

// dots makes the dot products of some positions, all of which are in bags.
func (w *weightsGradient) dots(lo, hi int) int {
	buf := buffers.Get().(*buffer)
	defer buffers.Put(buf)
	bag := w.bagAt(lo)
	end := w.End(bag, lo, w.n)
	ahead, atOnce := simd.Distance(w.row), w.rowsAtOnce(w.row)
	have := 0 // offsets of positions from lo on
	for lo < hi {
		want := min(atOnce+ahead, hi-lo) - have
		done := w.offsets(buf.offsets[have:], lo+have, want)
		for p := lo + have; p < lo+have+done; p++ {
			for p >= end && bag+1 < w.Bags {
				bag++
				end = w.End(bag, end, w.n)
			}
			buf.places[p-lo] = int64(bag)
		}
		have += done
		now := have
		if done == want && lo+have < hi {
			now -= ahead
		}
		clear(buf.offsets[have:][:ahead])
		w.flush(buf, lo, now, ahead)
		lo += now
		copy(buf.offsets[:], buf.offsets[now:have])
		copy(buf.places[:], buf.places[now:have])
		have -= now
		if done < want { // the position lo is bad: all before it are done
			if !w.Fill {
				return lo
			}
			lo++
		}
	}
	return -1
}

// flush runs the loop over positions whose offsets are in the buffer. It calls
// other functions and is not inlined: here a goroutine can be stopped between two
// loops.
//
//go:noinline
func (w *weightsGradient) flush(buf *buffer, from, n, ahead int) {
	if n == 0 {
		return
	}
	loop := simd.Active().Bags[w.Kind].DotRows
	if w.row > partBytes {
		loop = simd.Go.Bags[w.Kind].DotRows // a row this long would be too much assembly
	}
	out := w.out[from*w.width:][:n*w.width]
	data, offsets := w.rows(buf, interval{0, w.row}, n, ahead)
	loop(data, &w.grad[0], offsets, &buf.places[0], &out[0], n, w.row, w.row, ahead)
}
