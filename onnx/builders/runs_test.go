package builders

import (
	"fmt"
	"math"
	"math/rand"
	"testing"

	"gorgonia.org/gather/internal/par"
	"gorgonia.org/tensor"
)

// random is a tensor of a shape, and the same for the oracle.
func random(rng *rand.Rand, shape ...int) (*tensor.Dense, array) {
	values := make([]float64, count(tensor.Shape(shape)))
	for i := range values {
		values[i] = rng.NormFloat64()
	}
	return value(values, shape...), array{shape, values}
}

// TestManyElements has tensors whose elements are divided among goroutines, of
// shapes whose runs are long, short, and one, with operands broadcast along any axes.
func TestManyElements(t *testing.T) {
	defer par.UseCores(4)()
	rng := rand.New(rand.NewSource(1))
	minus := pairwise(func(x, y float64) float64 { return x - y })
	for _, shapes := range [][2][]int{
		{{70001}, {70001}}, {{70001}, {1}}, {{}, {70001}}, {{7, 10007}, {10007}}, {{10007, 7}, {7}}, {{7, 1}, {1, 10007}},
		{{10007, 1}, {1, 7}}, {{5, 1, 97, 1}, {5, 13, 1, 11}}, {{17, 13, 97, 5}, {13, 1, 5}}, {{3, 25013}, {3, 1}}, {{1, 25013}, {3, 1}},
	} {
		a, left := random(rng, shapes[0]...)
		b, right := random(rng, shapes[1]...)
		got, err := runOp("Sub", 14, nil, a, b)
		compareAll(t, fmt.Sprint("Sub of ", shapes), got, err, minus([]array{left, right}))
	}
	for _, c := range []struct {
		shape []int
		perm  []int64
	}{{[]int{70001, 2}, ints(1, 0)}, {[]int{17, 13, 97, 5}, ints(0, 2, 1, 3)}, {[]int{17, 13, 97, 5}, ints(3, 1, 0, 2)}} {
		x, a := random(rng, c.shape...)
		shape := make([]int, len(c.shape))
		for i, axis := range c.perm {
			shape[i] = c.shape[axis]
		}
		want := made(shape, func(at []int) float64 {
			from := make([]int, len(at))
			for i, axis := range c.perm {
				from[axis] = at[i]
			}
			return a.at(from...)
		})
		got, err := runOp("Transpose", 13, attributes{"perm": c.perm}, x)
		compareAll(t, fmt.Sprint("Transpose of ", c.shape, c.perm), got, err, want)
	}
	x, a := random(rng, 11, 5003, 3)
	got, err := runOp("CumSum", 14, nil, x, tensor.New(tensor.WithShape(1), tensor.WithBacking([]int64{0})))
	compareAll(t, "CumSum", got, err, made(a.shape, func(c []int) float64 {
		sum := 0.0
		for i := range c[0] + 1 {
			sum += a.at(i, c[1], c[2])
		}
		return sum
	}))
	got, err = runOp("ArgMax", 13, attributes{"axis": int64(1)}, x)
	if err != nil {
		t.Fatal(err)
	}
	for i, index := range got.Int64s() {
		for j := range a.shape[1] {
			if a.at(i/3, j, i%3) > a.at(i/3, int(index), i%3) {
				t.Fatalf("ArgMax: line %d has its largest element not at %d", i, index)
			}
		}
	}
}

func compareAll(t *testing.T, what string, got *tensor.Dense, err error, want array) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if fmt.Sprint([]int(got.Shape())) != fmt.Sprint(want.shape) {
		t.Fatalf("%s: shape %v, want %v", what, got.Shape(), want.shape)
	}
	for i, v := range got.Float64s() {
		if v != want.values[i] {
			t.Fatalf("%s: element %d is %v, want %v", what, i, v, want.values[i])
		}
	}
}

// TestDistinctPlaces never calls places distinct that are not, and does call those of
// permutations and slices so.
func TestDistinctPlaces(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	found := 0
	for range 20000 {
		var p places
		for range 1 + rng.Intn(3) {
			p.part, p.steps = append(p.part, 1+rng.Intn(4)), append(p.steps, rng.Intn(15)-5)
		}
		seen, twice := map[int]bool{}, false
		p.each(func(_, from, n, step int) {
			for i := range n {
				twice = twice || seen[from+i*step]
				seen[from+i*step] = true
			}
		})
		if p.distinct() {
			found++
			if twice {
				t.Fatalf("%v by %v: called distinct", p.part, p.steps)
			}
		}
	}
	if found < 1000 {
		t.Errorf("%d of 20000 are called distinct", found)
	}
	shape := tensor.Shape{2, 3, 4}
	for _, p := range []places{reshaped(shape, tensor.Shape{4, 6}), permuted(shape, []int{2, 0, 1}), sliced(shape, 1, 1, 2), {part: tensor.Shape{2, 3}, steps: []int{-1, 2}}} {
		if !p.distinct() {
			t.Errorf("%v: not called distinct", p)
		}
	}
}

// TestStacked holds the sum of a batch's products against the products themselves.
func TestStacked(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	a, left := random(rng, 2, 3, 5, 4)
	b, right := random(rng, 2, 3, 5, 6)
	got, err := compute(stacked{}, []*tensor.Dense{a, b})
	if err != nil {
		t.Fatal(err)
	}
	want := made([]int{4, 6}, func(c []int) float64 {
		sum := 0.0
		for i := range 30 {
			row := coordinates(i, []int{2, 3, 5})
			sum += left.at(append(row, c[0])...) * right.at(append(row, c[1])...)
		}
		return sum
	})
	for i, v := range got.Float64s() {
		if d := v - want.values[i]; d < -1e-12 || d > 1e-12 {
			t.Errorf("element %d is %v, want %v", i, v, want.values[i])
		}
	}
	if _, err := compute(stacked{}, []*tensor.Dense{a, value(make([]float64, 12), 3, 4)}); err == nil {
		t.Error("operands of other axes were taken")
	}
}

// TestPanels multiplies matrices of more columns than the plain way has, of more rows of
// B than a cache keeps, with either operand transposed.
func TestPanels(t *testing.T) {
	defer par.UseCores(4)()
	rng := rand.New(rand.NewSource(1))
	const m, k, n = 37, 400, fewestColumns + 3
	for _, f := range []product{{}, {transposeA: true}, {transposeB: true}, {true, true}} {
		shapeA, shapeB := []int{m, k}, []int{k, n}
		if f.transposeA {
			shapeA = []int{k, m}
		}
		if f.transposeB {
			shapeB = []int{n, k}
		}
		a, left := random(rng, shapeA...)
		b, right := random(rng, shapeB...)
		got, err := compute(f, []*tensor.Dense{a, b})
		if err != nil {
			t.Fatal(err)
		}
		want := made([]int{m, n}, func(c []int) float64 {
			sum := 0.0
			for l := range k {
				x, y := []int{c[0], l}, []int{l, c[1]}
				if f.transposeA {
					x[0], x[1] = x[1], x[0]
				}
				if f.transposeB {
					y[0], y[1] = y[1], y[0]
				}
				sum += left.at(x...) * right.at(y...)
			}
			return sum
		})
		for i, v := range got.Float64s() {
			if d := v - want.values[i]; d < -1e-11 || d > 1e-11 {
				t.Fatalf("%v: element %d is %v, want %v", f, i, v, want.values[i])
			}
		}
	}
}

// TestPanelsOfInfinities multiplies numbers that are not finite, by zero and by others.
func TestPanelsOfInfinities(t *testing.T) {
	const n = fewestColumns
	inf := math.Inf(1)
	for _, c := range []struct{ a, b, want float64 }{{0, inf, math.NaN()}, {0, math.NaN(), math.NaN()}, {inf, 0, math.NaN()}, {2, inf, inf}, {-inf, 2, -inf}, {0, 2, 0}} {
		b := make([]float64, n)
		b[n-1] = c.b
		got, err := compute(product{}, []*tensor.Dense{value([]float64{c.a}, 1, 1), value(b, 1, n)})
		if err != nil {
			t.Fatal(err)
		}
		if x := got.Float64s()[n-1]; x != c.want && (x == x || c.want == c.want) {
			t.Errorf("%v times %v is %v", c.a, c.b, x)
		}
	}
}
