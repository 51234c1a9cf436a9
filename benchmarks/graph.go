package main

import (
	"github.com/pkg/errors"
	"gorgonia.org/gather"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// inputs are the nodes of a case in a graph.
type inputs struct {
	graph                          *G.ExprGraph
	data, indices, updates, weight *G.Node
}

// newInputs makes the input nodes, with their values.
func newInputs(p *Problem) inputs {
	in := inputs{graph: G.NewGraph()}
	of := func(name string, d *tensor.Dense) *G.Node {
		if d == nil {
			return nil
		}
		return G.NewTensor(in.graph, d.Dtype(), d.Dims(), G.WithShape(d.Shape()...), G.WithName(name), G.WithValue(d))
	}
	in.data, in.indices = of("data", p.data), of("indices", p.indices[0])
	in.updates, in.weight = of("updates", p.updates), of("weight", p.weights)
	return in
}

// apply makes the node of the case's operator.
func (in inputs) apply(c Case) (*G.Node, error) {
	opts := []gather.Option{gather.WithReduction(reductions[c.Reduction]), gather.WithInitValue(!c.WithoutOld)}
	switch c.Op {
	case "Gather":
		return gather.Gather(in.data, in.indices, c.Axis)
	case "ScatterElements":
		return gather.ScatterElements(in.data, in.indices, in.updates, c.Axis, opts...)
	case "ScatterND":
		return gather.ScatterND(in.data, in.indices, in.updates, opts...)
	}
	return nil, errors.Errorf("%s: no graph is made of %s", c.Name, c.Op)
}

// newBackward runs the operators that a scatter's SymDiff gives, those of
// package diff, one after the other as a machine would, but nothing else. They
// make new results, as those of PyTorch do.
func newBackward(name string, p *Problem) (Runner, error) {
	in := newInputs(p)
	out, err := in.apply(p.Case)
	if err != nil {
		return nil, err
	}
	gradients, err := out.Op().(G.SDOp).SymDiff(G.Nodes{in.data, in.indices, in.updates}, out, in.weight)
	if err != nil {
		return nil, errors.Wrap(err, p.Name)
	}
	var tape tape
	x, err := tape.add(in.graph, in.indices)
	if err != nil {
		return nil, err
	}
	var slots []int
	for _, n := range gradients {
		if n != nil {
			slot, err := tape.add(in.graph, n)
			if err != nil {
				return nil, err
			}
			slots = append(slots, slot)
		}
	}
	return &inProcess{
		name: name, sets: p.Sets,
		run: func(set int) error {
			tape.steps[x].value = p.indices[set]
			return tape.run()
		},
		result: func() Values {
			var made []*tensor.Dense
			for _, s := range slots {
				made = append(made, tape.steps[s].value.(*tensor.Dense))
			}
			return valuesOf(p.kind(), made...)
		},
	}, nil
}

// tape holds nodes of a graph in an order in which they can be computed.
type tape struct {
	steps []tapeStep
	slots map[*G.Node]int
}

type tapeStep struct {
	op    G.Op // nil for an input
	from  []int
	in    []G.Value
	value G.Value
}

// add adds a node behind those it depends on, and returns its slot.
func (t *tape) add(g *G.ExprGraph, n *G.Node) (int, error) {
	if slot, ok := t.slots[n]; ok {
		return slot, nil
	}
	step := tapeStep{op: n.Op(), value: n.Value()}
	if step.op == nil && step.value == nil {
		return 0, errors.Errorf("%v has no value", n)
	}
	if step.op != nil {
		for children := g.From(n.ID()); children.Next(); {
			slot, err := t.add(g, children.Node().(*G.Node))
			if err != nil {
				return 0, err
			}
			step.from = append(step.from, slot)
		}
		step.in = make([]G.Value, len(step.from))
	}
	if t.slots == nil {
		t.slots = map[*G.Node]int{}
	}
	t.slots[n] = len(t.steps)
	t.steps = append(t.steps, step)
	return t.slots[n], nil
}

func (t *tape) run() (err error) {
	for i := range t.steps {
		s := &t.steps[i]
		if s.op == nil {
			continue
		}
		for k, slot := range s.from {
			s.in[k] = t.steps[slot].value
		}
		if s.value, err = s.op.Do(s.in...); err != nil {
			return err
		}
	}
	return nil
}
