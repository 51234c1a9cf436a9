package builders

import (
	"math"
	"slices"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/onnx"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Attention is the softmax of scaled products of queries and keys, times the values, for
// every head:
//
//	Q (batch, heads, q, size), K (batch, kv, k, size), V (batch, kv, k, value size)
//	→ Y (batch, heads, q, value size)
//
// or, with q_num_heads and kv_num_heads, of rank 3: (batch, length, heads × size). heads is
// a multiple of kv, and as many heads share a key. attn_mask, broadcast to (batch, heads, q,
// k), hides keys where it is false, or is added to the products; it hides those behind its
// own end, and is_causal those behind each query's own place. A query all of whose keys are
// hidden gets zeros. With softcap c a product x is c tanh(x/c). Past and present keys and
// values, lengths, windows and qk_matmul_output are refused. Opsets from 23 on; float and
// double.
func Attention(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("Attention", n, inputs, func(c *call) (*G.Node, error) {
		a, err := c.attention()
		if err != nil {
			return nil, err
		}
		scores, err := a.scores()
		if err != nil {
			return nil, err
		}
		shape := scores.Shape().Clone()
		weights, err := apply(shares{softmax{lines: linesOf(shape, 3)}}, scores)
		if err != nil {
			return nil, err
		}
		y, err := a.product(product{}, weights, a.v)
		if err != nil || a.rank == 4 {
			return y, err
		}
		shape = y.Shape().Clone()
		if y, err = apply(copying{permuted(shape, []int{0, 2, 1, 3})}, y); err != nil {
			return nil, err
		}
		return reshape(y, tensor.Shape{shape[0], shape[2], shape[1] * shape[3]})
	})
}

// An attention is a node of this operator, with its inputs as (batch, heads, length, size).
type attention struct {
	*call
	q, k, v   *G.Node
	rank      int
	heads, kv int
}

func (c *call) attention() (*attention, error) {
	for i, name := range []string{4: "past_key", 5: "past_value", 6: "nonpad_kv_seqlen"} {
		if c.input(i) != nil && i > 3 {
			return nil, fault.Errorf(dense.ErrOption, "%s, input %d, is not supported", name, i)
		}
	}
	for i, name := range []string{1: "present_key", 2: "present_value", 3: "qk_matmul_output"} {
		if i > 0 && c.wants(i) {
			return nil, fault.Errorf(dense.ErrOption, "%s, output %d, is not supported", name, i)
		}
	}
	for _, name := range []string{"left_window_size", "right_window_size"} {
		if size, err := c.integer(name, -1); err != nil || size != -1 {
			return nil, orOption(err, "%s is %d, -1 is supported", name, size)
		}
	}
	if to, err := c.integer("softmax_precision", 1); err != nil || to != 1 && to != 11 {
		return nil, orOption(err, "softmax_precision is %d, 1 (float) and 11 (double) are supported", to)
	}
	a := &attention{call: c, rank: c.rank()}
	for i, to := range []**G.Node{&a.q, &a.k, &a.v} {
		if len(c.shape(i)) != a.rank || a.rank != 3 && a.rank != 4 {
			return nil, fault.Errorf(dense.ErrShape, "inputs of shapes %v, %v and %v, ranks of 3 or 4 are allowed", c.shape(0), c.shape(1), c.shape(2))
		}
		name := "kv_num_heads"
		if i == 0 {
			name = "q_num_heads"
		}
		heads, err := c.integer(name, 0)
		if err != nil {
			return nil, err
		}
		if *to, err = c.headed(i, name, heads); err != nil {
			return nil, err
		}
	}
	q, k, v := a.q.Shape(), a.k.Shape(), a.v.Shape()
	a.heads, a.kv = q[1], k[1]
	if q[0] != k[0] || k[0] != v[0] || k[1] != v[1] || k[2] != v[2] || q[3] != k[3] || a.kv == 0 || a.heads%a.kv != 0 {
		return nil, fault.Errorf(dense.ErrShape, "queries %v, keys %v and values %v, as (batch, heads, length, size), do not fit", q, k, v)
	}
	return a, nil
}

// headed is an input of rank 4, or one of rank 3 with its heads.
func (c *call) headed(i int, name string, heads int) (*G.Node, error) {
	shape := c.shape(i).Clone()
	if len(shape) == 4 {
		return c.inputs[i], nil
	}
	if heads < 1 || shape[2]%heads != 0 {
		return nil, fault.Errorf(dense.ErrOption, "%s is %d, input %d of shape %v", name, heads, i, shape)
	}
	size := shape[2] / heads
	part := tensor.Shape{shape[0], heads, shape[1], size}
	steps := rowMajor(shape)
	return apply(copying{places{part: part, whole: shape, steps: []int{steps[0], size, steps[1], 1}}}, c.inputs[i])
}

// product multiplies a matrix of every head with one of the keys or values it shares.
func (a *attention) product(f product, left, right *G.Node) (*G.Node, error) {
	if a.heads == a.kv {
		return apply(f, left, right)
	}
	l, r := left.Shape().Clone(), right.Shape().Clone()
	left, err := reshape(left, tensor.Shape{l[0], a.kv, a.heads / a.kv, l[2], l[3]})
	if err != nil {
		return nil, err
	}
	if right, err = reshape(right, tensor.Shape{r[0], a.kv, 1, r[2], r[3]}); err != nil {
		return nil, err
	}
	y, err := apply(f, left, right)
	if err != nil {
		return nil, err
	}
	shape := y.Shape()
	return reshape(y, tensor.Shape{l[0], a.heads, shape[3], shape[4]})
}

// scores are what the softmax is taken of.
func (a *attention) scores() (*G.Node, error) {
	scale, err := a.real("scale", 1/math.Sqrt(float64(a.q.Shape()[3])))
	if err != nil {
		return nil, err
	}
	limit, err := a.real("softcap", 0)
	if err != nil || limit < 0 {
		return nil, orOption(err, "softcap is %v, at least 0 is allowed", limit)
	}
	x, err := a.product(product{transposeB: true}, a.q, a.k)
	if err != nil {
		return nil, err
	}
	functions := []function{scaling{scale}}
	if limit > 0 {
		functions = []function{scaling{scale / limit}, pointwise{name: "Tanh"}, scaling{limit}}
	}
	for _, f := range functions {
		if x, err = apply(f, x); err != nil {
			return nil, err
		}
	}
	return a.masked(x)
}

// masked adds the mask to scores, and hides what it and the causal order hide.
func (a *attention) masked(x *G.Node) (*G.Node, error) {
	causal, err := a.boolean("is_causal", false)
	if err != nil {
		return nil, err
	}
	shape := x.Shape().Clone()
	mask := a.input(3)
	if mask != nil {
		part := mask.Shape().Clone()
		if last := len(part) - 1; last >= 0 && part[last] < shape[3] && part[last] != 1 {
			// What is behind the end of the mask is hidden.
			whole := part.Clone()
			whole[last] = shape[3]
			if mask, err = apply(padding{within(part, whole, make([]int, len(part))), true}, mask); err != nil {
				return nil, err
			}
		}
		if to, err := broadcast(mask.Shape(), shape); err != nil || !slices.Equal(to, shape) {
			return nil, fault.Errorf(dense.ErrShape, "attn_mask of shape %v for products of shape %v", part, shape)
		}
		if mask.Dtype() != tensor.Bool {
			if x, err = apply(pairing{"Add"}, x, mask); err != nil {
				return nil, err
			}
			mask = nil
		}
	}
	f := hiding{shape: shape, causal: causal, value: math.Inf(-1)}
	switch {
	case mask != nil:
		return apply(f, x, mask)
	case causal:
		return apply(f, x)
	}
	return x, nil
}
