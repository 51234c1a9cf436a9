package embedding_test

import (
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"gorgonia.org/gather/embedding"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestNodeIsAnInput: Grad, BindDualValues and Read work with a lookup's node as with
// any input, and a step takes the gradient of the last run alone, which adds up in
// Grad.
func TestNodeIsAnInput(t *testing.T) {
	table, err := embedding.New(matrix(3, 2, 1.0, 2, 3, 4, 5, 6))
	ok(t, err)
	g := G.NewGraph()
	words, err := table.Lookup(g, "words", 2)
	ok(t, err)
	var read G.Value
	G.Read(words.Node(), &read)
	loss := G.Must(G.Sum(G.Must(G.Square(words.Node()))))
	grads, err := G.Grad(loss, words.Node())
	ok(t, err)
	var gradient G.Value
	G.Read(grads[0], &gradient)
	m := G.NewTapeMachine(g, G.BindDualValues(words.Node()))
	defer m.Close()
	for run := 1; run <= 3; run++ {
		ok(t, words.Set(vector(2, 0)))
		ok(t, m.RunAll())
		m.Reset()
		if got := read.Data().([]float64); !slices.Equal(got, []float64{5, 6, 1, 2}) {
			t.Errorf("read %v", got)
		}
		if got := gradient.Data().([]float64); !slices.Equal(got, []float64{10, 12, 2, 4}) {
			t.Errorf("gradient %v", got)
		}
		v, err := words.Node().Grad()
		ok(t, err)
		if got := v.Data().([]float64); got[0] != 10*float64(run) {
			t.Errorf("run %d: Grad %v", run, got)
		}
	}
	ok(t, newSGD(t, embedding.WithLearnRate(0.5)).Step(words))
	weights, err := table.Weights()
	ok(t, err)
	if got := weights.Float64s(); !slices.Equal(got, []float64{0, 0, 3, 4, 0, 0}) {
		t.Errorf("after the step: %v", got)
	}
}

// TestLetAnotherValue: Set binds its own value again.
func TestLetAnotherValue(t *testing.T) {
	s := newScene(t, false)
	s.set()
	ok(t, G.Let(s.words.Node(), matrix(3, 2, 0.0, 0, 0, 0, 0, 0)))
	s.set()
	if got := s.words.Node().Value().Data().([]float64); !slices.Equal(got, []float64{0, 1, 30, 31, 0, 1}) {
		t.Errorf("the value is %v", got)
	}
}

// TestEvaluationBeside: an evaluation graph reads what a training graph learns, each
// on its machine.
func TestEvaluationBeside(t *testing.T) {
	s := newScene(t, false)
	g := G.NewGraph()
	all, err := s.table.Lookup(g, "words", 5)
	ok(t, err)
	total := G.Must(G.Sum(all.Node()))
	m := G.NewTapeMachine(g)
	defer m.Close()
	o := newSGD(t, embedding.WithLearnRate(0.5))
	for _, want := range []float64{205, 82} {
		ok(t, all.Set(vector(uint8(0), 1, 2, 3, 4)))
		ok(t, m.RunAll())
		m.Reset()
		if got := total.Value().Data().(float64); got != want {
			t.Errorf("the sum is %v, want %v", got, want)
		}
		ok(t, s.words.Set(vector(int64(0), 3, 3)))
		s.run()
		if want == 205 {
			ok(t, o.Step(s.words)) // by 0.5·2w: row 0 once, row 3 twice
		}
	}
}

// TestTogether sets lookups of one table from several goroutines while another one
// steps. Rows are all of one number at any time, so a lookup that met a step half
// way would see two.
func TestTogether(t *testing.T) {
	const rows, dim = 64, 33
	table, err := embedding.Make(tensor.Float64, rows, dim, embedding.Zeros())
	ok(t, err)
	ids := make([]int, rows)
	for i := range ids {
		ids[i] = i
	}
	grads := tensor.New(tensor.WithShape(rows, dim), tensor.WithBacking(slices.Repeat([]float64{-1}, rows*dim)))
	var wait sync.WaitGroup
	for i := range 3 {
		g := G.NewGraph()
		words, err := table.Lookup(g, "words", rows)
		ok(t, err)
		bags, err := table.Bag(g, "bags", 2, embedding.Mode(i))
		ok(t, err)
		spawn(&wait, func() {
			for range 200 {
				if err := words.Set(vector(ids...)); err != nil {
					t.Error(err)
					return
				}
				value := words.Node().Value().Data().([]float64)
				for _, x := range value {
					if x != value[0] {
						t.Errorf("a lookup has %v and %v", x, value[0])
						return
					}
				}
				if err := bags.Set(tensor.New(tensor.WithShape(2, rows/2), tensor.WithBacking(slices.Clone(ids)))); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	o := newSGD(t, embedding.WithLearnRate(1))
	for range 2 {
		spawn(&wait, func() {
			for range 100 {
				if err := o.Update(table, vector(ids...), grads); err != nil {
					t.Error(err)
				}
				o.SetLearnRate(1)
				runtime.Gosched()
			}
		})
	}
	wait.Wait()
	weights, err := table.Weights()
	ok(t, err)
	if got := weights.Float64s()[0]; got != 200 {
		t.Errorf("200 steps make %v", got)
	}
}

// TestOrdersOfLocks steps lookups of two tables in both orders, with two optimisers
// at a time.
func TestOrdersOfLocks(t *testing.T) {
	var wait sync.WaitGroup
	var tables []*embedding.Table
	for range 2 {
		table, err := embedding.New(matrix(2, 1, 1.0, 2))
		ok(t, err)
		tables = append(tables, table)
	}
	for i := range 2 {
		g := G.NewGraph()
		a, err := tables[i].Lookup(g, "a", 1)
		ok(t, err)
		b, err := tables[1-i].Lookup(g, "b", 1)
		ok(t, err)
		loss := G.Must(G.Sum(G.Must(G.Add(a.Node(), b.Node()))))
		_, err = G.Grad(loss, a.Node(), b.Node())
		ok(t, err)
		m := G.NewTapeMachine(g)
		defer m.Close()
		o := newSGD(t)
		spawn(&wait, func() {
			one := tensor.New(tensor.WithShape(1), tensor.WithBacking([]int64{1}))
			for range 200 {
				m.Reset()
				for _, err := range []error{a.Set(one), b.Set(one), m.RunAll(), o.Step(a, b)} {
					if err != nil {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	wait.Wait()
}

// spawn runs f in a goroutine that is waited for.
func spawn(wait *sync.WaitGroup, f func()) {
	wait.Add(1)
	go func() {
		defer wait.Done()
		f()
	}()
}

// TestLookupOfATakenHash refuses a name with which Gorgonia would take the lookup for
// another node: nodes are told by hashes of 32 bits.
func TestLookupOfATakenHash(t *testing.T) {
	table, err := embedding.New(matrix(3, 2, 1.0, 2, 3, 4, 5, 6))
	ok(t, err)
	g, elsewhere := G.NewGraph(), G.NewGraph()
	taken := G.NewMatrix(g, tensor.Float64, G.WithShape(2, 2), G.WithName("lookup332789"))
	if n := G.NewMatrix(elsewhere, tensor.Float64, G.WithShape(2, 2), G.WithName("lookup529192")); n.Hashcode() != taken.Hashcode() {
		t.Fatal("the names do not collide")
	}
	if _, err := table.Lookup(g, "lookup529192", 2); err == nil || !strings.Contains(err.Error(), "a node of the same hash") {
		t.Errorf("got %v", err)
	}
	_, err = table.Lookup(g, "lookup", 2)
	ok(t, err)
}
