package gathergonnx

import (
	"fmt"
	"reflect"
	"slices"

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
	since   int             // the first opset that means the same
	reads   map[string]kind // the attributes of opset 13
	neutral map[string]any  // later attributes, with the value that changes nothing; nil: any value
	ml      bool            // of ONNX's domain for classical machine learning, all of whose versions mean the same
	axes    bool            // before opset 13 an attribute axes stood for input 1
	softmax bool            // before opset 13 all axes from the given one on were taken together
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

// meanings are gonnx's operators, but for those that [Operators] has itself.
// Source: the operator documents of ONNX 1.23, all versions.
var meanings = map[string]meaning{
	"Abs": {since: 6}, "Relu": {since: 6}, "Sigmoid": {since: 6}, "Tanh": {since: 6},
	"Acos": {since: 7}, "Asin": {since: 7}, "Atan": {since: 7}, "Cos": {since: 7}, "Sin": {since: 7}, "Tan": {since: 7},
	"Acosh": {since: 9}, "Asinh": {since: 9}, "Atanh": {since: 9}, "Cosh": {since: 9}, "Sinh": {since: 9},
	// The versions before 7 broadcast only when an attribute says so.
	"Add": {since: 7}, "Sub": {since: 7}, "Mul": {since: 7}, "Div": {since: 7}, "PRelu": {since: 7},
	"And": {since: 7}, "Or": {since: 7}, "Xor": {since: 7}, "Not": {since: 1},
	"Equal": {since: 7}, "Greater": {since: 7}, "Less": {since: 7},
	"GreaterOrEqual": {since: 12}, "LessOrEqual": {since: 12},
	// What Cast's later attributes are about are types that gonnx does not have.
	"Cast":            {since: 6, reads: map[string]kind{"to": kindInt}, neutral: map[string]any{"saturate": nil, "round_mode": nil}},
	"Concat":          {since: 4, reads: map[string]kind{"axis": kindInt}},
	"ConstantOfShape": {since: 9, reads: map[string]kind{"value": kindTensor}},
	"Conv": {since: 1, reads: map[string]kind{"auto_pad": kindString, "dilations": kindInts, "group": kindInt,
		"kernel_shape": kindInts, "pads": kindInts, "strides": kindInts}},
	"Flatten": {since: 1, reads: map[string]kind{"axis": kindInt}},
	"Gemm":    {since: 7, reads: map[string]kind{"alpha": kindFloat, "beta": kindFloat, "transA": kindInt, "transB": kindInt}},
	"GRU":     {since: 7, reads: recurrent("linear_before_reset"), neutral: map[string]any{"layout": int64(0)}},
	"LSTM":    {since: 7, reads: recurrent("input_forget"), neutral: map[string]any{"layout": int64(0)}},
	"RNN":     {since: 7, reads: recurrent(), neutral: map[string]any{"layout": int64(0)}},
	"MatMul":  {since: 1},
	"Reshape": {since: 5, neutral: map[string]any{"allowzero": int64(0)}},
	"Shape":   {since: 1},
	"Slice":   {since: 10},
	"Softmax": {since: 11, reads: map[string]kind{"axis": kindInt}, softmax: true},
	"Squeeze": {since: 1, axes: true}, "Unsqueeze": {since: 1, axes: true},
	"Transpose": {since: 1, reads: map[string]kind{"perm": kindInts}},

	"LinearRegressor": {ml: true, reads: map[string]kind{"coefficients": kindFloats, "intercepts": kindFloats,
		"post_transform": kindString, "targets": kindInt}},
	"Scaler": {ml: true, reads: map[string]kind{"offset": kindFloats, "scale": kindFloats}},
}

// recurrent are the attributes that GRU, LSTM and RNN share, and an integer one.
func recurrent(more ...string) map[string]kind {
	reads := map[string]kind{"activation_alpha": kindFloats, "activation_beta": kindFloats, "activations": kindStrings,
		"clip": kindFloat, "direction": kindString, "hidden_size": kindInt}
	for _, name := range more {
		reads[name] = kindInt
	}
	return reads
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
// something else there is left to package onnx/builders, or refused.
type carried struct {
	ops.Operator
	opType string
	opset  int
	limit  *limit
	given  map[string]any
	axes   tensor.Tensor // input 1 of Squeeze and Unsqueeze where it was an attribute

	node    *pb.NodeProto
	instead ops.Operator // that of package onnx/builders, nil if gonnx's own is run
}

// Init hands the attributes of opset 13 to gonnx. Most of its operators would ignore
// others without an error.
func (c *carried) Init(n *pb.NodeProto) error {
	c.node = n
	err := c.init(n)
	if !errors.Is(err, ops.ErrUnsupportedOpsetVersion) {
		return err
	}
	return c.replaced(err)
}

// replaced takes the operator of package onnx/builders after an error of gonnx's own,
// which is returned if there is none.
func (c *carried) replaced(err error) error {
	op := built(c.opType, c.opset, c.limit)
	if op == nil {
		return err
	}
	if err := op.Init(c.node); err != nil {
		return err
	}
	c.instead = op
	return nil
}

func (c *carried) init(n *pb.NodeProto) error {
	m, ok := meanings[c.opType]
	if !ok {
		return errors.Errorf("%s is one of gonnx's operators, but its versions are not known here", c.opType)
	}
	if ml := n.GetDomain() == "ai.onnx.ml"; ml != m.ml || !ml && !node.IsONNX(n.GetDomain()) {
		return errors.Errorf("gonnx has no %s of domain %q", c.opType, n.GetDomain())
	}
	if !m.ml && c.opset < m.since {
		return c.differs("%s is another operator there, gonnx has that of opset %d and later", c.opType, m.since)
	}
	var err error
	if c.given, err = node.Attributes(n); err != nil {
		return err
	}
	if m.softmax && c.opset < 13 && c.given["axis"] != int64(-1) {
		return c.differs("Softmax takes all axes from the given one on together there, gonnx one axis; they agree for axis -1")
	}
	filtered := &pb.NodeProto{Name: n.GetName(), OpType: n.GetOpType(), Domain: n.GetDomain(), Input: n.GetInput(), Output: n.GetOutput()}
	for _, a := range n.GetAttribute() {
		hand, err := c.attribute(m, a.GetName(), c.given[a.GetName()])
		if err != nil {
			return err
		}
		if hand {
			filtered.Attribute = append(filtered.Attribute, a)
		}
	}
	return c.Operator.Init(filtered)
}

// attribute reads one attribute, and says whether gonnx is to see it.
func (c *carried) attribute(m meaning, name string, value any) (hand bool, err error) {
	if want, ok := m.reads[name]; ok {
		if !isKind(want, value) {
			return false, errors.Wrapf(dense.ErrOption, "attribute %q is a %T, a %v is allowed", name, value, want)
		}
		return true, nil
	}
	if m.axes && name == "axes" && c.opset < 13 {
		axes, ok := value.([]int64)
		if !ok {
			return false, errors.Wrapf(dense.ErrOption, "attribute %q is a %T, a %v is allowed", name, value, kindInts)
		}
		c.axes = tensor.New(tensor.WithShape(len(axes)), tensor.WithBacking(slices.Clone(axes)))
		return false, nil
	}
	if c.opType == "Shape" && c.opset >= 15 && (name == "start" || name == "end") {
		if !isKind(kindInt, value) {
			return false, errors.Wrapf(dense.ErrOption, "attribute %q is a %T, a %v is allowed", name, value, kindInt)
		}
		return false, nil // see partOfShape
	}
	neutral, later := m.neutral[name]
	switch {
	case !later:
		return false, errors.Wrapf(dense.ErrOption, "attribute %q is not known to gonnx", name)
	case neutral != nil && neutral != value:
		return false, c.differs("attribute %q is %v, gonnx computes what it is without, or with %v", name, value, neutral)
	}
	return false, nil
}

// differs is the error about a node that has another meaning in the model's opset
// than gonnx gives it.
func (c *carried) differs(format string, args ...any) error {
	return errors.Wrapf(ops.ErrUnsupportedOpsetVersion, "opset %d: %s", c.opset, fmt.Sprintf(format, args...))
}

// ValidateInputs adds the axes that were an attribute. What gonnx's own operator does
// not take is left to package onnx/builders.
func (c *carried) ValidateInputs(in []tensor.Tensor) ([]tensor.Tensor, error) {
	if c.instead != nil {
		return c.instead.ValidateInputs(in)
	}
	if meanings[c.opType].axes && c.opset < 13 {
		if len(in) != 1 {
			return nil, errors.Wrapf(dense.ErrShape, "%d inputs, it takes 1 before opset 13", len(in))
		}
		if c.axes != nil {
			return c.Operator.ValidateInputs([]tensor.Tensor{in[0], c.axes})
		}
	}
	out, err := c.Operator.ValidateInputs(in)
	var refused *ops.InputError // of a dtype that gonnx lacks, for one
	if !errors.As(err, &refused) {
		return out, err
	}
	return in, c.replaced(err)
}

// Apply runs gonnx's operator, unless it is going to take too much memory.
func (c *carried) Apply(in []tensor.Tensor) ([]tensor.Tensor, error) {
	if c.instead != nil {
		return c.instead.Apply(in)
	}
	if err := c.affordable(in); err != nil {
		return nil, err
	}
	out, err := c.Operator.Apply(in)
	if err != nil || c.opType != "Shape" {
		return out, err
	}
	return []tensor.Tensor{c.partOfShape(in[0].Shape())}, nil
}

// partOfShape is the result of Shape: the dims from start up to end, which came with
// opset 15.
func (c *carried) partOfShape(shape tensor.Shape) tensor.Tensor {
	ends := [2]int64{0, int64(len(shape))}
	for i, name := range []string{"start", "end"} {
		if x, given := c.given[name].(int64); given {
			if x < 0 {
				x += int64(len(shape))
			}
			ends[i] = min(max(x, 0), int64(len(shape)))
		}
	}
	dims := dimsOf(shape[ends[0]:max(ends[0], ends[1])])
	return tensor.New(tensor.WithShape(len(dims)), tensor.WithBacking(dims))
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
