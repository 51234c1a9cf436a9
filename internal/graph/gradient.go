package graph

import (
	"slices"

	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/plan"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Gradient is a node's gradient on LispMachine, as a tensor of the wanted shape on the same
// memory. A scalar's gradient is a Gorgonia
// scalar: write is then called at the end, to store what has been added.
//
// LispMachine makes gradients in the strides of the value, and after a Reshape
// elsewhere in the graph in another shape of the same size.
func Gradient(n *G.Node, shape tensor.Shape) (d *tensor.Dense, write func(), err error) {
	v, err := n.Grad()
	if err != nil {
		return nil, nil, errors.WithMessagef(err, "gradient of %v", n)
	}
	switch v := v.(type) {
	case *tensor.Dense:
		if slices.Equal(v.Shape(), shape) {
			return v, func() {}, nil
		}
		if v.Shape().TotalSize() != shape.TotalSize() || v.RequiresIterator() || v.DataOrder().IsColMajor() {
			return nil, nil, errors.Errorf("gradient of %v has shape %v and strides %v, which do not fit %v", n, v.Shape(), v.Strides(), shape)
		}
		d := v.ShallowClone()
		return d, func() {}, errors.WithMessagef(d.Reshape(shape...), "gradient of %v", n)
	case G.Scalar:
		if d := takeScalar(v); d != nil && len(shape) == 0 {
			return d, func() { writeScalar(v, d); putScalar(d) }, nil
		}
	}
	return nil, nil, errors.Errorf("gradient of %v is %T, which does not fit shape %v", n, v, shape)
}

// Values are the values of nodes.
func Values(nodes G.Nodes) []G.Value {
	values := make([]G.Value, len(nodes))
	for i, n := range nodes {
		values[i] = n.Value()
	}
	return values
}

// Accumulate adds a value of the node's shape to the node's gradient.
func Accumulate(n *G.Node, v G.Value) error {
	dst, write, err := Gradient(n, v.Shape())
	if err != nil {
		return err
	}
	defer write()
	if rows := v.Shape(); len(rows) > 0 {
		// To add is to scatter-add each row to the same row; the scatter knows all
		// layouts and dtypes.
		same := tensor.New(tensor.WithBacking(tensor.Range(tensor.Int, 0, rows[0])), tensor.WithShape(rows[0]))
		return core.AddGather(plan.Params{Op: plan.Gather}, dst, v.(tensor.Tensor), same)
	}
	switch v := v.(type) {
	case *G.F64:
		*(*float64)(memory(dst)) += float64(*v)
	case *G.F32:
		*(*float32)(memory(dst)) += float32(*v)
	default:
		return errors.Errorf("gradient of %v: a scalar %T cannot be added", n, v)
	}
	return nil
}
