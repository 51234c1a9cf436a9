// Package protos makes ONNX models for tests.
package protos

import (
	"fmt"
	"unsafe"

	pb "github.com/advancedclimatesystems/gonnx/onnx"
	"google.golang.org/protobuf/proto"
	"gorgonia.org/gather/dense"
	"gorgonia.org/tensor"
)

// types are the dtypes of tensors by their number in TensorProto.DataType.
var types = map[tensor.Dtype]pb.TensorProto_DataType{
	tensor.Float32: pb.TensorProto_FLOAT, tensor.Float64: pb.TensorProto_DOUBLE,
	dense.Float16: pb.TensorProto_FLOAT16, dense.BFloat16: pb.TensorProto_BFLOAT16,
	tensor.Int8: pb.TensorProto_INT8, tensor.Int16: pb.TensorProto_INT16, tensor.Int32: pb.TensorProto_INT32, tensor.Int64: pb.TensorProto_INT64,
	tensor.Uint8: pb.TensorProto_UINT8, tensor.Uint16: pb.TensorProto_UINT16, tensor.Uint32: pb.TensorProto_UINT32, tensor.Uint64: pb.TensorProto_UINT64,
	tensor.Bool: pb.TensorProto_BOOL, tensor.String: pb.TensorProto_STRING,
	tensor.Complex64: pb.TensorProto_COMPLEX64, tensor.Complex128: pb.TensorProto_COMPLEX128,
}

// TypeOf is the number of a dtype.
func TypeOf(dt tensor.Dtype) pb.TensorProto_DataType {
	t, ok := types[dt]
	if !ok {
		panic(fmt.Sprintf("protos: ONNX has no %v", dt))
	}
	return t
}

// Attributes are those of a node: an int, a float32, a string, an []int64 or a
// *pb.TensorProto each.
type Attributes map[string]any

// Node is a node whose name is the operator's and that of its first output.
func Node(opType string, inputs, outputs []string, attributes Attributes) *pb.NodeProto {
	n := &pb.NodeProto{OpType: opType, Input: inputs, Output: outputs}
	if len(outputs) > 0 {
		n.Name = "make " + outputs[0]
	}
	for name, value := range attributes {
		n.Attribute = append(n.Attribute, Attribute(name, value))
	}
	return n
}

// Attribute is one attribute.
func Attribute(name string, value any) *pb.AttributeProto {
	a := &pb.AttributeProto{Name: name}
	switch x := value.(type) {
	case int:
		a.Type, a.I = pb.AttributeProto_INT, int64(x)
	case float32:
		a.Type, a.F = pb.AttributeProto_FLOAT, x
	case string:
		a.Type, a.S = pb.AttributeProto_STRING, []byte(x)
	case []int64:
		a.Type, a.Ints = pb.AttributeProto_INTS, x
	case []float32:
		a.Type, a.Floats = pb.AttributeProto_FLOATS, x
	case []string:
		a.Type = pb.AttributeProto_STRINGS
		for _, s := range x {
			a.Strings = append(a.Strings, []byte(s))
		}
	case *pb.TensorProto:
		a.Type, a.T = pb.AttributeProto_TENSOR, x
	case *pb.GraphProto:
		a.Type, a.G = pb.AttributeProto_GRAPH, x
	default:
		panic(fmt.Sprintf("protos: attribute of type %T", value))
	}
	return a
}

// Value declares an input or an output of a dtype. Dims below 0 are open.
func Value(name string, dt tensor.Dtype, shape ...int) *pb.ValueInfoProto {
	dims := &pb.TensorShapeProto{}
	for i, n := range shape {
		d := &pb.TensorShapeProto_Dimension{Value: &pb.TensorShapeProto_Dimension_DimValue{DimValue: int64(n)}}
		if n < 0 {
			d.Value = &pb.TensorShapeProto_Dimension_DimParam{DimParam: fmt.Sprintf("%s%d", name, i)}
		}
		dims.Dim = append(dims.Dim, d)
	}
	typ := &pb.TypeProto_Tensor{ElemType: int32(TypeOf(dt)), Shape: dims}
	return &pb.ValueInfoProto{Name: name, Type: &pb.TypeProto{Value: &pb.TypeProto_TensorType{TensorType: typ}}}
}

// Untyped declares an output of any type and shape.
func Untyped(name string) *pb.ValueInfoProto { return &pb.ValueInfoProto{Name: name} }

// Tensor is a row-major tensor as a TensorProto.
func Tensor(name string, d *tensor.Dense) *pb.TensorProto {
	t := &pb.TensorProto{Name: name, DataType: int32(TypeOf(d.Dtype()))}
	size := 1
	for _, n := range d.Shape() {
		t.Dims = append(t.Dims, int64(n))
		size *= n
	}
	if d.Dtype() == tensor.String {
		for _, s := range Elements[string](d) {
			t.StringData = append(t.StringData, []byte(s))
		}
		return t
	}
	t.RawData = append([]byte{}, d.Raw[:size*int(d.Dtype().Size())]...)
	return t
}

// Model is a model of one graph.
func Model(opset int, g *pb.GraphProto) *pb.ModelProto {
	if g.Name == "" {
		g.Name = "test"
	}
	return &pb.ModelProto{IrVersion: 8, Graph: g, OpsetImport: []*pb.OperatorSetIdProto{{Version: int64(opset)}}}
}

// Bytes are those of the model's file.
func Bytes(m *pb.ModelProto) []byte {
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		panic(err)
	}
	return b
}

// Elements are a row-major tensor's, of dtype T.
func Elements[T any](d *tensor.Dense) []T {
	size := 1
	for _, n := range d.Shape() {
		size *= n
	}
	if size == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(d.Raw))), size)
}
