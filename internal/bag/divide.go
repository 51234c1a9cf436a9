package bag

import (
	"sync"

	"gorgonia.org/gather/internal/num"
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
		par.Run(v, v.Bags, par.Grain(v.row))
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
	atOnce := rowsAtOnce(min(v.row, partBytes))
	p := v.First(lo, v.n)
	for lo < hi {
		n := min(atOnce, hi-lo)
		for t := range n {
			end := v.End(lo+t, p, v.n)
			buf.counts[t], buf.offsets[t] = int32(max(1, v.count(p, end))), int64((lo+t)*v.row)
			p = end
		}
		par.Copy(v.out[lo*v.row:(lo+n)*v.row], v.grad[lo*v.row:(lo+n)*v.row])
		for column := 0; column < v.row; column += partBytes {
			divideRows(v.Kind, v.out[column:], buf, n, min(partBytes, v.row-column))
		}
		lo += n
	}
	return -1
}

// divideRows divides the rows at the buffer's offsets by its counts. It is not inlined: here
// a goroutine can be stopped between two loops.
//
//go:noinline
func divideRows(kind num.Kind, rows []byte, buf *buffer, n, bytes int) {
	simd.Active().Means[kind].Rows(&rows[0], num.Pointer(buf.counts[:]), &buf.offsets[0], n, bytes, 4, simd.Distance(bytes))
}
