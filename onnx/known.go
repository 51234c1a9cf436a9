package onnx

import (
	"fmt"
	"math"
	"slices"

	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/opset"
	"gorgonia.org/tensor"
)

// A known operator is one whose result is always known when the graph is built.
type knownOperator func(c *opset.Call, n Node, inputs []*binding) (knownValue, error)

// A knownValue is a dtype and a shape, whose memory is counted before the values
// are made.
type knownValue struct {
	dtype tensor.Dtype
	shape tensor.Shape
	fill  func(d *tensor.Dense)
}

var knownOperators = map[string]knownOperator{
	"Shape": shapeOf, "Size": sizeOf, "ConstantOfShape": constantOfShape, "Range": rangeOf,
}

// knownNode computes a node of such an operator.
func (b *builder) knownNode(n *modelNode, inputs []*binding) error {
	node, err := n.node(b.opsets, b.settings.budget)
	if err != nil {
		return err
	}
	d, err := evalKnown(node, inputs, func(dt tensor.Dtype, shape tensor.Shape) error { return takeTensor(b.settings.budget, dt, shape) })
	if err != nil {
		return err
	}
	out, err := b.onlyOutput(n)
	if err == nil {
		b.constant(out, d)
	}
	return err
}

// evalKnown computes a node of such an operator. take is asked for the memory of the
// result.
func evalKnown(n Node, inputs []*binding, take func(tensor.Dtype, tensor.Shape) error) (*tensor.Dense, error) {
	c, err := specification.Call(n.OpType, n.Opset)
	if err != nil {
		return nil, err
	}
	for name := range n.Attributes {
		if _, ok := c.Version.Attribute(name); !ok {
			return nil, c.UnknownAttribute(name)
		}
	}
	wanted := 1
	if n.OpType == "Range" {
		wanted = 3
	}
	if len(inputs) != wanted || slices.Contains(inputs, nil) {
		return nil, fault.Errorf(dense.ErrShape, "%s: %d inputs, %d are needed", c.Name(), len(inputs), wanted)
	}
	if err := c.CheckDtype(opset.Parameter{Name: "input 0"}, inputs[0].dtype()); err != nil {
		return nil, err
	}
	out, err := knownOperators[n.OpType](c, n, inputs)
	if err == nil {
		err = take(out.dtype, out.shape)
	}
	if err != nil {
		return nil, errors.WithMessage(err, c.Name())
	}
	d := tensor.NewDense(out.dtype, out.shape.Clone())
	out.fill(d)
	return d, nil
}

// isKnown tells whether a node's operator is one of them.
func isKnown(n Node) bool {
	return knownOperators[n.OpType] != nil && plainDomain(n.Domain) == ""
}

// evalKnownTensors is evalKnown for tensors, of any layout.
func evalKnownTensors(n Node, inputs []tensor.Tensor, take func(tensor.Dtype, tensor.Shape) error) (*tensor.Dense, error) {
	known := make([]*binding, len(inputs))
	for i, t := range inputs {
		d, err := opset.DescribeTensor(t)
		switch {
		case err != nil:
			return nil, errors.WithMessagef(err, "%s: input %d", n.OpType, i)
		case !d.Given:
			continue
		}
		known[i] = &binding{name: fmt.Sprint("input ", i), known: t.(*tensor.Dense)}
		// Those of Shape and Size need no copy: their values are not read.
		if n.OpType != "Shape" && n.OpType != "Size" && (len(d.Shape) == 1 || d.Shape.TotalSize() == 1) && !slices.Contains(d.Shape, 0) {
			if known[i].known, err = packedCopy(known[i].known); err != nil {
				return nil, errors.WithMessagef(err, "%s: input %d", n.OpType, i)
			}
		}
	}
	return evalKnown(n, known, take)
}

// shapeOf is the shape of its input from start up to end, an attribute each since
// opset 15.
func shapeOf(c *opset.Call, n Node, inputs []*binding) (knownValue, error) {
	shape := inputs[0].shape()
	ends := [2]int64{0, math.MaxInt64}
	for i, name := range []string{"start", "end"} {
		if value, given := n.Attributes[name]; given {
			var err error
			if ends[i], err = integer(c, name, value); err != nil {
				return knownValue{}, err
			}
		}
		if ends[i] < 0 {
			ends[i] += int64(len(shape))
		}
		ends[i] = min(max(ends[i], 0), int64(len(shape)))
	}
	dims := shape[ends[0]:max(ends[0], ends[1])]
	return knownValue{tensor.Int64, tensor.Shape{len(dims)}, func(d *tensor.Dense) {
		for i, n := range dims {
			d.Int64s()[i] = int64(n)
		}
	}}, nil
}

func sizeOf(_ *opset.Call, _ Node, inputs []*binding) (knownValue, error) {
	size := int64(1)
	for _, n := range inputs[0].shape() {
		size *= int64(n)
	}
	return knownValue{tensor.Int64, tensor.Shape{}, func(d *tensor.Dense) { d.Int64s()[0] = size }}, nil
}

// constantOfShape repeats the one element of the attribute value, 0 as float
// unless it is given.
func constantOfShape(_ *opset.Call, n Node, inputs []*binding) (knownValue, error) {
	dims := inputs[0].known
	if dims == nil {
		return knownValue{}, errNotKnown(inputs[0])
	}
	if len(dims.Shape()) != 1 {
		return knownValue{}, fault.Errorf(dense.ErrShape, "input of shape %s, a list is allowed", fault.Shape(dims.Shape()))
	}
	shape := tensor.Shape{}
	if dims.Shape()[0] > maxRank {
		return knownValue{}, fault.Errorf(dense.ErrShape, "%d dims, at most %d are allowed", dims.Shape()[0], maxRank)
	}
	for i := range dims.Shape()[0] {
		n := dims.Int64s()[i]
		if n < 0 || n > math.MaxInt {
			return knownValue{}, fault.Errorf(dense.ErrShape, "dim %d at axis %d", n, i)
		}
		shape = append(shape, int(n))
	}
	inputs[0].folded = true
	value := tensor.New(tensor.WithShape(1), tensor.WithBacking([]float32{0}))
	if given, ok := n.Attributes["value"]; ok {
		if value, ok = given.(*tensor.Dense); !ok || value.Shape().TotalSize() != 1 && len(value.Shape()) > 0 {
			return knownValue{}, fault.Errorf(dense.ErrOption, "value must be a tensor of one element")
		}
	}
	if value.Dtype() == tensor.String {
		return knownValue{}, fault.Errorf(dense.ErrDtype, "value of type string, numbers and bool are allowed")
	}
	element := value.Uint8s()[:value.Dtype().Size()]
	return knownValue{value.Dtype(), shape, func(d *tensor.Dense) {
		mem := d.Uint8s()
		if shape.TotalSize() == 0 && len(shape) > 0 {
			return
		}
		// Twice as much each time.
		for done := copy(mem, element); done < len(mem); {
			done += copy(mem[done:], mem[:done])
		}
	}}, nil
}

func errNotKnown(v *binding) error {
	return errors.Errorf("%q must be known when the graph is built: an initializer, a Constant, or what follows from shapes", fault.Cut(v.name))
}
