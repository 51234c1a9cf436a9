package builders

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pkg/errors"
	"github.com/x448/float16"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/onnx"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// an operand of a test: an input node of that dtype and shape, with a value if
// one is given.
type given struct {
	dtype tensor.Dtype
	shape []int
	value any
}

func f32(shape ...int) given { return given{tensor.Float32, shape, nil} }
func typed(dt tensor.Dtype, shape ...int) given {
	return given{dt, shape, nil}
}
func longs(list ...int64) given {
	return given{tensor.Int64, []int{len(list)}, append([]int64{}, list...)}
}

func (o given) node(g *G.ExprGraph, name string) *G.Node {
	if o.dtype.Type == nil {
		return nil
	}
	options := []G.NodeConsOpt{G.WithName(name), G.WithShape(o.shape...)}
	if o.value != nil {
		options = append(options, G.WithValue(tensor.New(tensor.WithShape(o.shape...), tensor.WithBacking(o.value))))
	}
	if len(o.shape) == 0 {
		return G.NewScalar(g, o.dtype, options...)
	}
	return G.NewTensor(g, o.dtype, len(o.shape), options...)
}

// use adds one node to a new graph.
func use(op string, opset int, attrs map[string]any, operands ...given) ([]*G.Node, error) {
	g := G.NewGraph()
	var nodes []*G.Node
	for i, o := range operands {
		nodes = append(nodes, o.node(g, fmt.Sprint("x", i)))
	}
	return builders[op](onnx.Node{OpType: op, Opset: opset, Attributes: attrs}, nodes...)
}

type attributes = map[string]any

// TestErrors demands of everything that is wrong an error that names it.
func TestErrors(t *testing.T) {
	half, bf := dense.Float16, dense.BFloat16
	none := given{}
	for _, c := range []struct {
		op    string
		opset int
		attrs attributes
		in    []given
		want  string // the whole text
		is    error
	}{
		{"Cast", 13, nil, []given{f32(2)}, "Cast-13: no data type to convert to", dense.ErrOption},
		{"Concat", 13, nil, []given{f32(2), f32(2)}, "Concat-13: no axis", dense.ErrOption},
		{"Add", 6, nil, []given{f32(2), f32(2)}, "Add: opset 6 is not supported, opsets from 7 on are", dense.ErrOption},
		{"Add", 13, attributes{"axis": int64(0)}, []given{f32(2), f32(2)}, `Add-13: attribute "axis" is not allowed in opset 13, nor in any other`, nil},
		{"Add", 13, nil, []given{typed(tensor.Int8, 2), typed(tensor.Int8, 2)}, "Add-13: input 0 of type int8 is not allowed in opset 13, it is since opset 14", nil},
		{"Add", 14, nil, []given{typed(half, 2), typed(half, 2)}, "Add-14: Add: inputs of type float16 are not supported, float, double and integers are", dense.ErrDtype},
		{"Add", 14, nil, []given{f32(2), typed(tensor.Float64, 2)}, "Add-14: Add: inputs of types float and double, they must be of one type", dense.ErrDtype},
		{"Add", 14, nil, []given{f32(2, 3), f32(2)}, "Add-14: Add: shapes (2, 3) and (2) do not broadcast to each other", dense.ErrShape},
		{"Add", 14, nil, []given{f32(2)}, "Add-14: 1 inputs, 2 are allowed", dense.ErrShape},
		{"Add", 14, nil, []given{f32(2), f32(2), f32(2)}, "Add-14: 3 inputs, 2 are allowed", dense.ErrShape},
		{"Add", 14, nil, []given{none, f32(2)}, "Add-14: input 0 is left out", dense.ErrShape},
		{"Add", 12, nil, []given{typed(bf, 2), typed(bf, 2)}, "Add-7: input 0 of type bfloat16 is not allowed in opset 12, it is since opset 13", nil},
		{"Relu", 13, nil, []given{typed(tensor.Int32, 2)}, "Relu-13: input 0 of type int32 is not allowed in opset 13, it is since opset 14", nil},
		{"Exp", 13, nil, []given{typed(half, 2)}, "Exp-13: Exp: an input of type float16 is not supported, float and double are", dense.ErrDtype},
		{"Pow", 7, nil, []given{f32(2), typed(tensor.Int64, 2)}, "Pow-7: a power of float to int64 is not supported", dense.ErrDtype},
		{"Pow", 13, nil, []given{typed(tensor.Int64, 2), f32(2)}, "Pow-13: a power of int64 to float is not supported", dense.ErrDtype},
		{"MatMul", 13, nil, []given{f32(), f32(2)}, "MatMul-13: inputs of shapes () and (2), ranks of at least 1 are allowed", dense.ErrShape},
		{"MatMul", 13, nil, []given{f32(2, 3), f32(2, 3)}, "MatMul-13: MatMul: shapes (2, 3) and (2, 3): rows of 3 elements and columns of 2", dense.ErrShape},
		{"MatMul", 13, nil, []given{f32(2, 2, 3), f32(3, 3, 2)}, "MatMul-13: MatMul: shapes (2) and (3) do not broadcast to each other", dense.ErrShape},
		{"Gemm", 13, nil, []given{f32(2, 3), f32(3)}, "Gemm-13: inputs of shapes (2, 3) and (3), matrices are allowed", dense.ErrShape},
		{"Gemm", 13, nil, []given{f32(2, 3), f32(3, 4), f32(3)}, "Gemm-13: C of shape (3) does not broadcast to (2, 4)", dense.ErrShape},
		{"Gemm", 13, nil, []given{f32(2, 3), f32(3, 1), f32(2, 4)}, "Gemm-13: C of shape (2, 4) does not broadcast to (2, 1)", dense.ErrShape},
		{"Gemm", 13, attributes{"transA": int64(2)}, []given{f32(2, 3), f32(3, 4)}, "Gemm-13: transA is 2, 0 and 1 are allowed", dense.ErrOption},
		{"Gemm", 13, attributes{"alpha": int64(2)}, []given{f32(2, 3), f32(3, 4)}, `Gemm-13: attribute "alpha" is a int64, a float is allowed`, dense.ErrOption},
		{"Gemm", 9, nil, []given{f32(2, 3), f32(3, 4)}, "Gemm-9: 2 inputs, 3 are allowed", dense.ErrShape},
		{"Softmax", 13, attributes{"axis": int64(2)}, []given{f32(2, 3)}, "Softmax-13: axis 2 is not in [-2, 1]", dense.ErrAxis},
		{"Softmax", 1, attributes{"axis": int64(-3)}, []given{f32(2, 3)}, "Softmax-1: axis -3 is not in [-2, 1]", dense.ErrAxis},
		{"Flatten", 9, attributes{"axis": int64(-1)}, []given{f32(2, 3)}, "Flatten-9: axis -1 is not in [0, 2]", dense.ErrAxis},
		{"Unsqueeze", 10, attributes{"axes": []int64{-1}}, []given{f32(2, 3)}, "Unsqueeze-1: axis -1 is not in [0, 2]", dense.ErrAxis},
		{"Softmax", 13, attributes{"axis": "1"}, []given{f32(2, 3)}, `Softmax-13: attribute "axis" is a string, an integer is allowed`, dense.ErrOption},
		{"LogSoftmax", 13, nil, []given{f32()}, "LogSoftmax-13: axis -1 is no axis of a scalar", dense.ErrAxis},
		{"ReduceSum", 12, nil, []given{f32(2), longs(0)}, "ReduceSum-11: 2 inputs, 1 is allowed", dense.ErrShape},
		{"ReduceSum", 13, attributes{"axes": []int64{0}}, []given{f32(2)}, `ReduceSum-13: attribute "axes" is not allowed in opset 13, it was before opset 13`, nil},
		{"ReduceSum", 13, nil, []given{f32(2, 3), longs(0, -2)}, "ReduceSum-13: axes [0 -2] name axis 0 twice", dense.ErrAxis},
		{"ReduceSum", 13, nil, []given{f32(2, 3), typed(tensor.Int64, 1)}, "ReduceSum-13: axes, x1, must be known when the graph is built: an initializer, a Constant, or what follows from shapes", nil},
		{"ReduceSum", 13, nil, []given{f32(2, 3), {tensor.Int32, []int{1}, []int32{0}}}, "ReduceSum-13: axes of type int32, int64 is allowed", dense.ErrDtype},
		{"ReduceMean", 18, nil, []given{typed(tensor.Int64, 2)}, "ReduceMean-18: scale by 0.5: an input of type int64 is not supported, float and double are", dense.ErrDtype},
		{"Transpose", 13, attributes{"perm": []int64{0, 0}}, []given{f32(2, 3)}, "Transpose-13: perm [0 0] is no order of the 2 axes of data", dense.ErrAxis},
		{"Transpose", 13, attributes{"perm": []int64{1}}, []given{f32()}, "Transpose-13: perm [1] is no order of the 0 axes of data", dense.ErrAxis},
		{"Transpose", 13, attributes{"perm": []int64{0}}, []given{f32()}, "Transpose-13: perm [0] is no order of the 0 axes of data", dense.ErrAxis},
		{"Transpose", 13, attributes{"perm": []int64{-1}}, []given{f32()}, "Transpose-13: perm [-1] is no order of the 0 axes of data", dense.ErrAxis},
		{"Transpose", 13, attributes{"perm": []int64{0, 0}}, []given{f32()}, "Transpose-13: perm [0 0] is no order of the 0 axes of data", dense.ErrAxis},
		{"Transpose", 13, attributes{"perm": []int64{0}}, []given{f32(2, 3)}, "Transpose-13: perm [0] is no order of the 2 axes of data", dense.ErrAxis},
		{"Reshape", 13, nil, []given{f32(2, 3), longs(4)}, "Reshape-13: shape [4] has 4 elements, data of shape (2, 3) has 6", dense.ErrShape},
		{"Reshape", 13, nil, []given{f32(2, 3), longs(-1, -1)}, "Reshape-13: shape [-1 -1]: one -1 is allowed, and no other negative dim", dense.ErrShape},
		{"Reshape", 13, nil, []given{f32(2, 3), longs(-1, 4)}, "Reshape-13: shape [-1 4]: no dim at 0 fits the 6 elements of (2, 3)", dense.ErrShape},
		{"Reshape", 13, nil, []given{f32(2, 3), longs(6, 1, 0)}, "Reshape-13: shape [6 1 0]: dim 2 is 0, data of shape (2, 3) has none there", dense.ErrShape},
		{"Reshape", 14, attributes{"allowzero": int64(1)}, []given{f32(0, 3), longs(0, -1)}, "Reshape-14: shape [0 -1]: no dim at 1 fits the 0 elements of (0, 3)", dense.ErrShape},
		{"Reshape", 13, nil, []given{f32(2, 3), longs(1<<30, 1<<30)}, "Reshape-13: a shape (1073741824, 1073741824) is too large", dense.ErrShape},
		{"Reshape", 13, attributes{"allowzero": int64(1)}, []given{f32(2), longs(2)}, `Reshape-13: attribute "allowzero" is not allowed in opset 13, it is since opset 14`, nil},
		{"Reshape", 1, nil, []given{f32(2)}, "Reshape-1: no shape", dense.ErrShape},
		{"Flatten", 13, attributes{"axis": int64(4)}, []given{f32(2, 3)}, "Flatten-13: axis 4 is not in [-2, 2]", dense.ErrAxis},
		{"Squeeze", 13, nil, []given{f32(2, 1), longs(0)}, "Squeeze-13: axis 0 of shape (2, 1) has not size 1", dense.ErrShape},
		{"Squeeze", 9, attributes{"axes": []int64{-1}}, []given{f32(2, 1)}, "Squeeze-1: axis -1 is not in [0, 1]", dense.ErrAxis},
		{"Unsqueeze", 13, nil, []given{f32(2), longs(2, 2)}, "Unsqueeze-13: axes [2 2] name axis 2 twice", dense.ErrAxis},
		{"Unsqueeze", 11, nil, []given{f32(2)}, "Unsqueeze-11: no axes", dense.ErrOption},
		{"Expand", 13, nil, []given{f32(2), longs(3)}, "Expand-13: shapes (2) and (3) do not broadcast to each other", dense.ErrShape},
		{"Expand", 13, nil, []given{f32(2), longs(-1)}, "Expand-13: shape [-1] has a negative dim", dense.ErrShape},
		{"Slice", 13, nil, []given{f32(2), longs(0), longs(1, 2)}, "Slice-13: 2 ends and 1 starts", dense.ErrShape},
		{"Slice", 13, nil, []given{f32(2), longs(0), longs(1), longs(0), longs(0)}, "Slice-13: steps[0] is 0", dense.ErrOption},
		{"Slice", 13, nil, []given{f32(2), longs(0), longs(1), longs(1)}, "Slice-13: axis 1 is not in [-1, 0]", dense.ErrAxis},
		{"Slice", 1, attributes{"starts": []int64{0}}, []given{f32(2)}, "Slice-1: no ends", dense.ErrOption},
		{"Split", 13, nil, []given{f32(5), longs(2, 2)}, "Split-13: split [2 2] sums to 4, the axis has size 5", dense.ErrShape},
		{"Split", 18, attributes{"num_outputs": int64(3)}, []given{f32(2)}, "Split-18: 3 parts of an axis of size 2", dense.ErrShape},
		{"Split", 13, nil, []given{f32(2)}, "Split-13: 0 parts of an axis of size 2", dense.ErrShape},
		{"Concat", 13, nil, []given{f32(2)}, "Concat-13: no axis", dense.ErrOption},
		{"Concat", 4, nil, []given{f32(2, 2)}, "Concat-4: no axis", dense.ErrOption},
		{"Split", 13, nil, []given{f32(5), longs(6, -1)}, "Split-13: split [6 -1] of an axis of size 5", dense.ErrShape},
		{"Concat", 13, attributes{"axis": int64(0)}, []given{f32(2, 3), f32(2, 4)}, "Concat-13: Concat on axis 0: input 1 of shape (2, 4) does not fit (2, 3) but for axis 0", dense.ErrShape},
		{"Concat", 13, attributes{"axis": int64(0)}, []given{f32(2), typed(tensor.Float64, 2)}, "Concat-13: Concat on axis 0: input 1 of type double, the first one of type float", dense.ErrDtype},
		{"Concat", 13, attributes{"axis": int64(0)}, nil, "Concat-13: 0 inputs, at least 1 are allowed", dense.ErrShape},
		{"Concat", 13, attributes{"axis": int64(0)}, []given{f32(2), none}, "Concat-13: input 1 is left out", dense.ErrShape},
		{"Cast", 13, nil, []given{f32(2)}, "Cast-13: no data type to convert to", dense.ErrOption},
		{"Cast", 13, attributes{"to": int64(8)}, []given{f32(2)}, "Cast-13: Cast to string: a conversion of float to string is not supported", dense.ErrDtype},
		{"Cast", 13, attributes{"to": int64(14)}, []given{f32(2)}, "Cast-13: to complex64 is not allowed in opset 13, nor in any other", nil},
		{"Cast", 13, attributes{"to": int64(17)}, []given{f32(2)}, "Cast-13: data type FLOAT8E4M3FN is not supported", nil},
		{"Cast", 13, attributes{"to": int64(99)}, []given{f32(2)}, "Cast-13: data type 99 is not supported", nil},
		{"Where", 9, nil, []given{f32(2), f32(2), f32(2)}, "Where-9: input 0 of type float is not allowed in opset 9, nor in any other", nil},
		{"Where", 9, nil, []given{typed(tensor.Bool, 2), f32(2), f32(3)}, "Where-9: shapes (2) and (3) do not broadcast to each other", dense.ErrShape},
		{"Dropout", 13, nil, []given{f32(2), none, typed(tensor.Bool)}, "Dropout-13: training_mode must be false, and known when the graph is built", dense.ErrOption},
	} {
		t.Run(fmt.Sprint(c.op, c.opset, c.in), func(t *testing.T) {
			out, err := use(c.op, c.opset, c.attrs, c.in...)
			if err == nil {
				t.Fatalf("no error, but %v of shape %v", out, out[0].Shape())
			}
			if err.Error() != c.want {
				t.Errorf("got  %s\nwant %s", err, c.want)
			}
			if c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("%v is no %v", err, c.is)
			}
		})
	}
}

// TestGraphs refuses nodes of two graphs, and none.
func TestGraphs(t *testing.T) {
	a := f32(2).node(G.NewGraph(), "a")
	b := f32(2).node(G.NewGraph(), "b")
	n := onnx.Node{OpType: "Add", Opset: 13}
	if _, err := Add(n, a, b); err == nil || !strings.Contains(err.Error(), "different graphs") {
		t.Errorf("got %v", err)
	}
	if _, err := Add(n); err == nil {
		t.Error("no error without inputs")
	}
	if _, err := Add(n, nil, nil); err == nil {
		t.Error("no error for nil inputs")
	}
	shapeless := G.NewMatrix(a.Graph(), tensor.Float32, G.WithName("shapeless"))
	if _, err := Add(n, shapeless, a); err == nil || !strings.Contains(err.Error(), "has no shape") {
		t.Errorf("got %v", err)
	}
	if _, err := Add(n, a, shapeless); err == nil || !strings.Contains(err.Error(), "has no shape") {
		t.Errorf("got %v", err)
	}
	if _, err := Add(n, a, G.NewConstant(float32(2))); err != nil && !strings.Contains(err.Error(), "graph") {
		t.Errorf("got %v", err)
	}
}

// TestHalves are the conversions of 16-bit floats.
func TestHalves(t *testing.T) {
	to := func(number int, in *tensor.Dense) *tensor.Dense {
		dt, err := onnx.DataType(number)
		if err != nil {
			t.Fatal(err)
		}
		out, err := compute(casting{dt}, []*tensor.Dense{in})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	floats := tensor.New(tensor.WithShape(3), tensor.WithBacking([]float32{1.5, -1e9, 1.0 / 3}))
	if got := elements[float16.Float16](to(10, floats)); got[0].Float32() != 1.5 || !got[1].IsInf(-1) || got[2] != float16.Fromfloat32(1.0/3) {
		t.Errorf("float16 %v", got)
	}
	if got := elements[uint16](to(16, floats)); got[0] != 0x3fc0 || got[2] != 0x3eab {
		t.Errorf("bfloat16 %x", got)
	}
	if got := elements[float32](to(1, to(16, floats))); got[0] != 1.5 {
		t.Errorf("back from bfloat16 %v", got)
	}
	if got := elements[int32](to(6, to(10, floats))); got[0] != 1 || got[2] != 0 {
		t.Errorf("int32 of float16 %v", got)
	}
}
