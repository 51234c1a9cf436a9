package core_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand"
	"slices"
	"testing"

	"github.com/pkg/errors"

	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/layout"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/oracle"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/simd"
	"gorgonia.org/tensor"
)

var lossCases = flag.Int("losscases", 4000, "how many random losses are compared with the slow formulas")

// TestLoss compares random losses and their gradients with the slow formulas, in both
// dtypes, in random layouts; then one class is bad.
func TestLoss(t *testing.T) {
	rng := rand.New(rand.NewSource(41))
	n := *lossCases
	if testing.Short() {
		n /= 3
	}
	for i := range n {
		c := randomLoss(rng)
		var err error
		if i%2 == 0 {
			err = checkLoss[float64](c, rng, 1e-12)
		} else {
			err = checkLoss[float32](c, rng, 4e-7)
		}
		if err != nil {
			t.Fatalf("case %d, %+v of %v: %v", i, c.Loss, c.shape, err)
		}
	}
}

func checkLoss[T float32 | float64](c *lossCase, rng *rand.Rand, tolerance float64) error {
	lay := func(values []float64, shape ...int) *layout.Block[T] {
		return layout.Lay(layout.All[rng.Intn(len(layout.All))], floatsOf[T](values), 99, shape...)
	}
	in := []tensor.Tensor{lay(c.scores, c.shape...).Dense, c.layClasses(rng)}
	if c.weights != nil {
		in = append(in, lay(c.weights, len(c.weights)).Dense)
	}
	scores, ids := oracle.From(c.scores, c.shape...), oracle.From(c.classes, c.examples()...)
	want := c.oracle.Of(scores, ids)
	got, err := c.Forward(nil, in...)
	if err != nil {
		return err
	}
	if err := nearLoss("loss", valuesOf[T](got), want.Data, tolerance); err != nil {
		return err
	}
	grads := oracle.New[float64](want.Shape...)
	for i := range grads.Data {
		grads.Data[i] = float64(rng.Intn(32)-16) / 8
	}
	dst := lay(scores.Data, c.shape...)
	if _, err := c.Gradient(dst.Dense, lay(grads.Data, grads.Shape...).Dense, in...); err != nil {
		return err
	}
	if len(c.scores) == 0 {
		return nil
	}
	if err := dst.Stray(); err != nil {
		return err
	}
	if err := nearLoss("gradient", dst.Values(), c.oracle.Gradient(grads, scores, ids).Data, tolerance); err != nil {
		return err
	}
	position := c.spoil(rng)
	in[1] = c.layClasses(rng)
	for what, call := range map[string]func() error{
		"loss":     func() error { _, err := c.Forward(nil, in...); return err },
		"gradient": func() error { _, err := c.Gradient(nil, lay(grads.Data, grads.Shape...).Dense, in...); return err },
	} {
		var bad *core.IndexError
		if err := call(); !errors.As(err, &bad) || !slices.Equal(bad.Position, position) || bad.Size != c.shape[1] || bad.Axis != 1 {
			return fmt.Errorf("%s of the bad class at %v: %v", what, position, err)
		}
	}
	return nil
}

func floatsOf[T float32 | float64](values []float64) []T {
	out := make([]T, len(values))
	for i, v := range values {
		out[i] = T(v)
	}
	return out
}

func valuesOf[T float32 | float64](d *tensor.Dense) []T {
	return slices.Clone(num.As[T](d.Raw))[:d.Shape().TotalSize()]
}

// nearLoss compares relative to the greatest of the numbers: those near 0 are differences of
// larger ones.
func nearLoss[T float32 | float64](what string, got []T, want []float64, tolerance float64) error {
	if len(got) != len(want) {
		return fmt.Errorf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	most := 1.0
	for _, w := range want {
		if !math.IsInf(w, 0) && !math.IsNaN(w) {
			most = max(most, math.Abs(w))
		}
	}
	for i, w := range want {
		g := float64(got[i])
		if g != w && !(math.Abs(g-w) <= tolerance*most) && (g == g || w == w) {
			return fmt.Errorf("%s: %v at %d, want %v", what, g, i, w)
		}
	}
	return nil
}

// TestLossIsDeterministic compares large losses in one goroutine and in several, and in
// every implementation, bit for bit.
func TestLossIsDeterministic(t *testing.T) {
	rng := rand.New(rand.NewSource(3))
	for _, shape := range [][]int{{70, 300}, {3, 20011}, {5, 7, 900}, {300, 2}, {2, 4100, 3}} {
		scores := oracle.New[float64](shape...)
		for i := range scores.Data {
			scores.Data[i] = 4 * rng.NormFloat64()
		}
		examples := append(shape[:1:1], shape[2:]...)
		classes := oracle.New[int64](examples...)
		for i := range classes.Data {
			classes.Data[i] = int64(rng.Intn(shape[1]))
		}
		in := []tensor.Tensor{
			tensor.New(tensor.WithShape(shape...), tensor.WithBacking(floatsOf[float32](scores.Data))),
			tensor.New(tensor.WithShape(examples...), tensor.WithBacking(classes.Data)),
		}
		one := tensor.New(tensor.FromScalar(float32(1)))
		var first [2][]float32
		for _, cores := range []int{1, 2, 7} {
			restoreCores := par.UseCores(cores)
			for _, i := range simd.Implementations {
				restore := simd.Use(i)
				l := core.Loss{Op: "CrossEntropy", Reduction: num.Mean, Smoothing: 0.125}
				value, err := l.Forward(nil, in...)
				if err != nil {
					t.Fatal(err)
				}
				gradient, err := l.Gradient(nil, one, in...)
				if err != nil {
					t.Fatal(err)
				}
				got := [2][]float32{valuesOf[float32](value), valuesOf[float32](gradient)}
				if first[0] == nil {
					first = got
				}
				if !layout.Identical(got[0], first[0]) || !layout.Identical(got[1], first[1]) {
					t.Errorf("%v: %s with %d cores differs", shape, i.Name, cores)
				}
				restore()
			}
			restoreCores()
		}
	}
}

// TestLossExtremes: what neither overflows nor loses its digits, and what is infinite.
func TestLossExtremes(t *testing.T) {
	inf := math.Inf(1)
	for name, c := range map[string]struct {
		scores   []float64
		class    int64
		loss     float64
		gradient []float64
	}{
		"large":                       {[]float64{10000, 10001, 9999}, 1, math.Log(1 + math.Exp(-1) + math.Exp(-2)), nil},
		"far apart":                   {[]float64{10000, -10000}, 1, 20000, []float64{1, -1}},
		"a right class at -Inf":       {[]float64{0, -inf, 0}, 1, inf, []float64{0.5, -1, 0.5}},
		"a wrong class at -Inf":       {[]float64{0, -inf, 0}, 0, math.Log(2), []float64{-0.5, 0, 0.5}},
		"nearly certain":              {[]float64{0, -30}, 0, math.Log1p(math.Exp(-30)), []float64{-math.Exp(-30), math.Exp(-30)}},
		"NaN":                         {[]float64{0, math.NaN()}, 0, math.NaN(), []float64{math.NaN(), math.NaN()}},
		"+Inf":                        {[]float64{0, inf}, 1, math.NaN(), []float64{math.NaN(), math.NaN()}},
		"all at -Inf":                 {[]float64{-inf, -inf}, 1, math.NaN(), []float64{math.NaN(), math.NaN()}},
		"NaN first, then a greatest":  {[]float64{math.NaN(), 3}, 1, math.NaN(), []float64{math.NaN(), math.NaN()}},
		"one class alone, always 0":   {[]float64{-7}, 0, 0, []float64{0}},
		"equal ones, 1/4 each, log 4": {[]float64{-5, -5, -5, -5}, 3, math.Log(4), []float64{.25, .25, .25, -.75}},
	} {
		l := core.Loss{Op: "CrossEntropy", Reduction: num.Mean}
		scores := tensor.New(tensor.WithShape(1, len(c.scores)), tensor.WithBacking(c.scores))
		classes := tensor.New(tensor.WithShape(1), tensor.WithBacking([]int64{c.class}))
		loss, err := l.Forward(nil, scores, classes)
		if err != nil {
			t.Fatal(err)
		}
		if err := nearLoss(name, loss.Float64s(), []float64{c.loss}, 1e-14); err != nil {
			t.Error(err)
		}
		gradient, err := l.Gradient(nil, tensor.New(tensor.FromScalar(1.)), scores, classes)
		if err != nil {
			t.Fatal(err)
		}
		if c.gradient == nil {
			continue
		}
		if err := nearLoss(name, gradient.Float64s(), c.gradient, 1e-14); err != nil {
			t.Error(err)
		}
	}
}

// TestLossWithoutExamples: a mean of nothing is NaN, a sum 0, and gradients are 0.
func TestLossWithoutExamples(t *testing.T) {
	scores := tensor.New(tensor.WithShape(2, 3), tensor.WithBacking([]float64{1, 2, math.NaN(), 4, 5, 6}))
	classes := tensor.New(tensor.WithShape(2), tensor.WithBacking([]int8{-100, -100}))
	for _, in := range [][]tensor.Tensor{
		{scores, classes},
		{tensor.New(tensor.Of(tensor.Float64), tensor.WithShape(0, 3)), tensor.New(tensor.Of(tensor.Int8), tensor.WithShape(0))},
		{tensor.New(tensor.Of(tensor.Float64), tensor.WithShape(2, 0)), classes},
	} {
		for r, want := range map[num.Reduction]float64{num.Mean: math.NaN(), num.Add: 0, num.None: 0} {
			l := core.Loss{Op: "CrossEntropy", Reduction: r, Ignores: true, Ignored: -100}
			loss, err := l.Forward(nil, in...)
			if err != nil {
				t.Fatal(err)
			}
			for _, got := range valuesOf[float64](loss) {
				if got != want && (got == got || want == want) {
					t.Errorf("%v of shape %v: %v, want %v", r, in[0].Shape(), got, want)
				}
			}
			grad := tensor.New(tensor.FromScalar(1.))
			if r == num.None {
				grad = loss
			}
			gradient, err := l.Gradient(nil, grad, in...)
			if err != nil {
				t.Fatal(err)
			}
			for i, got := range valuesOf[float64](gradient) {
				if got != 0 {
					t.Errorf("%v of shape %v: the gradient at %d is %v, want 0", r, in[0].Shape(), i, got)
				}
			}
		}
	}
}
