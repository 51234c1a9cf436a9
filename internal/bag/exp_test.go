package bag

import (
	"math"
	"math/rand/v2"
	"testing"

	"gorgonia.org/gather/internal/memtest"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
)

// TestExp32 compares with math.Exp at float32 from all over the bits of those that are not
// above 0, and NaN. The result is within 1 ulp, and exact at the ends.
func TestExp32(t *testing.T) {
	step := uint64(1009)
	if testing.Short() {
		step = 5003
	}
	for bits := uint64(0); bits < 1<<32; bits += step {
		if x := math.Float32frombits(uint32(bits)); !(x > 0) {
			checkExp32(t, x)
		}
	}
	// Differences of a softmax, and where results are subnormal, or are 0.
	for x := float32(-105); x <= 0; x += 1. / 8192 {
		checkExp32(t, x)
	}
	for x, want := range map[float64]float32{0: 1, math.Copysign(0, -1): 1, math.Inf(-1): 0, -math.MaxFloat64: 0, -199: 0, -201: 0} {
		if got := float32(exp32(x)); got != want {
			t.Errorf("exp32(%v) is %v, want %v", x, got, want)
		}
	}
}

func checkExp32(t *testing.T, x float32) {
	t.Helper()
	got, want := float32(exp32(float64(x))), float32(math.Exp(float64(x)))
	if got != got || want != want {
		if got == got || want == want {
			t.Fatalf("exp32(%v) is %v, want %v", x, got, want)
		}
		return
	}
	// Bits of floats that are not negative are in their order.
	if apart := int64(math.Float32bits(got)) - int64(math.Float32bits(want)); max(apart, -apart) > 1 {
		t.Fatalf("exp32(%v) is %v, want %v", x, got, want)
	}
}

// TestPowers checks the table.
func TestPowers(t *testing.T) {
	for i, bits := range powers {
		got, want := math.Float64frombits(bits+uint64(i)<<44), math.Exp2(float64(i)/256)
		if math.Abs(got-want) > 1e-15 {
			t.Errorf("2**(%d/256) is %v, want %v", i, got, want)
		}
	}
}

// TestImplementations compares the softmax of each implementation with that in Go, bit for
// bit, in memory that ends where a page cannot be read or begins behind one. NaN is NaN: its
// bits are those of either operand.
func TestImplementations(t *testing.T) {
	type shape struct{ rows, columns int }
	shapes := []shape{{2, elementsAtOnce + 6}, {elementsAtOnce/8 + 3, 9}}
	for columns := 1; columns < 20; columns++ {
		shapes = append(shapes, shape{1, columns}, shape{12, columns}, shape{simd.OffsetsAtOnce + 2, columns})
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for n, s := range shapes {
		x := num.As[float32](memtest.Paged(t, 4*s.rows*s.columns, n%2 == 0))
		for i := range x {
			if x[i] = float32(20 * rng.NormFloat64()); s.rows == 12 { // else most columns had a NaN
				x[i] = float32(memtest.DrawFloat(rng))
			}
		}
		r := Rows{Starts: []int{0, (s.rows + 2) / 3, s.rows}, Columns: s.columns}
		if s.rows == 1 {
			r.Starts = []int{0, 1}
		}
		want := make([]float32, len(x))
		restore := simd.Use(simd.Go)
		Softmax(want, x, r)
		restore()
		for _, i := range simd.Implementations[1:] {
			out := num.As[float32](memtest.Paged(t, 4*len(x), n%2 == 0))
			restore := simd.Use(i)
			Softmax(out, x, r)
			restore()
			for at, y := range out {
				if math.Float32bits(y) != math.Float32bits(want[at]) && (y == y || want[at] == want[at]) {
					t.Fatalf("%s, %d rows of %d: element %d is %v, want %v", i.Name, s.rows, s.columns, at, y, want[at])
				}
			}
		}
	}
}

// TestSoftmaxOfFloat32 compares with float64, one column and several.
func TestSoftmaxOfFloat32(t *testing.T) {
	for _, columns := range []int{1, 3} {
		r := Rows{Starts: []int{0, 1, 5, 12}, Columns: columns}
		x, wide := make([]float32, 12*columns), make([]float64, 12*columns)
		for i := range x {
			x[i] = float32(i*7919%97)/8 - 6
			wide[i] = float64(x[i])
		}
		got, want := make([]float32, len(x)), make([]float64, len(x))
		Softmax(got, x, r)
		Softmax(want, wide, r)
		for i, y := range got {
			if math.Abs(float64(y)-want[i]) > 1.5e-7*want[i] {
				t.Errorf("%d columns: element %d is %v, want %v", columns, i, y, want[i])
			}
		}
	}
}
