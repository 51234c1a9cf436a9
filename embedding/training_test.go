package embedding_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"gorgonia.org/gather/embedding"
	"gorgonia.org/gather/internal/race"
	"gorgonia.org/gather/internal/turns"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestTraining trains small tables at random, and holds every value and every row
// against the plain formulas, bit for bit.
func TestTraining(t *testing.T) {
	runs := 300
	switch {
	case turns.Every():
		runs = 600
	case testing.Short() || race.Enabled:
		runs = 60
	}
	for seed := range runs {
		train[float32](t, uint64(seed))
		train[float64](t, uint64(seed))
		if t.Failed() {
			return
		}
	}
}

func train[T float32 | float64](t *testing.T, seed uint64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 11))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1 + rng.IntN(3)))
	rule, optimizer, err := drawRule(rng)
	ok(t, err)
	var tables []*trainee[T]
	for range 1 + rng.IntN(2) {
		tr, err := drawTrainee(rng, T(rule.at))
		ok(t, err)
		tables = append(tables, tr)
	}
	g := G.NewGraph()
	var places []*place[T]
	var loss *G.Node
	var inputs G.Nodes
	for i := range 1 + rng.IntN(3) {
		p, err := drawPlace(rng, g, tables[rng.IntN(len(tables))], i)
		ok(t, err)
		places = append(places, p)
		inputs = append(inputs, p.lookup.Node())
		term := G.Must(G.Sum(G.Must(G.HadamardProd(p.lookup.Node(), p.weights))))
		if loss == nil {
			loss = term
		} else {
			loss = G.Must(G.Add(loss, term))
		}
	}
	lisp := rng.IntN(2) == 0
	var machine G.VM
	if !lisp {
		_, err := G.Grad(loss, inputs...)
		ok(t, err)
		machine = G.NewTapeMachine(g, G.BindDualValues(inputs...))
		defer machine.Close()
	}
	what := fmt.Sprintf("seed %d: %v, %d tables, %d lookups, lisp %v", seed, rule, len(tables), len(places), lisp)
	for step := range 4 {
		for range 1 + rng.IntN(2) { // what is set twice is as if it were set once
			for _, p := range places {
				ok(t, p.set(rng))
			}
		}
		for _, p := range places {
			p.g = draw[T](rng, len(p.value))
			ok(t, G.Let(p.weights, tensor.New(tensor.WithShape(p.weights.Shape()...), tensor.WithBacking(append([]T(nil), p.g...)))))
		}
		if lisp {
			machine = G.NewLispMachine(g)
		} else {
			machine.Reset()
		}
		ok(t, machine.RunAll())
		for i, p := range places {
			same(t, fmt.Sprintf("%s: step %d: value of lookup %d", what, step, i), p.lookup.Node().Value().Data(), p.value)
		}
		if step == 2 {
			rule.rate /= 2
			optimizer.SetLearnRate(rule.rate)
		}
		var lookups []*embedding.Lookup
		var plains []*plainTable[T]
		var gradients [][]plainGradient[T]
		for _, p := range places {
			lookups = append(lookups, p.lookup)
			at := -1
			for i, other := range plains {
				if other == p.plain {
					at = i
				}
			}
			if at < 0 {
				at = len(plains)
				plains, gradients = append(plains, p.plain), append(gradients, nil)
			}
			gradients[at] = append(gradients[at], p.gradients(p.g)...)
		}
		ok(t, optimizer.Step(lookups...))
		plainStep(rule, plains, gradients)
		for i, tr := range tables {
			compare(t, fmt.Sprintf("%s: step %d: table %d", what, step, i), tr, optimizer, rule.name == "RowWiseAdagrad")
		}
		if t.Failed() {
			return
		}
	}
}

// compare compares the rows of a table, and what the optimiser has of it.
func compare[T float32 | float64](t *testing.T, what string, tr *trainee[T], optimizer embedding.Optimizer, rowWise bool) {
	t.Helper()
	weights, err := tr.table.Weights()
	ok(t, err)
	same(t, what, weights.Data(), flat(tr.plain.w))
	state := optimizer.State(tr.table)
	if m, has := state["m"]; has {
		same(t, what+": m", m.Data(), flat(tr.plain.m))
		same(t, what+": v", state["v"].Data(), flat(tr.plain.v))
	}
	if s, has := state["s"]; has {
		want := flat(tr.plain.m)
		if rowWise {
			want = tr.plain.s
		}
		same(t, what+": s", s.Data(), want)
	}
}
