package segment

import (
	"sync"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
)

// Column is a reduction of segments of single numbers: number p of X is in segment
// IDs[p], and the ids are in ascending order and in range. The accumulator of a segment
// stays in a register.
type Column struct {
	Kind      num.Kind
	Reduction num.Reduction
	X, IDs    []byte
	Short     bool   // the ids are int32, not int64
	Empty     []byte // the element of a segment without numbers
}

// HasColumn reports whether there is a loop for numbers of the kind.
func HasColumn(kind num.Kind, r num.Reduction) bool {
	return columnPieces[kind][0] != nil && (r != num.Mean || !kind.IsInteger())
}

// column is the job of a Column, whose pieces are numbers.
type column struct {
	Column
	out   []byte
	piece func(c *column, lo, hi int) int
}

func (c *column) Piece(lo, hi int) int { return c.piece(c, lo, hi) }

var columns = sync.Pool{New: func() any { return new(column) }}

// Reduce writes one number for each segment to out. There is at least one in X.
func (d Column) Reduce(out []byte) {
	c := columns.Get().(*column)
	*c = column{Column: d, out: out, piece: columnPieces[d.Kind][0]}
	n := len(d.IDs) / 8
	if d.Short {
		c.piece, n = columnPieces[d.Kind][1], len(d.IDs)/4
	}
	par.Run(c, n, par.Grains(n, d.Kind.Width()))
	*c = column{}
	columns.Put(c)
}

// columnPieces are the loops for ids of 64 and 32 bits. They are made once: a generic
// function made into a value where it is used would be an allocation in every call.
var columnPieces = [num.Kinds][2]func(c *column, lo, hi int) int{
	num.Int8:    {columnPiece[int8, int64], columnPiece[int8, int32]},
	num.Int16:   {columnPiece[int16, int64], columnPiece[int16, int32]},
	num.Int32:   {columnPiece[int32, int64], columnPiece[int32, int32]},
	num.Int64:   {columnPiece[int64, int64], columnPiece[int64, int32]},
	num.Uint8:   {columnPiece[uint8, int64], columnPiece[uint8, int32]},
	num.Uint16:  {columnPiece[uint16, int64], columnPiece[uint16, int32]},
	num.Uint32:  {columnPiece[uint32, int64], columnPiece[uint32, int32]},
	num.Uint64:  {columnPiece[uint64, int64], columnPiece[uint64, int32]},
	num.Float32: {columnPiece[float32, int64], columnPiece[float32, int32]},
	num.Float64: {columnPiece[float64, int64], columnPiece[float64, int32]},
}

// columnPiece reduces the segments that begin from lo to hi, and fills those without
// numbers before each of them and behind the last one.
func columnPiece[T num.Real, I int32 | int64](c *column, lo, hi int) int {
	out, x, ids, empty := num.As[T](c.out), num.As[T](c.X), num.As[I](c.IDs), num.As[T](c.Empty)[0]
	for lo > 0 && lo < hi && ids[lo] == ids[lo-1] {
		lo++ // of a segment that begins before
	}
	next := 0
	if lo > 0 {
		next = int(ids[lo-1]) + 1
	}
	for lo < hi {
		segment, start := ids[lo], lo
		for lo++; lo < len(ids) && ids[lo] == segment; {
			lo++
		}
		fill(out[next:segment], empty)
		out[segment] = reduceNumbers(c.Reduction, x[start:lo])
		if next = int(segment) + 1; lo == len(ids) {
			fill(out[next:], empty)
		}
	}
	return -1
}

func fill[T any](to []T, x T) {
	for i := range to {
		to[i] = x
	}
}

// reduceNumbers is the reduction of one or more numbers, each step rounded. Sums begin
// with 0, products with 1.
func reduceNumbers[T num.Real](r num.Reduction, x []T) T {
	switch r {
	case num.Mul:
		product := T(1)
		for _, v := range x {
			product *= v
		}
		return product
	case num.Min:
		least := x[0]
		for _, v := range x[1:] {
			if !(v > least) { // a NaN or a zero of another sign, too
				least = min(least, v)
			}
		}
		return least
	case num.Max:
		most := x[0]
		for _, v := range x[1:] {
			if !(v < most) {
				most = max(most, v)
			}
		}
		return most
	}
	sum := T(0)
	for _, v := range x {
		sum += v
	}
	if r == num.Mean {
		return sum / T(len(x))
	}
	return sum
}
