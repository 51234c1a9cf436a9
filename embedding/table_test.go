package embedding_test

import (
	"math"
	"runtime"
	"slices"
	"testing"

	"gorgonia.org/gather/embedding"
	"gorgonia.org/tensor"
)

// TestMemoryOfNew: a table is its tensor, which learns what the table does.
func TestMemoryOfNew(t *testing.T) {
	weights := tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float32{1, 2, 3, 4, 5, 6}))
	table, err := embedding.New(weights)
	ok(t, err)
	got, err := table.Weights()
	ok(t, err)
	if got != weights || !table.Shape().Eq(tensor.Shape{3, 2}) || table.Dtype() != tensor.Float32 {
		t.Errorf("weights %p, shape %v, dtype %v, want %p, (3, 2), float32", got, table.Shape(), table.Dtype(), weights)
	}
	ok(t, newSGD(t, embedding.WithLearnRate(1)).Update(table, vector(int64(1)), matrix(1, 2, float32(10), 20)))
	if want := []float32{1, 2, -7, -16, 5, 6}; !slices.Equal(weights.Float32s(), want) {
		t.Errorf("%v, want %v", weights, want)
	}
}

func made(t *testing.T, dt tensor.Dtype, rows, dim int, init embedding.Init) *tensor.Dense {
	t.Helper()
	table, err := embedding.Make(dt, rows, dim, init)
	ok(t, err)
	weights, err := table.Weights()
	ok(t, err)
	return weights
}

// TestInits: one seed gives one table for any GOMAXPROCS, another seed another one,
// and what is drawn is what was asked for.
func TestInits(t *testing.T) {
	const rows, dim = 20011, 7 // some blocks, the last one short
	for name, c := range map[string]struct {
		init             func(seed uint64) embedding.Init
		mean, dev        float64
		least, mostValue float64
	}{
		"uniform": {func(seed uint64) embedding.Init { return embedding.Uniform(seed, -1, 3) }, 1, 4 / math.Sqrt(12), -1, 3},
		"normal":  {func(seed uint64) embedding.Init { return embedding.Normal(seed, 2, 0.5) }, 2, 0.5, -math.MaxFloat64, math.MaxFloat64},
	} {
		var first []float64
		for threads := 1; threads <= 4; threads++ {
			restore := runtime.GOMAXPROCS(threads)
			got := made(t, tensor.Float64, rows, dim, c.init(7)).Float64s()
			narrow := made(t, tensor.Float32, rows, dim, c.init(7)).Float32s()
			runtime.GOMAXPROCS(restore)
			if first == nil {
				first = got
			}
			if !slices.Equal(got, first) {
				t.Errorf("%s: %d threads make another table than one", name, threads)
			}
			for i, x := range narrow {
				if x != float32(got[i]) {
					t.Fatalf("%s: number %d is %v as float32, and %v as float64", name, i, x, got[i])
				}
			}
		}
		if slices.Equal(first, made(t, tensor.Float64, rows, dim, c.init(8)).Float64s()) {
			t.Errorf("%s: two seeds make one table", name)
		}
		sum, squares := 0.0, 0.0
		for _, x := range first {
			sum, squares = sum+x, squares+x*x
		}
		n := float64(len(first))
		mean := sum / n
		dev := math.Sqrt(squares/n - mean*mean)
		if math.Abs(mean-c.mean) > 0.01 || math.Abs(dev-c.dev) > 0.01 || slices.Min(first) < c.least || slices.Max(first) > c.mostValue {
			t.Errorf("%s: mean %v, deviation %v, from %v to %v, want %v, %v, from %v to %v",
				name, mean, dev, slices.Min(first), slices.Max(first), c.mean, c.dev, c.least, c.mostValue)
		}
		distinct := slices.Compact(slices.Sorted(slices.Values(first)))
		if len(distinct) < len(first)-1 {
			t.Errorf("%s: of %d numbers %d are distinct: blocks repeat each other", name, len(first), len(distinct))
		}
	}
	for _, x := range made(t, tensor.Float64, 5, 3, embedding.Init{}).Float64s() {
		if x != 0 {
			t.Errorf("the zero Init has %v", x)
		}
	}
	var order []int
	got := made(t, tensor.Float32, 4, 2, embedding.FromRows(func(row int, weights []float64) {
		order = append(order, row)
		if weights[0] != 0 || weights[1] != 0 {
			t.Errorf("row %d comes as %v", row, weights)
		}
		weights[row%2] = float64(row) + 0.5
	})).Float32s()
	if want := []float32{0.5, 0, 0, 1.5, 2.5, 0, 0, 3.5}; !slices.Equal(got, want) || !slices.Equal(order, []int{0, 1, 2, 3}) {
		t.Errorf("from rows: %v in the order %v, want %v", got, order, want)
	}
}

// TestLargeTables trains tables on both sides of the size from which memory comes
// from the system, with their states, and closes them while tensors are in use.
func TestLargeTables(t *testing.T) {
	for _, rows := range []int{(16<<20)/32 - 1, (16 << 20) / 32, (16<<20)/32 + 1} {
		table, err := embedding.Make(tensor.Float32, rows, 8, embedding.FromRows(func(row int, weights []float64) { weights[0] = float64(row) }))
		ok(t, err)
		adam, err := embedding.NewAdam(embedding.WithLearnRate(1), embedding.WithEps(0))
		ok(t, err)
		last := int64(rows - 1)
		ones := matrix(2, 8, slices.Repeat([]float32{2}, 16)...)
		ok(t, adam.Update(table, vector(last, 0), ones))
		weights, err := table.Weights()
		ok(t, err)
		state := adam.State(table)
		ok(t, table.Close())
		runtime.GC()
		runtime.GC()
		all := weights.Float32s()
		// The first step of Adam is by the rate, whatever the gradient.
		if got, want := all[len(all)-8:], float32(rows-1)-1; math.Abs(float64(got[0]-want)) > 1e-1 || math.Abs(float64(got[7]+1)) > 1e-5 {
			t.Errorf("%d rows: the last one is %v", rows, got)
		}
		if got := state["m"].Float32s(); math.Abs(float64(got[len(got)-1]-0.2)) > 1e-6 || got[8] != 0 {
			t.Errorf("%d rows: m ends in %v", rows, got[len(got)-1])
		}
		if n := len(state["v"].Float32s()); n != rows*8 {
			t.Errorf("%d rows: v has %d numbers", rows, n)
		}
	}
}

// TestInitialAccumulator fills states of odd lengths to their ends.
func TestInitialAccumulator(t *testing.T) {
	for _, rows := range []int{1, 3, 8, 70001} {
		table, err := embedding.Make(tensor.Float32, rows, 1, embedding.Zeros())
		ok(t, err)
		o, err := embedding.NewRowWiseAdagrad(embedding.WithInitialAccumulator(0.25))
		ok(t, err)
		if len(o.State(table)) != 0 {
			t.Error("there is a state before the first step")
		}
		ok(t, o.Update(table, tensor.New(tensor.Of(tensor.Int), tensor.WithShape(0)), tensor.New(tensor.Of(tensor.Float32), tensor.WithShape(0, 1))))
		s := o.State(table)["s"]
		if !s.Shape().Eq(tensor.Shape{rows}) {
			t.Errorf("s has shape %v, want (%d)", s.Shape(), rows)
		}
		for i, x := range s.Float32s() {
			if x != 0.25 {
				t.Fatalf("%d rows: s[%d] is %v", rows, i, x)
			}
		}
	}
}

// TestNothing has tables and lookups of nothing.
func TestNothing(t *testing.T) {
	for _, shape := range []tensor.Shape{{0, 2}, {3, 0}, {0}} {
		weights := tensor.New(tensor.Of(tensor.Float64), tensor.WithShape(shape...))
		table, err := embedding.New(weights, embedding.WithPadding(9))
		ok(t, err)
		for name, o := range optimizers(t) {
			ids := vector(int64(9), 9)
			grads := tensor.New(tensor.Of(tensor.Float64), tensor.WithShape(append(tensor.Shape{2}, shape[1:]...)...))
			if err := o.Update(table, ids, grads); err != nil {
				t.Errorf("%s: %v: %v", name, shape, err)
			}
		}
	}
}

func optimizers(t *testing.T, opts ...embedding.Option) map[string]embedding.Optimizer {
	t.Helper()
	all := map[string]embedding.Optimizer{}
	for name, make := range map[string]func(...embedding.Option) (embedding.Optimizer, error){
		"SGD": embedding.NewSGD, "Adagrad": embedding.NewAdagrad, "RowWiseAdagrad": embedding.NewRowWiseAdagrad, "Adam": embedding.NewAdam,
	} {
		o, err := make(opts...)
		ok(t, err)
		all[name] = o
	}
	return all
}
