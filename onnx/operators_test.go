package onnx_test

import (
	"fmt"
	"testing"

	"github.com/pkg/errors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
	"gorgonia.org/gather/onnx"
	"gorgonia.org/gather/onnx/builders"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A builder of the user gets the node as the model has it, nodes for its inputs,
// nil for one that is left out, and gives several outputs.
func TestWithOperator(t *testing.T) {
	m := (&file{}).input("x", 4).longs("how", 2).
		custom("com.example", "Cut", list("x", "", "how"), list("left", "unused", "right")).
		node("Identity", list("right"), list("y")).output("left").output("y").model(t, 17, "com.example")
	_, err := m.Build(gorgonia.NewGraph())
	assert.EqualError(t, err, "onnx: the model needs 1 operator that is not supported: com.example.Cut; builders.All() of package onnx/builders, given to Build, has many")

	cut := func(n onnx.Node, inputs ...*gorgonia.Node) ([]*gorgonia.Node, error) {
		assert.Equal(t, onnx.Node{
			OpType: "Cut", Domain: "com.example", Opset: 3, Attributes: map[string]any{},
			Inputs: list("x", "", "how"), Outputs: list("left", "", "right"),
		}, n, "an output that nobody uses has no name")
		assert.Nil(t, inputs[1])
		at := int(inputs[2].Value().Data().([]int64)[0])
		left, err := gorgonia.Slice(inputs[0], gorgonia.S(0, at))
		require.NoError(t, err)
		right, err := gorgonia.Slice(inputs[0], gorgonia.S(at, 4))
		require.NoError(t, err)
		return []*gorgonia.Node{left, nil, right}, nil
	}
	g := gorgonia.NewGraph()
	built, err := m.Build(g, onnx.WithOperator("com.example.Cut", cut))
	require.NoError(t, err)
	require.NoError(t, built.Let("x", floats(4, 4)))
	assert.Equal(t, []float32{0, 1}, onnx.Run(t, g, built, "left").Data())
	right, err := built.Value("y")
	require.NoError(t, err)
	assert.Equal(t, []float32{2, 3}, right.Data())

	nodes, err := m.Nodes()
	require.NoError(t, err)
	require.Len(t, nodes, 2)
	assert.Equal(t, list("left", "unused", "right"), nodes[0].Outputs)
	assert.Equal(t, 3, nodes[0].Opset)
	assert.Equal(t, "Identity", nodes[1].OpType)
	assert.Equal(t, 17, nodes[1].Opset)
}

// What a builder may get wrong is an error that names the node.
func TestWithOperatorErrors(t *testing.T) {
	m := (&file{}).input("x", 4).node("Odd", list("x"), list("y")).output("y").model(t, 17)
	elsewhere := gorgonia.NewVector(gorgonia.NewGraph(), tensor.Float32, gorgonia.WithShape(4), gorgonia.WithName("elsewhere"))
	for text, b := range map[string]onnx.Builder{
		`onnx: node 0 (Odd of y): its builder gives no output 0, "y"`: func(onnx.Node, ...*gorgonia.Node) ([]*gorgonia.Node, error) { return nil, nil },
		`onnx: node 0 (Odd of y): wrong`:                              func(onnx.Node, ...*gorgonia.Node) ([]*gorgonia.Node, error) { return nil, errors.New("wrong") },
		`onnx: node 0 (Odd of y): output 0 of its builder is in another graph`: func(onnx.Node, ...*gorgonia.Node) ([]*gorgonia.Node, error) {
			return []*gorgonia.Node{elsewhere}, nil
		},
		`onnx: node 0 (Odd of y): output 0 of its builder has not been added to the graph`: func(_ onnx.Node, in ...*gorgonia.Node) ([]*gorgonia.Node, error) {
			return []*gorgonia.Node{gorgonia.NewConstant(float32(1), gorgonia.In(in[0].Graph()))}, nil
		},
		`onnx: option 0: the builder for operator "Odd" is nil`:        nil,
		`onnx: node 0 (Odd of y): its builder panicked: slice index 7`: func(onnx.Node, ...*gorgonia.Node) ([]*gorgonia.Node, error) { panic("slice index 7") },
	} {
		_, err := m.Build(gorgonia.NewGraph(), onnx.WithOperator("Odd", b))
		assert.EqualError(t, err, text)
	}
	// Of two options the last one counts; a builder goes before an operator here.
	same := func(_ onnx.Node, in ...*gorgonia.Node) ([]*gorgonia.Node, error) { return in, nil }
	_, err := m.Build(gorgonia.NewGraph(), onnx.WithOperator("Odd", nil2), onnx.WithOperators(map[string]onnx.Builder{"Odd": same}))
	require.NoError(t, err)
	twice := (&file{}).input("x", 4).node("Identity", list("x"), list("y")).output("y").model(t, 17)
	_, err = twice.Build(gorgonia.NewGraph(), onnx.WithOperator("Identity", nil2))
	assert.ErrorContains(t, err, "never to be called")

	_, err = (&file{}).input("x", 4).custom("com.example", "Odd", list("x"), list("y")).output("y").model(t, 17).
		Build(gorgonia.NewGraph(), onnx.WithOperator("com.example.Odd", same))
	assert.EqualError(t, err, `onnx: node 0 (com.example.Odd of y): the model imports no version of domain "com.example"`)
}

func nil2(onnx.Node, ...*gorgonia.Node) ([]*gorgonia.Node, error) {
	return nil, errors.New("never to be called")
}

// The arithmetic that an exporter leaves: the shape of an input, cut and joined,
// becomes the shape of a Reshape. None of its nodes is in the graph.
func TestFold(t *testing.T) {
	m := (&file{}).input("x", 2, 3, 4).longs("zero", 0).longs("one", 1).longs("two", 2).longs("big", 1<<40).longs("tail", -1).
		node("Shape", list("x"), list("shape")).
		node("Slice", list("shape", "zero", "one", "zero"), list("batch")).
		node("Gather", list("shape", "two"), list("width")).
		node("Mul", list("batch", "width"), list("rows")).
		node("Div", list("rows", "two"), list("half")).
		node("Cast", list("half"), list("half32"), onnx.IntAttribute("to", 6)).
		node("Cast", list("half32"), list("half64"), onnx.IntAttribute("to", 7)).
		node("Concat", list("half64", "tail"), list("target"), onnx.IntAttribute("axis", 0)).
		node("Reshape", list("x", "target"), list("y")).
		output("y").output("rows").model(t, 17)
	g := gorgonia.NewGraph()
	built, err := m.Build(g, builders.All())
	require.NoError(t, err)
	assert.Equal(t, tensor.Shape{4, 6}, built.Output("y").Shape())
	require.NoError(t, built.Let("x", floats(24, 2, 3, 4)))
	assert.Equal(t, tensor.Shape{4, 6}, onnx.Run(t, g, built, "y").Shape())
	rows, err := built.Value("rows")
	require.NoError(t, err)
	assert.Equal(t, []int64{8}, rows.Data())
	assert.Len(t, g.AllNodes(), 5, "x, the shape, y, what reads it, and the rows: %v", g.AllNodes())
	for _, name := range list("zero", "two", "half") {
		assert.Nil(t, built.Constant(name))
		assert.EqualError(t, built.Let(name, floats(1, 1)), fmt.Sprintf("onnx: constant %q: its value has been used when the graph was built, and cannot be changed", name))
	}
	// The shape itself is a constant of the graph, pinned to its value.
	require.NotNil(t, built.Constant("target"))
	require.NoError(t, built.Let("target", tensor.New(tensor.WithShape(2), tensor.WithBacking([]int64{6, 4}))))
	machine := gorgonia.NewTapeMachine(g)
	defer machine.Close()
	assert.ErrorContains(t, machine.RunAll(), "shape is [6 4], and was [4 -1] when the graph was built")
}

// Operators whose results are known come to the end that ONNX says.
func TestKnownOperators(t *testing.T) {
	value := func(number int64, raw ...byte) onnx.Message {
		v := onnx.TensorMessage("", number, 1)
		v = protowire.AppendBytes(protowire.AppendTag(v, 9, protowire.BytesType), raw)
		a := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), "value")
		a = protowire.AppendBytes(protowire.AppendTag(a, 5, protowire.BytesType), v)
		return protowire.AppendVarint(protowire.AppendTag(a, 20, protowire.VarintType), 4)
	}
	for _, c := range []struct {
		name  string
		op    string
		in    []string
		attrs []onnx.Message
		shape tensor.Shape
		want  any
	}{
		{"Shape", "Shape", list("x"), nil, tensor.Shape{3}, []int64{2, 3, 4}},
		{"Shape of a scalar", "Shape", list("scalar"), nil, tensor.Shape{0}, nil},
		{"Shape from start", "Shape", list("x"), []onnx.Message{onnx.IntAttribute("start", -2)}, tensor.Shape{2}, []int64{3, 4}},
		{"Shape from start to end", "Shape", list("x"), []onnx.Message{onnx.IntAttribute("start", 1), onnx.IntAttribute("end", -1)}, tensor.Shape{1}, []int64{3}},
		{"Shape past the end", "Shape", list("x"), []onnx.Message{onnx.IntAttribute("start", 2), onnx.IntAttribute("end", 9)}, tensor.Shape{1}, []int64{4}},
		{"Shape backwards", "Shape", list("x"), []onnx.Message{onnx.IntAttribute("start", 2), onnx.IntAttribute("end", 1)}, tensor.Shape{0}, nil},
		{"Size", "Size", list("x"), nil, tensor.Shape{}, int64(24)},
		{"ConstantOfShape", "ConstantOfShape", list("pair"), nil, tensor.Shape{2, 3}, make([]float32, 6)},
		{"ConstantOfShape of a value", "ConstantOfShape", list("pair"), []onnx.Message{value(6, 5, 1, 0, 0)}, tensor.Shape{2, 3}, []int32{261, 261, 261, 261, 261, 261}},
		{"ConstantOfShape of bool", "ConstantOfShape", list("pair"), []onnx.Message{value(9, 1)}, tensor.Shape{2, 3}, []bool{true, true, true, true, true, true}},
		{"ConstantOfShape of no dims", "ConstantOfShape", list("empty"), []onnx.Message{value(7, 9, 0, 0, 0, 0, 0, 0, 0)}, tensor.Shape{}, int64(9)},
		{"Range", "Range", list("three", "ten", "two"), nil, tensor.Shape{4}, []int64{3, 5, 7, 9}},
		{"Range downward", "Range", list("ten", "three", "minus"), nil, tensor.Shape{3}, []int64{10, 7, 4}},
		{"Range of nothing", "Range", list("ten", "three", "two"), nil, tensor.Shape{0}, nil},
		{"Range over all of int64", "Range", list("low", "high", "huge"), nil, tensor.Shape{3}, []int64{-1 << 63, -1<<63 + 1<<62 + 1<<61, -1<<63 + 2*(1<<62+1<<61)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := (&file{}).input("x", 2, 3, 4).input("scalar").longs("pair", 2, 3).longs("empty").longs("two", 2).longs("three", 3).longs("ten", 10).
				longs("minus", -3).longs("low", -1<<63).longs("high", 1<<63-1).longs("huge", 1<<62+1<<61)
			m := f.node(c.op, c.in, list("y"), c.attrs...).output("y").model(t, 17)
			g := gorgonia.NewGraph()
			built, err := m.Build(g)
			require.NoError(t, err)
			got, err := built.Value("y")
			require.NoError(t, err)
			assert.Equal(t, c.shape, append(tensor.Shape{}, got.Shape()...))
			if c.want != nil {
				assert.Equal(t, c.want, got.Data())
			}
		})
	}
	for _, c := range []struct {
		op    string
		in    []string
		attrs []onnx.Message
		opset int64
		text  string
	}{
		{"Shape", list("x"), []onnx.Message{onnx.IntAttribute("start", 1)}, 13, `onnx: node 0 (Shape of y): Shape-13: attribute "start" is not allowed in opset 13, it is since opset 15`},
		{"Shape", list("x", "x"), nil, 13, "onnx: node 0 (Shape of y): Shape-13: 2 inputs, 1 are needed"},
		{"ConstantOfShape", list("runtime"), nil, 13, `onnx: node 0 (ConstantOfShape of y): ConstantOfShape-9: "runtime" must be known when the graph is built: an initializer, a Constant, or what follows from shapes`},
		{"ConstantOfShape", list("negative"), nil, 13, "onnx: node 0 (ConstantOfShape of y): ConstantOfShape-9: dim -1 at axis 0"},
		{"ConstantOfShape", list("large"), nil, 13, "onnx: node 0 (ConstantOfShape of y): ConstantOfShape-9: float (1073741824, 1073741824, 1073741824) takes 2^64 or more bytes, WithMaxBytes allows 17179869184, of which"},
		{"ConstantOfShape", list("x"), nil, 13, "onnx: node 0 (ConstantOfShape of y): ConstantOfShape-9: input 0 of type float is not allowed in opset 13, nor in any other"},
		{"Range", list("one", "large1", "zero"), nil, 13, "onnx: node 0 (Range of y): Range-11: delta is 0, another number is needed"},
		{"Range", list("one", "large1", "one"), nil, 13, "onnx: node 0 (Range of y): Range-11: from 1 to 1099511627776 by 1 are 1099511627775 elements, at most 2147483647 are allowed"},
		{"Range", list("one", "large", "one"), nil, 13, "onnx: node 0 (Range of y): Range-11: limit of shape (3), a scalar is allowed"},
		{"Concat", list("one", "x"), []onnx.Message{onnx.IntAttribute("axis", 0)}, 13, "onnx: node 0 (Concat of y): Concat-13: Concat on axis 0: input 1 of type float, the first one of type int64"},
		{"Div", list("one", "zero"), nil, 13, "onnx: node 0 (Div of y): Div(one, zero): division by zero: element 0 of input 1"},
	} {
		m := (&file{}).input("x", 2).add(onnx.InputField, onnx.ValueMessage("runtime", 7, 1)).longs("negative", -1).longs("large", 1<<30, 1<<30, 1<<30).longs("large1", 1<<40).
			longs("one", 1).longs("zero", 0).node(c.op, c.in, list("y"), c.attrs...).output("y").model(t, c.opset)
		_, err := m.Build(gorgonia.NewGraph(), builders.All())
		require.Error(t, err)
		assert.Contains(t, err.Error(), c.text)
	}
}

// A model that reads shapes alone, and one with unused initializers and outputs,
// leave no loose ends: LispMachine runs them backward.
func TestNoLooseEnds(t *testing.T) {
	m := (&file{}).input("x", 2, 4).longs("unused", 1, 2).longs("axes", 1).
		node("Split", list("x"), list("a", "b"), onnx.IntAttribute("axis", 1)).
		node("ReduceSum", list("a", "axes"), list("s"), onnx.IntAttribute("keepdims", 0)).
		node("Shape", list("s"), list("n")).
		node("Reshape", list("s", "n"), list("y")).output("y").model(t, 13)
	g := gorgonia.NewGraph()
	built, err := m.Build(g, builders.All())
	require.NoError(t, err)
	require.NoError(t, built.Let("x", floats(8, 2, 4)))
	gorgonia.Must(gorgonia.Sum(gorgonia.Must(gorgonia.Square(built.Output("y")))))
	machine := gorgonia.NewLispMachine(g)
	defer machine.Close()
	require.NoError(t, machine.RunAll())
	grad, err := built.Input("x").Grad()
	require.NoError(t, err)
	assert.Equal(t, []float32{2, 2, 0, 0, 18, 18, 0, 0}, grad.Data())
}

// The memory of what builders make is counted.
func TestWithOperatorMaxBytes(t *testing.T) {
	m := (&file{}).input("x", 1000, 1).input("y", 1000).node("Mul", list("x", "y"), list("z")).output("z").model(t, 13)
	_, err := m.Build(gorgonia.NewGraph(), builders.All(), onnx.WithMaxBytes(1<<20))
	require.ErrorIs(t, err, onnx.ErrMaxBytes)
	assert.ErrorContains(t, err, "node 0 (Mul of z): float (1000, 1000) takes 4000000 bytes")
}

// An input that shapes a result is given to the build.
func TestWithInput(t *testing.T) {
	m := (&file{}).input("x", 2, 3).add(onnx.InputField, onnx.ValueMessage("shape", 7, 2)).
		node("Reshape", list("x", "shape"), list("y")).output("y").model(t, 13)
	shape := tensor.New(tensor.WithShape(2), tensor.WithBacking([]int64{3, -1}))
	_, err := m.Build(gorgonia.NewGraph(), builders.All())
	assert.EqualError(t, err, "onnx: node 0 (Reshape of y): Reshape-13: shape, shape, must be known when the graph is built: an initializer, a Constant, or what follows from shapes")
	built, err := m.Build(gorgonia.NewGraph(), builders.All(), onnx.WithInput("shape", shape))
	require.NoError(t, err)
	assert.Equal(t, tensor.Shape{3, 2}, built.Output("y").Shape())
	require.Len(t, built.Inputs, 1)
	weights, err := built.Weights()
	require.NoError(t, err)
	assert.Empty(t, weights)
	for text, o := range map[string]onnx.BuildOption{
		`onnx: WithInput: the model has no input "shap", its inputs are [x, shape]`: onnx.WithInput("shap", shape),
		`onnx: input "shape": the value is nil`:                                     onnx.WithInput("shape", nil),
		`onnx: input "shape": it is of type int64, the value of type float`:         onnx.WithInput("shape", floats(2, 2)),
		`onnx: input "shape": shape (3) does not fit the model's shape int64 (2)`:   onnx.WithInput("shape", tensor.New(tensor.WithShape(3), tensor.WithBacking([]int64{1, 2, 3}))),
	} {
		_, err := m.Build(gorgonia.NewGraph(), builders.All(), o)
		assert.EqualError(t, err, text)
	}
}

// An error of a run names the node, of an operator of package builders, too.
func TestRunErrorNamesTheNode(t *testing.T) {
	m := (&file{}).add(onnx.InputField, onnx.ValueMessage("a", 7, 2)).add(onnx.InputField, onnx.ValueMessage("b", 7, 2)).
		node("Neg", list("a"), list("c")).node("Div", list("c", "b"), list("y")).output("y").model(t, 14)
	g := gorgonia.NewGraph()
	built, err := m.Build(g, builders.All())
	require.NoError(t, err)
	for _, name := range list("a", "b") {
		require.NoError(t, built.Let(name, tensor.New(tensor.WithShape(2), tensor.WithBacking([]int64{1, 0}))))
	}
	machine := gorgonia.NewTapeMachine(g)
	defer machine.Close()
	err = machine.RunAll()
	require.ErrorContains(t, err, "node 1 (Div of y): Div(c, b): division by zero: element 1 of input 1")
	bad, ok := onnx.AsNodeError(err)
	require.True(t, ok)
	assert.Equal(t, 1, bad.Index)
}

// Of a model with several outputs LispMachine runs what leads to the cost.
func TestLispOfOneOutput(t *testing.T) {
	m := (&file{}).input("x", 3).node("Exp", list("x"), list("a")).node("Neg", list("a"), list("b")).output("a").output("b").model(t, 13)
	g := gorgonia.NewGraph()
	built, err := m.Build(g, builders.All())
	require.NoError(t, err)
	require.NoError(t, built.Let("x", floats(3, 3)))
	cost := gorgonia.Must(gorgonia.Sum(gorgonia.Must(gorgonia.Square(built.Output("a")))))
	machine := gorgonia.NewLispMachine(g.SubgraphRoots(cost))
	defer machine.Close()
	require.NoError(t, machine.RunAll())
	grad, err := built.Input("x").Grad()
	require.NoError(t, err)
	assert.InDeltaSlice(t, []float32{2, 2 * 7.389056, 2 * 54.59815}, grad.(*tensor.Dense).Float32s(), 1e-4)
}
