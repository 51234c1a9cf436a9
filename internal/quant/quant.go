// Package quant stores rows of numbers in fewer bits, and reads them as float32.
//
// A row of Int8 is its columns, a byte each, and then scale and offset as float32; one of
// Int4 is two columns a byte, the even one in the low half, and then scale and offset as
// float16. Both are what PyTorch's quantized.embedding_bag_byte_prepack and
// embedding_bag_4bit_prepack make. A number is float32(q)·scale rounded, plus offset,
// rounded. Everything is little-endian.
package quant

import (
	"unsafe"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
)

// Storage is how the numbers of a table are stored.
type Storage uint8

const (
	// Float64 is eight bytes a number.
	Float64 Storage = iota
	// Float32 is four bytes a number.
	Float32
	// Float16 is two bytes a number, IEEE 754's binary16: from 6e-8 to 65504, with 11
	// significant bits.
	Float16
	// BFloat16 is two bytes a number, the upper half of a float32: its range, with 8
	// significant bits.
	BFloat16
	// Int8 is a byte a number, and eight bytes a row.
	Int8
	// Int4 is half a byte a number, and four bytes a row.
	Int4

	// Storages is the length of a table with an entry for each storage.
	Storages = iota
)

// String is the name of the storage.
func (s Storage) String() string {
	if s >= Storages {
		return "unknown"
	}
	return [...]string{"Float64", "Float32", "Float16", "BFloat16", "Int8", "Int4"}[s]
}

// Kind is what the numbers are read as: float64 of Float64, float32 of all others.
func (s Storage) Kind() num.Kind {
	if s == Float64 {
		return num.Float64
	}
	return num.Float32
}

// bits of a column, and bytes behind the columns of a row.
var (
	bits  = [Storages]int{Float64: 64, Float32: 32, Float16: 16, BFloat16: 16, Int8: 8, Int4: 4}
	tails = [Storages]int{Int8: 8, Int4: 4}
)

// RowBytes is the size of a row of some columns.
func (s Storage) RowBytes(columns int) int { return s.bytes(columns) + tails[s] }

// bytes is the size of some columns.
func (s Storage) bytes(columns int) int {
	if s == Int4 {
		return columns/2 + columns%2
	}
	return columns * (bits[s] / 8)
}

// partColumns is how many columns of a row are decoded at a time.
const partColumns = 16 << 10

// Bytes is the size of a table, or -1 if no int holds it.
func (s Storage) Bytes(rows, columns int) int {
	const most = int(^uint(0) >> 1)
	switch {
	case rows == 0:
		return 0
	case columns > (most-8)/8, rows > most/max(1, s.RowBytes(columns)):
		return -1
	}
	return rows * s.RowBytes(columns)
}

// Rows are rows of a table as they are stored. Their memory may have any alignment.
type Rows struct {
	Storage Storage
	Columns int
	Bytes   []byte
}

// Decode writes n rows, at offsets in bytes, to to, in the columns from first on, which
// is even, row by row without holes: as float64 if they are stored so, else as float32.
// It may read distance offsets more. Rows that are long it decodes in parts, between
// which a goroutine can be stopped.
func (r *Rows) Decode(to *byte, offsets *int64, n, first, columns, distance int) {
	if columns > partColumns {
		width := r.Storage.Kind().Width()
		for t := range n {
			for c := 0; c < columns; c += partColumns {
				r.Decode((*byte)(unsafe.Add(unsafe.Pointer(to), (t*columns+c)*width)),
					(*int64)(unsafe.Add(unsafe.Pointer(offsets), 8*t)), 1, first+c, min(partColumns, columns-c), 0)
			}
		}
		return
	}
	before := r.Storage.bytes(first)
	data := &r.Bytes[before]
	if loops := r.Storage.packed(); loops != nil {
		loops.Decode(to, data, offsets, n, columns, r.Storage.bytes(r.Columns)-before, distance)
	} else {
		bytes := r.Storage.bytes(columns)
		simd.Go.CopyRows(data, to, offsets, n, bytes, bytes, 0)
	}
}

// Prefetch prefetches the first rows of a piece of work, at offsets, which no loop has.
func (r *Rows) Prefetch(offsets []int64) {
	const most = 1 << 10 // of a long row
	for _, offset := range offsets {
		simd.Prefetch(&r.Bytes[0], int(offset), min(most, r.Storage.RowBytes(r.Columns)+simd.CacheLine))
	}
}

// packed are the loops over rows that have some, or nil.
func (s Storage) packed() *simd.PackedLoops {
	loops := &simd.Active().Packed
	return [Storages]*simd.PackedLoops{Float16: &loops.Float16, BFloat16: &loops.BFloat16, Int8: &loops.Int8, Int4: &loops.Int4}[s]
}

// FewerBits reports whether there are rows that are read as float32 and are none.
func (r *Rows) FewerBits() bool { return len(r.Bytes) > 0 && r.Storage >= Float16 }

// AddsBags reports whether AddBags can be called for rows of so many columns.
func (r *Rows) AddsBags(columns int) bool {
	loops := r.Storage.packed()
	return loops != nil && loops.AddBags != nil && (tails[r.Storage] > 0 || columns%8 == 0)
}

// AddBags adds rows to bags as a simd.BagLoop does, in the columns from first on, which is
// even: each row as Decode makes it, times its weight.
func (r *Rows) AddBags(out *byte, offsets, ends *int64, weights *byte, bags, first, columns, step, distance, carry int) {
	before := r.Storage.bytes(first)
	r.Storage.packed().AddBags(&r.Bytes[before], out, offsets, ends, weights, bags, columns, step, r.Storage.bytes(r.Columns)-before, distance, carry)
}
