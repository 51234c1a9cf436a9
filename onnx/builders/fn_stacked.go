package builders

import (
	"slices"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/tensor"
)

// stacked is Aᵀ B for A (…, k) and B (…, n), whose matrices are taken for one, one
// below the other: the sum of the products of a batch, and so the gradient of a matrix
// that all of the batch is multiplied by.
type stacked struct{}

func (f stacked) String() string { return "MatMul of stacked matrices, the first transposed" }

func (f stacked) result(in []operand) (operand, error) {
	a, b := in[0].shape, in[1].shape
	last := len(a) - 1
	if last < 1 || len(b) != len(a) || !slices.Equal(a[:last], b[:last]) {
		return operand{}, fault.Errorf(dense.ErrShape, "shapes %v and %v", a, b)
	}
	one := func(o operand) operand { return operand{o.dtype, tensor.Shape{count(o.shape[:last]), o.shape[last]}} }
	return product{transposeA: true}.result([]operand{one(in[0]), one(in[1])})
}

func (f stacked) run(out *tensor.Dense, in []*tensor.Dense) error {
	shape := out.Shape()
	rows := count(in[0].Shape()[:in[0].Dims()-1])
	product{transposeA: true}.multiply(multiplication{m: shape[0], k: rows, n: shape[1]}, out, in)
	return nil
}

// The gradient of a sum of products is that of each.
func (f stacked) gradients([]operand, operand) []*term {
	return []*term{of(product{transposeB: true}, input(1), grad()), of(product{}, input(0), grad())}
}
