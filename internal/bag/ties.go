package bag

import (
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
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

// tieLoop is what the gradient of Max needs of elements of a width.
type tieLoop struct {
	// win writes down the columns in which a row has the greatest values, and counts them.
	win func(bits []byte, counts []int32, row, most []byte)
	// choose sets the columns that have been won: a share that is not won is not 0 times
	// itself, it may be NaN.
	choose func(to, from, bits []byte)
}

// tieLoops are for each kind that has a gradient of Max.
var tieLoops = [num.Kinds]*tieLoop{
	num.Float32: tiesOf[uint32](num.Float32), num.Float64: tiesOf[uint64](num.Float64),
	num.Float16: tiesOf[uint16](num.Float16), num.BFloat16: tiesOf[uint16](num.BFloat16),
}

// tiesOf compares floats by their bits.
func tiesOf[T uint16 | uint32 | uint64](kind num.Kind) *tieLoop {
	infinity := num.As[T](num.Neutral(kind, num.Min))[0]
	return &tieLoop{
		win:    func(bits []byte, counts []int32, row, most []byte) { winRow[T](bits, counts, row, most, infinity) },
		choose: choose[T],
	}
}

// winRow has no branch that depends on the numbers.
func winRow[T uint16 | uint32 | uint64](bits []byte, counts []int32, rowBytes, mostBytes []byte, infinity T) {
	row, most := num.As[T](rowBytes), num.As[T](mostBytes)
	most, counts = most[:len(row)], counts[:len(row)]
	for at := range bits {
		from := 8 * at
		part := row[from:min(from+8, len(row))]
		m, n := most[from:][:len(part)], counts[from:][:len(part)]
		var set byte
		for i, x := range part {
			one := byte(num.IsBest(x, m[i], infinity))
			set |= one << i
			n[i] += int32(one)
		}
		bits[at] = set
	}
}

// choose has no branch that depends on the bits.
func choose[T uint16 | uint32 | uint64](to, from, bits []byte) {
	x, y := num.As[T](to), num.As[T](from)
	for at := 0; at < len(x); at += 8 {
		part := x[at:min(at+8, len(x))]
		z, set := y[at:][:len(part)], T(bits[at/8])
		for i, v := range part {
			part[i] = v ^ (v^z[i])&-(set>>i&1)
		}
	}
}

// FindWinners writes down who wins in bags of which out is the result of Max. Positions
// with a bad index win nothing.
func (d *Description) FindWinners(w *Winners, out []byte) {
	if row := d.rowBytes(); row > 0 {
		d.begin(out[:d.Bags*row], nil, w).run((*job).findWinners, d.Bags, row)
	}
}

func (j *job) findWinners(lo, hi int) int {
	stride, win := winnersRow(j.Inner), tieLoops[j.Kind].win
	for bag, in := range j.chunks(interval{lo, hi}, 1) {
		counts := j.winners.Counts[bag.lo*j.Inner:][:j.Inner]
		clear(counts)
		for p := in.lo; p < in.hi; p++ {
			bits := j.winners.Bits[p*stride:][:stride]
			if row, ok := j.rowAt(p); ok {
				win(bits, counts, j.Table[row*j.row:][:j.row], j.out[bag.lo*j.row:][:j.row])
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
		d.begin(out, grad, w).run(func(j *job, lo, hi int) int { return j.share(interval{lo, hi}, interval{0, j.row}, false) }, d.Bags, d.rowBytes())
	}
}

// addTies adds some cache lines of columns of the gradient of Max.
func (j *job) addTies(lo, hi int) int { return j.share(interval{0, j.Bags}, j.columnsOf(lo, hi), true) }

// shareBytes is how many bytes of a row are divided at a time.
const shareBytes = 512

// share writes to out what each position of some bags gets of some columns, in bytes, that
// begin at a multiple of eight, or adds it to the position's row. The row of an empty bag is the
// default row's then, as if it had that one position. The result is that of a piece: no position is bad.
func (j *job) share(bags, columns interval, adds bool) int {
	buf, w, stride := buffers.Get().(*buffer), j.winners, winnersRow(j.Inner)
	defer buffers.Put(buf)
	means, add, choose := simd.Active().Means[j.Kind], simd.Active().Combine[j.Kind][num.Add].Rows, tieLoops[j.Kind].choose
	for bag, in := range j.chunks(bags, 1) {
		if adds && j.Default >= 0 && j.count(in) == 0 {
			j.addDefault(bag.lo, whole, columns)
		}
		for lo := columns.lo; lo < columns.hi && in.lo < in.hi; lo += shareBytes {
			hi := min(lo+shareBytes, columns.hi)
			shares, sums := num.Bytes(buf.shares[:])[:hi-lo], num.Bytes(buf.added[:])[:hi-lo]
			copy(shares, j.grad[bag.lo*j.row+lo:])
			counts := buf.counts[:copy(buf.counts[:len(shares)/j.width], w.Counts[bag.lo*j.Inner+lo/j.width:])]
			means.Divide(shares, num.Bytes(counts), 0)
			for p := in.lo; p < in.hi; p++ {
				bits := w.Bits[p*stride+lo/j.width/8:]
				if !adds {
					to := j.out[p*j.row+lo : p*j.row+hi]
					clear(to)
					choose(to, shares, bits)
				} else if row, ok := j.rowAt(p); ok {
					to := j.out[row*j.row+lo : row*j.row+hi]
					copy(sums, shares) // in front: of two NaNs theirs stays
					add(&sums[0], &to[0], &simd.Iota[0], &simd.Iota[0], 1, len(sums), 0, 0)
					choose(to, sums, bits)
				}
			}
		}
	}
	return -1
}
