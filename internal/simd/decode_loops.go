package simd

import (
	"encoding/binary"
	"math"
	"unsafe"

	"gorgonia.org/gather/internal/num"
)

// DecodeLoop turns numbers of fewer bits into float32: columns of them, of the n rows at
// offsets behind data, are written to to, row by row without holes. tail is where the
// scale and the offset of a row are, in bytes from the first of its columns:
//
//	to[t, c] = float32(q[t, c])·scale[t] + offset[t]
//
// with the product and the sum rounded. 16-bit floats have neither scale nor offset: tail is
// where the row ends. The offsets have been checked; assembly reads
// distance more of them, to prefetch what is there.
type DecodeLoop func(to, data *byte, offsets *int64, n, columns, tail, distance int)

// PackedBagLoop is a BagLoop over such rows: it adds them, each as a DecodeLoop makes it,
// times its weight. It reads whole vectors of columns, the last of which may end in the
// scale and the offset; of rows without them columns are a multiple of 8.
type PackedBagLoop func(data, out *byte, offsets, ends *int64, weights *byte, bags, columns, step, tail, distance, carry int)

// PackedLoops are an implementation's loops over rows of one storage.
type PackedLoops struct {
	Decode  DecodeLoop
	AddBags PackedBagLoop // nil: rows are decoded first, then BagLoops.AddScaled adds them
}

// PackedStorages have the loops over rows of 16-bit floats, of 8 bits, whose scale and offset are float32,
// and of 4, with the even column in the low half of a byte, whose scale and offset are
// float16.
type PackedStorages struct{ Float16, BFloat16, Int8, Int4 PackedLoops }

// rowsFrom decodes the columns of rows from one on.
type rowsFrom func(first int, to, data *byte, offsets *int64, n, columns, tail int)

// whole decodes whole rows.
func (rows rowsFrom) whole(to, data *byte, offsets *int64, n, columns, tail, _ int) {
	rows(0, to, data, offsets, n, columns, tail)
}

// prefetched decodes row after row, and prefetches the one that is distance ahead: rows
// lie all over a table.
func (rows rowsFrom) prefetched(to, data *byte, offsets *int64, n, columns, tail, distance int) {
	for t, ahead := range unsafe.Slice(int64At(offsets, distance), n) {
		Prefetch(data, int(ahead), tail)
		rows(0, (*byte)(byteAt(to, 4*t*columns)), data, int64At(offsets, t), 1, columns, tail)
	}
}

func decodeInt8From(first int, to, data *byte, offsets *int64, n, columns, tail int) {
	for t, offset := range unsafe.Slice(offsets, n) {
		row := view[byte](byteAt(data, int(offset)), tail+8)
		scale, shift := float32At(row[tail:]), float32At(row[tail+4:])
		out := view[float32](byteAt(to, 4*t*columns), columns)
		for c := first; c < len(out); c++ {
			// The conversion keeps processors that can from rounding once.
			out[c] = float32(float32(row[c])*scale) + shift
		}
	}
}

func decodeInt4From(first int, to, data *byte, offsets *int64, n, columns, tail int) {
	for t, offset := range unsafe.Slice(offsets, n) {
		row := view[byte](byteAt(data, int(offset)), tail+4)
		scale, shift := float16At(row[tail:]), float16At(row[tail+2:])
		out := view[float32](byteAt(to, 4*t*columns), columns)
		for c := first; c < len(out); c++ {
			q := row[c/2] >> (c % 2 * 4) & 15
			out[c] = float32(float32(q)*scale) + shift
		}
	}
}

var decodeFloat16From, decodeBFloat16From = decodeHalvesFrom[binary16], decodeHalvesFrom[brain16]

func decodeHalvesFrom[H half](first int, to, data *byte, offsets *int64, n, columns, tail int) {
	var h H
	for t, offset := range unsafe.Slice(offsets, n) {
		row := view[uint16](byteAt(data, int(offset)), columns)
		out := view[float32](byteAt(to, 4*t*columns), columns)
		for c := first; c < len(out); c++ {
			if len(h) == len(binary16{}) {
				out[c] = num.Float16To32(row[c])
			} else {
				out[c] = num.BFloat16To32(row[c])
			}
		}
	}
}

func float32At(mem []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(mem)) }

func float16At(mem []byte) float32 { return num.Float16To32(binary.LittleEndian.Uint16(mem)) }
