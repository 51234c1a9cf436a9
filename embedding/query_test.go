package embedding_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/embedding"
	"gorgonia.org/gather/internal/layout"
	"gorgonia.org/gather/internal/turns"
	"gorgonia.org/tensor"
)

// TestRowsAndBags compares lookups without a graph with the plain formulas, in random
// shapes, dtypes and layouts.
func TestRowsAndBags(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	for seed := range uint64(60) {
		if !turns.Case(3, int(seed)) {
			continue
		}
		queryRows[float32](t, seed)
		queryRows[float64](t, seed)
	}
}

func queryRows[T float32 | float64](t *testing.T, seed uint64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 5))
	rows, inner := 1+rng.IntN(30), rng.IntN(40)
	plain := newPlainTable(draw[T](rng, rows*inner), rows, inner, 0)
	weights := tensor.New(tensor.WithShape(rows, inner), tensor.Of(dtypeOf[T]()))
	if inner > 0 {
		weights = matrix(rows, inner, flat(plain.w)...)
	}
	var opts []embedding.TableOption
	padding := int64(-100)
	if rng.IntN(2) == 0 {
		padding = rng.Int64N(int64(rows))
		opts = append(opts, embedding.WithPadding(padding))
	}
	table, err := embedding.New(weights, opts...)
	ok(t, err)
	a, b := rng.IntN(5), rng.IntN(300)
	ids, picked := make([]int64, a*b), make([]int, a*b)
	for i := range ids {
		ids[i] = rng.Int64N(2*int64(rows)) - int64(rows)
		picked[i] = int((ids[i] + int64(rows)) % int64(rows))
		if ids[i] == padding {
			picked[i] = -1
		}
	}
	what := fmt.Sprintf("seed %d, (%d, %d) of %T, ids (%d, %d)", seed, rows, inner, T(0), a, b)

	var want []T
	for _, row := range picked {
		if row < 0 {
			want = append(want, make([]T, inner)...)
		} else {
			want = append(want, plain.w[row]...)
		}
	}
	sameResult(t, what+", Rows", want, tensor.Shape{a, b, inner}, func(opts ...dense.Option) (*tensor.Dense, error) {
		return table.Rows(idTensor(rng, ids, a, b), opts...)
	})

	mode := embedding.Mode(rng.IntN(4))
	var scales tensor.Tensor
	var numbers []T
	if mode != embedding.Max && len(ids) > 0 && rng.IntN(2) == 0 {
		numbers = draw[T](rng, len(ids))
		scales = tensor.New(tensor.WithShape(a, b), tensor.WithBacking(numbers))
	}
	bag := func(from, to int) []T {
		var part []T
		if numbers != nil {
			part = numbers[from:to]
		}
		out, _ := plainBag(plain, mode, picked[from:to], part, inner)
		return out
	}
	want = nil
	for row := range a {
		want = append(want, bag(row*b, (row+1)*b)...)
	}
	sameResult(t, what+", Bags of rows, "+mode.String(), want, tensor.Shape{a, inner}, func(opts ...dense.Option) (*tensor.Dense, error) {
		return table.Bags(idTensor(rng, ids, a, b), nil, scales, mode, opts...)
	})

	if numbers != nil {
		scales = vector(numbers...)
	}
	offsets := make([]int64, rng.IntN(10))
	want = nil
	for i := range offsets {
		offsets[i] = int64(len(ids) * i / 12)
		if i > 0 {
			want = append(want, bag(int(offsets[i-1]), int(offsets[i]))...)
		}
	}
	if n := len(offsets); n > 0 {
		want = append(want, bag(int(offsets[n-1]), len(ids))...)
	}
	bags := func(offsets []int64, more ...dense.Option) func(opts ...dense.Option) (*tensor.Dense, error) {
		return func(opts ...dense.Option) (*tensor.Dense, error) {
			return table.Bags(idTensor(rng, ids, len(ids)), idTensor(rng, offsets, len(offsets)), scales, mode, append(more, opts...)...)
		}
	}
	sameResult(t, what+", Bags, "+mode.String(), want, tensor.Shape{len(offsets), inner}, bags(offsets))
	last := append(slices.Clone(offsets), int64(len(ids)))
	sameResult(t, what+", Bags, WithLastOffset, "+mode.String(), want, tensor.Shape{len(offsets), inner}, bags(last, dense.WithLastOffset()))
	if len(offsets) > 0 {
		sameResult(t, what+", Bags, WithLengths, "+mode.String(), want, tensor.Shape{len(offsets), inner}, bags(lengthsOf(offsets, len(ids)), dense.WithLengths()))
	}
}

// lengthsOf are those of the bags that begin at offsets, of n ids; the first is 0.
func lengthsOf(offsets []int64, n int) []int64 {
	lengths := append(slices.Clone(offsets[1:]), int64(n))
	for i, at := range offsets {
		lengths[i] -= at
	}
	return lengths
}

// sameResult compares a result with what it should be: a new tensor, and tensors of all
// layouts that are given.
func sameResult[T float32 | float64](t *testing.T, what string, want []T, shape tensor.Shape, call func(...dense.Option) (*tensor.Dense, error)) {
	t.Helper()
	got, err := call()
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	if !got.Shape().Eq(shape) {
		t.Errorf("%s: shape %v, want %v", what, got.Shape(), shape)
		return
	}
	if len(want) == 0 {
		return
	}
	same(t, what, got.Data(), want)
	for _, l := range layout.All {
		if got.Dims() == 0 || !l.Suits(shape) {
			continue
		}
		block := layout.Lay(l, make([]T, len(want)), -7, shape...)
		if got, err := call(dense.WithReuse(block.Dense)); err != nil || got != block.Dense {
			t.Errorf("%s into %v: %v", what, l, err)
			continue
		}
		same(t, fmt.Sprintf("%s into %v", what, l), block.Values(), want)
		if err := block.Stray(); err != nil {
			t.Errorf("%s into %v: %v", what, l, err)
		}
	}
}

// refused demands an error of a kind, nil for any, that says something.
func refused(t *testing.T, err, is error, words ...string) {
	t.Helper()
	if err == nil || is != nil && !errors.Is(err, is) {
		t.Errorf("error %v, want one of %v that says %q", err, is, words)
		return
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("error %v does not say %s", err, word)
		}
	}
}

// TestRefusedQueries: what Rows and Bags do not take.
func TestRefusedQueries(t *testing.T) {
	weights := matrix(3, 2, float32(1), 2, 3, 4, 5, 6)
	table, err := embedding.New(weights)
	ok(t, err)
	ids, packed := vector(0, 1, 2), matrix(1, 3, 0, 1, 2)
	rows := func(ids tensor.Tensor, opts ...dense.Option) error { return second(table.Rows(ids, opts...)) }
	bags := func(ids, offsets, weights tensor.Tensor, mode embedding.Mode) error {
		return second(table.Bags(ids, offsets, weights, mode))
	}
	refused(t, rows(vector(0.5)), dense.ErrDtype, "Rows: ids", "float64")
	refused(t, rows(nil), dense.ErrLayout, "Rows: ids is nil")
	refused(t, rows(ids, dense.WithBatchDims(1)), dense.ErrOption, "WithBatchDims", "WithReuse")
	refused(t, rows(ids, dense.WithReuse(nil)), dense.ErrOption, "WithReuse(nil)")
	refused(t, rows(ids, dense.WithReuse(matrix(3, 2, 1.0, 2, 3, 4, 5, 6))), dense.ErrDtype, "Rows: dst", "float64")
	refused(t, rows(ids, dense.WithReuse(matrix(2, 3, float32(1), 2, 3, 4, 5, 6))), dense.ErrShape, "dst", "(2, 3)", "(3, 2)")
	refused(t, rows(ids, dense.WithReuse(weights)), dense.ErrLayout, "dst overlaps the table")
	refused(t, bags(ids, nil, nil, embedding.Sum), dense.ErrShape, "(bags, k)")
	refused(t, bags(packed, vector(0), nil, embedding.Sum), dense.ErrShape, "rank 1")
	refused(t, bags(ids, packed, nil, embedding.Sum), dense.ErrShape, "offsets")
	refused(t, bags(ids, vector(2, 1), nil, embedding.Sum), dense.ErrShape, "offsets[1] is 1")
	refused(t, bags(ids, vector(0, 4), nil, embedding.Sum), dense.ErrShape, "offsets[1] is 4")
	refused(t, bags(ids, vector(0), vector(1.0, 2, 3), embedding.Sum), dense.ErrDtype, "weights")
	refused(t, bags(ids, vector(0), vector(float32(1)), embedding.Sum), dense.ErrShape, "weights")
	refused(t, bags(ids, vector(0), vector(float32(1), 2, 3), embedding.Max), dense.ErrOption, "weights", "Max")
	with := func(offsets tensor.Tensor, opts ...dense.Option) error {
		return second(table.Bags(ids, offsets, nil, embedding.Sum, opts...))
	}
	lengths, last := dense.WithLengths(), dense.WithLastOffset()
	refused(t, with(vector(1, 1), lengths), dense.ErrShape, "Bags: the sum of lengths is 2, 3 is needed, the number of ids")
	refused(t, with(vector(1, 3, 0), lengths), dense.ErrShape, "Bags: lengths[1] is 3, and the sum of those before it 1: there are 3 ids")
	refused(t, with(vector(uint64(1), math.MaxUint64), lengths), dense.ErrShape, "lengths[1] is 18446744073709551615")
	refused(t, with(vector(4, -1), lengths), dense.ErrShape, "lengths[0] is 4")
	refused(t, with(vector(3, -1, 1), lengths), dense.ErrShape, "Bags: lengths[1] is -1, none may be negative")
	refused(t, with(vector(0.5), lengths), dense.ErrDtype, "lengths have dtype float64")
	refused(t, with(packed, lengths), dense.ErrShape, "lengths have shape (1, 3), rank 1 is needed")
	refused(t, with(nil, lengths), dense.ErrOption, "offsets are nil")
	refused(t, with(vector(0, 1, 2), last), dense.ErrShape, "Bags: offsets[2] is 2, with WithLastOffset the last one is 3, the number of ids")
	refused(t, with(vector(0, 4), last), dense.ErrShape, "offsets[1] is 4")
	refused(t, with(tensor.New(tensor.WithShape(0), tensor.Of(tensor.Int64)), last), dense.ErrShape, "offsets have shape (0), rank 1 is needed, one for each bag and one more")
	refused(t, with(vector(0, 3), last, lengths), dense.ErrOption, "Bags: WithLengths and WithLastOffset are given")
	refused(t, rows(ids, lengths), dense.ErrOption, "Rows: WithLengths does not apply, the options are: WithReuse")
	refused(t, bags(ids, vector(0), nil, 4), dense.ErrOption, "mode 4")
	refused(t, rows(matrix(1, 2, 0, -4)), nil, "Rows: ids[0 1]: -4 out of range [-3, 3) for table axis 0")
	refused(t, bags(matrix(1, 2, 0, 3), nil, nil, embedding.Sum), nil, "Bags: ids[0 1]: 3 out of range")
	ok(t, table.Close())
	refused(t, rows(ids), nil, "Rows: the table is closed")
}

// TestQueriesBesideSteps looks rows up in several goroutines while a step changes them:
// each lookup finds the rows before a step or after it.
func TestQueriesBesideSteps(t *testing.T) {
	const rows, dim, steps = 64, 8, 200
	table, err := embedding.Make(tensor.Float32, rows, dim, embedding.Zeros())
	ok(t, err)
	all := make([]int, rows)
	grads := make([]float32, rows*dim)
	for i := range all {
		all[i] = i
	}
	for i := range grads {
		grads[i] = -1
	}
	var readers sync.WaitGroup
	for range 3 {
		readers.Add(1)
		go func() {
			defer readers.Done()
			for range steps {
				got, err := table.Rows(vector(all...))
				if err != nil {
					t.Error(err)
					return
				}
				for _, x := range got.Float32s() {
					if x != got.Float32s()[0] {
						t.Errorf("rows of %v and %v steps in one lookup", x, got.Float32s()[0])
						return
					}
				}
			}
		}()
	}
	sgd, err := embedding.NewSGD(embedding.WithLearnRate(1))
	ok(t, err)
	for range steps {
		ok(t, sgd.Update(table, vector(all...), matrix(rows, dim, grads...)))
	}
	readers.Wait()
}
