// Package node reads what operators need of gonnx's NodeProto.
package node

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	pb "github.com/advancedclimatesystems/gonnx/onnx"
	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/tensor"
)

// Label names a node in an error: its operator, and its name or, since names are
// optional, its first output.
func Label(n *pb.NodeProto) string {
	label := n.GetOpType()
	if d := n.GetDomain(); !IsONNX(d) {
		label = d + "." + label
	}
	switch {
	case n.GetName() != "":
		return fmt.Sprintf("%s %q", label, n.GetName())
	case len(n.GetOutput()) > 0:
		return fmt.Sprintf("%s of %q", label, n.GetOutput()[0])
	}
	return label
}

// IsONNX tells whether a domain is that of ONNX's own operators.
func IsONNX(domain string) bool { return domain == "" || domain == "ai.onnx" }

// Attributes are the node's attributes by name: an int64, a float32, a string, a
// *pb.TensorProto, lists of these, and the protobuf message of whatever else there
// is.
func Attributes(n *pb.NodeProto) (map[string]any, error) {
	attributes := make(map[string]any, len(n.GetAttribute()))
	for _, a := range n.GetAttribute() {
		name := a.GetName()
		if _, twice := attributes[name]; twice {
			return nil, errors.Wrapf(dense.ErrOption, "attribute %q is given twice", name)
		}
		if a.GetRefAttrName() != "" {
			return nil, errors.Wrapf(dense.ErrOption, "attribute %q refers to %q of a function, and the node is in none", name, a.GetRefAttrName())
		}
		value := value(a)
		if value == nil {
			return nil, errors.Wrapf(dense.ErrOption, "attribute %q is of the unknown kind %d", name, a.GetType())
		}
		attributes[name] = value
	}
	return attributes, nil
}

// value is what an attribute holds, nil if that cannot be told.
func value(a *pb.AttributeProto) any {
	kind := a.GetType()
	if kind == pb.AttributeProto_UNDEFINED {
		kind = undeclared(a)
	}
	switch kind {
	case pb.AttributeProto_FLOAT:
		return a.GetF()
	case pb.AttributeProto_INT:
		return a.GetI()
	case pb.AttributeProto_STRING:
		return string(a.GetS())
	case pb.AttributeProto_TENSOR:
		return a.GetT()
	case pb.AttributeProto_GRAPH:
		return a.GetG()
	case pb.AttributeProto_FLOATS:
		return a.GetFloats()
	case pb.AttributeProto_INTS:
		return a.GetInts()
	case pb.AttributeProto_STRINGS:
		texts := make([]string, len(a.GetStrings()))
		for i, s := range a.GetStrings() {
			texts[i] = string(s)
		}
		return texts
	case pb.AttributeProto_TENSORS:
		return a.GetTensors()
	case pb.AttributeProto_GRAPHS:
		return a.GetGraphs()
	case pb.AttributeProto_SPARSE_TENSOR:
		return a.GetSparseTensor()
	case pb.AttributeProto_SPARSE_TENSORS:
		return a.GetSparseTensors()
	case pb.AttributeProto_TYPE_PROTO:
		return a.GetTp()
	case pb.AttributeProto_TYPE_PROTOS:
		return a.GetTypeProtos()
	}
	return nil
}

// undeclared is the kind of an attribute that does not declare one, as the first
// files did not: that of the field which holds something. An integer 0 is the one
// value that leaves no trace.
func undeclared(a *pb.AttributeProto) pb.AttributeProto_AttributeType {
	switch {
	case a.GetT() != nil:
		return pb.AttributeProto_TENSOR
	case a.GetG() != nil:
		return pb.AttributeProto_GRAPH
	case len(a.GetInts()) > 0:
		return pb.AttributeProto_INTS
	case len(a.GetFloats()) > 0:
		return pb.AttributeProto_FLOATS
	case len(a.GetStrings()) > 0:
		return pb.AttributeProto_STRINGS
	case a.GetF() != 0:
		return pb.AttributeProto_FLOAT
	case len(a.GetS()) > 0:
		return pb.AttributeProto_STRING
	}
	return pb.AttributeProto_INT
}

// Bytes is what a tensor of the shape takes; what is more than an int can count is the
// most that 64 bits can. Dims below 0 are for others to refuse.
func Bytes[T int | int64](shape []T, width int) uint64 {
	if slices.Contains(shape, 0) {
		return 0
	}
	bytes := uint64(width)
	for _, n := range shape {
		over, product := bits.Mul64(bytes, uint64(max(n, 1)))
		if over > 0 || product > math.MaxInt {
			return math.MaxUint64
		}
		bytes = product
	}
	return bytes
}

// Dtypes are all that ONNX's T lists and tensors can have.
func Dtypes() []tensor.Dtype {
	return []tensor.Dtype{
		tensor.Bool,
		tensor.Int8, tensor.Int16, tensor.Int32, tensor.Int64,
		tensor.Uint8, tensor.Uint16, tensor.Uint32, tensor.Uint64,
		dense.Float16, dense.BFloat16, tensor.Float32, tensor.Float64,
		tensor.Complex64, tensor.Complex128, tensor.String,
	}
}
