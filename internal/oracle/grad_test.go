package oracle

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand"
	"testing"
)

// TestGradientVectors: indices [0, 0] on data of length 2, the gradient of the result being [1, 2].
func TestGradientVectors(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name       string
		rule       Rule
		x, w       []float64
		y          []float64
		gData, gUp []float64
	}{
		{"none", Rule{}, []float64{1, 2}, []float64{5, 7}, []float64{7, 2}, []float64{0, 2}, []float64{0, 1}},
		{"add", Rule{Reduction: Add}, []float64{1, 2}, []float64{5, 7}, []float64{13, 2}, []float64{1, 2}, []float64{1, 1}},
		{"sub", Rule{Reduction: Sub}, []float64{1, 2}, []float64{5, 7}, []float64{-11, 2}, []float64{1, 2}, []float64{-1, -1}},
		{"sub, no init", Rule{Reduction: Sub, NoInit: true}, []float64{1, 2}, []float64{5, 7}, []float64{-12, 2}, []float64{0, 2}, []float64{-1, -1}},
		{"add, no init", Rule{Reduction: Add, NoInit: true}, []float64{1, 2}, []float64{5, 7}, []float64{12, 2}, []float64{0, 2}, []float64{1, 1}},
		{"mul", Rule{Reduction: Mul}, []float64{2, 3}, []float64{5, 7}, []float64{70, 3}, []float64{35, 2}, []float64{14, 10}},
		{"mul, one zero", Rule{Reduction: Mul}, []float64{2, 3}, []float64{0, 7}, []float64{0, 3}, []float64{0, 2}, []float64{14, 0}},
		{"mul, data zero", Rule{Reduction: Mul}, []float64{0, 3}, []float64{5, 7}, []float64{0, 3}, []float64{35, 2}, []float64{0, 0}},
		{"mul, two zeros", Rule{Reduction: Mul}, []float64{2, 3}, []float64{0, 0}, []float64{0, 3}, []float64{0, 2}, []float64{0, 0}},
		{"mul, no init", Rule{Reduction: Mul, NoInit: true}, []float64{0, 3}, []float64{0, 7}, []float64{0, 3}, []float64{0, 2}, []float64{7, 0}},
		{"max, data ties", Rule{Reduction: Max}, []float64{5, 3}, []float64{5, 5}, []float64{5, 3}, []float64{1. / 3, 2}, []float64{1. / 3, 1. / 3}},
		{"max, updates tie", Rule{Reduction: Max}, []float64{1, 3}, []float64{5, 5}, []float64{5, 3}, []float64{0, 2}, []float64{.5, .5}},
		{"max, no init", Rule{Reduction: Max, NoInit: true}, []float64{5, 3}, []float64{5, 5}, []float64{5, 3}, []float64{0, 2}, []float64{.5, .5}},
		{"min, data alone", Rule{Reduction: Min}, []float64{1, 3}, []float64{5, 7}, []float64{1, 3}, []float64{1, 2}, []float64{0, 0}},
		{"min, two NaN", Rule{Reduction: Min}, []float64{nan, 3}, []float64{5, nan}, []float64{nan, 3}, []float64{.5, 2}, []float64{0, .5}},
		{"mean", Rule{Reduction: Mean}, []float64{1, 2}, []float64{5, 7}, []float64{13. / 3, 2}, []float64{1. / 3, 2}, []float64{1. / 3, 1. / 3}},
		{"mean, no init", Rule{Reduction: Mean, NoInit: true}, []float64{1, 2}, []float64{5, 7}, []float64{6, 2}, []float64{0, 2}, []float64{.5, .5}},
	} {
		t.Run(c.name, func(t *testing.T) {
			x, w, g, arith := f64(c.x, 2), f64(c.w, 2), f64([]float64{1, 2}, 2), Floats[float64]()
			y, bad := ScatterElements(x, idx([]int64{0, 0}, 2), w, 0, c.rule, arith)
			check(t, y, bad, f64(c.y, 2))
			gData, gUpdates, bad := ScatterElementsGrad(g, x, idx([]int64{0, 0}, 2), w, 0, c.rule, arith)
			check(t, gData, bad, f64(c.gData, 2))
			check(t, gUpdates, bad, f64(c.gUp, 2))
		})
	}
}

func TestScatterNDAndUpdateGrad(t *testing.T) {
	arith := Floats[float64]()
	g, data := counting(1.0, 3, 2), New[float64](3, 2)
	t.Run("ScatterND rows", func(t *testing.T) {
		gData, gUpdates, bad := ScatterNDGrad(g, data, idx([]int64{2, 0, -1}, 3, 1), counting(1.0, 3, 2), Rule{}, arith)
		check(t, gData, bad, f64([]float64{0, 0, 3, 4, 0, 0}, 3, 2))
		check(t, gUpdates, bad, f64([]float64{0, 0, 1, 2, 5, 6}, 3, 2))
	})
	t.Run("ScatterUpdate columns", func(t *testing.T) {
		gData, gUpdates, bad := ScatterUpdateGrad(g, data, idx([]int64{1, 1}, 2), counting(1.0, 3, 2), 1, Rule{}, arith)
		check(t, gData, bad, f64([]float64{1, 0, 3, 0, 5, 0}, 3, 2))
		check(t, gUpdates, bad, f64([]float64{0, 2, 0, 4, 0, 6}, 3, 2))
	})
	t.Run("complex mul takes the conjugate of the other factor", func(t *testing.T) {
		gData, gUpdates, bad := ScatterElementsGrad(From([]complex128{1}, 1), From([]complex128{2i}, 1), idx([]int64{0}, 1),
			From([]complex128{3 + 1i}, 1), 0, Rule{Reduction: Mul}, Complexes[complex128]())
		check(t, gData, bad, From([]complex128{cmplx.Conj(3 + 1i)}, 1))
		check(t, gUpdates, bad, From([]complex128{-2i}, 1))
	})
	t.Run("bad index", func(t *testing.T) {
		if _, _, bad := ScatterNDGrad(g, data, idx([]int64{3}, 1, 1), counting(1.0, 1, 2), Rule{}, arith); bad == nil {
			t.Error("no bad index")
		}
	})
}

// TestGradAgainstDifferences compares the closed forms with central differences of the forward operators. The values are
// integers, distinct within a target for min and max, and the step is 1/4: then every reduction is a polynomial of degree
// one in each single value (or constant near it), and the difference is the derivative itself, up to rounding.
func TestGradAgainstDifferences(t *testing.T) {
	const step = 0.25
	arith := Floats[float64]()
	rng := rand.New(rand.NewSource(1))
	for reduction := None; reduction <= Mean; reduction++ {
		for _, noInit := range []bool{false, true} {
			t.Run(fmt.Sprintf("%v, no init %v", reduction, noInit), func(t *testing.T) {
				rule := Rule{Reduction: reduction, NoInit: noInit}
				for range 20 {
					data, updates, g := New[float64](3, 2), New[float64](5, 2), New[float64](3, 2)
					values := rng.Perm(len(data.Data) + len(updates.Data))
					for i := range data.Data {
						data.Data[i] = float64(values[i] - 6)
						g.Data[i] = float64(rng.Intn(9) - 4)
					}
					for i := range updates.Data {
						updates.Data[i] = float64(values[len(data.Data)+i] - 6)
					}
					indices := New[int64](5, 2)
					for i := range indices.Data {
						indices.Data[i] = int64(rng.Intn(6) - 3)
					}
					cost := func() float64 {
						y, bad := ScatterElements(data, indices, updates, 0, rule, arith)
						if bad != nil {
							t.Fatal(bad)
						}
						sum := 0.0
						for i, v := range y.Data {
							sum += v * g.Data[i]
						}
						return sum
					}
					gData, gUpdates, bad := ScatterElementsGrad(g, data, indices, updates, 0, rule, arith)
					if bad != nil {
						t.Fatal(bad)
					}
					for _, pair := range []struct{ x, grad Array[float64] }{{data, gData}, {updates, gUpdates}} {
						for i, x := range pair.x.Data {
							pair.x.Data[i] = x + step
							above := cost()
							pair.x.Data[i] = x - step
							below := cost()
							pair.x.Data[i] = x
							want := (above - below) / (2 * step)
							if got := pair.grad.Data[i]; math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
								t.Fatalf("data %v indices %v updates %v: partial %d is %v, difference %v", data.Data, indices.Data, updates.Data, i, got, want)
							}
						}
					}
				}
			})
		}
	}
}
