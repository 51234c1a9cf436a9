package dense_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/oracle"
	"gorgonia.org/tensor"
)

// TestTuplesOfOneAxis has index tuples of which one component alone says which element is meant: the axes of the others have
// one. These may be bad, too, and then the error names them.
func TestTuplesOfOneAxis(t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 2))
	for range 3000 {
		shape, batch := make([]int, 1+rng.IntN(4)), 0
		for d := range shape {
			shape[d] = 1
		}
		shape[rng.IntN(len(shape))] = []int{2, 17, 90}[rng.IntN(3)]
		if len(shape) > 1 && shape[0] == 1 && rng.IntN(3) == 0 {
			batch, shape[0] = 1, 3
		}
		k, n := len(shape)-batch, rng.IntN(60)
		if rng.IntN(4) == 0 {
			shape = append(shape, 2) // rows
		}
		data := make([]float64, tensor.Shape(shape).TotalSize())
		for i := range data {
			data[i] = float64(rng.IntN(50))
		}
		dims := []int{n, k}
		if batch > 0 {
			dims = []int{3, n, k}
		}
		idx := make([]int64, tensor.Shape(dims).TotalSize())
		for i := range idx {
			size := shape[batch+i%k]
			idx[i] = int64(rng.IntN(2*size) - size)
		}
		if len(idx) > 0 && rng.IntN(3) == 0 {
			at := rng.IntN(len(idx))
			idx[at] = int64(shape[batch+at%k]) * []int64{1, -2}[rng.IntN(2)]
		}
		gatherND(t, data, shape, idx, dims, batch, rng.IntN(2) == 0)
		if batch == 0 {
			scatterND(t, rng, data, shape, idx, dims)
		}
	}
}

// Elements that are no words are moved as rows.
func TestTuplesOfOneAxisOfOddWidth(t *testing.T) {
	type three [3]byte
	all := make([]three, 40)
	for i := range all {
		all[i] = three{byte(i), 1, byte(2 * i)}
	}
	data := func() *tensor.Dense {
		return tensor.New(tensor.WithShape(1, 40, 1), tensor.WithBacking(slices.Clone(all)))
	}
	idx := tensor.New(tensor.WithShape(4, 3), tensor.WithBacking([]int64{0, 5, 0, -1, -2, 0, 0, 7, -1, 0, 30, 0}))
	got, err := dense.GatherND(data(), idx)
	if want := []three{all[5], all[38], all[7], all[30]}; err != nil || !slices.Equal(got.Data().([]three), want) {
		t.Errorf("GatherND: %v, %v, want %v", got, err, want)
	}
	updates := []three{{1}, {2}, {3}, {4}}
	want := slices.Clone(all)
	want[5], want[38], want[7], want[30] = updates[0], updates[1], updates[2], updates[3]
	got, err = dense.ScatterND(data(), idx, tensor.New(tensor.WithShape(4), tensor.WithBacking(updates)))
	if err != nil || !slices.Equal(got.Data().([]three), want) {
		t.Errorf("ScatterND: %v, %v, want %v", got, err, want)
	}
}

func gatherND(t *testing.T, data []float64, shape []int, idx []int64, dims []int, batch int, fill bool) {
	t.Helper()
	opts, policy := []dense.Option{dense.WithBatchDims(batch)}, oracle.Policy{ZeroFill: fill}
	if fill {
		opts = append(opts, dense.WithOutOfRange(dense.ZeroFill))
	}
	want, bad := oracle.GatherND(oracle.From(data, shape...), oracle.From(idx, dims...), batch, policy)
	got, err := dense.GatherND(of(data, shape), of(idx, dims), opts...)
	sameND(t, got, err, want, bad)
}

func scatterND(t *testing.T, rng *rand.Rand, data []float64, shape []int, idx []int64, dims []int) {
	t.Helper()
	rest := append(slices.Clone(dims[:1]), shape[dims[1]:]...)
	updates := make([]float64, tensor.Shape(rest).TotalSize())
	for i := range updates {
		updates[i] = float64(rng.IntN(90))
	}
	i := rng.IntN(4)
	r := []dense.Reduction{dense.None, dense.Add, dense.Max, dense.Mean}[i]
	rule := oracle.Rule{Reduction: []oracle.Reduction{oracle.None, oracle.Add, oracle.Max, oracle.Mean}[i]}
	want, bad := oracle.ScatterND(oracle.From(data, shape...), oracle.From(idx, dims...), oracle.From(updates, rest...), rule, oracle.Floats[float64]())
	to := of(slices.Clone(data), shape)
	opts := []dense.Option{dense.WithReduction(r)}
	inPlace := rng.IntN(2) == 0
	if inPlace {
		opts = append(opts, dense.WithReuse(to))
	}
	got, err := dense.ScatterND(to, of(idx, dims), of(updates, rest), opts...)
	sameND(t, got, err, want, bad)
	if bad != nil && !slices.Equal(packed[float64](to), data) {
		t.Fatalf("%v by %v: data is changed by a call that fails", shape, idx)
	}
}

// of is a tensor on some values.
func of[T any](values []T, shape []int) *tensor.Dense {
	if len(values) == 0 {
		return tensor.New(tensor.WithShape(shape...), tensor.Of(dtypeOf[T]()))
	}
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(values))
}

func sameND(t *testing.T, got *tensor.Dense, err error, want oracle.Array[float64], bad *oracle.BadIndex) {
	t.Helper()
	if bad == nil {
		if err != nil || !slices.Equal(packed[float64](got), want.Data) {
			t.Fatalf("got %v, %v, want %v", got, err, want)
		}
		return
	}
	var is *dense.IndexError
	if !errors.As(err, &is) || !slices.Equal(is.Position, bad.Position) || is.Index != bad.Index || is.Axis != bad.Axis || is.Size != bad.Size {
		t.Fatalf("the error is %v, want %v", err, bad)
	}
}
