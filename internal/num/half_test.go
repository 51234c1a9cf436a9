package num

import (
	"math"
	"testing"

	"github.com/x448/float16"
)

// TestBFloat16 rounds numbers around every bfloat16: the number itself, its
// neighbours in float32, the middle between two and what is beside it.
func TestBFloat16(t *testing.T) {
	for bits := range 1 << 16 {
		f := BFloat16To32(uint16(bits))
		if want := math.Float32frombits(uint32(bits) << 16); math.Float32bits(f) != math.Float32bits(want) {
			t.Fatalf("%#04x is %v, want %v", bits, f, want)
		}
		if f != f {
			for _, low := range []uint32{0, 1, 0x7fff, 0x8000, 0xffff} {
				if got := BFloat16To32(BFloat16From32(math.Float32frombits(uint32(bits)<<16 | low))); got == got {
					t.Fatalf("NaN %#04x, %#04x became %v", bits, low, got)
				}
			}
			continue
		}
		for _, low := range []uint32{0, 1, 0x7ffe, 0x7fff, 0x8000, 0x8001, 0xfffe, 0xffff} {
			f := math.Float32frombits(uint32(bits)<<16 | low)
			if f != f {
				continue // infinity with bits behind it is a NaN
			}
			want := uint16(bits)
			if low > 0x8000 || low == 0x8000 && bits%2 == 1 {
				want++ // the next number away from zero, infinity after the greatest
			}
			if got := BFloat16From32(f); got != want {
				t.Fatalf("%v (%#08x) became %#04x, want %#04x", f, math.Float32bits(f), got, want)
			}
		}
	}
}

// TestFloat16 does the same for float16, whose numbers are found by their
// exponent and fraction.
func TestFloat16(t *testing.T) {
	value := func(bits int) float64 { // of a finite, positive one
		exponent, fraction := bits>>10, float64(bits&0x3ff)
		if exponent == 0 {
			return math.Ldexp(fraction, -24)
		}
		return math.Ldexp(1024+fraction, exponent-25)
	}
	const inf = 0x7c00
	for bits := range inf {
		for _, sign := range []int{0, 0x8000} {
			exact := value(bits)
			next := value(bits + 1) // of infinity: 2^16, where rounding to infinity is decided
			for _, c := range []struct {
				f    float64
				want int
			}{
				{exact, bits},
				{exact + (next-exact)*0.4999, bits},
				{exact + (next-exact)/2, bits + bits%2}, // the even one
				{exact + (next-exact)*0.5001, bits + 1},
			} {
				f := float32(c.f)
				if sign != 0 {
					f = -f
				}
				if got := Float16From32(f); got != uint16(c.want|sign) {
					t.Fatalf("%v became %#04x, want %#04x", f, got, c.want|sign)
				}
			}
			want := float32(exact)
			if sign != 0 {
				want = -want
			}
			if got := Float16To32(uint16(bits | sign)); math.Float32bits(got) != math.Float32bits(want) {
				t.Fatalf("%#04x is %v, want %v", bits|sign, got, want)
			}
		}
	}
	for _, c := range []struct{ f, want float64 }{
		{math.Inf(1), math.Inf(1)}, {math.Inf(-1), math.Inf(-1)}, {1e30, math.Inf(1)}, {math.SmallestNonzeroFloat32, 0},
	} {
		if got := Float16To32(Float16From32(float32(c.f))); float64(got) != c.want {
			t.Errorf("%v became %v, want %v", c.f, got, c.want)
		}
	}
	if got := Float16To32(Float16From32(float32(math.NaN()))); got == got {
		t.Errorf("NaN became %v", got)
	}
}

// TestFloat16AsInTensors converts as the type that users keep in tensors does, NaNs
// bit by bit.
func TestFloat16AsInTensors(t *testing.T) {
	for bits := range 1 << 16 {
		want := float16.Frombits(uint16(bits)).Float32()
		got := Float16To32(uint16(bits))
		if math.Float32bits(got) != math.Float32bits(want) {
			t.Fatalf("%#04x is %#08x, want %#08x", bits, math.Float32bits(got), math.Float32bits(want))
		}
	}
	const step = 4093 // odd, so that the low bits take all values
	for bits := uint32(0); bits <= math.MaxUint32-step; bits += step {
		f := math.Float32frombits(bits)
		if got, want := Float16From32(f), float16.Fromfloat32(f).Bits(); got != want {
			t.Fatalf("%v (%#08x) became %#04x, want %#04x", f, bits, got, want)
		}
	}
}
