package core_test

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand"
	"runtime"
	"slices"
	"testing"

	"gorgonia.org/gather/internal/cases"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/kernel"
	"gorgonia.org/gather/internal/layout"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/oracle"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/tensor"
)

var scatterCases = flag.Int("scattercases", 3000, "random scatters of each type whose gradients to compare with the oracle, in tiles of three sizes")

// TestScatterGradients compares the gradients of random scatters with the
// oracle, in every type that has gradients, every layout and every destination.
// The values are such that no product is rounded, so that equality is asked for.
func TestScatterGradients(t *testing.T) {
	for _, bytes := range tileSizes {
		t.Run(fmt.Sprint("tiles of ", bytes, " bytes"), func(t *testing.T) {
			t.Cleanup(kernel.UseTiles(bytes))
			compareGradients(t, float32s)
			compareGradients(t, float64s)
			compareGradients(t, halves)
			compareGradients(t, bfloats)
			compareGradients(t, complex64s)
			compareGradients(t, complexes)
		})
	}
}

// tileSizes make tiles of single rows, of some rows or columns, and of all data.
var tileSizes = []int{16, 1000, 512 << 10}

func compareGradients[T any](t *testing.T, k kind[T]) {
	t.Run(k.name, func(t *testing.T) {
		t.Parallel()
		rng := rand.New(rand.NewSource(int64(len(k.name))))
		n := *scatterCases / len(tileSizes)
		if testing.Short() {
			n /= 10
		}
		for range n {
			if err := k.random(randomSource(rng)); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// random compares the gradients of a random scatter.
func (k kind[T]) random(s *cases.Source) error {
	c := randomScatter(s)
	ordered := c.Rule.Reduction == oracle.Min || c.Rule.Reduction == oracle.Max
	if ordered && k.arith.Min == nil {
		c.Rule.Reduction, ordered = oracle.Mul, false
	}
	x, w := powers(s, product(c.Data)), powers(s, product(c.Updates))
	if ordered {
		x, w = integers(s, len(x)), integers(s, len(w))
	}
	if err := k.compare(s, c, powers(s, len(x)), x, w); err != nil {
		return fmt.Errorf("%v, x %v, w %v: %w", c, x, w, err)
	}
	return nil
}

// FuzzScatterGradients compares the gradients of scatters that the fuzzer's bytes
// choose.
func FuzzScatterGradients(f *testing.F) {
	for seed := range int64(20) {
		made := make([]byte, 200)
		rand.New(rand.NewSource(seed)).Read(made)
		f.Add(made)
	}
	f.Fuzz(func(t *testing.T, made []byte) {
		s := randomSource(nil)
		s.Bytes = made
		run := []func(*cases.Source) error{float64s.random, float32s.random, halves.random, bfloats.random, complex64s.random, complexes.random}
		if err := cases.Choice(s, run)(s); err != nil {
			t.Error(err)
		}
	})
}

// compare runs the gradients of a case in random layouts.
func (k kind[T]) compare(s *cases.Source, c scatterCase, grad, data, updates []float64) error {
	g, x, w := k.all(grad), k.all(data), k.all(updates)
	gradData, gradUpdates := cases.Gradients(c.Scatter, g, x, w, k.arith)
	for _, d := range []struct {
		derivative core.ScatterMap
		shape      []int
		want       []T
	}{{core.VJPData, c.Data, gradData}, {core.VJPUpdates, c.Updates, gradUpdates}} {
		gt, xt, wt := laid(s, g, k.of(7), c.Data...), laid(s, x, k.of(7), c.Data...), laid(s, w, k.of(7), c.Updates...)
		var dst *layout.Block[T]
		if s.Choose(2) == 0 {
			dst = laid(s, slices.Repeat([]T{k.of(5)}, product(d.shape)), k.of(7), d.shape...)
		}
		got, err := d.derivative.Apply(c.params(), tensorOf(dst), gt.Dense, xt.Dense, c.indexTensor(), wt.Dense)
		if err != nil {
			return err
		}
		if err := sameElements(got, dst, d.want, d.shape); err != nil {
			return fmt.Errorf("derivative %d for the gradient %v: %w", d.derivative, grad, err)
		}
		for name, in := range map[string]*layout.Block[T]{"grad": gt, "data": xt, "updates": wt} {
			if err := in.Touched(); err != nil {
				return fmt.Errorf("%s changed: %w", name, err)
			}
		}
	}
	return nil
}

// tensorOf is the tensor of a block, or nil.
func tensorOf[T any](dst *layout.Block[T]) *tensor.Dense {
	if dst == nil {
		return nil
	}
	return dst.Dense
}

// sameElements compares a result with elements in row-major order. With a given
// dst, it is that, and memory between its elements has not changed.
func sameElements[T any](got *tensor.Dense, dst *layout.Block[T], want []T, shape []int) error {
	if !slices.Equal(got.Shape(), shape) {
		return fmt.Errorf("shape %v, want %v", got.Shape(), shape)
	}
	var values []T
	if dst == nil {
		values = read[T](got)
	} else {
		if got != dst.Dense {
			return errors.New("the result is not dst")
		}
		if err := dst.Stray(); err != nil {
			return fmt.Errorf("written beside dst: %w", err)
		}
		values = dst.Values()
	}
	for i, v := range values {
		if !same(v, want[i]) {
			return fmt.Errorf("element %d is %v, want %v: got %v, want %v", i, v, want[i], values, want)
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
	defer kernel.UseTiles(0)() // back to what it was
	rng := rand.New(rand.NewSource(3))
	for i := range 3000 {
		kernel.UseTiles(tileSizes[i%len(tileSizes)])
		s := randomSource(rng)
		c := randomScatter(s)
		if c.Rule.Reduction == oracle.Min || c.Rule.Reduction == oracle.Max {
			continue
		}
		x, w, g := powers(s, product(c.Data)), powers(s, product(c.Updates)), powers(s, product(c.Data))
		run := func(d core.ScatterMap, v []float64, shape []int) []complex128 {
			var dst *layout.Block[complex128]
			if d != core.VJPUpdates && s.Choose(2) == 0 { // the result has the shape of data, and what is in dst must go
				dst = laid(s, slices.Repeat([]complex128{9}, len(x)), 7, c.Data...)
			}
			out, err := d.Apply(c.params(), tensorOf(dst), laid(s, complexes.all(v), 7, shape...).Dense, laid(s, complexes.all(x), 7, c.Data...).Dense,
				c.indexTensor(), laid(s, complexes.all(w), 7, c.Updates...).Dense)
			if err != nil {
				t.Fatalf("%v: %v", c, err)
			}
			if dst != nil {
				return dst.Values()
			}
			return read[complex128](out)
		}
		for _, pair := range []struct {
			gradient, tangent core.ScatterMap
			shape             []int
		}{{core.VJPData, core.JVPData, c.Data}, {core.VJPUpdates, core.JVPUpdates, c.Updates}} {
			change := powers(s, product(pair.shape))
			left := inner(complexes.all(g), run(pair.tangent, change, pair.shape))
			right := inner(run(pair.gradient, g, c.Data), complexes.all(change))
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

// TestScatterGradientThreads makes gradients and means large enough to be shared by
// goroutines, whose number must not show in the bits.
func TestScatterGradientThreads(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	defer kernel.UseCores(8)()
	counts, sizes := []int{1, 2, 5}, tileSizes[1:]
	if testing.Short() {
		counts, sizes = []int{1, 5}, sizes[:1]
	}
	rng := rand.New(rand.NewSource(5))
	draw := func(shape ...int) *tensor.Dense {
		v := make([]float32, product(shape))
		for i := range v {
			v[i] = rng.Float32() + .5
		}
		return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(v))
	}
	for _, c := range []struct {
		op                     plan.Op
		axis                   int
		data, indices, updates []int
	}{
		{plan.ScatterElements, 0, []int{100, 60}, []int{1200, 60}, []int{1200, 60}},
		{plan.ScatterElements, 1, []int{120, 100}, []int{120, 600}, []int{120, 600}},
		{plan.ScatterElements, 1, []int{30, 400}, []int{3, 4}, []int{3, 4}},
		{plan.ScatterND, 0, []int{3000, 40}, []int{2000, 1}, []int{2000, 40}},
		{plan.ScatterND, 0, []int{300, 100}, []int{20000, 2}, []int{20000}},
		{plan.ScatterND, 0, []int{500, 400}, []int{9000, 2}, []int{9000}},
		{plan.ScatterUpdate, 1, []int{7, 5000, 3}, []int{4000}, []int{7, 4000, 3}},
	} {
		at := make([]int32, product(c.indices))
		for i := range at {
			axis := c.axis
			if c.op == plan.ScatterND {
				axis = i % c.indices[1]
			}
			at[i] = int32(rng.Intn(c.data[axis]))
		}
		indices := tensor.New(tensor.WithShape(c.indices...), tensor.WithBacking(at))
		g, x, w := draw(c.data...), draw(c.data...), draw(c.updates...)
		for r := num.None; r <= num.Mean; r++ {
			p := plan.Params{Op: c.op, Axis: c.axis}
			if p.Reduction = r; r != num.None && c.op == plan.ScatterUpdate {
				continue
			}
			for name, run := range map[string]func() (*tensor.Dense, error){
				"forward":             func() (*tensor.Dense, error) { return core.Scatter(p, nil, x, indices, w) },
				"gradient of data":    func() (*tensor.Dense, error) { return core.VJPData.Apply(p, nil, g, x, indices, w) },
				"gradient of updates": func() (*tensor.Dense, error) { return core.VJPUpdates.Apply(p, nil, g, x, indices, w) },
			} {
				var want []float32
				for _, threads := range counts {
					for _, bytes := range sizes {
						runtime.GOMAXPROCS(threads)
						restore := kernel.UseTiles(10 * bytes)
						out, err := run()
						restore()
						if err != nil {
							t.Fatal(err)
						}
						got := read[float32](out)
						if want == nil {
							want = got
						}
						if !slices.Equal(got, want) {
							t.Errorf("%v of data %v, %s: %d threads, tiles of %d bytes make another result", p, c.data, name, threads, 10*bytes)
						}
					}
				}
			}
		}
	}
}

// TestScatterMeansInTiles compares means in tiles of every size, in every layout,
// with those in one tile.
func TestScatterMeansInTiles(t *testing.T) {
	rng := rand.New(rand.NewSource(6))
	for range 600 {
		s := randomSource(rng)
		c := randomScatter(s)
		if c.Op == "ScatterUpdate" {
			continue
		}
		c.Rule.Reduction = oracle.Mean
		x, w := integers(s, product(c.Data)), integers(s, product(c.Updates))
		meansAlike(t, s, c, float32s.all(x), float32s.all(w))
		meansAlike(t, s, c, complexes.all(x), complexes.all(w))
		meansAlike(t, s, c, bytesOf(x), bytesOf(w))
	}
}

func bytesOf(numbers []float64) []int8 {
	out := make([]int8, len(numbers))
	for i, f := range numbers {
		if f == f {
			out[i] = int8(60 * f) // sums of three are out of range
		}
	}
	return out
}

func meansAlike[T any](t *testing.T, s *cases.Source, c scatterCase, x, w []T) {
	var want []T
	for i := len(tileSizes) - 1; i >= 0; i-- {
		restore := kernel.UseTiles(tileSizes[i])
		var junk T
		got, err := core.Scatter(c.params(), nil, laid(s, x, junk, c.Data...).Dense, c.indexTensor(), laid(s, w, junk, c.Updates...).Dense)
		restore()
		if err != nil {
			t.Fatalf("%v: %v", c, err)
		}
		if want == nil {
			want = read[T](got)
			continue
		}
		for j, v := range read[T](got) {
			if !same(v, want[j]) {
				t.Fatalf("%v, data %v, updates %v, tiles of %d bytes: element %d is %v, in one tile %v", c, x, w, tileSizes[i], j, v, want[j])
			}
		}
	}
}
