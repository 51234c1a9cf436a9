package builders

import (
	"slices"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/onnx"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// MatMul is the matrix product of NumPy's matmul: of the last two axes, for
// every matrix of the axes in front of them, which are broadcast to each other.
//
//	A (…, m, k), B (…, k, n) → (…, m, n)
//
// A of rank 1 is a row and B of rank 1 a column, whose axes the result does not
// have. Floats are multiplied by the BLAS that gorgonia.Use chose, Gonum's
// unless it was called; int32, int64,
// uint32 and uint64, since opset 9, by plain loops.
func MatMul(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("MatMul", n, inputs, func(c *call) (*G.Node, error) {
		a, b := c.inputs[0], c.inputs[1]
		if a.Dims() == 0 || b.Dims() == 0 {
			return nil, fault.Errorf(dense.ErrShape, "inputs of shapes %v and %v, ranks of at least 1 are allowed", a.Shape(), b.Shape())
		}
		row, column := a.Dims() == 1, b.Dims() == 1
		var err error
		if row {
			if a, err = reshape(a, tensor.Shape{1, a.Shape()[0]}); err != nil {
				return nil, err
			}
		}
		if column {
			if b, err = reshape(b, tensor.Shape{b.Shape()[0], 1}); err != nil {
				return nil, err
			}
		}
		y, err := apply(product{}, a, b)
		if err != nil || !row && !column {
			return y, err
		}
		full := y.Shape()
		shape := append(tensor.Shape{}, full[:len(full)-2]...)
		if !row {
			shape = append(shape, full[len(full)-2])
		}
		if !column {
			shape = append(shape, full[len(full)-1])
		}
		return reshape(y, shape)
	})
}

// Gemm is alpha A' B' + beta C, where A' is A or, with transA, its transpose,
// and B' likewise; A' (m, k), B' (k, n), and C is broadcast to (m, n). C may be
// left out from opset 11 on. Opsets from 7 on.
func Gemm(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("Gemm", n, inputs, func(c *call) (*G.Node, error) {
		var f product
		var alpha, beta float64
		var err error
		if f.transposeA, err = c.boolean("transA", false); err != nil {
			return nil, err
		}
		if f.transposeB, err = c.boolean("transB", false); err != nil {
			return nil, err
		}
		if alpha, err = c.real("alpha", 1); err != nil {
			return nil, err
		}
		if beta, err = c.real("beta", 1); err != nil {
			return nil, err
		}
		if c.rank() != 2 || len(c.shape(1)) != 2 {
			return nil, fault.Errorf(dense.ErrShape, "inputs of shapes %v and %v, matrices are allowed", c.shape(0), c.shape(1))
		}
		y, err := scaledProduct(f, alpha, c.inputs[0], c.inputs[1])
		bias := c.input(2)
		if err != nil || bias == nil {
			return y, err
		}
		if shape, err := broadcast(y.Shape(), bias.Shape()); err != nil || !slices.Equal(shape, y.Shape()) {
			return nil, fault.Errorf(dense.ErrShape, "C of shape %v does not broadcast to %v", bias.Shape(), y.Shape())
		}
		if beta != 1 {
			if bias, err = apply(scaling{beta}, bias); err != nil {
				return nil, err
			}
		}
		return apply(pairing{"Add"}, y, bias)
	})
}

func scaledProduct(f product, alpha float64, a, b *G.Node) (*G.Node, error) {
	y, err := apply(f, a, b)
	if err != nil || alpha == 1 {
		return y, err
	}
	return apply(scaling{alpha}, y)
}
