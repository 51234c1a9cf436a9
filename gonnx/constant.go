package gathergonnx

import (
	"bytes"

	pb "github.com/advancedclimatesystems/gonnx/onnx"
	"github.com/pkg/errors"
	"google.golang.org/protobuf/proto"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/onnx"
	"gorgonia.org/tensor"
)

// constants are the values of a model's Constants, which its nodes name. They are
// read once; gonnx would read them in every run.
type constants map[*pb.NodeProto]*tensor.Dense

// A constant is ONNX's Constant. gonnx's own cannot read strings, complex numbers
// and uint64, and takes 16-bit floats for integers.
type constant struct {
	known constants
	value *tensor.Dense
}

// String is the operator's name.
func (*constant) String() string { return "Constant" }

// Init finds the value, or reads it.
func (c *constant) Init(n *pb.NodeProto) (err error) {
	if c.value = c.known[n]; c.value == nil {
		c.value, err = constantValue(n)
	}
	return err
}

// Apply gives the value itself: no operator changes its inputs.
func (c *constant) Apply([]tensor.Tensor) ([]tensor.Tensor, error) {
	return []tensor.Tensor{c.value}, nil
}

// ValidateInputs refuses inputs.
func (*constant) ValidateInputs(in []tensor.Tensor) ([]tensor.Tensor, error) {
	if len(in) != 0 {
		return nil, errors.Wrapf(dense.ErrShape, "Constant: %d inputs, it takes none", len(in))
	}
	return in, nil
}

// GetMinInputs is 0.
func (*constant) GetMinInputs() int { return 0 }

// GetMaxInputs is 0.
func (*constant) GetMaxInputs() int { return 0 }

// GetInputTypeConstraints is empty.
func (*constant) GetInputTypeConstraints() [][]tensor.Dtype { return nil }

// constantValue reads the one attribute of a Constant.
func constantValue(n *pb.NodeProto) (*tensor.Dense, error) {
	if len(n.GetAttribute()) != 1 {
		return nil, errors.Wrapf(dense.ErrOption, "%d attributes, Constant has exactly one", len(n.GetAttribute()))
	}
	a := n.GetAttribute()[0]
	t, want := constantTensor(a)
	if t == nil || a.GetType() != want && a.GetType() != pb.AttributeProto_UNDEFINED {
		return nil, errors.Wrapf(dense.ErrOption, "attribute %q of kind %v is none of Constant's that can be read", a.GetName(), a.GetType())
	}
	return readTensor(t)
}

// constantTensor is what an attribute holds as a tensor, nil if Constant has no
// such attribute, and the kind that it must be of.
func constantTensor(a *pb.AttributeProto) (*pb.TensorProto, kind) {
	const float, integer, text = int32(pb.TensorProto_FLOAT), int32(pb.TensorProto_INT64), int32(pb.TensorProto_STRING)
	switch a.GetName() {
	case "value":
		return a.GetT(), kindTensor
	case "value_float":
		return &pb.TensorProto{DataType: float, FloatData: []float32{a.GetF()}}, kindFloat
	case "value_floats":
		return &pb.TensorProto{DataType: float, Dims: count(a.GetFloats()), FloatData: a.GetFloats()}, kindFloats
	case "value_int":
		return &pb.TensorProto{DataType: integer, Int64Data: []int64{a.GetI()}}, kindInt
	case "value_ints":
		return &pb.TensorProto{DataType: integer, Dims: count(a.GetInts()), Int64Data: a.GetInts()}, kindInts
	case "value_string":
		return &pb.TensorProto{DataType: text, StringData: [][]byte{a.GetS()}}, kindString
	case "value_strings":
		return &pb.TensorProto{DataType: text, Dims: count(a.GetStrings()), StringData: a.GetStrings()}, kindStrings
	}
	return nil, 0
}

// count is the shape of a list.
func count[T any](list []T) []int64 { return []int64{int64(len(list))} }

// readTensor reads a tensor as package onnx does: gonnx panics where the data do
// not fit the dims.
func readTensor(t *pb.TensorProto) (*tensor.Dense, error) {
	b, err := proto.Marshal(t)
	if err != nil {
		return nil, errors.Wrap(err, "gonnx: a tensor")
	}
	return onnx.ReadTensor(bytes.NewReader(b))
}
