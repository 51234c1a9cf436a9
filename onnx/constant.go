package onnx

import (
	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/opset"
	"gorgonia.org/tensor"
)

// constants are Constant's attributes of these names: each is a value of its
// own kind.
func constants(names ...string) []opset.Attribute {
	list := make([]opset.Attribute, len(names))
	for i, name := range names {
		list[i] = opset.Attribute{Name: name}
	}
	return list
}

// constantKinds are the kinds of Constant's attributes.
var constantKinds = map[string]int64{
	"value": kindTensor, "value_float": kindFloat, "value_int": kindInt, "value_string": kindString,
	"value_floats": kindFloats, "value_ints": kindInts, "value_strings": kindStrings,
}

// constant is the value of a Constant node, which has exactly one attribute.
// sparse_value, since opset 11, is not among them: a file of a few bytes could
// make it a tensor of any size.
func constant(n *modelNode, version int, budget *opset.Budget) (*tensor.Dense, error) {
	c, err := specification.Call("Constant", version)
	if err != nil {
		return nil, err
	}
	if len(n.inputs) != 0 {
		return nil, fault.Errorf(dense.ErrShape, "%s: %d inputs, none is allowed", c.Name(), len(n.inputs))
	}
	if len(n.attributes) != 1 {
		return nil, fault.Errorf(dense.ErrOption, "%s: %d attributes, exactly one is allowed", c.Name(), len(n.attributes))
	}
	a := n.attributes[0]
	if a.name == "sparse_value" {
		return nil, fault.Errorf(dense.ErrOption, "%s: sparse_value is not supported", c.Name())
	}
	if _, ok := c.Version.Attribute(a.name); !ok {
		return nil, c.UnknownAttribute(a.name)
	}
	if want := constantKinds[a.name]; a.kind != want {
		return nil, fault.Errorf(dense.ErrOption, "%s: attribute %q is of kind %s, %s is allowed", c.Name(), a.name, kindNames[a.kind], kindNames[want])
	}
	d, err := a.dense(budget)
	if err != nil {
		return nil, errors.WithMessage(err, c.Name())
	}
	return d, c.CheckDtype(opset.Parameter{Name: a.name}, d.Dtype())
}

// dense is the value of an attribute as a tensor: a list as a vector.
func (a attributeProto) dense(budget *opset.Budget) (*tensor.Dense, error) {
	if a.kind == kindTensor {
		t := new(tensorProto)
		if err := a.each(attributeTensor, func(f field) error { return t.parse(f.bytes) }); err != nil {
			return nil, err
		}
		if t.packed() != nil { // which as int8 could not be told from it
			return nil, notSupported(t.dataType)
		}
		return t.dense(budget)
	}
	shape := tensor.Shape{}
	var dt tensor.Dtype
	switch a.kind {
	case kindFloat, kindFloats:
		dt = tensor.Float32
	case kindInt, kindInts:
		dt = tensor.Int64
	default:
		dt = tensor.String
	}
	switch a.kind {
	case kindFloats, kindInts, kindStrings:
		n, err := a.length()
		if err != nil {
			return nil, err
		}
		shape = tensor.Shape{n}
	}
	if err := takeTensor(budget, dt, shape); err != nil {
		return nil, err
	}
	value, err := a.value()
	if err != nil {
		return nil, err
	}
	var backing any
	switch x := value.(type) {
	case float32:
		backing = []float32{x}
	case int64:
		backing = []int64{x}
	case string:
		backing = []string{x}
	default:
		backing = x
	}
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(backing)), nil
}
