package quant

import (
	"encoding/binary"
	"fmt"
	"math"
	"sync"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
)

// conversion is the job of Convert. Its pieces are rows.
type conversion struct {
	from, to *Rows
	first    int
}

// Convert stores the rows from first to end-1 in another storage: see Encode. Those of
// Float64 are rounded to float32 first. It returns the first row that cannot be, and why,
// or -1.
func (r *Rows) Convert(to *Rows, first, end int) (row int, err error) {
	c := conversion{r, to, first}
	if row = par.Run(&c, end-first, par.Grains(end-first, 4*r.Columns)); row >= 0 {
		row += first
		err = c.convert(row, make([]float32, r.Columns))
	}
	return row, err
}

var rowBuffers = sync.Pool{New: func() any { return new([]float32) }}

func (c *conversion) Piece(lo, hi int) int {
	buf := rowBuffers.Get().(*[]float32)
	defer rowBuffers.Put(buf)
	*buf = num.Resize(*buf, c.from.Columns)
	for row := lo; row < hi; row++ {
		if c.convert(c.first+row, *buf) != nil {
			return row
		}
	}
	return -1
}

// convert converts a row, by way of a buffer.
func (c *conversion) convert(row int, buf []float32) error {
	c.from.read(buf, row)
	stride := c.to.Storage.RowBytes(c.to.Columns)
	err := c.to.Storage.Encode(c.to.Bytes[row*stride:][:stride], buf)
	switch {
	case err == nil:
		return nil
	case c.from.Storage == Float64:
		return fmt.Errorf("row %d, rounded to float32: %w", row, err)
	}
	return fmt.Errorf("row %d: %w", row, err)
}

// read reads a row as float32: of Float64 rounded, which may be infinite.
func (r *Rows) read(to []float32, row int) {
	stride := r.Storage.RowBytes(r.Columns)
	offset := int64(row * stride)
	switch {
	case len(to) == 0:
	case r.Storage == Float64:
		for c := range to {
			to[c] = float32(math.Float64frombits(binary.LittleEndian.Uint64(r.Bytes[int(offset)+8*c:])))
		}
	default:
		r.Decode(num.Pointer(to), &offset, 1, 0, len(to), 0)
	}
}
