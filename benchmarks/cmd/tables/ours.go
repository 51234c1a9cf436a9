package main

import (
	"math/rand"
	"runtime"
	"time"

	"github.com/pkg/errors"
	"gorgonia.org/gather/embedding"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A runner runs the steps of a case.
type runner interface {
	// load prepares the case, runs all sets once, and returns the sum of what the
	// first set then looks up: all runners have to agree on it.
	load(c Case, ids []int64) (sum float64, err error)
	// sample runs all sets some times, and returns the seconds of a step.
	sample(times int) (seconds float64, err error)
	close() error
}

const rate = 0.01

// ours runs cases on package embedding.
type ours struct {
	c    Case
	step func(set int) error
	free func()
}

func (o *ours) load(c Case, ids []int64) (float64, error) {
	if o.free != nil {
		o.free()
		runtime.GC()
	}
	runtime.GOMAXPROCS(c.Threads)
	o.c = c
	table, err := embedding.Make(tensor.Float32, c.Rows, c.Dim, embedding.Zeros())
	if err != nil {
		return 0, err
	}
	optimizer, err := newOptimizer(c.Optimizer)
	if err != nil {
		return 0, err
	}
	g := G.NewGraph()
	var value func() []float32
	if c.Model {
		value, err = o.loadModel(g, table, optimizer, ids)
	} else {
		value, err = o.loadTable(g, table, optimizer, ids)
	}
	if err != nil {
		return 0, err
	}
	for set := range sets {
		if err := o.step(set); err != nil {
			return 0, err
		}
	}
	if err := o.step(0); err != nil { // looks up before it changes anything
		return 0, err
	}
	sum := 0.0
	for _, x := range value() {
		sum += float64(x)
	}
	return sum, nil
}

func newOptimizer(name string) (embedding.Optimizer, error) {
	make, ok := map[string]func(...embedding.Option) (embedding.Optimizer, error){
		"SGD": embedding.NewSGD, "Adagrad": embedding.NewAdagrad, "RowWiseAdagrad": embedding.NewRowWiseAdagrad, "Adam": embedding.NewAdam,
	}[name]
	if !ok {
		return nil, errors.Errorf("there is no optimiser %s", name)
	}
	return make(embedding.WithLearnRate(rate))
}

// idSets makes a tensor of each set.
func idSets(ids []int64, shape ...int) []*tensor.Dense {
	all := make([]*tensor.Dense, sets)
	n := len(ids) / sets
	for i := range all {
		all[i] = tensor.New(tensor.WithShape(shape...), tensor.WithBacking(ids[i*n:(i+1)*n]))
	}
	return all
}

// loadTable prepares the table part: rows are looked up, and changed by gradients
// that are at hand.
func (o *ours) loadTable(g *G.ExprGraph, table *embedding.Table, optimizer embedding.Optimizer, ids []int64) (func() []float32, error) {
	lookup, err := table.Lookup(g, "ids", o.c.IDs)
	if err != nil {
		return nil, err
	}
	all := idSets(ids, o.c.IDs)
	grads := tensor.New(tensor.WithShape(o.c.IDs, o.c.Dim), tensor.WithBacking(gradients(o.c.IDs*o.c.Dim)))
	o.step = func(set int) error {
		if err := lookup.Set(all[set]); err != nil {
			return err
		}
		return optimizer.Update(table, all[set], grads)
	}
	o.free = func() { _ = table.Close() }
	return func() []float32 { return lookup.Node().Value().(*tensor.Dense).Float32s() }, nil
}

// gradients are numbers from 0.5 to 1.5, none of which is another program's to make:
// they follow from their place.
func gradients(n int) []float32 {
	all := make([]float32, n)
	for i := range all {
		all[i] = 0.5 + float32(i%1009)/1009
	}
	return all
}

// loadModel prepares the model, with the layer's weights by Gorgonia's own solver.
func (o *ours) loadModel(g *G.ExprGraph, table *embedding.Table, optimizer embedding.Optimizer, ids []int64) (func() []float32, error) {
	bags := o.c.IDs / bagSize
	lookup, err := table.Bag(g, "bags", bags, embedding.Mean)
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewSource(2))
	backing := make([]float32, o.c.Dim*outputs)
	for i := range backing {
		backing[i] = float32(rng.Float64()-0.5) / 8
	}
	layer := G.NewMatrix(g, tensor.Float32, G.WithShape(o.c.Dim, outputs), G.WithName("layer"),
		G.WithValue(tensor.New(tensor.WithShape(o.c.Dim, outputs), tensor.WithBacking(backing))))
	target := G.NewMatrix(g, tensor.Float32, G.WithShape(bags, outputs), G.WithName("target"),
		G.WithValue(tensor.New(tensor.WithShape(bags, outputs), tensor.WithBacking(gradients(bags*outputs)))))
	out, err := G.Mul(lookup.Node(), layer)
	if err != nil {
		return nil, err
	}
	off, err := G.Sub(out, target)
	if err != nil {
		return nil, err
	}
	squared, err := G.Square(off)
	if err != nil {
		return nil, err
	}
	loss, err := G.Mean(squared)
	if err != nil {
		return nil, err
	}
	if _, err := G.Grad(loss, lookup.Node(), layer); err != nil {
		return nil, err
	}
	machine := G.NewTapeMachine(g, G.BindDualValues(layer))
	solver := G.NewVanillaSolver(G.WithLearnRate(rate))
	learnt := G.NodesToValueGrads(G.Nodes{layer})
	all := idSets(ids, bags, bagSize)
	o.step = func(set int) error {
		if err := lookup.Set(all[set]); err != nil {
			return err
		}
		machine.Reset()
		if err := machine.RunAll(); err != nil {
			return err
		}
		if err := solver.Step(learnt); err != nil {
			return err
		}
		return optimizer.Step(lookup)
	}
	o.free = func() { _ = machine.Close(); _ = table.Close() }
	return func() []float32 { return lookup.Node().Value().(*tensor.Dense).Float32s() }, nil
}

func (o *ours) sample(times int) (float64, error) {
	start := time.Now()
	for range times {
		for set := range sets {
			if err := o.step(set); err != nil {
				return 0, err
			}
		}
	}
	return time.Since(start).Seconds() / float64(times*sets), nil
}

func (o *ours) close() error {
	if o.free != nil {
		o.free()
	}
	return nil
}
