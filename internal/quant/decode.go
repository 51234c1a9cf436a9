package quant

import (
	"sync"

	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/simd"
)

// lookup is the job of Lookup. Its pieces are positions.
type lookup struct {
	Rows
	out  []byte
	rows []int64
	row  int // bytes of a row of the result
}

var lookups = sync.Pool{New: func() any { return new(lookup) }}

// Lookup writes to out, (len(rows), Columns), the rows with these numbers, and zeros for
// a number below 0.
func (r *Rows) Lookup(out []byte, rows []int64) {
	l := lookups.Get().(*lookup)
	*l = lookup{Rows: *r, rows: rows, row: r.Columns * r.Storage.Kind().Width()}
	if l.out = out[:len(rows)*l.row]; l.row > 0 {
		par.Run(l, len(rows), par.Grains(len(rows), l.row))
	}
	*l = lookup{}
	lookups.Put(l)
}

func (l *lookup) Piece(lo, hi int) int {
	if len(l.Bytes) == 0 {
		par.Clear(l.out[lo*l.row : hi*l.row])
		return -1
	}
	stride := l.Storage.RowBytes(l.Columns)
	w := par.WindowOf(max(1, partColumns/l.Columns), simd.PackedDistance(stride))
	defer w.Release()
	for p := lo; p < hi || w.Len() > 0; {
		free := w.Free(hi - p)
		for t, row := range l.rows[p:][:len(free)] {
			free[t] = max(row, 0) * int64(stride)
		}
		if p == lo {
			l.Prefetch(free[:min(len(free), w.Ahead)])
		}
		w.Add(len(free))
		p += len(free)
		if now := w.Ready(p == hi); now > 0 {
			first := p - w.Len()
			l.Decode(&l.out[first*l.row], &w.Offsets[0], now, 0, l.Columns, w.Ahead)
			for t, row := range l.rows[first:][:now] {
				if row < 0 {
					clear(l.out[(first+t)*l.row:][:l.row])
				}
			}
			w.Drop(now)
		}
	}
	return -1
}
