package builders

import (
	"slices"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/onnx"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// MatMulInteger is [MatMul] of A less a_zero_point and B less b_zero_point, in int32,
// which keeps the low bits of a larger sum. A zero point is one element, a list with one
// for each row of A or column of B, or such a list for each matrix: (…, m, 1) and
// (…, 1, n). Products are those of the BLAS that MatMul uses, and exact. int8 and uint8.
func MatMulInteger(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("MatMulInteger", n, inputs, func(c *call) (*G.Node, error) {
		if c.rank() == 0 || len(c.shape(1)) == 0 {
			return nil, fault.Errorf(dense.ErrShape, "inputs of shapes %v and %v, ranks of at least 1 are allowed", c.shape(0), c.shape(1))
		}
		f := integerProduct{zeroA: c.input(2) != nil, zeroB: c.input(3) != nil}
		nodes := slices.Clone(c.inputs[:2])
		shapes := [2]tensor.Shape{c.shape(0).Clone(), c.shape(1).Clone()}
		row, column := len(shapes[0]) == 1, len(shapes[1]) == 1
		if row {
			shapes[0] = tensor.Shape{1, shapes[0][0]}
		}
		if column {
			shapes[1] = append(shapes[1], 1)
		}
		var err error
		for i, shape := range shapes {
			if !slices.Equal(shape, c.shape(i)) {
				if nodes[i], err = reshape(nodes[i], shape); err != nil {
					return nil, err
				}
			}
			zero := c.input(2 + i)
			if zero == nil {
				continue
			}
			if zero.Dtype() != nodes[i].Dtype() {
				return nil, fault.Errorf(dense.ErrDtype, "a zero point of type %v for an input of type %v", typeName(zero.Dtype()), typeName(nodes[i].Dtype()))
			}
			if i == 0 && len(zero.Shape()) == 1 { // one for each row
				if zero, err = reshape(zero, tensor.Shape{zero.Shape()[0], 1}); err != nil {
					return nil, err
				}
			}
			nodes = append(nodes, zero)
		}
		y, err := apply(f, nodes...)
		if err != nil || !row && !column {
			return y, err
		}
		shape := y.Shape().Clone()
		last := len(shape)
		if column {
			shape = shape[:last-1]
		}
		if row {
			shape = slices.Delete(shape, last-2, last-1)
		}
		return reshape(y, shape)
	})
}
