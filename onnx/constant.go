package onnx

import (
	"fmt"

	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/tensor"
)

// constants are Constant's attributes of these names: each is a value of its
// own kind.
func constants(names ...string) []attribute {
	list := make([]attribute, len(names))
	for i, name := range names {
		list[i] = attribute{name: name}
	}
	return list
}

// constant is the value of a Constant node, which has exactly one attribute.
// sparse_value, since opset 11, is not among them: a file of a few bytes could
// make it a tensor of any size.
func constant(n modelNode, opset int) (*tensor.Dense, error) {
	v, err := versionOf("Constant", opset)
	if err != nil {
		return nil, err
	}
	c := call{op: "Constant", opset: opset, version: v}
	if len(n.inputs) != 0 {
		return nil, errors.Wrapf(dense.ErrShape, "%s: %d inputs, none is allowed", c.name(), len(n.inputs))
	}
	if len(n.attributes) != 1 {
		return nil, errors.Wrapf(dense.ErrOption, "%s: %d attributes, exactly one is allowed", c.name(), len(n.attributes))
	}
	var name string
	var value any
	for name, value = range n.attributes { // the only one
	}
	if name == "sparse_value" {
		return nil, errors.Wrapf(dense.ErrOption, "%s: sparse_value is not supported", c.name())
	}
	if _, ok := v.attribute(name); !ok {
		return nil, c.notAllowed(dense.ErrOption, fmt.Sprintf("attribute %q", name), func(v version) bool {
			_, ok := v.attribute(name)
			return ok
		})
	}
	d, err := constantValue(name, value)
	if err != nil {
		return nil, errors.WithMessage(err, c.name())
	}
	return d, c.checkDtype(parameter{name: name}, d.Dtype())
}

func constantValue(name string, value any) (*tensor.Dense, error) {
	shape := tensor.Shape{}
	var backing any
	switch x := value.(type) {
	case *tensorProto:
		if name == "value" {
			return x.dense()
		}
	case float32:
		if name == "value_float" {
			backing = []float32{x}
		}
	case int64:
		if name == "value_int" {
			backing = []int64{x}
		}
	case string:
		if name == "value_string" {
			backing = []string{x}
		}
	case []float32:
		if name == "value_floats" {
			shape, backing = tensor.Shape{len(x)}, append([]float32{}, x...)
		}
	case []int64:
		if name == "value_ints" {
			shape, backing = tensor.Shape{len(x)}, append([]int64{}, x...)
		}
	case []string:
		if name == "value_strings" {
			shape, backing = tensor.Shape{len(x)}, append([]string{}, x...)
		}
	}
	if backing == nil {
		return nil, errors.Wrapf(dense.ErrOption, "attribute %q is of another kind than its name says", name)
	}
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(backing)), nil
}
