package quant

import (
	"sync"
	"unsafe"

	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/simd"
)

// copyRows copies rows that are numbers already, by bytes.
func copyRows(to, data *byte, offsets *int64, n, bytes int) {
	out := unsafe.Slice(to, n*bytes)
	for t, offset := range unsafe.Slice(offsets, n) {
		copy(out[t*bytes:][:bytes], unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(data), offset)), bytes))
	}
}

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
	buf := simd.OffsetsFor(hi - lo)
	defer simd.OffsetsPool.Put(buf)
	most := max(1, min(simd.OffsetsAtOnce, partColumns/l.Columns))
	stride := int64(l.Storage.RowBytes(l.Columns))
	for first := true; lo < hi; first = false {
		n := 0
		for n < most && lo+n < hi && l.rows[lo+n] >= 0 {
			buf[n] = l.rows[lo+n] * stride
			n++
		}
		if n == 0 {
			clear(l.out[lo*l.row:][:l.row])
			lo++
			continue
		}
		if first {
			l.Prefetch(buf[:min(n, simd.PackedDistance(int(stride)))])
		}
		for t, row := range l.rows[lo+n : min(lo+n+simd.PackedLookahead, hi)] {
			buf[n+t] = row * stride // for the prefetch alone, so it may be none
		}
		l.decode(buf, lo, n)
		lo += n
	}
	return -1
}

// decode decodes rows whose offsets are in the buffer. It is not inlined: here a
// goroutine can be stopped between two loops.
//
//go:noinline
func (l *lookup) decode(buf *simd.Offsets, at, n int) {
	l.Rows.Decode(&l.out[at*l.row], &buf[0], n, 0, l.Columns, simd.PackedDistance(l.Storage.RowBytes(l.Columns)))
}
