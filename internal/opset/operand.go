package opset

import (
	"fmt"

	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A Description is what is known of an operand when a graph is built, which is
// all that a version's rules are about.
type Description struct {
	Given bool // an optional operand may be left out
	Dtype tensor.Dtype
	Shape tensor.Shape
}

// DescribeNode describes a node. Gorgonia's own methods panic on a node without a
// type, or with one that is not known yet.
func DescribeNode(n *gorgonia.Node) (Description, error) {
	if n == nil {
		return Description{}, nil
	}
	var dt tensor.Dtype
	dims := 0
	switch t := n.Type().(type) {
	case nil:
		return Description{}, fault.Errorf(dense.ErrDtype, "the node %s has no type", fault.Name(nodeName(n)))
	case tensor.Dtype:
		dt = t
	case gorgonia.TensorType:
		dims = t.Dims
		dt, _ = t.Of.(tensor.Dtype)
	}
	if dt.Type == nil {
		return Description{}, fault.Errorf(dense.ErrDtype, "the node %s is of type %s, a dtype or a tensor of one is allowed",
			fault.Name(nodeName(n)), fault.Cut(fmt.Sprint(n.Type())))
	}
	shape := n.Shape()
	if len(shape) != dims {
		return Description{}, fault.Errorf(dense.ErrShape, "the node %s of %d dims has no shape", fault.Name(nodeName(n)), dims)
	}
	return Description{Given: true, Dtype: dt, Shape: shape}, nil
}

// nodeName is a node's name. That of a node without name and operator would be
// the text of a nil operator.
func nodeName(n *gorgonia.Node) string {
	if n.Op() == nil && n.Name() == fmt.Sprintf("%s()", gorgonia.Op(nil)) {
		return ""
	}
	return n.Name()
}

// DescribeTensor describes a tensor. Of all the types of package tensor only
// *tensor.Dense is allowed: the methods of the others panic when they are nil.
func DescribeTensor(t tensor.Tensor) (Description, error) {
	d, ok := t.(*tensor.Dense)
	if t == nil || ok && d == nil {
		return Description{}, nil
	}
	if !ok {
		return Description{}, fault.Errorf(dense.ErrLayout, "a %T, a *tensor.Dense is needed", t)
	}
	switch {
	case d.Dtype().Type == nil:
		return Description{}, fault.Errorf(dense.ErrDtype, "a *tensor.Dense without a dtype, as &tensor.Dense{} is; tensor.New makes one that has it")
	case len(d.Mask()) > 0:
		return Description{}, fault.Errorf(dense.ErrLayout, "the tensor is masked, unmasked ones are allowed")
	}
	return Description{Given: true, Dtype: d.Dtype(), Shape: d.Shape()}, nil
}

// AsDense is a graph's value as a tensor. Gorgonia has types of its own for
// scalars of the dtypes it computes with.
func AsDense(v gorgonia.Value) (*tensor.Dense, error) {
	switch v := v.(type) {
	case *tensor.Dense:
		return v, nil
	case gorgonia.Scalar:
		return tensor.New(tensor.FromScalar(v.Data())), nil
	}
	return nil, errors.Errorf("a %T is no tensor", v)
}
