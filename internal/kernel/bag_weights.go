package kernel

import (
	"unsafe"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
)

// bagDots has what makes the dot products of some positions, for each kind.
var bagDots [num.Kinds]func(r *bagRun, lo, hi int) int

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
func (b Bag) WeightsGradient(out, grad []byte) int {
	r := b.start(nil)
	defer r.release()
	r.out, r.in = out[:r.n*r.width], grad[:b.Bags*r.row]
	return par.Run((*bagPositions)(r), r.n, max(1, par.GrainBytes/2/max(1, r.row)))
}

// bagPositions is a bagRun whose pieces are positions.
type bagPositions bagRun

func (b *bagPositions) Piece(lo, hi int) int {
	r := (*bagRun)(b)
	first, last := r.first(0, r.n), r.first(r.Bags, r.n)
	if r.row == 0 || r.Bags == 0 {
		first, last = r.n, r.n
	}
	clear(r.out[lo*r.width : hi*r.width])
	if bad := r.check(lo, min(hi, first)); bad >= 0 {
		return bad
	}
	if from, to := max(lo, first), min(hi, last); from < to {
		if bad := bagDots[r.Kind](r, from, to); bad >= 0 {
			return bad
		}
	}
	return r.check(max(lo, last), hi)
}

// bagAt is the bag that a position belongs to.
func (r *bagRun) bagAt(p int) int {
	return search(r.Bags-1, func(b int) bool { return r.first(b+1, r.n) > p })
}

func dotFloats[T float32 | float64](r *bagRun, lo, hi int) int {
	buf := bagBuffers.Get().(*bagBuffer)
	defer bagBuffers.Put(buf)
	bag := r.bagAt(lo)
	end := r.end(bag, lo, r.n)
	ahead, atOnce := distance(r.row), max(1, rowsAtOnce(r.row))
	have := 0 // offsets of positions from lo on
	for lo < hi {
		want := min(atOnce+ahead, hi-lo) - have
		done := r.offsets(buf.offsets[have:], lo+have, want)
		for p := lo + have; p < lo+have+done; p++ {
			for p >= end && bag+1 < r.Bags {
				bag++
				end = r.end(bag, end, r.n)
			}
			buf.places[p-lo] = int64(bag)
		}
		have += done
		now := have
		if done == want && lo+have < hi {
			now -= ahead
		}
		dotSeen[T](r, buf, lo, now, ahead)
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

// dotSeen runs the loop over positions whose offsets are in the buffer. It calls
// other functions and is not inlined: here a goroutine can be stopped between two
// loops.
//
//go:noinline
func dotSeen[T float32 | float64](r *bagRun, buf *bagBuffer, from, n, ahead int) {
	if n == 0 {
		return
	}
	loop := active.bags[r.Kind].dotRows
	if r.row > partBytes {
		loop = inGo.bags[r.Kind].dotRows // a row this long would be too much assembly
	}
	out := num.As[T](r.out)[from:][:n]
	loop(&r.Table[0], &r.in[0], &buf.offsets[0], &buf.places[0], (*byte)(unsafe.Pointer(&out[0])), n, r.row, r.row, ahead)
}

// dotRowsOf makes the dot products in Go, for other kinds.
func dotRowsOf[T any](r *bagRun, lo, hi int, a rowArithmetic[T]) int {
	table, grad, out := num.As[T](r.Table), num.As[T](r.in), num.As[T](r.out)
	bag := r.bagAt(lo)
	end := r.end(bag, lo, r.n)
	for p := lo; p < hi; p++ {
		for p >= end && bag+1 < r.Bags {
			bag++
			end = r.end(bag, end, r.n)
		}
		j, ok := r.pick(p)
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
