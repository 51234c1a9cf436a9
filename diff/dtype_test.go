package diff_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/x448/float16"
	"gorgonia.org/gather"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/diff"
	"gorgonia.org/gather/internal/oracle"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestDtypes applies the gradient operator to updates of every dtype that can be
// added, through a TapeMachine and by Do. gorgonia.Grad reaches float32 and
// float64 only. The sums are rounded or wrap: their order shows.
func TestDtypes(t *testing.T) {
	rng := newRand(7)
	dtype(t, oracle.Integers[int]().Add, func() int { return rng.Int() - rng.Int() })
	dtype(t, oracle.Integers[int8]().Add, func() int8 { return int8(rng.Int()) })
	dtype(t, oracle.Integers[int16]().Add, func() int16 { return int16(rng.Int()) })
	dtype(t, oracle.Integers[int32]().Add, func() int32 { return int32(rng.Int()) })
	dtype(t, oracle.Integers[int64]().Add, func() int64 { return int64(rng.Uint64()) })
	dtype(t, oracle.Integers[uint]().Add, func() uint { return uint(rng.Uint64()) })
	dtype(t, oracle.Integers[uint8]().Add, func() uint8 { return uint8(rng.Int()) })
	dtype(t, oracle.Integers[uint16]().Add, func() uint16 { return uint16(rng.Int()) })
	dtype(t, oracle.Integers[uint32]().Add, func() uint32 { return uint32(rng.Int()) })
	dtype(t, oracle.Integers[uint64]().Add, func() uint64 { return rng.Uint64() })
	halves := oracle.Halves(float16.Float16.Float32, float16.Fromfloat32)
	dtype(t, halves.Add, func() float16.Float16 { return float16.Fromfloat32(float32(rng.NormFloat64() * 100)) })
	brains := oracle.Halves(widen, round)
	dtype(t, brains.Add, func() dense.BF16 { return round(float32(rng.NormFloat64() * 100)) })
	dtype(t, oracle.Floats[float32]().Add, func() float32 { return float32(rng.NormFloat64()) })
	dtype(t, oracle.Floats[float64]().Add, rng.NormFloat64)
	dtype(t, oracle.Complexes[complex64]().Add, func() complex64 { return complex(rng.Float32(), rng.Float32()) })
	dtype(t, oracle.Complexes[complex128]().Add, func() complex128 { return complex(rng.NormFloat64(), rng.NormFloat64()) })
}

// widen and round are bfloat16 by its definition: the upper half of a float32,
// and the nearest one, of two the even one.
func widen(b dense.BF16) float32 { return math.Float32frombits(uint32(b) << 16) }

func round(f float32) dense.BF16 {
	below := math.Float32bits(f) >> 16
	low, high := widen(dense.BF16(below)), widen(dense.BF16(below+1))
	toLow, toHigh := math.Abs(float64(f)-float64(low)), math.Abs(float64(high)-float64(f))
	if toLow < toHigh || toLow == toHigh && below%2 == 0 {
		return dense.BF16(below)
	}
	return dense.BF16(below + 1)
}

func dtype[T comparable](t *testing.T, add func(a, b T) T, random func() T) {
	for _, a := range adjoints {
		updates := make([]T, size(a.results))
		for i := range updates {
			updates[i] = random()
		}
		t.Run(fmt.Sprintf("%T %s", updates[0], a.name), func(t *testing.T) {
			value := tensorOf(updates, a.results...)
			want := scatter(a, updates, add)
			g := G.NewGraph()
			n, err := diff.ScatterAdd(a.op(t, value.Dtype()), G.NodeFromAny(g, value, G.WithName("updates")), G.NodeFromAny(g, a.indexTensor(), G.WithName("indices")), a.Data)
			ok(t, err)
			if n.Dtype() != value.Dtype() {
				t.Errorf("dtype %v, updates have %v", n.Dtype(), value.Dtype())
			}
			var read G.Value
			G.Read(n, &read)
			vm := G.NewTapeMachine(g)
			defer vm.Close()
			ok(t, vm.RunAll())
			same(t, "values", read.Data().([]T), want)

			direct, err := n.Op().Do(value, a.indexTensor())
			ok(t, err)
			same(t, "values of Do", direct.Data().([]T), want)

			into := tensorOf(make([]T, size(a.Data)), a.Data...)
			_, err = n.Op().(G.UsePreallocDoer).UsePreallocDo(into, value, a.indexTensor())
			ok(t, err)
			same(t, "values of UsePreallocDo", into.Data().([]T), want)
		})
	}
}

// TestNotAddable has gathers of what cannot be added, so has no gradient.
func TestNotAddable(t *testing.T) {
	a := adjoints[0]
	notAddable(t, a, make([]bool, size(a.results)))
	notAddable(t, a, make([]string, size(a.results)))
	notAddable(t, a, make([]struct{ X, Y float32 }, size(a.results)))
}

func notAddable[T any](t *testing.T, a adjoint, updates []T) {
	t.Run(fmt.Sprintf("%T", updates), func(t *testing.T) {
		value := tensorOf(updates, a.results...)
		g := G.NewGraph()
		n, err := diff.ScatterAdd(a.op(t, value.Dtype()), G.NodeFromAny(g, value, G.WithName("updates")), G.NodeFromAny(g, a.indexTensor(), G.WithName("indices")), a.Data)
		if err == nil {
			_, err = n.Op().Do(value, a.indexTensor())
		}
		if !errors.Is(err, gather.ErrDtype) {
			t.Errorf("got %v, want ErrDtype", err)
		}
	})
}

// TestDifferentiable tells floats and complex numbers from the rest: Gorgonia
// asks before it differentiates.
func TestDifferentiable(t *testing.T) {
	a := adjoints[0]
	for _, c := range []struct {
		dt   tensor.Dtype
		want bool
	}{
		{tensor.Float32, true}, {tensor.Float64, true}, {tensor.Complex64, true}, {tensor.Complex128, true},
		{dense.Float16, true}, {dense.BFloat16, true},
		{tensor.Int64, false}, {tensor.Uint8, false},
	} {
		t.Run(c.dt.String(), func(t *testing.T) {
			gathered := a.op(t, c.dt).(G.SDOp)
			same(t, "the gather", gathered.DiffWRT(2), []bool{c.want, false})
			g := G.NewGraph()
			updates := G.NewTensor(g, c.dt, 3, G.WithShape(a.results...), G.WithName("updates"))
			n, err := diff.ScatterAdd(gathered, updates, G.NodeFromAny(g, a.indexTensor(), G.WithName("indices")), a.Data)
			ok(t, err)
			same(t, "its gradient operator", n.Op().(G.SDOp).DiffWRT(2), []bool{c.want, false})
		})
	}
}

// TestScatterGradDtypes applies the gradient operators in every dtype that has
// gradients, also in those in which gorgonia.Grad cannot start. Two updates go
// to the first of two elements, whose gradient is 1.
func TestScatterGradDtypes(t *testing.T) {
	half := func(v ...float32) []float16.Float16 {
		out := make([]float16.Float16, len(v))
		for i, f := range v {
			out[i] = float16.Fromfloat32(f)
		}
		return out
	}
	// The upper half of 1, 2, …: all of these are exact.
	brain := map[float32]gather.BF16{0: 0, 1: 0x3f80, 2: 0x4000, 3: 0x4040, 5: 0x40a0, 7: 0x40e0, 10: 0x4120, 14: 0x4160, 35: 0x420c, .5: 0x3f00}
	bfloat := func(v ...float32) []gather.BF16 {
		out := make([]gather.BF16, len(v))
		for i, f := range v {
			out[i] = brain[f]
		}
		return out
	}
	mul, most := gather.WithReduction(gather.Mul), gather.WithReduction(gather.Max)
	checkGradients(t, "float16, mul", half(1, 2), half(2, 3), half(5, 7), half(35, 2), half(14, 10), mul)
	checkGradients(t, "bfloat16, mul", bfloat(1, 2), bfloat(2, 3), bfloat(5, 7), bfloat(35, 2), bfloat(14, 10), mul)
	checkGradients(t, "float32, mul", []float32{1, 2}, []float32{2, 3}, []float32{5, 7}, []float32{35, 2}, []float32{14, 10}, mul)
	// The other factors are conjugated: those of w[0] are i and 1+i.
	checkGradients(t, "complex64, mul", []complex64{1, 2}, []complex64{1i, 3}, []complex64{5, 1 + 1i},
		[]complex64{5 - 5i, 2}, []complex64{-1 - 1i, -5i}, mul)
	checkGradients(t, "complex128, mul", []complex128{1i, 2}, []complex128{1i, 3}, []complex128{5, 1 + 1i},
		[]complex128{5 + 5i, 2}, []complex128{1 - 1i, 5}, mul)
	checkGradients(t, "complex128, mean", []complex128{3i, 2}, []complex128{1, 3}, []complex128{5, 7},
		[]complex128{1i, 2}, []complex128{1i, 1i}, gather.WithReduction(gather.Mean))
	checkGradients(t, "complex64, sub", []complex64{3i, 2}, []complex64{1, 3}, []complex64{5, 7}, []complex64{3i, 2}, []complex64{-3i, -3i}, gather.WithReduction(gather.Sub))
	checkGradients(t, "float16, max", half(1, 2), half(1, 3), half(5, 5), half(0, 2), half(.5, .5), most)
	checkGradients(t, "bfloat16, max", bfloat(1, 2), bfloat(1, 3), bfloat(5, 5), bfloat(0, 2), bfloat(.5, .5), most)
	// A third is rounded to nearest even: 0x3555 is 0.33325 in float16, and
	// 0x3eab is 0.33398 in bfloat16.
	checkGradients(t, "float16, a third", half(1, 2), half(5, 3), half(5, 5), []float16.Float16{0x3555, 0x4000}, []float16.Float16{0x3555, 0x3555}, most)
	checkGradients(t, "bfloat16, a third", bfloat(1, 2), bfloat(5, 3), bfloat(5, 5), []gather.BF16{0x3eab, 0x4000}, []gather.BF16{0x3eab, 0x3eab}, most)
	checkGradients(t, "float16, none", half(1, 2), half(1, 3), half(5, 7), half(0, 2), half(0, 1))
	// -0 ties with 0: whichever the result is, both have a part.
	checkGradients(t, "float16, max of -0", half(1, 2), []float16.Float16{0x8000, 0x4200}, half(0, -1), half(.5, 2), half(.5, 0), most)
}

// checkGradients runs both operators, with indices [0, 0].
func checkGradients[T comparable](t *testing.T, name string, g, x, w, gData, gUpdates []T, opts ...gather.Option) {
	t.Run(name, func(t *testing.T) {
		inputs := []G.Value{tensorOf(g, 2), tensorOf(x, 2), tensorOf([]int32{0, -2}, 2), tensorOf(w, 2)}
		for what, want := range map[string][]T{"data": gData, "updates": gUpdates} {
			op := gradientOp(t, gradients[what], inputs, opts...)
			got, err := op.Do(inputs...)
			ok(t, err)
			same(t, what, got.Data().([]T), want)
			into := tensorOf(w, 2)
			got, err = op.(G.UsePreallocDoer).UsePreallocDo(into, inputs...)
			ok(t, err)
			if got != G.Value(into) {
				t.Errorf("the result is not the value given")
			}
			same(t, what+", in a given value", into.Data().([]T), want)
		}
	})
}
