package onnx

import (
	"slices"

	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/opset"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// run computes the outputs.
func (p *plan) run(inputs []tensor.Tensor) (list []*tensor.Dense, err error) {
	defer func() {
		if r := recover(); r != nil {
			list, err = nil, errors.Errorf("%s: its operator panicked: %v", p.op, r)
		}
	}()
	values := make([]gorgonia.Value, len(inputs), len(inputs)+len(p.constants)+len(p.steps))
	for i, t := range inputs {
		if p.given[i].Given {
			values[i] = t
		}
	}
	values = append(values, p.constants...)
	operands := make([]gorgonia.Value, p.operands)
	for _, s := range p.steps {
		in := operands[:len(s.operands):len(s.operands)]
		operands = operands[len(in):]
		for i, place := range s.operands {
			in[i] = values[place]
		}
		v, err := s.op.Do(in...)
		if err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	list = make([]*tensor.Dense, len(p.outputs))
	for i, place := range p.outputs {
		if place < 0 {
			continue
		}
		if list[i], err = opset.AsDense(values[place]); err != nil {
			return nil, errors.WithMessagef(err, "%s: output %d", p.op, i)
		}
		// An input that is handed through, or a constant.
		if place < len(p.given)+len(p.constants) && !slices.Contains(list[i].Shape(), 0) {
			if list[i], err = packedCopy(list[i]); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}
