package num

// FloatLoops read and write elements of a kind as float64.
type FloatLoops struct {
	Read  func(to []float64, mem []byte)
	Write func(mem []byte, from []float64)
}

// Floats are the loops of the real floats, nil for other kinds. A number that is written is
// rounded to float32 before it is rounded to 16 bits.
var Floats = [Kinds]*FloatLoops{
	Float32:  floatLoops[float32](),
	Float64:  floatLoops[float64](),
	Float16:  halfLoops(Float16To32, Float16From32),
	BFloat16: halfLoops(BFloat16To32, BFloat16From32),
}

func floatLoops[T float32 | float64]() *FloatLoops {
	return &FloatLoops{
		Read: func(to []float64, mem []byte) {
			for i, x := range As[T](mem) {
				to[i] = float64(x)
			}
		},
		Write: func(mem []byte, from []float64) {
			to := As[T](mem)
			for i, x := range from {
				to[i] = T(x)
			}
		},
	}
}

func halfLoops(widen func(uint16) float32, narrow func(float32) uint16) *FloatLoops {
	return &FloatLoops{
		Read: func(to []float64, mem []byte) {
			for i, x := range As[uint16](mem) {
				to[i] = float64(widen(x))
			}
		},
		Write: func(mem []byte, from []float64) {
			to := As[uint16](mem)
			for i, x := range from {
				to[i] = narrow(float32(x))
			}
		},
	}
}

// DivideComplex64 and DivideComplex128 divide both parts of a number by a count: Go's division of complex numbers makes NaN of
// the part beside one that is infinite, and 0 of -0.
func DivideComplex64(a complex64, n int) complex64 {
	return complex(real(a)/float32(n), imag(a)/float32(n))
}

func DivideComplex128(a complex128, n int) complex128 {
	return complex(real(a)/float64(n), imag(a)/float64(n))
}

// IsBest is 1 for the bits of a term that is the extreme of all terms, and else 0. Without their signs, which
// are shifted out, zeros are 0 and NaNs above infinity: where a term is NaN so is the extreme. It has no
// branch: no processor could predict it.
func IsBest[U uint16 | uint32 | uint64](term, best, infinity U) (is U) {
	if term == best {
		is = 1
	}
	if (term|best)<<1 == 0 {
		is = 1
	}
	if term<<1 > infinity<<1 {
		is = 1
	}
	return is
}
