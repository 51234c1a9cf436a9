package embedding_test

import (
	"math/rand/v2"
	"testing"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/embedding"
	"gorgonia.org/gather/internal/race"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestAllocations: Set, SetBags, Rows, Bags, Step and Update allocate nothing after the first
// time, whatever ids they are given.
func TestAllocations(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	const rows, dim, n, bags = 5000, 32, 600, 60
	rng := rand.New(rand.NewPCG(1, 2))
	table, err := embedding.Make(tensor.Float32, rows, dim, embedding.Normal(1, 0, 1))
	ok(t, err)
	ids := tensor.New(tensor.WithShape(n), tensor.WithBacking(make([]int64, n)))
	packed := tensor.New(tensor.WithShape(bags, n/bags), tensor.WithBacking(make([]int32, n)))
	offsets := tensor.New(tensor.WithShape(bags), tensor.WithBacking(make([]int, bags)))
	weights := tensor.New(tensor.WithShape(n), tensor.WithBacking(make([]float32, n)))
	grads := tensor.New(tensor.WithShape(n, dim), tensor.WithBacking(make([]float32, n*dim)))
	drawIDs := func() {
		for i := range n {
			ids.Int64s()[i] = int64(rng.IntN(rows))
			packed.Int32s()[i] = int32(rng.IntN(rows))
		}
		for i := range bags {
			offsets.Ints()[i] = i * n / bags
		}
	}
	g := G.NewGraph()
	words, err := table.Lookup(g, "words", n)
	ok(t, err)
	dst, bagsDst := tensor.New(tensor.WithShape(n, dim), tensor.Of(tensor.Float32)), tensor.New(tensor.WithShape(bags, dim), tensor.Of(tensor.Float32))
	free := map[string]func() error{
		"Rows": func() error { return second(table.Rows(ids, dense.WithReuse(dst))) },
		"Bags, weights": func() error {
			return second(table.Bags(ids, offsets, weights, embedding.Sum, dense.WithReuse(bagsDst)))
		},
		"Set": func() error { return words.Set(ids) },
	}
	for mode := embedding.Sum; mode <= embedding.Max; mode++ {
		bag, err := table.Bag(g, mode.String(), bags, mode)
		ok(t, err)
		free["Bags, "+mode.String()] = func() error { return second(table.Bags(packed, nil, nil, mode, dense.WithReuse(bagsDst))) }
		free["Set, "+mode.String()] = func() error { return bag.Set(packed) }
		free["SetBags, "+mode.String()] = func() error { return bag.SetBags(ids, offsets, nil) }
		if mode == embedding.Sum {
			free["SetBags, weights"] = func() error { return bag.SetBags(ids, offsets, weights) }
		}
	}
	for _, opts := range [][]embedding.Option{nil, {embedding.WithClipNorm(1), embedding.WithL2Reg(0.1)}} {
		for name, o := range optimizers(t, opts...) {
			free["Update, "+name] = func() error { return o.Update(table, ids, grads) }
		}
	}
	for name, call := range free {
		drawIDs()
		ok(t, call())
		if allocs := testing.AllocsPerRun(20, func() {
			drawIDs()
			if err := call(); err != nil {
				t.Error(err)
			}
		}); allocs > 0 {
			t.Errorf("%s: %v allocations", name, allocs)
		}
	}
}

// TestStepAllocations: what a machine allocates it allocates; Set and Step of all
// kinds of lookups add nothing.
func TestStepAllocations(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	const rows, dim, n = 500, 16, 60
	rng := rand.New(rand.NewPCG(1, 2))
	table, err := embedding.Make(tensor.Float32, rows, dim, embedding.Normal(1, 0, 1))
	ok(t, err)
	g := G.NewGraph()
	words, err := table.Lookup(g, "words", n)
	ok(t, err)
	lookups := []*embedding.Lookup{words}
	loss := G.Must(G.Sum(words.Node()))
	inputs := G.Nodes{words.Node()}
	for mode := embedding.Sum; mode <= embedding.Max; mode++ {
		bag, err := table.Bag(g, mode.String(), n/4, mode)
		ok(t, err)
		lookups, inputs = append(lookups, bag), append(inputs, bag.Node())
		loss = G.Must(G.Add(loss, G.Must(G.Sum(bag.Node()))))
	}
	_, err = G.Grad(loss, inputs...)
	ok(t, err)
	m := G.NewTapeMachine(g)
	defer m.Close()
	ids := tensor.New(tensor.WithShape(n), tensor.WithBacking(make([]int64, n)))
	packed := tensor.New(tensor.WithShape(n/4, 4), tensor.WithBacking(make([]int64, n)))
	o, err := embedding.NewAdam(embedding.WithClipNorm(1))
	ok(t, err)
	run := func(train bool) func() {
		return func() {
			for i := range n {
				ids.Int64s()[i], packed.Int64s()[i] = int64(rng.IntN(rows)), int64(rng.IntN(rows))
			}
			if train {
				for i, l := range lookups {
					in := packed
					if i == 0 {
						in = ids
					}
					if err := l.Set(in); err != nil {
						t.Error(err)
					}
				}
			}
			m.Reset()
			if err := m.RunAll(); err != nil {
				t.Error(err)
			}
			if train {
				if err := o.Step(lookups...); err != nil {
					t.Error(err)
				}
			}
		}
	}
	run(true)()
	alone := testing.AllocsPerRun(50, run(false))
	if all := testing.AllocsPerRun(50, run(true)); all > alone {
		t.Errorf("%v allocations with Set and Step, %v without", all, alone)
	}
}
