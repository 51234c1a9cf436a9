package main

import (
	"github.com/pkg/errors"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// step is a case as a step of a training: the forward, the sum of its result
// times weights or, of a gather, squared, and the gradients.
type step struct {
	inputs
	problem   *Problem
	gradients G.Nodes
	machine   G.VM
}

func makeStep(p *Problem, opts ...G.VMOpt) (*step, error) {
	s := &step{inputs: newInputs(p), problem: p}
	out, err := s.apply(p.Case)
	if err != nil {
		return nil, err
	}
	wrt := G.Nodes{s.data}
	factor := out
	if s.updates != nil {
		wrt, factor = append(wrt, s.updates), s.weight
	}
	product, err := G.HadamardProd(out, factor)
	if err != nil {
		return nil, errors.Wrap(err, p.Name)
	}
	cost, err := G.Sum(product)
	if err != nil {
		return nil, errors.Wrap(err, p.Name)
	}
	if s.gradients, err = G.Grad(cost, wrt...); err != nil {
		return nil, errors.Wrap(err, p.Name)
	}
	s.machine = G.NewTapeMachine(s.graph, opts...)
	return s, nil
}

func (s *step) run(set int) error {
	if err := G.Let(s.indices, s.problem.indices[set]); err != nil {
		return err
	}
	s.machine.Reset()
	return s.machine.RunAll()
}

// newStep runs the step on a TapeMachine.
func newStep(name string, p *Problem) (Runner, error) {
	s, err := makeStep(p)
	if err != nil {
		return nil, err
	}
	return &inProcess{
		name: name, sets: p.Sets, run: s.run,
		close: func() { _ = s.machine.Close() }, // of a TapeMachine without a GPU it is always nil
		result: func() Values {
			var made []*tensor.Dense
			for _, n := range s.gradients {
				made = append(made, n.Value().(*tensor.Dense))
			}
			return valuesOf(p.kind(), made...)
		},
	}, nil
}
