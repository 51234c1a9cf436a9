package builders

import (
	"fmt"
	"slices"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/onnx"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// OneHot has a new axis of depth elements, behind the others unless axis is given:
// the second of values where an element's place on that axis is the index, and the
// first elsewhere. Negative indices count from the end; others that are out of
// range have no place. depth must be known when the graph is built. Opsets from 9
// on.
func OneHot(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("OneHot", n, inputs, func(c *call) (*G.Node, error) {
		depth, _, err := c.staticOne("depth")
		if err != nil {
			return nil, err
		}
		if depth < 0 {
			return nil, fault.Errorf(dense.ErrShape, "depth is %d, at least 0 is allowed", depth)
		}
		if !slices.Equal(c.shape(2), tensor.Shape{2}) {
			return nil, fault.Errorf(dense.ErrShape, "values of shape %v, (2) is allowed", c.shape(2))
		}
		axis, err := c.integer("axis", -1)
		if err != nil {
			return nil, err
		}
		if axis, err = c.axis(axis, c.rank()+1); err != nil {
			return nil, err
		}
		indices := c.inputs[0]
		if indices.Dtype() != tensor.Int64 {
			if indices, err = apply(casting{tensor.Int64}, indices); err != nil {
				return nil, err
			}
		}
		hot, err := c.apply(marking{axis, depth}, indices)
		if err != nil {
			return nil, err
		}
		choices := []*G.Node{hot, nil, nil}
		for i := range 2 {
			p := places{part: hot.Shape().Clone(), whole: tensor.Shape{2}, steps: make([]int, hot.Dims()), offset: i}
			if choices[2-i], err = apply(copying{p}, c.inputs[2]); err != nil {
				return nil, err
			}
		}
		return apply(choosing{}, choices...)
	})
}

// marking tells for each place of a new axis whether it is the index.
type marking struct{ axis, depth int }

func (f marking) String() string { return fmt.Sprintf("OneHot of %d on axis %d", f.depth, f.axis) }

func (f marking) result(in []operand) (operand, error) {
	shape := append(tensor.Shape{}, in[0].shape[:f.axis]...)
	return operand{tensor.Bool, append(append(shape, f.depth), in[0].shape[f.axis:]...)}, nil
}

func (f marking) run(out *tensor.Dense, in []*tensor.Dense) error {
	hot := elements[bool](out)
	if len(hot) == 0 {
		return nil
	}
	inner := count(in[0].Shape()[f.axis:])
	for i, index := range elements[int64](in[0]) {
		if index < 0 {
			index += int64(f.depth)
		}
		if index >= 0 && index < int64(f.depth) {
			hot[(i/inner*f.depth+int(index))*inner+i%inner] = true
		}
	}
	return nil
}

func (f marking) gradients([]operand, operand) []*term { return make([]*term, 1) }
