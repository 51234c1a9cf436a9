package embedding_test

import (
	"math"
	"testing"

	"gorgonia.org/gather/embedding"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestBagsOfNoRows trains bags of a table that has no rows, so that all ids are the
// padding: a step has nothing to do, and that is no error.
func TestBagsOfNoRows(t *testing.T) {
	for _, shape := range []tensor.Shape{{0, 2}, {0}} {
		for mode := embedding.Sum; mode <= embedding.Max; mode++ {
			table, err := embedding.New(tensor.New(tensor.Of(tensor.Float64), tensor.WithShape(shape...)), embedding.WithPadding(9))
			ok(t, err)
			g := G.NewGraph()
			bags, err := table.Bag(g, "bags", 2, mode)
			ok(t, err)
			_, err = G.Grad(G.Must(G.Sum(bags.Node())), bags.Node())
			ok(t, err)
			m := G.NewTapeMachine(g)
			defer m.Close()
			for range 2 {
				ok(t, bags.SetBags(vector(9, 9, 9), vector(0, 1), nil))
				ok(t, m.RunAll())
				if err := newSGD(t).Step(bags); err != nil {
					t.Errorf("%v of a table of %v: %v", mode, shape, err)
				}
				m.Reset()
			}
		}
	}
}

// TestFromRowsOfNone: rows that are longer than memory are none if there are none,
// and FromRows is not called.
func TestFromRowsOfNone(t *testing.T) {
	for _, dim := range []int{math.MaxInt, math.MaxInt / 1024} {
		if _, err := embedding.Make(tensor.Float32, 0, dim, embedding.FromRows(func(int, []float64) { t.Error("there is no row") })); err != nil {
			t.Errorf("%d columns: %v", dim, err)
		}
	}
}
