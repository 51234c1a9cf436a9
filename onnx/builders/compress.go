package builders

import (
	"fmt"

	"gorgonia.org/gather"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/onnx"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Compress takes the slices along an axis for which condition, a list of bools, is true;
// without axis the elements of the flattened input. A condition that is shorter than the
// axis is false for the rest. How many are true must be known when the graph is built:
// a run with another number is an error. Opsets from 9 on.
func Compress(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("Compress", n, inputs, func(c *call) (*G.Node, error) {
		data, condition := c.inputs[0], c.inputs[1]
		if condition.Dtype() != tensor.Bool || condition.Dims() != 1 {
			return nil, fault.Errorf(dense.ErrShape, "a condition %v %v, a list of bools is allowed", typeName(condition.Dtype()), condition.Shape())
		}
		axis, err := c.integer("axis", 0)
		if err != nil {
			return nil, err
		}
		if _, given := c.node.Attributes["axis"]; !given {
			if data, err = reshape(data, tensor.Shape{count(c.shape(0))}); err != nil {
				return nil, err
			}
		} else if axis, err = c.axis(axis, c.rank()); err != nil {
			return nil, err
		}
		value := known(condition)
		if value == nil {
			return nil, fault.Errorf(dense.ErrShape, "condition, %s, must be known when the graph is built: an initializer, a Constant, or what follows from shapes",
				fault.Name(condition.Name()))
		}
		if size := data.Shape()[axis]; count(value.Shape()) > size {
			return nil, fault.Errorf(dense.ErrShape, "a condition of %d elements for axis %d of size %d", count(value.Shape()), axis, size)
		}
		f := truePlaces{}
		for _, x := range elements[bool](value) {
			if x {
				f.n++
			}
		}
		places, err := apply(f, condition)
		if err != nil {
			return nil, err
		}
		return gather.Gather(data, places, axis)
	})
}

// truePlaces are the places of the n elements that are true.
type truePlaces struct{ n int }

func (f truePlaces) String() string { return fmt.Sprintf("Compress to %d places", f.n) }

func (f truePlaces) result([]operand) (operand, error) {
	return operand{tensor.Int64, tensor.Shape{f.n}}, nil
}

func (f truePlaces) run(out *tensor.Dense, in []*tensor.Dense) error {
	dst, n := elements[int64](out), 0
	for i, x := range elements[bool](in[0]) {
		if !x {
			continue
		}
		if n++; n <= f.n {
			dst[n-1] = int64(i)
		}
	}
	if n != f.n {
		return fault.Errorf(dense.ErrShape, "condition is true %d times, and was %d times when the graph was built", n, f.n)
	}
	return nil
}

func (f truePlaces) gradients([]operand, operand) []*term { return make([]*term, 1) }
