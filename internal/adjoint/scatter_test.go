package adjoint

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"testing"

	"gorgonia.org/gather/internal/kernel"
	"gorgonia.org/gather/internal/num"
)

// TestGradientsOfEveryKind demands gradients of floats and complex numbers, and
// of nothing else, and exact means of integers.
func TestGradientsOfEveryKind(t *testing.T) {
	for kind := range num.Kind(num.Kinds) {
		if has := HasGradients(kind); has != (kind >= num.Float16) {
			t.Errorf("kind %d has gradients: %v", kind, has)
		}
		if has := intMeans[kind] != nil; has != (kind >= num.Int8 && kind <= num.Uint64) {
			t.Errorf("kind %d has means of integers: %v", kind, has)
		}
	}
}

// flat is single updates of n targets.
func flat(t *testing.T, n int, targets []int, s Scatter, do func(s *Scatter) int) {
	t.Helper()
	s.Call = &kernel.Call{Description: kernel.Description{
		Idx: num.Bytes(targets), Idx32: bits.UintSize == 32, Axes: []kernel.Axis{{Size: n, Stride: 1}},
	}}
	s.Geometry = Geometry{Blocks: 1, Outer: 1, N: len(targets), Inner: 1, Rows: n}
	if bad := do(&s); bad >= 0 {
		t.Errorf("the index at %d is bad", bad)
	}
}

// TestScatterGradientLoops runs single programs on five updates of three places, of
// which the second has none.
func TestScatterGradientLoops(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	targets := []int{2, 0, 2, 2, 0}
	grad := []float64{6, inf, 12}
	const kind = num.Float64
	run := func(n int, s Scatter, do func(s *Scatter) int) []float64 {
		out := slices.Repeat([]float64{99}, n)
		s.Kind, s.Grad, s.Out = kind, num.Bytes(grad), num.Bytes(out)
		flat(t, 3, targets, s, do)
		return out
	}
	updates := func(r num.Reduction, s Scatter) []float64 {
		return run(5, s, func(s *Scatter) int { return s.GradUpdates(r) })
	}
	data := func(r num.Reduction, s Scatter) []float64 {
		return run(3, s, func(s *Scatter) int { return s.GradData(r) })
	}
	terms := func(data, updates []float64, noInit bool) Scatter {
		return Scatter{Data: num.Bytes(data), Updates: num.Bytes(updates), NoInit: noInit}
	}
	for _, c := range []struct {
		name      string
		got, want []float64
	}{
		{"the last update has the gradient", updates(num.None, Scatter{}), []float64{0, 0, 0, 12, 6}},
		{"shares of a mean", updates(num.Mean, Scatter{}), []float64{3, 2, 3, 3, 2}},
		{"shares of a mean without the old value", updates(num.Mean, Scatter{NoInit: true}), []float64{4, 3, 4, 4, 3}},
		{"the old value's share of a mean", data(num.Mean, Scatter{}), []float64{2, inf, 3}},
		{"from sums to means, without the old values", run(3, Scatter{NoInit: true}, (*Scatter).MeanOfSums), []float64{3, inf, 4}},
		{"ties", updates(num.Max, terms([]float64{7, 1, 2}, []float64{8, 7, 8, 3, 5}, false)), []float64{6, 3, 6, 0, 0}},
		{"ties without the old value", updates(num.Max, terms([]float64{7, 1, 8}, []float64{8, 7, 8, 3, 5}, true)), []float64{6, 6, 6, 0, 0}},
		{"no ties", updates(num.Min, terms([]float64{7, 1, 2}, []float64{8, 7, 1, 3, 5}, false)), []float64{0, 0, 12, 0, 6}},
		{"ties of NaN", updates(num.Max, terms([]float64{0, 1, nan}, []float64{nan, 7, nan, 3, 5}, false)), []float64{4, 6, 4, 0, 0}},
		{"a single NaN", updates(num.Min, terms([]float64{0, 1, 2}, []float64{3, 7, nan, 3, 5}, false)), []float64{0, 0, 12, 0, 0}},
		{"ties of zeros of both signs", updates(num.Min, terms([]float64{3, 1, 2}, []float64{0, 7, math.Copysign(0, -1), 3, 5}, false)), []float64{6, 0, 6, 0, 0}},
		{"ties with what minima begin with", updates(num.Min, terms([]float64{3, 1, 2}, []float64{inf, inf, inf, inf, inf}, true)), []float64{4, 3, 4, 4, 3}},
		{"the old value's ties", data(num.Max, terms([]float64{7, 1, 2}, []float64{8, 7, 8, 3, 5}, false)), []float64{3, inf, 0}},
		{"an old NaN has its gradient", data(num.Max, terms([]float64{nan, nan, 2}, []float64{8, 7, 8, 3, 5}, false)), []float64{6, inf, 0}},
		{"the old value alone", data(num.Max, terms([]float64{9, 1, 9}, []float64{8, 7, 8, 3, 5}, false)), []float64{6, inf, 12}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !slices.Equal(num.Bytes(c.got), num.Bytes(c.want)) {
				t.Errorf("got %v, want %v", c.got, c.want)
			}
		})
	}
	minus := []float64{0, 1}
	if Negate(kind, num.Bytes(minus)); math.Signbit(minus[0]) || minus[1] != -1 {
		t.Errorf("0 and 1 subtracted from 0 are %v", minus)
	}
}

// TestScatterProductsOfManyZeros has as many zeros as the second derivative can
// bear, and one more, in the type that would divide worst.
func TestScatterProductsOfManyZeros(t *testing.T) {
	const n = 5
	ones := slices.Repeat([]float64{1}, n)
	targets := make([]int, n)
	for zeros := range n + 1 {
		t.Run(fmt.Sprint(zeros, " zeros"), func(t *testing.T) {
			w := []float64{2, 3, 5, 7, 11}
			clear(w[n-zeros:])
			first, second := make([]float64, n), make([]float64, n)
			s := Scatter{Kind: num.Float64, Data: num.Bytes([]float64{13}), Updates: num.Bytes(w), Grad: num.Bytes([]float64{1}), Tangent: num.Bytes(ones)}
			s.Out = num.Bytes(first)
			flat(t, 1, targets, s, func(s *Scatter) int { return s.GradUpdates(num.Mul) })
			s.Out = num.Bytes(second)
			flat(t, 1, targets, s, (*Scatter).HVPUpdates)
			for i := range n {
				others, pairs := 13.0, 0.0
				for j := range n {
					if j == i {
						continue
					}
					others *= w[j]
					pair := 13.0
					for l := range n {
						if l != i && l != j {
							pair *= w[l]
						}
					}
					pairs += pair
				}
				if first[i] != others || second[i] != pairs {
					t.Errorf("update %d: %v and %v, want %v and %v", i, first[i], second[i], others, pairs)
				}
			}
		})
	}
}

// TestTilesStopAtBadIndices changes an index after it was checked, as another
// goroutine might: the tile that has it must say where, and write nothing beside.
func TestTilesStopAtBadIndices(t *testing.T) {
	for _, shape := range []struct {
		name                  string
		elements              bool
		batch, n, inner, size int
		axes                  int
		bytes, lookAt         int
	}{
		{name: "lines", elements: true, batch: 5, n: 7, inner: 1, size: 6, axes: 1, bytes: 1 << 10, lookAt: 23},
		{name: "columns", elements: true, batch: 1, n: 7, inner: 70, size: 6, axes: 1, bytes: 1 << 10, lookAt: 333},
		{name: "wide columns", elements: true, batch: 2, n: 2, inner: 1300, size: 3, axes: 1, bytes: 1 << 20, lookAt: 2600 + 1200},
		{name: "rows", batch: 1, n: 70, inner: 3, size: 40, axes: 1, bytes: 64, lookAt: 60},
		{name: "elements", batch: 1, n: 700, inner: 1, size: 400, axes: 1, bytes: 64, lookAt: 600},
	} {
		for _, width := range []bool{false, true} {
			t.Run(fmt.Sprint(shape.name, " int32: ", width), func(t *testing.T) {
				defer UseTiles(shape.bytes)()
				count := shape.batch * shape.n
				if shape.elements {
					count *= shape.inner
				}
				idx32, idx64 := make([]int32, count), make([]int64, count)
				for i := range idx64 {
					idx64[i] = int64(i*7%(2*shape.size) - shape.size)
				}
				for _, bad := range []int64{int64(shape.size), int64(-shape.size - 1), math.MinInt32, 0} {
					idx64[shape.lookAt] = bad
					for i, x := range idx64 {
						idx32[i] = int32(x)
					}
					const guard = 99
					memory := slices.Repeat([]byte{guard}, 4*(shape.batch*shape.n*shape.inner+2))
					out := memory[4 : len(memory)-4]
					grad := make([]float32, shape.batch*shape.size*shape.inner)
					g := Geometry{Blocks: shape.batch, Outer: 1, N: shape.n, Inner: shape.inner, Rows: shape.size, Elements: shape.elements}
					idx := num.Bytes(idx64)
					if width {
						idx = num.Bytes(idx32)
					}
					c := &kernel.Call{Description: kernel.Description{Idx: idx, Idx32: width, Axes: []kernel.Axis{{Size: shape.size, Stride: 1}}}}
					want := shape.lookAt
					if bad == 0 {
						want = -1
					}
					s := Scatter{Call: c, Geometry: g, Kind: num.Float32, Grad: num.Bytes(grad), Out: out}
					if got := s.GradUpdates(num.None); got != want {
						t.Errorf("index %d at %d: the bad index is at %d, want %d", bad, shape.lookAt, got, want)
					}
					for _, b := range append(memory[:4:4], memory[len(memory)-4:]...) {
						if b != guard {
							t.Error("memory beside the gradient of updates was written")
						}
					}
				}
			})
		}
	}
}
