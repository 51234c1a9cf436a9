package bag

import "gorgonia.org/gather/internal/num"

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

// tieLoop is what the gradient of Max needs of a kind.
type tieLoop struct {
	// win writes down the columns in which a row has the greatest values, and counts them.
	win func(bits []byte, counts []int32, row, most []byte)
	// divide divides the gradients of columns by the counts.
	divide func(shares, grad []byte, counts []int32)
	// add adds to a row the shares of the columns that it has won, take writes them and 0
	// elsewhere: a share that is not won is not 0 times itself, it may be NaN.
	add, take func(to, shares, bits []byte)
}

// tieLoops are for each kind that has a gradient of Max.
var tieLoops = [num.Kinds]tieLoop{
	num.Float32:  floatTies[float32](),
	num.Float64:  floatTies[float64](),
	num.Float16:  halfTies(num.Float16To32, num.Float16From32),
	num.BFloat16: halfTies(num.BFloat16To32, num.BFloat16From32),
}

func floatTies[T float32 | float64]() tieLoop {
	return tieLoop{
		win: winRow[T],
		divide: func(shares, grad []byte, counts []int32) {
			to, g := num.As[T](shares), num.As[T](grad)
			for i, n := range counts {
				to[i] = g[i] / T(max(1, n))
			}
		},
		add:  addShares[T],
		take: takeShares[T],
	}
}

// halfTies rounds after each step.
func halfTies(to func(uint16) float32, from func(float32) uint16) tieLoop {
	return tieLoop{
		win: func(bits []byte, counts []int32, row, most []byte) {
			x, m := num.As[uint16](row), num.As[uint16](most)
			clear(bits)
			for i := range x {
				if v := to(x[i]); v == to(m[i]) || v != v {
					bits[i/8] |= 1 << (i % 8)
					counts[i]++
				}
			}
		},
		divide: func(shares, grad []byte, counts []int32) {
			s, g := num.As[uint16](shares), num.As[uint16](grad)
			for i, n := range counts {
				s[i] = from(to(g[i]) / float32(max(1, n)))
			}
		},
		add: func(row, shares, bits []byte) {
			x, s := num.As[uint16](row), num.As[uint16](shares)
			for i := range x {
				if bits[i/8]>>(i%8)&1 != 0 {
					x[i] = from(to(x[i]) + to(s[i]))
				}
			}
		},
		take: takeShares[uint16],
	}
}

// winRow is win for floats.
func winRow[T float32 | float64](bits []byte, counts []int32, rowBytes, mostBytes []byte) {
	row, most := num.As[T](rowBytes), num.As[T](mostBytes)
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

func addShares[T float32 | float64](to, shares, bits []byte) {
	x := num.As[T](to)
	for i, share := range num.As[T](shares)[:len(x)] {
		if bits[i/8]>>(i%8)&1 != 0 {
			x[i] += share
		}
	}
}

func takeShares[T float32 | float64 | uint16](to, shares, bits []byte) {
	x := num.As[T](to)
	for i, share := range num.As[T](shares)[:len(x)] {
		if bits[i/8]>>(i%8)&1 == 0 {
			share = 0
		}
		x[i] = share
	}
}

// FindWinners writes down who wins in bags of which out is the result of Max. Positions
// with a bad index win nothing.
func (d *Description) FindWinners(w *Winners, out []byte) {
	if row := d.Inner * d.Kind.Width(); row > 0 {
		d.run(job{out: out[:d.Bags*row], winners: w, piece: findWinners}, d.Bags, row)
	}
}

func findWinners(s *job, lo, hi int) int {
	stride, win := winnersRow(s.Inner), tieLoops[s.Kind].win
	p := s.First(lo, s.n)
	for bag := lo; bag < hi; bag++ {
		counts := s.winners.Counts[bag*s.Inner:][:s.Inner]
		clear(counts)
		for end := s.End(bag, p, s.n); p < end; p++ {
			bits := s.winners.Bits[p*stride:][:stride]
			if j, ok := s.rowAt(p); ok {
				win(bits, counts, s.Table[j*s.row:][:s.row], s.out[bag*s.row:][:s.row])
			} else {
				clear(bits)
			}
		}
	}
	return -1
}

// Share writes to out, (n, inner), the gradient of each of n positions, given that
// of the bags: in the columns that a position has won the bag's, divided by the
// number of those that have, and 0 elsewhere. Positions in no bag are left as they
// are.
func (w *Winners) Share(kind num.Kind, borders *Borders, n, inner int, out, grad []byte) {
	if inner > 0 {
		d := Description{Kind: kind, Rows: n, Inner: inner, Borders: *borders}
		d.run(job{out: out, grad: grad, winners: w, piece: takeAll}, d.Bags, inner*kind.Width())
	}
}

func takeAll(j *job, lo, hi int) int {
	take := tieLoops[j.Kind].take
	j.share(j.winners, j.grad, interval{lo, hi}, j.First(lo, j.n), interval{0, j.row}, func(p int, columns interval, shares, bits []byte) {
		take(j.out[p*j.row:][columns.lo:columns.hi], shares, bits)
	})
	return -1
}

// shareBytes is how many bytes of a row are divided at a time.
const shareBytes = 512

// share calls do for each position of some bags, the first of which begins at p, with some
// columns, in bytes, that begin at a multiple of eight, their shares of the gradient and who has
// won them.
func (r *reader) share(w *Winners, grad []byte, bags interval, p int, columns interval, do func(p int, columns interval, shares, bits []byte)) {
	buf, stride, divide := buffers.Get().(*buffer), winnersRow(r.Inner), tieLoops[r.Kind].divide
	defer buffers.Put(buf)
	for bag := bags.lo; bag < bags.hi; bag++ {
		end := r.End(bag, p, r.n)
		for lo := columns.lo; lo < columns.hi && p < end; lo += shareBytes {
			part := interval{lo, min(lo+shareBytes, columns.hi)}
			shares := num.Bytes(buf.shares[:])[:part.hi-lo]
			divide(shares, grad[bag*r.row+lo:], w.Counts[bag*r.Inner:][lo/r.width:part.hi/r.width])
			for q := p; q < end; q++ {
				do(q, part, shares, w.Bits[q*stride+lo/r.width/8:])
			}
		}
		p = end
	}
}

// addTies adds some columns of the gradient of Max. The row of an empty bag is the default
// row's, as if it had that one position.
func (a *adjoint) addTies(columns interval) {
	add := tieLoops[a.Kind].add
	p := a.First(0, a.n)
	for bag := range a.Bags {
		end := a.End(bag, p, a.n)
		if a.Default >= 0 && a.count(p, end) == 0 {
			a.addDefault(bag, whole, columns)
		}
		a.share(&a.winners, a.grad, interval{bag, bag + 1}, p, columns, func(p int, part interval, shares, bits []byte) {
			if j, ok := a.rowAt(p); ok {
				add(a.dst[j*a.row:][part.lo:part.hi], shares, bits)
			}
		})
		p = end
	}
}
