package bag

import (
	"sync"

	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/simd"
)

// DivideByCounts writes to out the gradient of the results, (Bags, Inner), with each row
// divided by the number of its bag's positions, but for those that are left out: what
// every position gets of the gradient of a mean. A row is divided once, and not for each
// position.
func (d *Description) DivideByCounts(out, grad []byte) {
	v := divisions.Get().(*division)
	*v = division{reader: d.reader()}
	if v.out, v.grad = out[:v.Bags*v.row], grad[:v.Bags*v.row]; len(v.out) > 0 {
		par.Run(v, v.Bags, par.Grains(v.Bags, v.row))
	}
	*v = division{}
	divisions.Put(v)
}

// division is the job of DivideByCounts. Its pieces are bags.
type division struct {
	reader
	out, grad []byte
}

var divisions = sync.Pool{New: func() any { return new(division) }}

func (v *division) Piece(lo, hi int) int {
	buf := buffers.Get().(*buffer)
	defer buffers.Put(buf)
	for p := v.First(lo, v.n); lo < hi; {
		n := min(len(buf.counts), hi-lo)
		in := interval{p, v.End(lo+n-1, p, v.n)}
		v.counts(buf.counts[:n], lo, in)
		for t, count := range buf.counts[:n] {
			buf.counts[t], buf.places[t] = max(1, count), int64((lo+t)*v.row)
		}
		par.Copy(v.out[lo*v.row:(lo+n)*v.row], v.grad[lo*v.row:(lo+n)*v.row])
		simd.Active().Means[v.Kind].DivideRows(v.out, buf.places[:n], buf.counts[:n], v.row)
		lo, p = lo+n, in.hi
	}
	return -1
}
