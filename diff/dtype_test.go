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
			n, err := diff.ScatterAdd(a.op(t, value.Dtype()), G.NodeFromAny(g, value, G.WithName("updates")), G.NodeFromAny(g, a.indexTensor(), G.WithName("indices")), a.data)
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

			into := tensorOf(make([]T, size(a.data)), a.data...)
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
		n, err := diff.ScatterAdd(a.op(t, value.Dtype()), G.NodeFromAny(g, value, G.WithName("updates")), G.NodeFromAny(g, a.indexTensor(), G.WithName("indices")), a.data)
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
			n, err := diff.ScatterAdd(gathered, updates, G.NodeFromAny(g, a.indexTensor(), G.WithName("indices")), a.data)
			ok(t, err)
			same(t, "its gradient operator", n.Op().(G.SDOp).DiffWRT(2), []bool{c.want, false})
		})
	}
}
