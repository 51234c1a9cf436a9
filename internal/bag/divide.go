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
	p := v.First(lo, v.n)
	for lo < hi {
		n := min(len(buf.counts), hi-lo)
		for t := range n {
			end := v.End(lo+t, p, v.n)
			buf.counts[t], buf.offsets[t] = int32(max(1, v.count(p, end))), int64((lo+t)*v.row)
			p = end
		}
		par.Copy(v.out[lo*v.row:(lo+n)*v.row], v.grad[lo*v.row:(lo+n)*v.row])
		simd.Active().Means[v.Kind].DivideRows(v.out, buf.offsets[:n], buf.counts[:n], v.row)
		lo += n
	}
	return -1
}
