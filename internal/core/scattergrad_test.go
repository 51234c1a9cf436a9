package core_test

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/elem"
	"gorgonia.org/gather/internal/kernel"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/gather/shapes"
	"gorgonia.org/tensor"
)

var cases = flag.Int("scattercases", 3000, "random scatters of each type whose gradients to compare with the oracle")

// TestScatterGradients compares the gradients of random scatters with the
// oracle, in every type that has gradients, every layout and every destination.
// The values are such that no product is rounded, so that equality is asked for.
func TestScatterGradients(t *testing.T) {
	compareGradients(t, float32s)
	compareGradients(t, float64s)
	compareGradients(t, halves)
	compareGradients(t, bfloats)
	compareGradients(t, complex64s)
	compareGradients(t, complexes)
}

func compareGradients[T any](t *testing.T, k kind[T]) {
	t.Run(k.name, func(t *testing.T) {
		t.Parallel()
		rng := rand.New(rand.NewSource(int64(len(k.name))))
		n := *cases
		if testing.Short() {
			n /= 10
		}
		for range n {
			c := randomScatter(rng)
			ordered := c.p.Reduction == plan.Min || c.p.Reduction == plan.Max
			if ordered && k.arith.Min == nil {
				c.p.Reduction, ordered = plan.Mul, false
			}
			x, w := powers(rng, product(c.data)), powers(rng, product(c.updates))
			if ordered {
				x, w = integers(rng, len(x)), integers(rng, len(w))
			}
			if err := k.compare(rng, c, powers(rng, len(x)), x, w); err != nil {
				t.Fatalf("%v, x %v, w %v: %v", c, x, w, err)
			}
		}
	})
}

// compare runs the gradients of a case in random layouts.
func (k kind[T]) compare(rng *rand.Rand, c scatterCase, grad, data, updates []float64) error {
	g, x, w := k.all(grad), k.all(data), k.all(updates)
	gradData, gradUpdates := gradients(c, g, x, w, k.arith)
	for _, d := range []struct {
		derivative core.Derivative
		shape      []int
		want       []T
	}{{core.GradData, c.data, gradData}, {core.GradUpdates, c.updates, gradUpdates}} {
		gt := laid(rng.Intn(layouts), g, k.of(7), c.data...)
		xt := laid(rng.Intn(layouts), x, k.of(7), c.data...)
		wt := laid(rng.Intn(layouts), w, k.of(7), c.updates...)
		var dst *tensor.Dense
		if rng.Intn(2) == 0 {
			dst = laid(rng.Intn(layouts), slices.Repeat([]T{k.of(5)}, product(d.shape)), k.of(7), d.shape...)
		}
		got, err := core.ScatterDerivative(c.p, d.derivative, dst, gt, xt, c.indexTensor(), wt)
		if err != nil {
			return err
		}
		if err := k.sameElements(got, d.want, d.shape); err != nil {
			return fmt.Errorf("derivative %d for the gradient %v: %w", d.derivative, grad, err)
		}
		if dst != nil && got != dst {
			return errors.New("the result is not dst")
		}
		for name, in := range map[string]struct {
			t    *tensor.Dense
			want []T
		}{"grad": {gt, g}, "data": {xt, x}, "updates": {wt, w}} {
			if err := k.sameElements(in.t, in.want, in.t.Shape()); err != nil {
				return fmt.Errorf("%s changed: %w", name, err)
			}
		}
	}
	return nil
}

// sameElements compares a tensor with elements in row-major order, and the
// memory between its elements with the junk that laid has put there.
func (k kind[T]) sameElements(d *tensor.Dense, want []T, shape []int) error {
	if !slices.Equal(d.Shape(), shape) {
		return fmt.Errorf("shape %v, want %v", d.Shape(), shape)
	}
	got := read[T](d)
	for i := range got {
		if !same(got[i], want[i]) {
			return fmt.Errorf("element %d is %v, want %v: got %v, want %v", i, got[i], want[i], got, want)
		}
	}
	mem := kernel.As[T](d.Uint8s())
	is := make([]bool, len(mem))
	for _, place := range elements(d) {
		is[place] = true
	}
	for i, element := range is {
		if !element && !same(mem[i], k.of(7)) {
			return fmt.Errorf("memory beside the elements, at %d, is %v", i, mem[i])
		}
	}
	return nil
}

// TestScatterTangents is the adjoint identity: a derivative and its tangent are
// adjoint to each other,
//
//	<grad, tangent(change)> = <gradient(grad), change>
//
// where the first factor of a product is conjugated.
func TestScatterTangents(t *testing.T) {
	rng := rand.New(rand.NewSource(3))
	for range 3000 {
		c := randomScatter(rng)
		if c.p.Reduction == plan.Min || c.p.Reduction == plan.Max {
			continue
		}
		x, w, g := powers(rng, product(c.data)), powers(rng, product(c.updates)), powers(rng, product(c.data))
		run := func(d core.Derivative, v []float64, shape []int) []complex128 {
			var dst *tensor.Dense
			if d != core.GradUpdates && rng.Intn(2) == 0 { // the result has the shape of data, and what is in dst must go
				dst = laid(rng.Intn(layouts), slices.Repeat([]complex128{9}, len(x)), 7, c.data...)
			}
			out, err := core.ScatterDerivative(c.p, d, dst,
				laid(rng.Intn(layouts), complexes.all(v), 7, shape...), laid(rng.Intn(layouts), complexes.all(x), 7, c.data...),
				c.indexTensor(), laid(rng.Intn(layouts), complexes.all(w), 7, c.updates...))
			if err != nil {
				t.Fatalf("%v: %v", c, err)
			}
			return read[complex128](out)
		}
		for _, pair := range []struct {
			gradient, tangent core.Derivative
			shape             []int
		}{{core.GradData, core.TangentData, c.data}, {core.GradUpdates, core.TangentUpdates, c.updates}} {
			change := powers(rng, product(pair.shape))
			left := inner(complexes.all(g), run(pair.tangent, change, pair.shape))
			right := inner(run(pair.gradient, g, c.data), complexes.all(change))
			if math.Abs(real(left-right)) > 1e-9 || math.Abs(imag(left-right)) > 1e-9 {
				t.Fatalf("%v: <grad, tangent> = %v, <gradient, change> = %v for data %v, updates %v, gradient %v, change %v of shape %v",
					c, left, right, x, w, g, change, pair.shape)
			}
		}
	}
}

func inner(a, b []complex128) complex128 {
	sum := 0i
	for i, v := range a {
		sum += complex(real(v), -imag(v)) * b[i]
	}
	return sum
}

// TestScatterGradientThreads makes gradients large enough to be shared by
// goroutines, whose number must not show in the bits.
func TestScatterGradientThreads(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	rng := rand.New(rand.NewSource(5))
	draw := func(shape ...int) *tensor.Dense {
		v := make([]float32, product(shape))
		for i := range v {
			v[i] = rng.Float32() + .5
		}
		return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(v))
	}
	at := make([]int32, 1200*60)
	for i := range at {
		at[i] = int32(rng.Intn(100))
	}
	indices := tensor.New(tensor.WithShape(1200, 60), tensor.WithBacking(at))
	g, x, w := draw(100, 60), draw(100, 60), draw(1200, 60)
	for r := plan.None; r <= plan.Mean; r++ {
		for _, d := range []core.Derivative{core.GradData, core.GradUpdates} {
			p := plan.Params{Op: plan.ScatterElements}
			p.Reduction = r
			var want []float32
			for _, threads := range []int{1, 2, 5} {
				runtime.GOMAXPROCS(threads)
				out, err := core.ScatterDerivative(p, d, nil, g, x, indices, w)
				if err != nil {
					t.Fatal(err)
				}
				got := read[float32](out)
				if want == nil {
					want = got
				}
				if !slices.Equal(got, want) {
					t.Errorf("%v, derivative %d: %d threads make another result", p, d, threads)
				}
			}
		}
	}
}

// TestScatterDerivativeErrors gives derivatives what they refuse.
func TestScatterDerivativeErrors(t *testing.T) {
	f64 := func(shape ...int) *tensor.Dense {
		return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(make([]float64, product(shape))))
	}
	index := func(v ...int) *tensor.Dense { return tensor.New(tensor.WithShape(len(v)), tensor.WithBacking(v)) }
	mul := plan.Params{Op: plan.ScatterElements}
	mul.Reduction = plan.Mul
	most := mul
	most.Reduction = plan.Max
	x := f64(3)
	ints := tensor.New(tensor.WithShape(3), tensor.WithBacking([]int32{1, 2, 3}))
	for _, c := range []struct {
		name string
		run  func() (*tensor.Dense, error)
		err  error
		text string
	}{
		{"a gradient of another shape", func() (*tensor.Dense, error) {
			return core.ScatterDerivative(mul, core.GradUpdates, nil, f64(2), x, index(0, 1), f64(2))
		}, shapes.ErrShape, "ScatterElements: grad (2) must have the shape (3) of data: shapes do not fit"},
		{"a change of another shape", func() (*tensor.Dense, error) {
			return core.ScatterDerivative(mul, core.TangentUpdates, nil, x, x, index(0, 1), f64(2))
		}, shapes.ErrShape, "ScatterElements: tangent (3) must have the shape (2) of updates: shapes do not fit"},
		{"a gradient of another dtype", func() (*tensor.Dense, error) {
			return core.ScatterDerivative(mul, core.GradData, nil, ints, x, index(0, 1), f64(2))
		}, elem.ErrDtype, "ScatterElements: grad has dtype int32, data has float64: dtype not allowed"},
		{"integers", func() (*tensor.Dense, error) {
			return core.ScatterDerivative(mul, core.GradData, nil, ints, ints, index(0, 1, 2), ints)
		}, elem.ErrDtype, "ScatterElements: values of dtype int32 have no gradient: dtype not allowed"},
		{"updates of another shape", func() (*tensor.Dense, error) {
			return core.ScatterDerivative(mul, core.GradData, nil, x, x, index(0, 1), x)
		}, shapes.ErrShape, "ScatterElements: updates (3) must have the shape of indices (2): shapes do not fit"},
		{"a destination of another shape", func() (*tensor.Dense, error) {
			return core.ScatterDerivative(mul, core.GradUpdates, f64(3), x, x, index(0, 1), f64(2))
		}, shapes.ErrShape, "ScatterElements: the destination has shape (3), the result (2): shapes do not fit"},
		{"the gradient as destination", func() (*tensor.Dense, error) {
			return core.ScatterDerivative(mul, core.GradData, x, x, f64(3), index(0, 1), f64(2))
		}, core.ErrLayout, "ScatterElements: the destination overlaps grad in memory: tensor not usable"},
		{"a change of updates whose greatest is taken", func() (*tensor.Dense, error) {
			return core.ScatterDerivative(most, core.TangentUpdates, nil, f64(2), x, index(0, 1), f64(2))
		}, nil, "ScatterElements(axis=0, reduction=max): the gradient of a reduction max has no gradient of its own"},
		{"the second derivative of a sum", func() (*tensor.Dense, error) {
			return core.ScatterSecond(plan.Params{Op: plan.ScatterElements}, core.DataByUpdates, nil, f64(2), x, x, index(0, 1), f64(2))
		}, nil, "ScatterElements(axis=0): a second derivative is needed of mul alone"},
		{"a second change of another shape", func() (*tensor.Dense, error) {
			return core.ScatterSecond(mul, core.UpdatesByData, nil, f64(2), x, x, index(0, 1), f64(2))
		}, shapes.ErrShape, "ScatterElements: tangent (2) must have the shape (3) of data: shapes do not fit"},
		{"a second gradient of another shape", func() (*tensor.Dense, error) {
			return core.ScatterSecond(mul, core.UpdatesByUpdates, nil, f64(2), f64(2), x, index(0, 1), f64(2))
		}, shapes.ErrShape, "ScatterElements: grad (2) must have the shape (3) of data: shapes do not fit"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.run()
			if err == nil || err.Error() != c.text || c.err != nil && !errors.Is(err, c.err) || got != nil {
				t.Errorf("error\n%v, want\n%s", err, c.text)
			}
		})
	}
}

// TestScatterDerivativeBadIndex has a bad index at the end: nothing may be
// written by then, by any of the ways that derivatives are made.
func TestScatterDerivativeBadIndex(t *testing.T) {
	f64 := func(v float64, shape ...int) *tensor.Dense {
		return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(slices.Repeat([]float64{v}, product(shape))))
	}
	indices := tensor.New(tensor.WithShape(2, 2), tensor.WithBacking([]int64{0, 1, 2, 3}))
	want := &core.IndexError{Op: "ScatterElements", Position: []int{1, 1}, Index: 3, Axis: 0, Size: 3}
	check := func(t *testing.T, what string, dst *tensor.Dense, err error) {
		t.Helper()
		var bad *core.IndexError
		if !errors.As(err, &bad) || !reflect.DeepEqual(bad, want) {
			t.Errorf("%s: error %v, want %v", what, err, want)
		}
		for _, v := range read[float64](dst) {
			if v != 9 {
				t.Errorf("%s: written to dst before the error: %v", what, read[float64](dst))
				break
			}
		}
	}
	for r := plan.None; r <= plan.Mean; r++ {
		for _, noInit := range []bool{false, true} {
			p := plan.Params{Op: plan.ScatterElements}
			p.Reduction, p.NoInit = r, noInit
			t.Run(p.String(), func(t *testing.T) {
				x, w := f64(1, 3, 2), f64(1, 2, 2)
				for d, dst := range map[core.Derivative]*tensor.Dense{
					core.GradData: f64(9, 3, 2), core.GradUpdates: f64(9, 2, 2), core.TangentData: f64(9, 3, 2), core.TangentUpdates: f64(9, 3, 2),
				} {
					v := f64(1, 3, 2)
					if d == core.TangentUpdates {
						v = f64(1, 2, 2)
						if core.CheckSecond(p) != nil {
							continue
						}
					}
					_, err := core.ScatterDerivative(p, d, dst, v, x, indices, w)
					check(t, fmt.Sprint("derivative ", d), dst, err)
				}
				if r != plan.Mul {
					return
				}
				for d, c := range map[core.Second]struct{ dst, change *tensor.Dense }{
					core.UpdatesByData:    {f64(9, 2, 2), f64(1, 3, 2)},
					core.DataByUpdates:    {f64(9, 3, 2), f64(1, 2, 2)},
					core.UpdatesByUpdates: {f64(9, 2, 2), f64(1, 2, 2)},
				} {
					_, err := core.ScatterSecond(p, d, c.dst, c.change, f64(1, 3, 2), x, indices, w)
					check(t, fmt.Sprint("second derivative ", d), c.dst, err)
				}
			})
		}
	}
}
