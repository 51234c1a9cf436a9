package bag

import (
	"sync"

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
}

// winnersRow is the bytes that Bits has for a position.
func winnersRow(inner int) int { return (inner + 7) / 8 }

// Size makes room for some positions, bags and columns. What it holds is undefined.
func (w *Winners) Size(positions, bags, inner int) {
	w.Bits, w.Counts = num.Resize(w.Bits, positions*winnersRow(inner)), num.Resize(w.Counts, bags*inner)
}

// FindWinners writes down who wins in bags of floats of which out is the result of
// Max. Positions with a bad index win nothing.
func (d *Description) FindWinners(w *Winners, out []byte) {
	s := winnerSearches.Get().(*winnerSearch)
	*s = winnerSearch{reader: d.reader(), winners: w}
	if s.row > 0 {
		s.out = out[:s.Bags*s.row]
		par.Run(s, s.Bags, par.Grains(s.Bags, s.row))
	}
	*s = winnerSearch{}
	winnerSearches.Put(s)
}

// winnerSearch is the job of FindWinners. Its pieces are bags.
type winnerSearch struct {
	reader
	out     []byte
	winners *Winners
}

var winnerSearches = sync.Pool{New: func() any { return new(winnerSearch) }}

func (s *winnerSearch) Piece(lo, hi int) int {
	if s.Kind == num.Float32 {
		findWinners[float32](s, lo, hi)
	} else {
		findWinners[float64](s, lo, hi)
	}
	return -1
}

func findWinners[T float32 | float64](r *winnerSearch, lo, hi int) {
	table, most := num.As[T](r.Table), num.As[T](r.out)
	step := winnersRow(r.Inner)
	p := r.First(lo, r.n)
	for bag := lo; bag < hi; bag++ {
		row := most[bag*r.Inner:][:r.Inner]
		counts := r.winners.Counts[bag*r.Inner:][:r.Inner]
		clear(counts)
		for end := r.End(bag, p, r.n); p < end; p++ {
			bits := r.winners.Bits[p*step:][:step]
			if j, ok := r.rowAt(p); ok {
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
	s := sharings.Get().(*sharing)
	*s = sharing{w, kind, borders, n, inner, out, grad}
	par.Run(s, borders.Bags, par.Grains(borders.Bags, kind.Width()*inner))
	*s = sharing{}
	sharings.Put(s)
}

// sharing is the job of Share. Its pieces are bags.
type sharing struct {
	*Winners
	kind      num.Kind
	borders   *Borders
	n, inner  int
	out, grad []byte
}

var sharings = sync.Pool{New: func() any { return new(sharing) }}

func (s *sharing) Piece(lo, hi int) int {
	if s.kind == num.Float32 {
		shareGradients[float32](s, lo, hi)
	} else {
		shareGradients[float64](s, lo, hi)
	}
	return -1
}

// shareColumns is how many columns are divided at a time.
const shareColumns = 64

func shareGradients[T float32 | float64](s *sharing, lo, hi int) {
	out, grad := num.As[T](s.out), num.As[T](s.grad)
	step := winnersRow(s.inner)
	var shares [shareColumns]T
	p := s.borders.First(lo, s.n)
	for bag := lo; bag < hi; bag++ {
		end := s.borders.End(bag, p, s.n)
		for from := 0; from < s.inner; from += shareColumns {
			g := grad[bag*s.inner+from:][:min(shareColumns, s.inner-from)]
			counts := s.Counts[bag*s.inner+from:][:len(g)]
			for i, x := range g {
				shares[i] = x / T(max(1, counts[i]))
			}
			for q := p; q < end; q++ {
				takeShares(out[q*s.inner+from:][:len(g)], shares[:len(g)], s.Bits[q*step+from/8:])
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
