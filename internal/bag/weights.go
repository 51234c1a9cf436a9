package bag

import (
	"sync"
	"unsafe"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/simd"
)

// dots has what makes the dot products of some positions, for each kind.
var dots [num.Kinds]func(w *weightsGradient, lo, hi int) int

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
	bad := par.Run(w, w.n, max(1, par.GrainBytes/2/max(1, w.row)))
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
		if bad := dots[w.Kind](w, from, to); bad >= 0 {
			return bad
		}
	}
	return w.refused(max(lo, in.hi), hi)
}

// bagAt is the bag that a position belongs to.
func (r *reader) bagAt(p int) int {
	return search(r.Bags-1, func(b int) bool { return r.First(b+1, r.n) > p })
}

func dotFloats[T float32 | float64](r *weightsGradient, lo, hi int) int {
	buf := buffers.Get().(*buffer)
	defer buffers.Put(buf)
	bag := r.bagAt(lo)
	end := r.End(bag, lo, r.n)
	ahead, atOnce := simd.Distance(r.row), max(1, r.rowsAtOnce(r.row))
	have := 0 // offsets of positions from lo on
	for lo < hi {
		want := min(atOnce+ahead, hi-lo) - have
		done := r.offsets(buf.offsets[have:], lo+have, want)
		for p := lo + have; p < lo+have+done; p++ {
			for p >= end && bag+1 < r.Bags {
				bag++
				end = r.End(bag, end, r.n)
			}
			buf.places[p-lo] = int64(bag)
		}
		have += done
		now := have
		if done == want && lo+have < hi {
			now -= ahead
		}
		flushDots[T](r, buf, lo, now, ahead)
		lo += now
		copy(buf.offsets[:], buf.offsets[now:have])
		copy(buf.places[:], buf.places[now:have])
		have -= now
		if done < want { // the position lo is bad: all before it are done
			if !r.Fill {
				return lo
			}
			lo++
		}
	}
	return -1
}

// flushDots runs the loop over positions whose offsets are in the buffer. It calls
// other functions and is not inlined: here a goroutine can be stopped between two
// loops.
//
//go:noinline
func flushDots[T float32 | float64](r *weightsGradient, buf *buffer, from, n, ahead int) {
	if n == 0 {
		return
	}
	loop := simd.Active().Bags[r.Kind].DotRows
	if r.row > partBytes {
		loop = simd.Go.Bags[r.Kind].DotRows // a row this long would be too much assembly
	}
	out := num.As[T](r.out)[from:][:n]
	data, offsets := r.rows(buf, interval{0, r.row}, n, ahead)
	loop(data, &r.grad[0], offsets, &buf.places[0], (*byte)(unsafe.Pointer(&out[0])), n, r.row, r.row, ahead)
}

// dotRowsOf makes the dot products in Go, for other kinds.
func dotRowsOf[T any](r *weightsGradient, lo, hi int, a rowArithmetic[T]) int {
	table, grad, out := num.As[T](r.Table), num.As[T](r.grad), num.As[T](r.out)
	bag := r.bagAt(lo)
	end := r.End(bag, lo, r.n)
	for p := lo; p < hi; p++ {
		for p >= end && bag+1 < r.Bags {
			bag++
			end = r.End(bag, end, r.n)
		}
		j, ok := r.rowAt(p)
		if !ok {
			if !r.Fill {
				return p
			}
			continue
		}
		row, g := table[j*r.Inner:][:r.Inner], grad[bag*r.Inner:][:r.Inner]
		var sums [16]T
		for c := range row {
			a.scaled(sums[c%16:][:1], g[c:c+1], a.conj(row[c]))
		}
		for half := len(sums) / 2; half > 0; half /= 2 {
			a.add(sums[:half], sums[half:2*half])
		}
		out[p] = sums[0]
	}
	return -1
}
