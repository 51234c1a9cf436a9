package embedding_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gorgonia.org/gather/embedding"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// makers are the optimisers, each made anew as often as needed.
func makers(t *testing.T) map[string]func() embedding.Optimizer {
	t.Helper()
	make := func(o embedding.Optimizer, err error) embedding.Optimizer {
		t.Helper()
		ok(t, err)
		return o
	}
	return map[string]func() embedding.Optimizer{
		"SGD": func() embedding.Optimizer { return make(embedding.NewSGD()) },
		"Adagrad": func() embedding.Optimizer {
			return make(embedding.NewAdagrad(embedding.WithLearnRateDecay(0.1), embedding.WithInitialAccumulator(0.25)))
		},
		"RowWiseAdagrad": func() embedding.Optimizer {
			return make(embedding.NewRowWiseAdagrad(embedding.WithInitialAccumulator(0.25)))
		},
		"Adam": func() embedding.Optimizer { return make(embedding.NewAdam()) },
	}
}

// update makes step k of a training of a table: always the same one.
func update(t *testing.T, o embedding.Optimizer, table *embedding.Table, k int) {
	t.Helper()
	ok(t, step(t, o, table, k))
}

func step(t *testing.T, o embedding.Optimizer, table *embedding.Table, k int) error {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(k), 77))
	rows, dim := table.Shape()[0], table.Shape()[1]
	ids := make([]int64, 20)
	for i := range ids {
		ids[i] = rng.Int64N(int64(rows))
	}
	shape := tensor.WithShape(len(ids), dim)
	var grads *tensor.Dense
	if table.Dtype() == tensor.Float32 {
		grads = tensor.New(shape, tensor.WithBacking(draw[float32](rng, len(ids)*dim)))
	} else {
		grads = tensor.New(shape, tensor.WithBacking(draw[float64](rng, len(ids)*dim)))
	}
	return o.Update(table, tensor.New(tensor.WithBacking(ids)), grads)
}

// bits are the rows of a table, read by a lookup: Weights would keep the mapping.
func bits(t *testing.T, table *embedding.Table) []uint64 {
	t.Helper()
	rows := table.Shape()[0]
	l, err := table.Lookup(G.NewGraph(), "all", rows)
	ok(t, err)
	all := make([]int64, rows)
	for i := range all {
		all[i] = int64(i)
	}
	ok(t, l.Set(tensor.New(tensor.WithShape(rows), tensor.WithBacking(all))))
	return bitsOf(l.Node().Value().(*tensor.Dense))
}

func bitsOf(d *tensor.Dense) []uint64 {
	var all []uint64
	if d.Dtype() == tensor.Float32 {
		for _, x := range d.Float32s() {
			all = append(all, uint64(math.Float32bits(x)))
		}
		return all
	}
	for _, x := range d.Float64s() {
		all = append(all, math.Float64bits(x))
	}
	return all
}

func sameBits(t *testing.T, what string, got, want []uint64) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: other bits", what)
	}
}

func second[T any](_ T, err error) error { return err }

func newAdam(t *testing.T) embedding.Optimizer { return makers(t)["Adam"]() }

func dtypeOf[T float32 | float64]() tensor.Dtype {
	if _, ok := any(T(0)).(float32); ok {
		return tensor.Float32
	}
	return tensor.Float64
}

func flat[T float32 | float64](rows [][]T) (all []T) {
	for _, row := range rows {
		all = append(all, row...)
	}
	return all
}

// same demands the same bits, but that 0 and -0 are one.
func same[T float32 | float64](t *testing.T, what string, got any, want []T) {
	t.Helper()
	numbers, isSlice := got.([]T)
	if one, isOne := got.(T); isOne {
		numbers, isSlice = []T{one}, true
	}
	if !isSlice || len(numbers) != len(want) {
		t.Errorf("%s: %T of %d, want %d numbers", what, got, len(numbers), len(want))
		return
	}
	for i, x := range numbers {
		if x != want[i] && (x == x || want[i] == want[i]) {
			t.Errorf("%s: number %d is %v, want %v", what, i, x, want[i])
			return
		}
	}
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%+v", err)
	}
}

func vector[T any](x ...T) *tensor.Dense {
	return tensor.New(tensor.WithShape(len(x)), tensor.WithBacking(x))
}

func matrix[T any](rows, columns int, x ...T) *tensor.Dense {
	return tensor.New(tensor.WithShape(rows, columns), tensor.WithBacking(x))
}
