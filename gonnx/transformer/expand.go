package transformer

import (
	"math"

	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/tensor"
)

var expands = []version{
	{since: 8, inputs: []parameter{{name: "input", of: all}, {name: "shape", of: int64s}}, least: 2, outputs: 1, apply: expand},
	{since: 13, inputs: []parameter{{name: "input", of: all16}, {name: "shape", of: int64s}}, least: 2, outputs: 1, apply: expand},
}

// Later versions of Identity differ in types that are no tensors, and in types
// that tensors do not have here.
var identities = []version{
	{since: 1, inputs: []parameter{{name: "input", of: all}}, least: 1, outputs: 1, apply: identity},
	{since: 13, inputs: []parameter{{name: "input", of: all16}}, least: 1, outputs: 1, apply: identity},
}

// expand repeats the input to a shape, to which it is broadcast both ways: where
// the shape has a 1, or no dim, the input's stays.
func expand(_ call, in []*tensor.Dense) ([]*tensor.Dense, error) {
	if in[1].Dims() != 1 {
		return nil, errors.Wrapf(dense.ErrShape, "shape is a tensor of shape %v, a list is allowed", in[1].Shape())
	}
	wanted := make(tensor.Shape, in[1].Shape()[0])
	for i, n := range elements[int64](in[1]) {
		if n < 0 || n > math.MaxInt {
			return nil, errors.Wrapf(dense.ErrShape, "shape[%d] is %d", i, n)
		}
		wanted[i] = int(n)
	}
	out, err := broadcast(in[0].Shape(), wanted)
	if err != nil {
		return nil, err
	}
	return repeated(in[0], out)
}

// identity is a copy: results share no memory with inputs.
func identity(_ call, in []*tensor.Dense) ([]*tensor.Dense, error) {
	return repeated(in[0], in[0].Shape().Clone())
}

// repeated is a new tensor of the shape that in is broadcast to.
func repeated(in *tensor.Dense, shape tensor.Shape) ([]*tensor.Dense, error) {
	out, err := blank(shape, in.Dtype())
	if err != nil {
		return nil, err
	}
	switch {
	case in.Dtype() == tensor.String:
		repeat[string](out, in)
	case in.Dtype().Size() == 1:
		repeat[uint8](out, in)
	case in.Dtype().Size() == 2:
		repeat[uint16](out, in)
	case in.Dtype().Size() == 4:
		repeat[uint32](out, in)
	case in.Dtype().Size() == 8:
		repeat[uint64](out, in)
	default:
		repeat[[2]uint64](out, in)
	}
	return []*tensor.Dense{out}, nil
}

// repeat fills out, whose elements are as wide as T.
func repeat[T any](out, in *tensor.Dense) {
	to, from := elements[T](out), elements[T](in)
	if len(to) == len(from) {
		copy(to, from)
		return
	}
	at := 0
	eachRow(out.Shape(), [][]int{stridesTo(in.Shape(), out.Shape())}, func(n int, offsets, steps []int) {
		row := to[at : at+n]
		at += n
		if steps[0] == 1 {
			copy(row, from[offsets[0]:])
			return
		}
		for i := range row {
			row[i] = from[offsets[0]]
		}
	})
}
