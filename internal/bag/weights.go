package bag

import (
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
// Those of a mean and of SqrtN are made of these: see normal.go.
//
// It returns the first position with a bad index, or -1.
func (d *Description) WeightsGradient(out, grad []byte) int {
	if !d.Normalizes() {
		return d.dotsOf(out, grad)
	}
	n := normals.Get().(*Normal)
	defer normals.Put(n)
	return n.weightsGradient(d, out, grad)
}

// dotsOf is WeightsGradient of a sum.
func (d *Description) dotsOf(out, grad []byte) int {
	row := d.rowBytes()
	j := d.begin(out[:d.positions()*d.Kind.Width()], grad[:d.Bags*row], nil)
	par.Clear(j.out)
	in, ok := j.inBags()
	bad := -1
	if ok {
		bad = par.Run(j.by((*job).dots), in.hi-in.lo, par.Grains(in.hi-in.lo, 2*row))
	}
	bad = j.outside(in, bad)
	j.end()
	return bad
}

// dots makes the dot products of some positions, counted from the first that is in a bag.
func (j *job) dots(lo, hi int) int {
	first := j.First(0, j.n)
	in := interval{first + lo, first + hi}
	if j.Rows == 0 { // all are left out, or refused
		return j.refused(in.lo, in.hi)
	}
	buf := buffers.Get().(*buffer)
	defer buffers.Put(buf)
	w, loop := j.window(buf, j.row, false), simd.Active().Bags[j.Kind].DotRows
	if j.row > partBytes {
		loop = simd.Go.Bags[j.Kind].DotRows // a row this long would be too much assembly
	}
	p := in.lo
	return j.each(w, in, 0, 1, everything, func(n int) {
		out := j.out[p*j.width:][:n*j.width]
		data, offsets := j.rows(buf, w, interval{0, j.row}, n)
		loop(data, &j.grad[0], offsets, &w.Places[0], &out[0], n, j.row, j.row, w.Ahead)
		for t := 0; j.SkipBad && t < n; t++ {
			if j.leftOut(p + t) {
				clear(out[t*j.width:][:j.width])
			}
		}
		p += n
	})
}
