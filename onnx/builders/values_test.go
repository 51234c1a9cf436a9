package builders

import (
	"fmt"
	"math"
	"math/rand"
	"reflect"
	"strings"
	"testing"

	"gorgonia.org/gather/internal/gradtest"
	"gorgonia.org/gather/onnx"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// value makes a tensor of a slice.
func value(list any, shape ...int) *tensor.Dense {
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(list))
}

// runOp runs one node on a TapeMachine.
func runOp(op string, opset int, attrs attributes, in ...*tensor.Dense) (*tensor.Dense, error) {
	g := G.NewGraph()
	var nodes []*G.Node
	for i, v := range in {
		o := given{v.Dtype(), v.Shape(), nil}
		nodes = append(nodes, o.node(g, fmt.Sprint("x", i)))
		if err := G.Let(nodes[i], v); err != nil {
			return nil, err
		}
	}
	out, err := builders[op](onnx.Node{OpType: op, Opset: opset, Attributes: attrs}, nodes...)
	if err != nil {
		return nil, err
	}
	machine := G.NewTapeMachine(g)
	defer machine.Close()
	if err := machine.RunAll(); err != nil {
		return nil, err
	}
	return packed(out[0].Value())
}

// A valueCase is one node and its result at opset 18.
type valueCase struct {
	op    string
	attrs attributes
	in    []*tensor.Dense
	want  any // nil for an empty result
}

func checkValues(t *testing.T, cases []valueCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(fmt.Sprint(c.op, c.attrs, c.in), func(t *testing.T) {
			got, err := runOp(c.op, 18, c.attrs, c.in...)
			if err != nil {
				t.Fatal(err)
			}
			if count(got.Shape()) == 0 {
				if c.want != nil {
					t.Errorf("an empty result, want %v", c.want)
				}
				return
			}
			list := got.Data()
			if reflect.TypeOf(list).Kind() != reflect.Slice {
				list = reflect.Append(reflect.MakeSlice(reflect.SliceOf(reflect.TypeOf(list)), 0, 1), reflect.ValueOf(list)).Interface()
			}
			// As texts, so that NaN is NaN.
			if fmt.Sprintf("%T %v", list, list) != fmt.Sprintf("%T %v", c.want, c.want) {
				t.Errorf("got %T %v, want %T %v", list, list, c.want, c.want)
			}
		})
	}
}

// TestValues are values that the check against differences does not see: of
// integers, of bool and strings, of NaN and infinity, and of empty tensors.
func TestValues(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	checkValues(t, []valueCase{
		{"Add", nil, []*tensor.Dense{value([]int64{1 << 60, 2, 3}, 3), value([]int64{1}, 1)}, []int64{1<<60 + 1, 3, 4}},
		{"Sub", nil, []*tensor.Dense{value([]uint8{1, 2, 3}, 3), value([]uint8{2}, 1)}, []uint8{255, 0, 1}},
		{"Mul", nil, []*tensor.Dense{value([]int32{1, -2}, 2, 1), value([]int32{3, 4}, 2)}, []int32{3, 4, -6, -8}},
		{"Div", nil, []*tensor.Dense{value([]int64{7, -7, math.MinInt64}, 3), value([]int64{2, 2, -1}, 3)}, []int64{3, -3, math.MinInt64}},
		{"Div", nil, []*tensor.Dense{value([]float64{1, -1, 0}, 3), value([]float64{0}, 1)}, []float64{inf, -inf, nan}},
		{"Pow", nil, []*tensor.Dense{value([]int64{2, -1, 0, 3}, 4), value([]int64{10, -3, 0, -1}, 4)}, []int64{1024, -1, 1, 0}},
		{"Pow", nil, []*tensor.Dense{value([]float32{2, 3}, 2), value([]int64{3, 2}, 2)}, []float32{8, 9}},
		{"Neg", nil, []*tensor.Dense{value([]int64{1<<60 + 1, math.MinInt64}, 2)}, []int64{-1<<60 - 1, math.MinInt64}},
		{"Abs", nil, []*tensor.Dense{value([]int8{-128, -5, 5}, 3)}, []int8{-128, 5, 5}},
		{"Abs", nil, []*tensor.Dense{value([]uint64{math.MaxUint64, 5}, 2)}, []uint64{math.MaxUint64, 5}},
		{"Relu", nil, []*tensor.Dense{value([]int16{-3, 4}, 2)}, []int16{0, 4}},
		{"Relu", nil, []*tensor.Dense{value([]float64{-inf, inf, nan}, 3)}, []float64{0, inf, nan}},
		{"Sigmoid", nil, []*tensor.Dense{value([]float64{-1000, 1000, 0}, 3)}, []float64{0, 1, 0.5}},
		{"Softmax", nil, []*tensor.Dense{value([]float64{1000, 1000, -inf}, 3)}, []float64{0.5, 0.5, 0}},
		{"Softmax", nil, []*tensor.Dense{value([]float64{-inf, -inf}, 2)}, []float64{nan, nan}},
		{"LogSoftmax", nil, []*tensor.Dense{value([]float64{1000, 0}, 2)}, []float64{0, -1000}},
		{"MatMul", nil, []*tensor.Dense{value([]float64{0, 1}, 1, 2), value([]float64{inf, 2}, 2, 1)}, []float64{nan}},
		{"MatMul", nil, []*tensor.Dense{value([]float32{0, 1}, 1, 2), value([]float32{float32(nan), 2}, 2, 1)}, []float32{float32(nan)}},
		{"MatMul", nil, []*tensor.Dense{value([]int64{1, 2, 3, 4}, 2, 2), value([]int64{1 << 60, 1}, 2)}, []int64{1<<60 + 2, 3<<60 + 4}},
		{"MatMul", nil, []*tensor.Dense{value([]int32{1, 2}, 2), value([]int32{3, 4}, 2)}, []int32{11}},
		{"MatMul", nil, []*tensor.Dense{tensor.NewDense(tensor.Float64, tensor.Shape{2, 0}), tensor.NewDense(tensor.Float64, tensor.Shape{0, 1})}, []float64{0, 0}},
		{"ReduceSum", nil, []*tensor.Dense{value([]int64{1 << 60, 1, 2}, 3)}, []int64{1<<60 + 3}},
		{"ReduceSum", nil, []*tensor.Dense{tensor.NewDense(tensor.Float64, tensor.Shape{0, 3}), value([]int64{0}, 1)}, []float64{0, 0, 0}},
		{"ReduceMean", nil, []*tensor.Dense{tensor.NewDense(tensor.Float64, tensor.Shape{0})}, []float64{nan}},
		{"Transpose", nil, []*tensor.Dense{value([]string{"a", "b", "c", "d"}, 2, 2)}, []string{"a", "c", "b", "d"}},
		{"Reshape", nil, []*tensor.Dense{value([]complex128{1, 2i}, 2), value([]int64{2, 1}, 2)}, []complex128{1, 2i}},
		{"Concat", attributes{"axis": int64(0)}, []*tensor.Dense{value([]string{"a"}, 1), value([]string{"b", "c"}, 2)}, []string{"a", "b", "c"}},
		{"Concat", attributes{"axis": int64(1)}, []*tensor.Dense{value([]bool{true, false}, 2, 1), value([]bool{false, true}, 2, 1)}, []bool{true, false, false, true}},
		{"Slice", nil, []*tensor.Dense{value([]int16{1, 2, 3}, 3), value([]int64{5}, 1), value([]int64{9}, 1)}, nil},
		{"Add", nil, []*tensor.Dense{tensor.NewDense(tensor.Float32, tensor.Shape{0, 3}), value([]float32{1, 2, 3}, 3)}, nil},
		{"Cast", attributes{"to": int64(7)}, []*tensor.Dense{value([]float64{1.9, -1.9}, 2)}, []int64{1, -1}},
		{"Cast", attributes{"to": int64(9)}, []*tensor.Dense{value([]float32{0, float32(nan), -2}, 3)}, []bool{false, true, true}},
		{"Cast", attributes{"to": int64(11)}, []*tensor.Dense{value([]uint64{math.MaxUint64}, 1)}, []float64{math.MaxUint64}},
		{"Cast", attributes{"to": int64(3)}, []*tensor.Dense{value([]bool{true, false}, 2)}, []int8{1, 0}},
		{"Cast", attributes{"to": int64(2)}, []*tensor.Dense{value([]int64{256 + 7, -1}, 2)}, []uint8{7, 255}},
		{"Where", nil, []*tensor.Dense{value([]bool{true, false}, 2), value([]string{"a", "b"}, 2), value([]string{"c"}, 1)}, []string{"a", "c"}},
		{"Equal", nil, []*tensor.Dense{value([]bool{true, false}, 2), value([]bool{true}, 1)}, []bool{true, false}},
		{"Less", nil, []*tensor.Dense{value([]int64{1, 1 << 60}, 2), value([]int64{1<<60 + 1}, 1)}, []bool{true, true}},
		{"Greater", nil, []*tensor.Dense{value([]float64{1, nan}, 2), value([]float64{0}, 1)}, []bool{true, false}},
		{"Not", nil, []*tensor.Dense{value([]bool{true, false}, 2)}, []bool{false, true}},
	})
}

// TestRunErrors are errors of a run.
func TestRunErrors(t *testing.T) {
	_, err := runOp("Div", 14, nil, value([]int32{1, 2}, 2), value([]int32{1, 0}, 2))
	if err == nil || !strings.Contains(err.Error(), "Div(x0, x1): division by zero: element 1 of input 1") {
		t.Errorf("got %v", err)
	}

	g := G.NewGraph()
	data, shape := f32(2, 3).node(g, "data"), longs(3, 2).node(g, "shape")
	if _, err := Reshape(onnx.Node{OpType: "Reshape", Opset: 13}, data, shape); err != nil {
		t.Fatal(err)
	}
	G.Let(data, value([]float32{1, 2, 3, 4, 5, 6}, 2, 3))
	G.Let(shape, value([]int64{6, 1}, 2))
	machine := G.NewTapeMachine(g)
	defer machine.Close()
	if err := machine.RunAll(); err == nil || !strings.Contains(err.Error(), "shape is [6 1], and was [3 2] when the graph was built") {
		t.Errorf("got %v", err)
	}
}

// TestLayouts gives inputs in column-major order and as views.
func TestLayouts(t *testing.T) {
	columns := tensor.New(tensor.WithShape(2, 3), tensor.AsFortran([]float64{1, 2, 3, 4, 5, 6}))
	plain := value([]float64{1, 2, 3, 4, 5, 6}, 2, 3)
	turned := value([]float64{1, 4, 2, 5, 3, 6}, 3, 2)
	if err := turned.T(); err != nil {
		t.Fatal(err)
	}
	for op, rest := range map[string][]*tensor.Dense{
		"Exp": nil, "Softmax": nil, "Transpose": nil, "ReduceSum": nil, "Flatten": nil,
		"Add": {value([]float64{10, 20, 30}, 3)}, "MatMul": {value([]float64{1, 2, 3}, 3)},
	} {
		want, err := runOp(op, 13, nil, append([]*tensor.Dense{plain}, rest...)...)
		if err != nil {
			t.Fatal(err)
		}
		for name, in := range map[string]*tensor.Dense{"column-major": columns, "transposed view": turned} {
			got, err := runOp(op, 13, nil, append([]*tensor.Dense{in}, rest...)...)
			if err != nil {
				t.Errorf("%s, %s: %v", op, name, err)
			} else if fmt.Sprint(got.Data()) != fmt.Sprint(want.Data()) {
				t.Errorf("%s, %s: got %v, want %v", op, name, got.Data(), want.Data())
			}
		}
	}
	for _, m := range []*tensor.Dense{columns, turned} {
		_, err := gradtest.Graph([]gradtest.Input{{Value: m, Differentiate: true}, {Value: value([]float64{1, 2, 3}, 3), Differentiate: true}},
			func(in []*G.Node) (*G.Node, error) {
				y, err := Mul(onnx.Node{OpType: "Mul", Opset: 14}, in...)
				if err != nil {
					return nil, err
				}
				y, err = Softmax(onnx.Node{OpType: "Softmax", Opset: 12}, y...)
				if err != nil {
					return nil, err
				}
				return y[0], nil
			}, rand.New(rand.NewSource(1)))
		if err != nil {
			t.Error(err)
		}
	}
}

// TestChains are gradients where an operand comes twice, where two operators
// differ in their settings alone, and behind a Reshape, each of which Gorgonia's
// own operators get wrong or the merging of nodes could.
func TestChains(t *testing.T) {
	node := func(op string, opset int, attrs attributes) func(in ...*G.Node) *G.Node {
		return func(in ...*G.Node) *G.Node {
			out, err := builders[op](onnx.Node{OpType: op, Opset: opset, Attributes: attrs}, in...)
			if err != nil {
				t.Fatal(err)
			}
			return out[0]
		}
	}
	list := func(in *G.Node, name string, l ...int64) *G.Node { return listNode(in.Graph(), name, l) }
	for name, build := range map[string]func(x *G.Node) *G.Node{
		"x times x": func(x *G.Node) *G.Node { return node("Mul", 14, nil)(x, x) },
		"softmax less log-softmax": func(x *G.Node) *G.Node {
			return node("Sub", 14, nil)(node("Softmax", 13, nil)(x), node("LogSoftmax", 13, nil)(x))
		},
		"softmaxes of two axes": func(x *G.Node) *G.Node {
			return node("Sub", 14, nil)(node("Softmax", 13, attributes{"axis": int64(0)})(x), node("Softmax", 13, nil)(x))
		},
		"reshape(exp(reshape x)) + x": func(x *G.Node) *G.Node {
			y := node("Exp", 13, nil)(node("Reshape", 13, nil)(x, list(x, "s", 3, 2)))
			return node("Add", 14, nil)(node("Reshape", 13, nil)(y, list(x, "t", 2, 3)), x)
		},
		"concat of x and its exponential": func(x *G.Node) *G.Node {
			return node("Concat", 13, attributes{"axis": int64(1)})(x, node("Exp", 13, nil)(x), x)
		},
		"concat behind a transpose": func(x *G.Node) *G.Node {
			y := node("Transpose", 13, nil)(x)
			return node("Concat", 13, attributes{"axis": int64(1)})(y, y)
		},
		"x times its transpose": func(x *G.Node) *G.Node { return node("MatMul", 13, nil)(x, node("Transpose", 13, nil)(x)) },
		"mean over both axes, apart": func(x *G.Node) *G.Node {
			return node("Mul", 14, nil)(node("ReduceMean", 13, attributes{"axes": []int64{0}})(x), node("ReduceMean", 13, attributes{"axes": []int64{1}})(x))
		},
		"where": func(x *G.Node) *G.Node {
			return node("Where", 9, nil)(node("Greater", 13, nil)(x, node("ReduceMean", 13, nil)(x)), node("Exp", 13, nil)(x), node("ReduceSum", 13, nil)(x))
		},
		"float and back": func(x *G.Node) *G.Node {
			return node("Mul", 14, nil)(x, node("Cast", 13, attributes{"to": int64(11)})(node("Neg", 13, nil)(x)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			x := value([]float64{0.5, -1, 2, 1.5, 0.25, -0.75}, 2, 3)
			if _, err := gradtest.Graph([]gradtest.Input{{Value: x, Differentiate: true}}, func(in []*G.Node) (*G.Node, error) {
				return build(in[0]), nil
			}, rand.New(rand.NewSource(1))); err != nil {
				t.Error(err)
			}
		})
	}
}
