package oracle

import (
	"encoding/binary"
	"math"

	"github.com/x448/float16"
)

// EncodeRow stores a row of float32 in 8 bits a number or in 4, with scale and offset behind them, as the formulas of
// PyTorch's embedding_bag_byte_prepack and embedding_bag_4bit_prepack stand. A minimum of -0 counts as 0.
func EncodeRow(bits int, row []float32) []byte {
	least, most := math.Inf(1), math.Inf(-1)
	for _, x := range row {
		least, most = math.Min(least, float64(x)), math.Max(most, float64(x))
	}
	if len(row) == 0 {
		least, most = 0, 0
	}
	lo, hi := float32(least), float32(most)
	if lo == 0 {
		lo = 0 // not -0
	}
	if hi == 0 {
		hi = 0
	}
	if bits == 8 {
		span := hi - lo
		factor := float32(255) / (span + float32(1e-8))
		var out []byte
		for _, x := range row {
			out = append(out, byte(math.RoundToEven(float64((x-lo)*factor))))
		}
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(span/255))
		return binary.LittleEndian.AppendUint32(out, math.Float32bits(lo))
	}
	offset := float16.Fromfloat32(lo)
	span := hi - offset.Float32()
	scale := float16.Fromfloat32(1)
	if span != 0 {
		scale = float16.Fromfloat32(span / 15)
	}
	if scale.Float32() == 0 {
		scale = float16.Fromfloat32(1)
	}
	factor := 1 / scale.Float32()
	out := make([]byte, (len(row)+1)/2)
	for c, x := range row {
		q := math.RoundToEven(float64((x - offset.Float32()) * factor))
		q = math.Min(math.Max(q, 0), 15)
		if c%2 == 0 {
			out[c/2] += byte(q)
		} else {
			out[c/2] += 16 * byte(q)
		}
	}
	out = binary.LittleEndian.AppendUint16(out, scale.Bits())
	return binary.LittleEndian.AppendUint16(out, offset.Bits())
}

// DecodeRow reads what EncodeRow has stored: q·scale rounded, plus offset, rounded.
func DecodeRow(bits, columns int, row []byte) []float32 {
	out := make([]float32, columns)
	tail := row[len(row)-4:]
	scale, offset := float16.Frombits(binary.LittleEndian.Uint16(tail)).Float32(), float16.Frombits(binary.LittleEndian.Uint16(tail[2:])).Float32()
	if bits == 8 {
		tail = row[len(row)-8:]
		scale, offset = math.Float32frombits(binary.LittleEndian.Uint32(tail)), math.Float32frombits(binary.LittleEndian.Uint32(tail[4:]))
	}
	for c := range out {
		q := row[c*bits/8]
		if bits == 4 && c%2 == 0 {
			q %= 16
		} else if bits == 4 {
			q /= 16
		}
		// In float64 the product is exact, and so is rounded once.
		product := float32(float64(q) * float64(scale))
		out[c] = float32(float64(product) + float64(offset))
	}
	return out
}
