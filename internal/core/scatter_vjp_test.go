package core_test

import (
	"errors"
	"flag"
	"fmt"
	"math/rand"
	"runtime"
	"slices"
	"testing"

	"gorgonia.org/gather/internal/adjoint"
	"gorgonia.org/gather/internal/cases"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/layout"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/oracle"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/gather/internal/race"
	"gorgonia.org/tensor"
)

var scatterCases = flag.Int("scattercases", 3000, "random scatters of each type whose gradients to compare with the oracle, in tiles of three sizes")

// TestScatterGradients compares the gradients of random scatters with the
// oracle, in every type that has gradients, every layout and every destination.
// The values are such that no product is rounded, so that equality is asked for.
func TestScatterGradients(t *testing.T) {
	for _, bytes := range tileSizes {
		t.Run(fmt.Sprint("tiles of ", bytes, " bytes"), func(t *testing.T) {
			t.Cleanup(adjoint.UseTiles(bytes))
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
	x, w := powers(s, tensor.ProdInts(c.Data)), powers(s, tensor.ProdInts(c.Updates))
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
			dst = laid(s, slices.Repeat([]T{k.of(5)}, tensor.ProdInts(d.shape)), k.of(7), d.shape...)
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

// TestScatterGradientThreads makes gradients and means large enough to be shared by
// goroutines, whose number must not show in the bits.
func TestScatterGradientThreads(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	defer par.UseCores(8)()
	counts, sizes := []int{1, 2, 5}, tileSizes[1:]
	if testing.Short() {
		counts, sizes = []int{1, 5}, sizes[:1]
	}
	rng := rand.New(rand.NewSource(5))
	draw := func(shape ...int) *tensor.Dense {
		v := make([]float32, tensor.ProdInts(shape))
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
		at := make([]int32, tensor.ProdInts(c.indices))
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
			p.Reduction = r
			for name, run := range map[string]func() (*tensor.Dense, error){
				"forward":             func() (*tensor.Dense, error) { return core.Scatter(&p, nil, x, indices, w) },
				"gradient of data":    func() (*tensor.Dense, error) { return core.VJPData.Apply(p, nil, g, x, indices, w) },
				"gradient of updates": func() (*tensor.Dense, error) { return core.VJPUpdates.Apply(p, nil, g, x, indices, w) },
			} {
				var want []float32
				for _, threads := range counts {
					for _, bytes := range sizes {
						runtime.GOMAXPROCS(threads)
						restore := adjoint.UseTiles(10 * bytes)
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

// TestGradientsOfLongRows has rows of more columns than are resolved at once, of which each has an index.
func TestGradientsOfLongRows(t *testing.T) {
	s := randomSource(rand.New(rand.NewSource(9)))
	for _, r := range []oracle.Reduction{oracle.None, oracle.Mul, oracle.Max, oracle.Mean} {
		c := scatterCase{cases.Scatter{Op: "ScatterElements", Data: []int{3, 2100}, Indices: oracle.New[int64](7, 2100), Updates: []int{7, 2100}}}
		for i := range c.Indices.Data {
			c.Indices.Data[i] = int64(s.Choose(6) - 3)
		}
		c.Rule.Reduction = r
		if err := float64s.compare(s, c, powers(s, 3*2100), powers(s, 3*2100), powers(s, 7*2100)); err != nil {
			t.Errorf("%v: %.300v", r, err)
		}
	}
}

// TestGradientOfEmptyAxis: no index of an axis of size 0 is good.
func TestGradientOfEmptyAxis(t *testing.T) {
	empty := tensor.NewDense(tensor.Float32, []int{0})
	indices, updates := tensor.New(tensor.WithBacking([]int64{4, 0})), tensor.New(tensor.WithBacking([]float32{1, 2}))
	for r := num.None; r <= num.Mean; r++ {
		p := plan.Params{Op: plan.ScatterElements}
		p.Reduction = r
		for _, d := range []core.ScatterMap{core.VJPData, core.VJPUpdates} {
			var bad *core.IndexError
			if _, err := d.Apply(p, nil, empty, empty, indices, updates); !errors.As(err, &bad) || bad.Index != 4 {
				t.Errorf("%v, derivative %d: error %v, index 4 is out of range", r, d, err)
			}
		}
	}
}

// TestMoreThreadsThanColumns: a tile has some columns, however many threads there are.
func TestMoreThreadsThanColumns(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(64))
	defer par.UseCores(64)()
	row := func(n int, v float32) *tensor.Dense {
		return tensor.New(tensor.WithShape(n, 33), tensor.WithBacking(slices.Repeat([]float32{v}, n*33)))
	}
	indices := tensor.New(tensor.WithShape(2, 1), tensor.WithBacking([]int64{0, 0}))
	p := plan.Params{Op: plan.ScatterND}
	p.Reduction = num.Max
	out, err := core.VJPUpdates.Apply(p, nil, row(1, 6), row(1, 2), indices, row(2, 3))
	if err != nil {
		t.Fatal(err)
	}
	if got := read[float32](out); !slices.Equal(got, slices.Repeat([]float32{3}, 2*33)) {
		t.Errorf("got %v, 3 everywhere is right", got)
	}
}

// TestGradientsAllocateNothing makes gradients that are not made on tiles, to given memory.
func TestGradientsAllocateNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("sync.Pool forgets under the race detector")
	}
	floats := func(shape ...int) *tensor.Dense {
		return tensor.New(tensor.WithShape(shape...), tensor.Of(tensor.Float32))
	}
	data, updates, grad, likeData, likeUpdates := floats(5, 3), floats(2, 3), floats(5, 3), floats(5, 3), floats(2, 3)
	indices := tensor.New(tensor.WithShape(2, 1), tensor.WithBacking([]int64{1, 4}))
	for _, c := range []struct {
		of  core.ScatterMap
		r   num.Reduction
		out *tensor.Dense
	}{
		{core.VJPData, num.Add, likeData},
		{core.VJPData, num.Sub, likeData},
		{core.VJPData, num.Mul, likeData},
		{core.VJPUpdates, num.Add, likeUpdates},
	} {
		p := plan.Params{Op: plan.ScatterND}
		p.Reduction = c.r
		var err error
		if n := testing.AllocsPerRun(100, func() { _, err = c.of.Apply(p, c.out, grad, data, indices, updates) }); n != 0 || err != nil {
			t.Errorf("%v, derivative %d: %v allocations a run, error %v", p, c.of, n, err)
		}
	}
}
