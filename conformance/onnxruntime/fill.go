package onnxruntime

import (
	"encoding/binary"
	"math"
	"math/rand/v2"

	"github.com/x448/float16"
)

// style is what kind of values a tensor gets.
type style int

const (
	anyBits  style = iota // every bit at random: NaNs of every kind, overflowing sums
	small                 // small integers and quarters: ties and zeros are common
	special               // the same with NaN, infinities, -0, subnormals and the largest numbers in between
	ordinary              // floats of a normal distribution, as in a model
)

// drawStyle prefers random bits where values are only copied.
func drawStyle(rng *rand.Rand, c *config) style {
	if c.attrs.reduction() == "none" {
		return pick(rng, []style{anyBits, anyBits, small})
	}
	return pick(rng, []style{anyBits, small, small, special, ordinary})
}

// fill sets every element.
func (s style) fill(rng *rand.Rand, v *Value) {
	width := dtypes[v.DType].width
	for i := range elements(v.Shape) {
		switch {
		case v.DType == String:
			v.Strings[i] = drawString(rng)
		case v.DType == Bool:
			v.Bytes[i] = byte(rng.IntN(2))
		case s == anyBits || !v.DType.isFloat() && s == ordinary:
			putUint(v.Bytes[i*width:], width, rng.Uint64())
		case v.DType.isFloat():
			v.putFloat(i, s.float(rng))
		default:
			putUint(v.Bytes[i*width:], width, uint64(rng.IntN(7)-3))
		}
	}
}

// float draws a float of the style.
func (s style) float(rng *rand.Rand) float64 {
	if s == ordinary {
		return rng.NormFloat64()
	}
	if s == special && rng.IntN(6) == 0 {
		return pick(rng, []float64{
			math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), math.MaxFloat64, -math.MaxFloat64,
			math.MaxFloat32, math.SmallestNonzeroFloat32, math.SmallestNonzeroFloat64, 65504, 1.0 / 3,
		})
	}
	return float64(rng.IntN(13)-6) / 4
}

// putFloat sets element i, rounded to the tensor's dtype.
func (v *Value) putFloat(i int, x float64) {
	switch v.DType {
	case Double:
		binary.LittleEndian.PutUint64(v.Bytes[8*i:], math.Float64bits(x))
	case Float:
		binary.LittleEndian.PutUint32(v.Bytes[4*i:], math.Float32bits(float32(x)))
	case Float16:
		binary.LittleEndian.PutUint16(v.Bytes[2*i:], float16.Fromfloat32(float32(x)).Bits())
	case BFloat16:
		binary.LittleEndian.PutUint16(v.Bytes[2*i:], uint16(math.Float32bits(float32(x))>>16))
	}
}

func putUint(b []byte, width int, x uint64) {
	var buf [8]byte
	binary.LittleEndian.PutUint64(buf[:], x)
	copy(b[:width], buf[:])
}

// drawString draws a short string: empty, ASCII, beyond ASCII, or longer than a string object's own buffer.
func drawString(rng *rand.Rand) string {
	n := rng.IntN(5)
	if rng.IntN(20) == 0 {
		n = 40
	}
	runes := make([]rune, n)
	for i := range runes {
		runes[i] = pick(rng, []rune("abcxyz0189 ßжあ"))
	}
	return string(runes)
}
