package gathergonnx

import (
	"slices"

	pb "github.com/advancedclimatesystems/gonnx/onnx"
	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/gonnx/internal/node"
)

// fourBits finds the numbers of 4 bits among the values of a graph, which are int8 and
// uint8 here, and refuses what would take them for those: only DequantizeLinear and
// QuantizeLinear have them. A QuantizeLinear learns from its zero point what it makes.
func fourBits(g *pb.GraphProto, opset int) error {
	types := map[string]int32{}
	note := func(name string, dataType int32) {
		if dataType == typeUint4 || dataType == typeInt4 {
			types[name] = dataType
		}
	}
	for _, t := range g.GetInitializer() {
		note(t.GetName(), t.GetDataType())
	}
	for _, v := range g.GetInput() {
		note(v.GetName(), v.GetType().GetTensorType().GetElemType())
	}
	for _, n := range g.GetNode() {
		var in [3]int32
		for j, name := range n.GetInput() {
			dequantize, quantize := n.GetOpType() == "DequantizeLinear" && j != 1, n.GetOpType() == "QuantizeLinear" && j == 2
			switch {
			case types[name] == 0:
			case j < len(in) && opset >= 21 && node.IsONNX(n.GetDomain()) && (dequantize || quantize):
				in[j] = types[name]
			default:
				return errors.Wrapf(dense.ErrDtype, "%s: input %q is of type %s, which only DequantizeLinear and QuantizeLinear take, since opset 21",
					node.Label(n), name, fourBitNames[types[name]])
			}
		}
		zero := len(n.GetInput()) > 2 && n.GetInput()[2] != ""
		switch n.GetOpType() {
		case "DequantizeLinear":
			if zero && in[0] != in[2] {
				return errors.Wrapf(dense.ErrDtype, "%s: x and x_zero_point are of different types, one of them is %s", node.Label(n), fourBitNames[max(in[0], in[2])])
			}
		case "QuantizeLinear":
			to, given := outputType(n)
			if zero && given && to != in[2] && (in[2] != 0 || fourBitNames[to] != "") {
				return errors.Wrapf(dense.ErrDtype, "%s: output_dtype is %d, y_zero_point is of another type", node.Label(n), to)
			}
			if in[2] != 0 && !given {
				n.Attribute = slices.DeleteFunc(n.Attribute, func(a *pb.AttributeProto) bool { return a.GetName() == "output_dtype" })
				n.Attribute = append(n.Attribute, &pb.AttributeProto{Name: "output_dtype", Type: kindInt, I: int64(in[2])})
				to = in[2]
			}
			for _, name := range n.GetOutput() {
				note(name, to)
			}
		}
	}
	return nil
}

// outputType is the attribute output_dtype.
func outputType(n *pb.NodeProto) (to int32, given bool) {
	for _, a := range n.GetAttribute() {
		if a.GetName() == "output_dtype" && a.GetI() != 0 {
			return int32(a.GetI()), true
		}
	}
	return 0, false
}

// Numbers in TensorProto.DataType that gonnx does not know.
const (
	typeUint4 = 21
	typeInt4  = 22
)

var fourBitNames = map[int32]string{typeUint4: "UINT4", typeInt4: "INT4"}
