package kernel

import (
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
)

// Winners are the positions of bags that have the greatest value of a column, or
// NaN if that is the greatest. A table changes between the forward pass and the
// update, so they are written down in the forward pass.
type Winners struct {
	// Bits has a row of (Inner+7)/8 bytes for each position: bit c%8 of byte c/8
	// says that the position has the greatest value of column c in its bag.
	Bits []byte
	// Counts, (Bags, Inner), says how many positions have it.
	Counts []int32

	share sharing
}

// winnersRow is the bytes that Bits has for a position.
func winnersRow(inner int) int { return (inner + 7) / 8 }

// Size makes room for some positions, bags and columns. What it holds is undefined.
func (w *Winners) Size(positions, bags, inner int) {
	w.Bits, w.Counts = grow(w.Bits, positions*winnersRow(inner)), grow(w.Counts, bags*inner)
}

// FindWinners writes down who wins in bags of floats of which out is the result of
// Max. Positions with a bad index win nothing.
func (b Bag) FindWinners(w *Winners, out []byte) {
	r := b.start(nil)
	defer r.release()
	if r.row > 0 {
		r.winners, r.out = w, out[:b.Bags*r.row]
		par.Run((*bagWinners)(r), b.Bags, par.Grain(r.row))
	}
}

// bagWinners is a bagRun whose pieces are bags to find the winners of.
type bagWinners bagRun

func (b *bagWinners) Piece(lo, hi int) int {
	if b.Kind == num.Float32 {
		findWinners[float32]((*bagRun)(b), lo, hi)
	} else {
		findWinners[float64]((*bagRun)(b), lo, hi)
	}
	return -1
}

func findWinners[T float32 | float64](r *bagRun, lo, hi int) {
	table, most := num.As[T](r.Table), num.As[T](r.out)
	step := winnersRow(r.Inner)
	p := r.first(lo, r.n)
	for bag := lo; bag < hi; bag++ {
		row := most[bag*r.Inner:][:r.Inner]
		counts := r.winners.Counts[bag*r.Inner:][:r.Inner]
		clear(counts)
		for end := r.end(bag, p, r.n); p < end; p++ {
			bits := r.winners.Bits[p*step:][:step]
			if j, ok := r.pick(p); ok {
				winRow(bits, counts, table[j*r.Inner:][:r.Inner], row)
			} else {
				clear(bits)
			}
		}
	}
}

// winRow writes down the columns in which a row has the greatest value.
func winRow[T float32 | float64](bits []byte, counts []int32, row, most []T) {
	most, counts = most[:len(row)], counts[:len(row)]
	for at := range bits {
		from := 8 * at
		part := row[from:min(from+8, len(row))]
		m, n := most[from:][:len(part)], counts[from:][:len(part)]
		var set byte
		for i, x := range part {
			// Only where the greatest is NaN can the row have one.
			var one byte
			if x == m[i] {
				one = 1
			}
			if x != x {
				one = 1
			}
			set |= one << i
			n[i] += int32(one)
		}
		bits[at] = set
	}
}

// Share writes to out, (n, inner), the gradient of each of n positions, given that
// of the bags: in the columns that a position has won the bag's, divided by the
// number of those that have, and 0 elsewhere. Positions in no bag are left as they
// are.
func (w *Winners) Share(kind num.Kind, borders *Borders, n, inner int, out, grad []byte) {
	if inner == 0 {
		return
	}
	w.share = sharing{kind, borders, n, inner, out, grad}
	par.Run((*winnerShares)(w), borders.Bags, par.Grain(kind.Width()*inner))
	w.share = sharing{}
}

// sharing is what Share was called with.
type sharing struct {
	kind      num.Kind
	borders   *Borders
	n, inner  int
	out, grad []byte
}

// winnerShares is a Winners whose pieces are bags to share the gradients of.
type winnerShares Winners

func (w *winnerShares) Piece(lo, hi int) int {
	if w.share.kind == num.Float32 {
		shareGradients[float32]((*Winners)(w), lo, hi)
	} else {
		shareGradients[float64]((*Winners)(w), lo, hi)
	}
	return -1
}

// shareColumns is how many columns are divided at a time.
const shareColumns = 64

func shareGradients[T float32 | float64](w *Winners, lo, hi int) {
	s := &w.share
	out, grad := num.As[T](s.out), num.As[T](s.grad)
	step := winnersRow(s.inner)
	var shares [shareColumns]T
	p := s.borders.first(lo, s.n)
	for bag := lo; bag < hi; bag++ {
		end := s.borders.end(bag, p, s.n)
		for from := 0; from < s.inner; from += shareColumns {
			g := grad[bag*s.inner+from:][:min(shareColumns, s.inner-from)]
			counts := w.Counts[bag*s.inner+from:][:len(g)]
			for i, x := range g {
				shares[i] = x / T(max(1, counts[i]))
			}
			for q := p; q < end; q++ {
				takeShares(out[q*s.inner+from:][:len(g)], shares[:len(g)], w.Bits[q*step+from/8:])
			}
		}
		p = end
	}
}

// takeShares writes what a position has of the shares.
func takeShares[T float32 | float64](out, shares []T, bits []byte) {
	out = out[:len(shares)]
	for i, x := range shares {
		// A share that is not won is not 0 times itself: it may be NaN.
		if bits[i/8]>>(i%8)&1 == 0 {
			x = 0
		}
		out[i] = x
	}
}
