package quant

import (
	"encoding/binary"
	"fmt"
	"math"

	"gorgonia.org/gather/internal/num"
)

const mostFloat16 = 65504

// Encode stores a row. It refuses what the storage cannot hold, with an error that names
// the column: NaN, infinities, numbers beyond the range of Float16, for Int4 too, and of
// BFloat16, and for Int8 and Int4 a row whose range is infinite in float32.
func (s Storage) Encode(to []byte, row []float32) error {
	low, high := 0, 0 // columns
	for c, x := range row {
		switch size := math.Abs(float64(x)); {
		case x != x || size > math.MaxFloat32:
			return fmt.Errorf("column %d is %v, finite numbers are allowed", c, x)
		case (s == Float16 || s == Int4) && size > mostFloat16:
			return fmt.Errorf("column %d is %v, %v holds numbers from -%d to %d", c, x, s, mostFloat16, mostFloat16)
		case s == BFloat16 && math.IsInf(float64(num.BFloat16To32(num.BFloat16From32(x))), 0):
			return fmt.Errorf("column %d is %v, which %v rounds to an infinity", c, x, s)
		}
		if x < row[low] {
			low = c
		}
		if x > row[high] {
			high = c
		}
	}
	switch s {
	case Float64:
		for c, x := range row {
			binary.LittleEndian.PutUint64(to[8*c:], math.Float64bits(float64(x)))
		}
	case Float32:
		copy(to, num.Bytes(row))
	case Float16, BFloat16:
		narrow := num.Float16From32
		if s == BFloat16 {
			narrow = num.BFloat16From32
		}
		for c, x := range row {
			binary.LittleEndian.PutUint16(to[2*c:], narrow(x))
		}
	default:
		var lo, hi float32
		if len(row) > 0 {
			lo, hi = row[low]+0, row[high]+0 // -0 + 0 is 0
		}
		if hi-lo > math.MaxFloat32 {
			return fmt.Errorf("columns %d and %d are %v and %v, whose difference float32 does not hold, as %v needs", low, high, lo, hi, s)
		}
		if s == Int8 {
			encodeInt8(to, row, lo, hi)
		} else {
			encodeInt4(to, row, lo, hi)
		}
	}
	return nil
}

func encodeInt8(to []byte, row []float32, lo, hi float32) {
	inverse := 255 / ((hi - lo) + 1e-8)
	for c, x := range row {
		to[c] = byte(roundEven((x - lo) * inverse))
	}
	binary.LittleEndian.PutUint32(to[len(row):], math.Float32bits((hi-lo)/255))
	binary.LittleEndian.PutUint32(to[len(row)+4:], math.Float32bits(lo))
}

func encodeInt4(to []byte, row []float32, lo, hi float32) {
	offset := num.Float16From32(lo)
	lo = num.Float16To32(offset)
	scale := num.Float16From32((hi - lo) / 15)
	step := num.Float16To32(scale)
	if step == 0 {
		scale, step = num.Float16From32(1), 1
	}
	tail := Int4.bytes(len(row))
	clear(to[:tail])
	inverse := 1 / step
	for c, x := range row {
		q := min(max(roundEven((x-lo)*inverse), 0), 15)
		to[c/2] |= byte(q) << (c % 2 * 4)
	}
	binary.LittleEndian.PutUint16(to[tail:], scale)
	binary.LittleEndian.PutUint16(to[tail+2:], offset)
}

// roundEven rounds a number to the nearest integer, ties to even.
func roundEven(x float32) float64 { return math.RoundToEven(float64(x)) }
