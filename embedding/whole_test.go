package embedding_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/embedding"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestWhole steps all rows of a table by each optimiser, as a lookup of all ids does, on
// both machines, also where one row is the padding of ids.
func TestWhole(t *testing.T) {
	for name, make := range makers(t) {
		for _, lisp := range []bool{false, true} {
			var want []float64
			for _, whole := range []bool{false, true} {
				var opts []embedding.TableOption
				if whole {
					opts = append(opts, embedding.WithPadding(1))
				}
				table, err := embedding.New(matrix(3, 2, 1.0, 2, 3, 4, 5, 6), opts...)
				ok(t, err)
				opt := make()
				for range 3 {
					g := G.NewGraph()
					var l *embedding.Lookup
					var ids tensor.Tensor
					if whole {
						l, err = table.Whole(g, "layer")
					} else {
						l, err = table.Lookup(g, "layer", 3)
						ids = tensor.New(tensor.WithBacking([]int{0, 1, 2}))
					}
					ok(t, err)
					if !l.Node().Shape().Eq(tensor.Shape{3, 2}) {
						t.Fatalf("the node has shape %v", l.Node().Shape())
					}
					loss := G.Must(G.Sum(G.Must(G.Square(l.Node()))))
					if !lisp {
						_, err := G.Grad(loss, l.Node())
						ok(t, err)
					}
					ok(t, l.Set(ids))
					rows, err := table.Weights()
					ok(t, err)
					if got := l.Node().Value().Data().([]float64); !slices.Equal(got, rows.Float64s()) || &got[0] == &rows.Float64s()[0] {
						t.Fatalf("the node holds %v, no copy of %v", got, rows.Float64s())
					}
					var m G.VM
					if lisp {
						m = G.NewLispMachine(g)
					} else {
						m = G.NewTapeMachine(g)
					}
					ok(t, m.RunAll())
					ok(t, opt.Step(l))
					ok(t, m.Close())
				}
				rows, err := table.Weights()
				ok(t, err)
				if want == nil {
					want = slices.Clone(rows.Float64s())
				} else if !slices.Equal(rows.Float64s(), want) {
					t.Errorf("%s, LispMachine %v: got %v, want %v", name, lisp, rows.Float64s(), want)
				}
			}
		}
	}
}

// TestWholeErrors refuses ids, bags, and what other lookups are refused for.
func TestWholeErrors(t *testing.T) {
	table, err := embedding.New(matrix(3, 2, 1.0, 2, 3, 4, 5, 6))
	ok(t, err)
	g := G.NewGraph()
	l, err := table.Whole(g, "layer")
	ok(t, err)
	ids := tensor.New(tensor.WithBacking([]int{0, 1, 2}))
	other, err := table.Lookup(g, "rows", 3)
	ok(t, err)
	for text, call := range map[string]func() error{
		"Whole(layer): ids are given to a lookup of all rows: call Set(nil)": func() error { return l.Set(ids) },
		"Whole(layer): SetBags is for bags":                                  func() error { return l.SetBags(nil, nil, nil) },
		"Lookup(rows): ids is nil":                                           func() error { return other.Set(nil) },
		"Whole(layer): the graph has an input of this name":                  func() error { _, err := table.Whole(g, "layer"); return err },
		"Whole(x): the graph is nil":                                         func() error { _, err := table.Whole(nil, "x"); return err },
		"the table is nil":                                                   func() error { _, err := (*embedding.Table)(nil).Whole(g, "x"); return err },
	} {
		if err := call(); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("got %v, want %s", err, text)
		}
	}
	ok(t, table.Close())
	if err := l.Set(nil); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("a closed table: %v", err)
	}
}

// weighted is a bag of Sum in a graph whose loss is Σ bags∘factors.
type weighted struct {
	table   *embedding.Table
	bags    *embedding.Lookup
	machine G.VM
}

func newWeighted(t *testing.T, rows, factors *tensor.Dense, lisp bool, opts ...embedding.TableOption) *weighted {
	t.Helper()
	table, err := embedding.New(rows, opts...)
	ok(t, err)
	g := G.NewGraph()
	bags, err := table.Bag(g, "bags", factors.Shape()[0], embedding.Sum)
	ok(t, err)
	f := G.NewMatrix(g, factors.Dtype(), G.WithShape(factors.Shape()...), G.WithName("factors"), G.WithValue(factors))
	loss := G.Must(G.Sum(G.Must(G.HadamardProd(bags.Node(), f))))
	w := &weighted{table: table, bags: bags}
	if lisp {
		w.machine = G.NewLispMachine(g)
	} else {
		_, err := G.Grad(loss, bags.Node())
		ok(t, err)
		w.machine = G.NewTapeMachine(g)
	}
	t.Cleanup(func() { w.machine.Close() })
	return w
}

// TestWeightGradients compares random bags, ragged and not, with padding, with the
// formula, on whole numbers, whose sums are exact.
func TestWeightGradients(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 5))
		n, d, bags := 1+rng.IntN(6), 1+rng.IntN(20), 1+rng.IntN(5)
		whole := func(size int) []float64 {
			values := make([]float64, size)
			for i := range values {
				values[i] = float64(rng.IntN(19) - 9)
			}
			return values
		}
		rows, factors := whole(n*d), whole(bags*d)
		lisp := rng.IntN(2) == 0
		w := newWeighted(t, tensor.New(tensor.WithShape(n, d), tensor.WithBacking(slices.Clone(rows))),
			tensor.New(tensor.WithShape(bags, d), tensor.WithBacking(factors)), lisp, embedding.WithPadding(99))
		shape := []int{bags, rng.IntN(4)}
		var offsets tensor.Tensor
		bagOf := func(i int) int { return i / shape[1] }
		if rng.IntN(2) == 0 {
			shape = []int{rng.IntN(12)}
			begins := make([]int, bags)
			for i := range begins {
				begins[i] = rng.IntN(shape[0] + 1)
			}
			slices.Sort(begins)
			offsets = tensor.New(tensor.WithShape(bags), tensor.WithBacking(begins))
			bagOf = func(i int) int {
				b := -1
				for b+1 < bags && begins[b+1] <= i {
					b++
				}
				return b
			}
		}
		size := tensor.Shape(shape).TotalSize()
		ids, want := make([]int64, size), make([]float64, size)
		for i := range ids {
			ids[i] = int64(rng.IntN(2*n) - n)
			row := (int(ids[i]) + n) % n
			if rng.IntN(4) == 0 {
				ids[i] = 99
			}
			for c := range d {
				if b := bagOf(i); b >= 0 && ids[i] != 99 {
					want[i] += rows[row*d+c] * factors[b*d+c]
				}
			}
		}
		given, weights := tensor.NewDense(tensor.Int64, slices.Clone(shape)), tensor.NewDense(tensor.Float64, slices.Clone(shape))
		if size > 0 {
			given = tensor.New(tensor.WithShape(shape...), tensor.WithBacking(ids))
			weights = tensor.New(tensor.WithShape(shape...), tensor.WithBacking(whole(size)))
		}
		ok(t, w.bags.SetBags(given, offsets, weights))
		ok(t, w.machine.RunAll())
		got, err := w.bags.WeightGradients()
		ok(t, err)
		if !slices.Equal(got.Shape(), tensor.Shape(shape)) {
			t.Fatalf("seed %d: shape %v, want %v", seed, got.Shape(), shape)
		}
		if size > 0 && !slices.Equal(got.Float64s(), want) {
			t.Fatalf("seed %d: got %v, want %v", seed, got.Float64s(), want)
		}
	}
}

// TestWeightGradientsErrors asks for gradients where there are none, or of other rows.
func TestWeightGradientsErrors(t *testing.T) {
	w := newWeighted(t, matrix(3, 2, 1.0, 2, 3, 4, 5, 6), matrix(1, 2, 1.0, 1), false)
	ids, weights := tensor.New(tensor.WithShape(1, 2), tensor.WithBacking([]int{0, 1})), matrix(1, 2, 2.0, 3)
	sgd, err := embedding.NewSGD()
	ok(t, err)
	refused := func(what, text string, sentinel error) {
		t.Helper()
		if d, err := w.bags.WeightGradients(); d != nil || err == nil || !strings.Contains(err.Error(), text) || sentinel != nil && !errors.Is(err, sentinel) {
			t.Errorf("%s: got %v, %v; want %s", what, d, err, text)
		}
	}
	refused("before Set", "has no weights", dense.ErrOption)
	ok(t, w.bags.SetBags(ids, nil, weights))
	refused("before the run", "has not been run", nil)
	ok(t, w.machine.RunAll())
	first, err := w.bags.WeightGradients()
	ok(t, err)
	again, err := w.bags.WeightGradients()
	ok(t, err)
	if want := []float64{3, 7}; !slices.Equal(first.Float64s(), want) || !slices.Equal(again.Float64s(), want) {
		t.Errorf("got %v and %v, want %v", first, again, want)
	}
	ok(t, sgd.Step(w.bags))
	refused("after the step", "was not Set since the last Step", nil)
	w.machine.Reset()
	ok(t, w.bags.SetBags(ids, nil, weights))
	ok(t, w.machine.RunAll())
	ok(t, sgd.Update(w.table, tensor.New(tensor.WithShape(1), tensor.WithBacking([]int{2})), matrix(1, 2, 1.0, 1)))
	refused("after another step of the table", "have been changed since Set", nil)
	w.machine.Reset()
	ok(t, w.bags.SetBags(ids, nil, nil))
	ok(t, w.machine.RunAll())
	refused("without weights", "has no weights", dense.ErrOption)
	folder := t.TempDir()
	tables := map[string]*embedding.Table{"table": w.table}
	ok(t, embedding.Save(folder, tables, nil))
	w.machine.Reset()
	ok(t, w.bags.SetBags(ids, nil, weights))
	ok(t, w.machine.RunAll())
	ok(t, embedding.Load(folder, tables, nil))
	refused("after Load", "have been changed since Set", nil)
	ok(t, w.table.Close())
	refused("closed", "closed", nil)
	for _, l := range []*embedding.Lookup{nil, {}} {
		if _, err := l.WeightGradients(); err == nil || !strings.HasPrefix(err.Error(), "WeightGradients: ") {
			t.Errorf("got %v", err)
		}
	}
}
