package kernel

import (
	"encoding/binary"
	"math"
	"math/rand/v2"

	"gorgonia.org/gather/internal/num"
)

// combined is a reduction of one element of a kind, written here once more.
func combined(kind num.Kind, r num.Reduction) func(target, update []byte) {
	if !Has(kind, r) {
		return nil
	}
	switch kind {
	case num.Bool:
		return func(t, u []byte) {
			switch r {
			case num.Add, num.Max:
				t[0] |= u[0]
			case num.Mul, num.Min:
				t[0] &= u[0]
			default:
				t[0] ^= u[0]
			}
		}
	case num.Int8:
		return combinedReals[int8](r)
	case num.Int16:
		return combinedReals[int16](r)
	case num.Int32:
		return combinedReals[int32](r)
	case num.Int64:
		return combinedReals[int64](r)
	case num.Uint8:
		return combinedReals[uint8](r)
	case num.Uint16:
		return combinedReals[uint16](r)
	case num.Uint32:
		return combinedReals[uint32](r)
	case num.Uint64:
		return combinedReals[uint64](r)
	case num.Float16:
		return combinedHalves(r, num.Float16To32, num.Float16From32)
	case num.BFloat16:
		return combinedHalves(r, num.BFloat16To32, num.BFloat16From32)
	case num.Float32:
		return combinedReals[float32](r)
	case num.Float64:
		return combinedReals[float64](r)
	case num.Complex64:
		return combinedComplex[complex64](r)
	}
	return combinedComplex[complex128](r)
}

func combinedReals[T num.Real](r num.Reduction) func(target, update []byte) {
	return func(t, u []byte) { num.As[T](t)[0] = combinedReal(r, num.As[T](t)[0], num.As[T](u)[0]) }
}

func combinedReal[T num.Real](r num.Reduction, a, b T) T {
	switch r {
	case num.Add:
		return a + b
	case num.Sub:
		return a - b
	case num.Mul:
		return a * b
	case num.Min:
		return min(a, b)
	}
	return max(a, b)
}

func combinedHalves(r num.Reduction, to func(uint16) float32, from func(float32) uint16) func(target, update []byte) {
	return func(t, u []byte) {
		num.As[uint16](t)[0] = from(combinedReal(r, to(num.As[uint16](t)[0]), to(num.As[uint16](u)[0])))
	}
}

func combinedComplex[T complex64 | complex128](r num.Reduction) func(target, update []byte) {
	return func(t, u []byte) {
		a, b := num.As[T](t), num.As[T](u)[0]
		switch r {
		case num.Add:
			a[0] += b
		case num.Sub:
			a[0] -= b
		default:
			a[0] *= b
		}
	}
}

// isNaN reports whether an element of 16-bit floats or of float32 is NaN, whose
// payload the compiler may take from either operand.
func isNaN(kind num.Kind, element []byte) bool {
	var f float32
	switch kind {
	case num.Float16:
		f = num.Float16To32(num.As[uint16](element)[0])
	case num.BFloat16:
		f = num.BFloat16To32(num.As[uint16](element)[0])
	case num.Float32:
		f = num.As[float32](element)[0]
	case num.Float64:
		return num.As[float64](element)[0] != num.As[float64](element)[0]
	}
	return f != f
}

// drawBytes fills memory, eight bytes at a time.
func drawBytes(rng *rand.Rand, mem []byte) {
	var word [8]byte
	for len(mem) > 0 {
		binary.NativeEndian.PutUint64(word[:], rng.Uint64())
		mem = mem[copy(mem, word[:]):]
	}
}

// drawElements fills memory with numbers of the kind: small ones, those of any
// bits, NaNs among them, and for 16-bit floats those at the ends of their range.
func drawElements(rng *rand.Rand, kind num.Kind, mem []byte) {
	drawBytes(rng, mem)
	switch kind {
	case num.Bool:
		for i := range mem {
			mem[i] &= 1
		}
	case num.Complex64, num.Complex128: // any bits would make every product NaN
		for i := range mem {
			mem[i] = 0
		}
		part := kind.Width() / 2
		for i := 0; i < len(mem); i += part {
			if part == 4 {
				num.As[float32](mem[i:])[0] = float32(rng.IntN(9) - 4)
			} else {
				num.As[float64](mem[i:])[0] = float64(rng.IntN(9) - 4)
			}
		}
	case num.Float16, num.BFloat16:
		from := num.Float16From32
		if kind == num.BFloat16 {
			from = num.BFloat16From32
		}
		ends := []float32{0, float32(math.Copysign(0, -1)), 1, -1, float32(math.Inf(1)), float32(math.Inf(-1)), 65504, 0x1p-24, 0x1p-14, 0x1p-133, math.MaxFloat32}
		for i, halves := 0, num.As[uint16](mem); i < len(halves); i++ {
			switch rng.IntN(3) {
			case 0:
				halves[i] = from(ends[rng.IntN(len(ends))])
			case 1:
				halves[i] = from(float32(rng.NormFloat64()))
			}
		}
	}
}
