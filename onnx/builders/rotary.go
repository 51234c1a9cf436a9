package builders

import (
	"gorgonia.org/gather"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/onnx"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// RotaryEmbedding rotates pairs of the elements of each head by angles that depend on the
// place:
//
//	X (batch, heads, length, size), or (batch, length, heads × size) with num_heads;
//	cos_cache and sin_cache (places, n/2) with position_ids (batch, length), else (batch, length, n/2)
//
// n is rotary_embedding_dim or, if that is 0, size; the elements behind it stay. A pair is
// an element of the first half of n and the one of the second half in its place or, if
// interleaved, two neighbours. Opsets from 23 on; float.
func RotaryEmbedding(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("RotaryEmbedding", n, inputs, (*call).rotaryEmbedding)
}

func (c *call) rotaryEmbedding() (*G.Node, error) {
	heads, err := c.integer("num_heads", 0)
	if err != nil {
		return nil, err
	}
	rank := c.rank()
	if rank != 3 && rank != 4 {
		return nil, fault.Errorf(dense.ErrShape, "X of shape %v, ranks of 3 and 4 are allowed", c.shape(0))
	}
	x, err := c.headed(0, "num_heads", heads)
	if err != nil {
		return nil, err
	}
	y, err := c.rotated(x)
	if err != nil || rank == 4 {
		return y, err
	}
	shape := c.shape(0).Clone()
	if y, err = apply(copying{permuted(y.Shape().Clone(), []int{0, 2, 1, 3})}, y); err != nil {
		return nil, err
	}
	return reshape(y, shape)
}

// rotated is X as (batch, heads, length, size).
func (c *call) rotated(x *G.Node) (*G.Node, error) {
	shape := x.Shape().Clone()
	n, err := c.integer("rotary_embedding_dim", 0)
	if err != nil {
		return nil, err
	}
	size := shape[3]
	if n == 0 {
		n = size
	}
	if n < 2 || n > size || n%2 != 0 {
		return nil, fault.Errorf(dense.ErrShape, "%d of %d elements to rotate, an even number of at least 2 is allowed", n, size)
	}
	interleaved, err := c.boolean("interleaved", false)
	if err != nil {
		return nil, err
	}
	var tables [2]*G.Node
	for i := range tables {
		if tables[i], err = c.angles(1+i, shape, n/2); err != nil {
			return nil, err
		}
	}
	// Both elements of the pairs.
	var pair [2]*G.Node
	for i := range pair {
		p := sliced(shape, 3, i*n/2, n/2)
		if interleaved {
			p.offset, p.steps[3] = i, 2
		}
		if pair[i], err = apply(copying{p}, x); err != nil {
			return nil, err
		}
	}
	cosine, sine := tables[0], tables[1]
	first, err := combined("Sub", pair[0], cosine, pair[1], sine)
	if err != nil {
		return nil, err
	}
	second, err := combined("Add", pair[0], sine, pair[1], cosine)
	if err != nil {
		return nil, err
	}
	parts := []*G.Node{first, second}
	if interleaved {
		if parts, err = alternating(first, second); err != nil {
			return nil, err
		}
	}
	if n < size {
		rest, err := apply(copying{sliced(shape, 3, n, size-n)}, x)
		if err != nil {
			return nil, err
		}
		parts = append(parts, rest)
	}
	if len(parts) == 1 {
		return parts[0], nil
	}
	return apply(joining{3}, parts...)
}

// angles are a cache for each place, as (batch, 1, length, n).
func (c *call) angles(i int, x tensor.Shape, n int) (*G.Node, error) {
	cache := c.inputs[i]
	if ids := c.input(3); ids != nil {
		if cache.Dims() != 2 {
			return nil, fault.Errorf(dense.ErrShape, "input %d of shape %v, a matrix is allowed with position_ids", i, cache.Shape())
		}
		var err error
		if cache, err = gather.Gather(cache, ids, 0); err != nil {
			return nil, err
		}
	}
	shape := cache.Shape().Clone()
	if len(shape) != 3 || shape[0] != x[0] || shape[1] != x[2] || shape[2] != n {
		return nil, fault.Errorf(dense.ErrShape, "input %d gives angles of shape %v, (%d, %d, %d) is needed", i, shape, x[0], x[2], n)
	}
	return reshape(cache, tensor.Shape{shape[0], 1, shape[1], n})
}

// combined is a b and c d, added or subtracted.
func combined(op string, a, b, c, d *G.Node) (*G.Node, error) {
	left, err := apply(pairing{"Mul"}, a, b)
	if err != nil {
		return nil, err
	}
	right, err := apply(pairing{"Mul"}, c, d)
	if err != nil {
		return nil, err
	}
	return apply(pairing{op}, left, right)
}

// alternating is a tensor whose elements along the last axis are those of two in turns.
func alternating(a, b *G.Node) ([]*G.Node, error) {
	shape := a.Shape().Clone()
	last := len(shape) - 1
	var err error
	for _, n := range []**G.Node{&a, &b} {
		if *n, err = reshape(*n, append(shape.Clone(), 1)); err != nil {
			return nil, err
		}
	}
	y, err := apply(joining{last + 1}, a, b)
	if err != nil {
		return nil, err
	}
	shape[last] *= 2
	y, err = reshape(y, shape)
	return []*G.Node{y}, err
}
