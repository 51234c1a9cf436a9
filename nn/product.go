package nn

import (
	"math"
	"slices"

	"gorgonia.org/gather"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/onnx/builders"
	G "gorgonia.org/gorgonia"
)

// MatMul is the matrix product of the last two axes, for every matrix of the axes in front of
// them, which are broadcast to each other: (…, m, k) times (…, k, n) is (…, m, n). A vector is
// a row on the left, and a column on the right, whose axis the result does not have.
func MatMul(a, b *G.Node) (*G.Node, error) {
	return call("MatMul", numbers("a b"), builders.MatMul, 13, nil, a, b)
}

// Einsum is the sum of products that an equation says, as PyTorch's einsum has it:
//
//	"bij,bjk->bik"    y[b,i,k] = Σ_j x0[b,i,j]·x1[b,j,k]
//
// What the result does not name is summed, and "..." stands for any axes.
func Einsum(equation string, xs ...*G.Node) (*G.Node, error) {
	return call("Einsum", numbers("xs…"), builders.Einsum, 12, attributes{"equation": equation}, xs...)
}

// Attention is the softmax of q·kᵀ/√d, times v: q (…, m, d), k (…, n, d), v (…, n, e), and the
// result (…, m, e). mask is bool, broadcast to (…, m, n), and true where a position may be
// attended to; nil lets all of them be. A row of the mask that is false everywhere gives NaN. It is
// PyTorch's scaled_dot_product_attention.
func Attention(q, k, v, mask *G.Node) (*G.Node, error) {
	const name = "Attention"
	if err := floats("q k v mask?!").check(name, q, k, v, mask); err != nil {
		return nil, err
	}
	r, s, t := len(q.Shape()), len(k.Shape()), len(v.Shape())
	if r < 2 || s < 2 || t < 2 || q.Shape()[r-1] != k.Shape()[s-1] || k.Shape()[s-2] != v.Shape()[t-2] {
		return nil, fault.Errorf(gather.ErrShape, "%s: q has shape %v, k %v, v %v, (…, m, d), (…, n, d) and (…, n, e) are needed",
			name, fault.Shape(q.Shape()), fault.Shape(k.Shape()), fault.Shape(v.Shape()))
	}
	if mask != nil {
		if err := checkBool(name, "mask", mask); err != nil {
			return nil, err
		}
	}
	order := make([]int, s)
	for i := range order {
		order[i] = i
	}
	slices.Reverse(order[s-2:])
	keys, err := Transpose(k, order...)
	if err != nil {
		return nil, named(name, err)
	}
	return chain(name, q,
		func(q *G.Node) (*G.Node, error) { return MatMul(q, keys) },
		func(s *G.Node) (*G.Node, error) {
			return Mul(s, number(s, 1/math.Sqrt(float64(q.Shape()[r-1]))))
		},
		func(s *G.Node) (*G.Node, error) {
			if mask == nil {
				return s, nil
			}
			s, err := Where(mask, s, number(s, math.Inf(-1)))
			return s, named("mask", err)
		},
		func(s *G.Node) (*G.Node, error) { return Softmax(s, -1) },
		func(p *G.Node) (*G.Node, error) { return MatMul(p, v) },
	)
}
