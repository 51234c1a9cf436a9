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

	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/kernel"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/tensor"
)

var cases = flag.Int("scattercases", 3000, "random scatters of each type whose gradients to compare with the oracle, in tiles of three sizes")

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
		n := *cases / len(tileSizes)
		if testing.Short() {
			n /= 10
		}
		for range n {
			if err := k.random(rng); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// random compares the gradients of a random scatter.
func (k kind[T]) random(rng *rand.Rand) error {
	c := randomScatter(rng)
	ordered := c.p.Reduction == num.Min || c.p.Reduction == num.Max
	if ordered && k.arith.Min == nil {
		c.p.Reduction, ordered = num.Mul, false
	}
	x, w := powers(rng, product(c.data)), powers(rng, product(c.updates))
	if ordered {
		x, w = integers(rng, len(x)), integers(rng, len(w))
	}
	if err := k.compare(rng, c, powers(rng, len(x)), x, w); err != nil {
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
		chosen := byteSource(made)
		rng := rand.New(&chosen)
		run := []func(*rand.Rand) error{float64s.random, float32s.random, halves.random, bfloats.random, complex64s.random, complexes.random}
		if err := run[rng.Intn(len(run))](rng); err != nil {
			t.Error(err)
		}
	})
}

// byteSource makes a random number of each byte, and zeros behind them.
type byteSource []byte

func (s *byteSource) Int63() int64 {
	if len(*s) == 0 {
		return 0
	}
	b := (*s)[0]
	*s = (*s)[1:]
	return int64(b) << 32 // Intn of a small number looks at the upper 31 bits
}

func (*byteSource) Seed(int64) {}

// compare runs the gradients of a case in random layouts.
func (k kind[T]) compare(rng *rand.Rand, c scatterCase, grad, data, updates []float64) error {
	g, x, w := k.all(grad), k.all(data), k.all(updates)
	gradData, gradUpdates := gradients(c, g, x, w, k.arith)
	for _, d := range []struct {
		derivative core.ScatterMap
		shape      []int
		want       []T
	}{{core.VJPData, c.data, gradData}, {core.VJPUpdates, c.updates, gradUpdates}} {
		gt := laid(rng.Intn(layouts), g, k.of(7), c.data...)
		xt := laid(rng.Intn(layouts), x, k.of(7), c.data...)
		wt := laid(rng.Intn(layouts), w, k.of(7), c.updates...)
		var dst *tensor.Dense
		if rng.Intn(2) == 0 {
			dst = laid(rng.Intn(layouts), slices.Repeat([]T{k.of(5)}, product(d.shape)), k.of(7), d.shape...)
		}
		got, err := d.derivative.Apply(c.p, dst, gt, xt, c.indexTensor(), wt)
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
	mem := num.As[T](d.Uint8s())
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
	defer kernel.UseTiles(0)() // back to what it was
	rng := rand.New(rand.NewSource(3))
	for i := range 3000 {
		kernel.UseTiles(tileSizes[i%len(tileSizes)])
		c := randomScatter(rng)
		if c.p.Reduction == num.Min || c.p.Reduction == num.Max {
			continue
		}
		x, w, g := powers(rng, product(c.data)), powers(rng, product(c.updates)), powers(rng, product(c.data))
		run := func(d core.ScatterMap, v []float64, shape []int) []complex128 {
			var dst *tensor.Dense
			if d != core.VJPUpdates && rng.Intn(2) == 0 { // the result has the shape of data, and what is in dst must go
				dst = laid(rng.Intn(layouts), slices.Repeat([]complex128{9}, len(x)), 7, c.data...)
			}
			out, err := d.Apply(c.p, dst,
				laid(rng.Intn(layouts), complexes.all(v), 7, shape...), laid(rng.Intn(layouts), complexes.all(x), 7, c.data...),
				c.indexTensor(), laid(rng.Intn(layouts), complexes.all(w), 7, c.updates...))
			if err != nil {
				t.Fatalf("%v: %v", c, err)
			}
			return read[complex128](out)
		}
		for _, pair := range []struct {
			gradient, tangent core.ScatterMap
			shape             []int
		}{{core.VJPData, core.JVPData, c.data}, {core.VJPUpdates, core.JVPUpdates, c.updates}} {
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
		c := randomScatter(rng)
		if c.p.Op == plan.ScatterUpdate {
			continue
		}
		c.p.Reduction = num.Mean
		x, w := integers(rng, product(c.data)), integers(rng, product(c.updates))
		meansAlike(t, rng, c, float32s.all(x), float32s.all(w))
		meansAlike(t, rng, c, complexes.all(x), complexes.all(w))
		meansAlike(t, rng, c, bytesOf(x), bytesOf(w))
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

func meansAlike[T any](t *testing.T, rng *rand.Rand, c scatterCase, x, w []T) {
	var want []T
	for i := len(tileSizes) - 1; i >= 0; i-- {
		restore := kernel.UseTiles(tileSizes[i])
		var junk T
		got, err := core.Scatter(c.p, nil, laid(rng.Intn(layouts), x, junk, c.data...), c.indexTensor(), laid(rng.Intn(layouts), w, junk, c.updates...))
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
