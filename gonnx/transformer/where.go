package transformer

import (
	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/tensor"
)

var wheres = []version{
	{since: 9, inputs: whereInputs(all), least: 3, outputs: 1, apply: where},
	{since: 16, inputs: whereInputs(all16), least: 3, outputs: 1, apply: where},
}

func whereInputs(of []tensor.Dtype) []parameter {
	return []parameter{{name: "condition", of: []tensor.Dtype{tensor.Bool}}, {name: "X", of: of}, {name: "Y", of: of}}
}

// where takes each element from X or from Y, as the condition says; the three are
// broadcast to one shape.
func where(_ call, in []*tensor.Dense) ([]*tensor.Dense, error) {
	if in[1].Dtype() != in[2].Dtype() {
		return nil, errors.Wrapf(dense.ErrDtype, "Y is of dtype %v, X of %v: they must agree", in[2].Dtype(), in[1].Dtype())
	}
	shape, err := broadcast(in[0].Shape(), in[1].Shape(), in[2].Shape())
	if err != nil {
		return nil, err
	}
	out, err := blank(shape, in[1].Dtype())
	if err != nil {
		return nil, err
	}
	switch {
	case out.Dtype() == tensor.String:
		choose[string](out, in)
	case out.Dtype().Size() == 1:
		choose[uint8](out, in)
	case out.Dtype().Size() == 2:
		choose[uint16](out, in)
	case out.Dtype().Size() == 4:
		choose[uint32](out, in)
	case out.Dtype().Size() == 8:
		choose[uint64](out, in)
	default:
		choose[[2]uint64](out, in)
	}
	return []*tensor.Dense{out}, nil
}

// choose fills out, whose elements are as wide as T.
func choose[T any](out *tensor.Dense, in []*tensor.Dense) {
	to, shape := elements[T](out), out.Shape()
	condition, x, y := elements[bool](in[0]), elements[T](in[1]), elements[T](in[2])
	strides := [][]int{stridesTo(in[0].Shape(), shape), stridesTo(in[1].Shape(), shape), stridesTo(in[2].Shape(), shape)}
	at := 0
	eachRow(shape, strides, func(n int, offsets, steps []int) {
		for i := range to[at : at+n] {
			if condition[offsets[0]+i*steps[0]] {
				to[at+i] = x[offsets[1]+i*steps[1]]
			} else {
				to[at+i] = y[offsets[2]+i*steps[2]]
			}
		}
		at += n
	})
}
