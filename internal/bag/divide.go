package bag

import (
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/simd"
)

// DivideByCounts writes to out the gradient of the results, (Bags, Inner), with each row
// divided by the number of its bag's positions, but for those that are left out: what
// every position gets of the gradient of a mean. A row is divided once, and not for each
// position.
func (d *Description) DivideByCounts(out, grad []byte) {
	if row := d.Inner * d.Kind.Width(); row > 0 {
		d.run(job{out: out[:d.Bags*row], grad: grad[:d.Bags*row], piece: divideGradients}, d.Bags, row)
	}
}

func divideGradients(j *job, lo, hi int) int {
	buf := buffers.Get().(*buffer)
	defer buffers.Put(buf)
	for p := j.First(lo, j.n); lo < hi; {
		n := min(len(buf.counts), hi-lo)
		in := interval{p, j.End(lo+n-1, p, j.n)}
		j.counts(buf.counts[:n], buf.ends[:], lo, in)
		for t, count := range buf.counts[:n] {
			buf.counts[t], buf.places[t] = max(1, count), int64((lo+t)*j.row)
		}
		par.Copy(j.out[lo*j.row:(lo+n)*j.row], j.grad[lo*j.row:(lo+n)*j.row])
		simd.Active().Means[j.Kind].DivideRows(j.out, buf.places[:n], buf.counts[:n], j.row)
		lo, p = lo+n, in.hi
	}
	return -1
}
