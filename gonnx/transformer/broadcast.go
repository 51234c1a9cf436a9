package transformer

import (
	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/tensor"
)

// broadcast is the shape that all of shapes are repeated to: aligned at their ends,
// a dim of 1 becomes that of the others, which must agree.
func broadcast(shapes ...tensor.Shape) (tensor.Shape, error) {
	rank := 0
	for _, s := range shapes {
		rank = max(rank, len(s))
	}
	out := make(tensor.Shape, rank)
	for i := range out {
		out[i] = 1
	}
	for _, s := range shapes {
		for i, n := range s {
			at := rank - len(s) + i
			switch {
			case n == 1:
			case out[at] == 1:
				out[at] = n
			case out[at] != n:
				return nil, errors.Wrapf(dense.ErrShape, "shapes %v cannot be broadcast: %d and %d at axis %d, counted from the end", shapes, out[at], n, at-rank)
			}
		}
	}
	return out, nil
}

// stridesTo are the strides by which the elements of a packed tensor of the shape
// are read in the order of the shape it is repeated to: 0 along what is repeated.
func stridesTo(shape, out tensor.Shape) []int {
	strides := make([]int, len(out))
	stride := 1
	for i := len(shape) - 1; i >= 0; i-- {
		if shape[i] != 1 {
			strides[len(out)-len(shape)+i] = stride
		}
		stride *= shape[i]
	}
	return strides
}

// eachRow calls visit for each row, which is a run along the last axis, with the
// offsets of its first element in each of the tensors and the steps within the row.
// A shape of rank 0 is one row of one element.
func eachRow(shape tensor.Shape, strides [][]int, visit func(n int, offsets, steps []int)) {
	for _, n := range shape {
		if n == 0 {
			return
		}
	}
	offsets, steps := make([]int, len(strides)), make([]int, len(strides))
	if len(shape) == 0 {
		visit(1, offsets, steps)
		return
	}
	last := len(shape) - 1
	for i, s := range strides {
		steps[i] = s[last]
	}
	at := make([]int, last)
	for {
		visit(shape[last], offsets, steps)
		axis := last - 1
		for ; axis >= 0; axis-- {
			at[axis]++
			for i, s := range strides {
				offsets[i] += s[axis]
			}
			if at[axis] < shape[axis] {
				break
			}
			for i, s := range strides {
				offsets[i] -= s[axis] * shape[axis]
			}
			at[axis] = 0
		}
		if axis < 0 {
			return
		}
	}
}
