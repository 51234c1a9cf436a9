package gathergonnx

import (
	"reflect"

	pb "github.com/advancedclimatesystems/gonnx/onnx"
	"github.com/advancedclimatesystems/gonnx/ops"
	"github.com/advancedclimatesystems/gonnx/ops/opset13"
	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/gonnx/internal/node"
	"gorgonia.org/tensor"
)

// A meaning says in which opsets a node means what gonnx computes for opset 13.
type meaning struct {
	since int             // the first opset that means the same
	reads map[string]kind // the attributes
	ml    bool            // of ONNX's domain for classical machine learning, all of whose versions mean the same
}

type kind = pb.AttributeProto_AttributeType

const (
	kindFloat   = pb.AttributeProto_FLOAT
	kindInt     = pb.AttributeProto_INT
	kindString  = pb.AttributeProto_STRING
	kindTensor  = pb.AttributeProto_TENSOR
	kindFloats  = pb.AttributeProto_FLOATS
	kindInts    = pb.AttributeProto_INTS
	kindStrings = pb.AttributeProto_STRINGS
)

// meanings are those of gonnx's operators that are used: package onnx and onnx/builders
// do not have them or, of PRelu, not for integers.
// Source: the operator documents of ONNX 1.23, all versions.
var meanings = map[string]meaning{
	"Acos": {since: 7}, "Asin": {since: 7}, "Atan": {since: 7},
	"Acosh": {since: 9}, "Asinh": {since: 9}, "Atanh": {since: 9}, "Cosh": {since: 9}, "Sinh": {since: 9},
	"PRelu": {since: 7},

	"LinearRegressor": {ml: true, reads: map[string]kind{"coefficients": kindFloats, "intercepts": kindFloats,
		"post_transform": kindString, "targets": kindInt}},
	"Scaler": {ml: true, reads: map[string]kind{"offset": kindFloats, "scale": kindFloats}},
}

// opset13Package is where gonnx's own operators are.
var opset13Package = reflect.TypeFor[opset13.Add]().PkgPath()

// isOpset13 tells gonnx's own operators from those of others, which are taken as
// they are.
func isOpset13(op ops.Operator) bool {
	t := reflect.TypeOf(op)
	return t.Kind() == reflect.Pointer && t.Elem().PkgPath() == opset13Package
}

// A carried operator is one of gonnx's own in a model of any opset. A node that means
// something else there is refused.
type carried struct {
	ops.Operator
	opType  string
	opset   int
	kept    *kept
	targets int64 // of a LinearRegressor
}

// Init hands the attributes to gonnx. Most of its operators would ignore others without
// an error.
func (c *carried) Init(n *pb.NodeProto) error {
	m, ok := meanings[c.opType]
	if !ok {
		return errors.Errorf("%s is one of gonnx's operators, but its versions are not known here", c.opType)
	}
	if ml := n.GetDomain() == "ai.onnx.ml"; ml != m.ml || !ml && !node.IsONNX(n.GetDomain()) {
		return errors.Errorf("gonnx has no %s of domain %q", c.opType, n.GetDomain())
	}
	if c.opset < m.since {
		return errors.Wrapf(ops.ErrUnsupportedOpsetVersion, "opset %d: %s is another operator there, gonnx has that of opset %d and later", c.opset, c.opType, m.since)
	}
	given, err := node.Attributes(n)
	if err != nil {
		return err
	}
	for name, value := range given {
		if want, ok := m.reads[name]; !ok {
			return errors.Wrapf(dense.ErrOption, "attribute %q is not known to gonnx", name)
		} else if !isKind(want, value) {
			return errors.Wrapf(dense.ErrOption, "attribute %q is a %T, a %v is allowed", name, value, want)
		}
	}
	if x, ok := given["targets"].(int64); ok {
		c.targets = x
	} else {
		c.targets = 1
	}
	return c.Operator.Init(n)
}

// computed computes a node, if gonnx takes its inputs.
func (c *carried) computed(n *pb.NodeProto, in []tensor.Tensor) ([]tensor.Tensor, bool) {
	if err := c.Init(n); err != nil {
		return nil, false
	}
	in, err := c.ValidateInputs(in)
	if err != nil {
		return nil, false
	}
	out, err := c.Apply(in)
	return out, err == nil
}

func isKind(want kind, value any) bool {
	ok := false
	switch want {
	case kindFloat:
		_, ok = value.(float32)
	case kindInt:
		_, ok = value.(int64)
	case kindString:
		_, ok = value.(string)
	case kindTensor:
		var t *pb.TensorProto
		t, ok = value.(*pb.TensorProto)
		ok = ok && t != nil
	case kindFloats:
		_, ok = value.([]float32)
	case kindInts:
		_, ok = value.([]int64)
	case kindStrings:
		_, ok = value.([]string)
	}
	return ok
}
