package main

import (
	"math/rand/v2"
	"path/filepath"

	"github.com/pkg/errors"
	"gorgonia.org/tensor"

	"gorgonia.org/gather/embedding"
	"gorgonia.org/gather/internal/examples/ratings"
)

// weights are all that is learnt, as tables that stand outside of graphs: the graphs of
// learner and judge look rows of the first four up, and take the dense layer whole.
type weights struct {
	users, items           *embedding.Table // (n, dim)
	userBiases, itemBiases *embedding.Table // (n, 1)

	shares *embedding.Table // (dim, 1): how much each number that the two have in common counts
	w, c   *embedding.Table // (dim, hidden), (1, hidden)
	v      *embedding.Table // (hidden, 1)
}

// newWeights makes what an untrained model has.
func newWeights(s settings, d *ratings.Data) (w *weights, err error) {
	w = &weights{}
	for i, t := range []struct {
		table     **embedding.Table
		name      string
		rows, dim int
		init      embedding.Init
	}{
		{&w.users, "users", d.Users, s.dim, embedding.Normal(s.seed<<8|5, 0, 0.05)},
		{&w.items, "items", d.Items, s.dim, embedding.Normal(s.seed<<8|6, 0, 0.05)},
		{&w.userBiases, "user-biases", d.Users, 1, embedding.Zeros()},
		{&w.itemBiases, "item-biases", d.Items, 1, embedding.Zeros()},
	} {
		if *t.table, err = newTable(s, t.name, t.rows, t.dim, t.init); err != nil {
			w.close()
			return nil, errors.WithMessagef(err, "table %d", i)
		}
	}
	rng := rand.New(rand.NewPCG(s.seed, 7))
	normal := func(rows, columns int, deviation float64) *tensor.Dense {
		backing := make([]float32, rows*columns)
		for i := range backing {
			backing[i] = float32(deviation * rng.NormFloat64())
		}
		return tensor.New(tensor.WithShape(rows, columns), tensor.WithBacking(backing))
	}
	shares := normal(s.dim, 1, 0)
	for i := range shares.Float32s() {
		shares.Float32s()[i] = 1
	}
	for _, t := range []struct {
		table **embedding.Table
		value *tensor.Dense
	}{{&w.shares, shares}, {&w.w, normal(s.dim, s.hidden, 0.2)}, {&w.c, normal(1, s.hidden, 0)}, {&w.v, normal(s.hidden, 1, 0.1)}} {
		if *t.table, err = embedding.New(t.value); err != nil {
			w.close()
			return nil, err
		}
	}
	return w, nil
}

// newTable makes a table in memory or, with -mapped, in a file, which a resumed run
// takes up. What is in it then does not matter: the checkpoint says what it was.
func newTable(s settings, name string, rows, dim int, init embedding.Init) (*embedding.Table, error) {
	if !s.mapped {
		return embedding.Make(tensor.Float32, rows, dim, init)
	}
	path := filepath.Join(s.out, "tables", name+".npy")
	if s.resume {
		return embedding.Open(path)
	}
	if err := removeTable(path); err != nil {
		return nil, err
	}
	return embedding.Create(path, tensor.Float32, rows, dim, init)
}

func (w *weights) close() {
	for _, t := range w.learnt() {
		if t != nil {
			t.Close()
		}
	}
}

// bytes is what the tables take.
func (w *weights) bytes() int {
	n := 0
	for _, t := range []*embedding.Table{w.users, w.items, w.userBiases, w.itemBiases} {
		n += 4 * t.Shape().TotalSize()
	}
	return n
}
