package onnx

import (
	"sync"
	"testing"

	"github.com/pkg/errors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gather"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// run runs a built model on a new TapeMachine and returns an output.
func run(t *testing.T, g *gorgonia.ExprGraph, built *Graph, output string) *tensor.Dense {
	t.Helper()
	machine := gorgonia.NewTapeMachine(g)
	defer machine.Close()
	require.NoError(t, machine.RunAll())
	d, err := built.Value(output)
	require.NoError(t, err)
	return d
}

func TestBuildEmbedding(t *testing.T) {
	m := testModel(t, "embedding.onnx")
	words, want := testTensor(t, "testdata/words.pb"), testTensor(t, "testdata/embedded.pb")
	assert.Equal(t, 13, m.Opset())
	require.Len(t, m.Inputs(), 1, "the table is an initializer, not an input")
	assert.Equal(t, "words int64 (sentences, 2)", m.Inputs()[0].String())
	assert.Equal(t, "embedded float (sentences, 2, 3)", m.Outputs()[0].String())

	_, err := m.Build(gorgonia.NewGraph())
	assert.ErrorIs(t, err, dense.ErrShape)
	assert.ErrorContains(t, err, "words int64 (sentences, 2) has open dims")

	require.NoError(t, m.SetInputShape("words", 2, 2))
	assert.Equal(t, []int{2, 2}, m.Inputs()[0].Shape)
	g := gorgonia.NewGraph()
	built, err := m.Build(g)
	require.NoError(t, err)
	assert.Equal(t, tensor.Shape{2, 2, 3}, built.Output("embedded").Shape())
	assert.Equal(t, "table", built.Constant("table").Name())

	_, err = built.Value("embedded")
	assert.ErrorContains(t, err, "no machine has run")
	require.NoError(t, built.Let("words", words))
	assert.Equal(t, want.Data(), run(t, g, built, "embedded").Data())

	t.Run("again with other words and another table", func(t *testing.T) {
		require.NoError(t, built.Let("words", of(i64(1, 1, -4, 0), 2, 2)))
		require.NoError(t, built.Let("table", of(iota32(12), 4, 3)))
		assert.Equal(t, f32(3, 4, 5, 3, 4, 5, 0, 1, 2, 0, 1, 2), run(t, g, built, "embedded").Data())
	})
	t.Run("an index out of range", func(t *testing.T) {
		require.NoError(t, built.Let("words", of(i64(1, 1, 4, 0), 2, 2)))
		machine := gorgonia.NewTapeMachine(g)
		defer machine.Close()
		bad, ok := gather.AsIndexError(machine.RunAll())
		require.True(t, ok)
		assert.Equal(t, []int{1, 0}, bad.Position)
	})
	t.Run("the table trains", func(t *testing.T) {
		g := gorgonia.NewGraph()
		built, err := m.Build(g)
		require.NoError(t, err)
		cost := gorgonia.Must(gorgonia.Sum(built.Output("embedded")))
		grads, err := gorgonia.Grad(cost, built.Constant("table"))
		require.NoError(t, err)
		require.NoError(t, built.Let("words", of(i64(3, 1, 3, 0), 2, 2)))
		machine := gorgonia.NewTapeMachine(g)
		defer machine.Close()
		require.NoError(t, machine.RunAll())
		assert.Equal(t, f32(1, 1, 1, 1, 1, 1, 0, 0, 0, 2, 2, 2), grads[0].Value().Data())
	})
}

func TestSetInputShape(t *testing.T) {
	m := testModel(t, "embedding.onnx")
	assert.ErrorContains(t, m.SetInputShape("word", 2, 2), `no input "word", its inputs are [words]`)
	assert.ErrorContains(t, m.SetInputShape("table", 4, 3), `no input "table"`)
	assert.ErrorContains(t, m.SetInputShape("words", 2, 3), "does not fit the model's words int64 (sentences, 2)")
	assert.ErrorContains(t, m.SetInputShape("words", 2), "does not fit")
	assert.ErrorContains(t, m.SetInputShape("words", -1, 2), "dim -1 at axis 0")
	require.NoError(t, m.SetInputShape("words", 5, 2))
	require.NoError(t, m.SetInputShape("words", 7, 2), "the model's own shape is what counts, not the last one")
	assert.Equal(t, []int{7, 2}, m.Inputs()[0].Shape)
	assert.Equal(t, "words int64 (7, 2)", m.Inputs()[0].String())

	shapeless := modelOf(t, modelMessage(13, message{}.
		bytes(graphInput, message{}.text(1, "x").bytes(2, message{}.bytes(1, message{}.varint(1, 1)))).
		bytes(graphOutput, valueMessage("x", 1, 2))))
	assert.Equal(t, "x float of no declared shape", shapeless.Inputs()[0].String())
	_, err := shapeless.Build(gorgonia.NewGraph())
	assert.ErrorIs(t, err, dense.ErrShape)
	require.NoError(t, shapeless.SetInputShape("x", 2, 3))
	built, err := shapeless.Build(gorgonia.NewGraph())
	require.NoError(t, err)
	assert.Equal(t, tensor.Shape{2, 3}, built.Output("x").Shape())
}

func TestGraphLet(t *testing.T) {
	m := testModel(t, "embedding.onnx")
	require.NoError(t, m.SetInputShape("words", 1, 2))
	built, err := m.Build(gorgonia.NewGraph())
	require.NoError(t, err)
	assert.ErrorContains(t, built.Let("word", rows), `no input "word", its inputs are [words]`)
	assert.ErrorContains(t, built.Let("words", nil), "the value is nil")
	assert.ErrorIs(t, built.Let("words", of([]int32{0, 1}, 1, 2)), dense.ErrDtype)
	assert.ErrorIs(t, built.Let("words", of(i64(0, 1), 2)), dense.ErrShape)
	assert.ErrorIs(t, built.Let("words", of(i64(0, 1), 2, 1)), dense.ErrShape)
	_, err = built.Value("words")
	assert.ErrorContains(t, err, `no output "words", its outputs are [embedded]`)
	assert.Nil(t, built.Input("embedded"))
}

// With neither a node nor an input there is nothing for a machine to do.
func TestBuildWithoutOperators(t *testing.T) {
	one := int64Message("k", []int64{2}, 1, 2)
	cases := map[string]message{
		"an initializer is the output": message{}.bytes(graphInitializer, one).bytes(graphOutput, valueMessage("k", 7, 2)),
		"a constant is the output": message{}.
			bytes(graphNode, nodeMessage("Constant", nil, []string{"k"}, message{}.text(1, "value").bytes(5, one).varint(20, kindTensor))).
			bytes(graphOutput, valueMessage("k", 7, 2)),
		"an input is the output": message{}.
			bytes(graphInput, valueMessage("x", 7, 2)).
			bytes(graphNode, nodeMessage("Identity", []string{"x"}, []string{"k"})).
			bytes(graphOutput, valueMessage("k", 7, 2)),
	}
	for name, graph := range cases {
		t.Run(name, func(t *testing.T) {
			g := gorgonia.NewGraph()
			built, err := modelOf(t, modelMessage(13, graph)).Build(g)
			require.NoError(t, err)
			if len(built.Inputs) > 0 {
				require.NoError(t, built.Let("x", of(i64(1, 2), 2)))
			}
			assert.Equal(t, i64(1, 2), run(t, g, built, "k").Data())
		})
	}
}

// Input nodes of one name, type and shape would be one node.
func TestBuildTwiceIntoOneGraph(t *testing.T) {
	m := testModel(t, "embedding.onnx")
	require.NoError(t, m.SetInputShape("words", 1, 2))
	g := gorgonia.NewGraph()
	first, err := m.Build(g)
	require.NoError(t, err)
	second, err := m.Build(g)
	require.NoError(t, err)
	assert.Equal(t, "words_2", second.Input("words").Name())
	assert.Equal(t, "table_2", second.Constant("table").Name())
	require.NoError(t, first.Let("words", of(i64(0, 1), 1, 2)))
	require.NoError(t, second.Let("words", of(i64(2, 2), 1, 2)))
	assert.Equal(t, f32(0, 0.5, 1, 1.5, 2, 2.5), run(t, g, first, "embedded").Data())
	got, err := second.Value("embedded")
	require.NoError(t, err)
	assert.Equal(t, f32(3, 3.5, 4, 3, 3.5, 4), got.Data())
}

// Every dtype of T passes through a graph as an initializer and as an output,
// as a tensor and as a scalar.
func TestBuildOfEachDtype(t *testing.T) {
	for number, e := range elements {
		t.Run(e.name, func(t *testing.T) {
			name := "testdata/tensors/" + map[bool]string{true: "string_typed.pb"}[e.name == "STRING"]
			if e.name != "STRING" {
				name += dtypeFile[number] + "_raw.pb"
			}
			want := testTensor(t, name)
			graph := message{}.
				bytes(graphInput, valueMessage("x", int64(number), 2, 3)).
				bytes(graphInitializer, int64Message("row", []int64{1}, 1)).
				bytes(graphInitializer, int64Message("place", []int64{2}, 0, 2)).
				bytes(graphNode, nodeMessage("Gather", []string{"x", "row"}, []string{"y"})).
				bytes(graphNode, nodeMessage("GatherND", []string{"x", "place"}, []string{"z"})).
				bytes(graphOutput, valueMessage("y", int64(number), 1, 3)).
				bytes(graphOutput, valueMessage("z", int64(number)))
			g := gorgonia.NewGraph()
			built, err := modelOf(t, modelMessage(13, graph)).Build(g)
			require.NoError(t, err)
			require.NoError(t, built.Let("x", want))
			got := run(t, g, built, "y")
			row, err := dense.Gather(want, of(i64(1), 1), 0)
			require.NoError(t, err)
			assert.Equal(t, row.Data(), got.Data())
			got, err = built.Value("z")
			require.NoError(t, err)
			third, err := want.At(0, 2)
			require.NoError(t, err)
			assert.Equal(t, third, got.Data())
			assert.Empty(t, got.Shape())
		})
	}
}

// dtypeFile is the start of the names of a data type's files.
var dtypeFile = map[int32]string{
	1: "float", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16", 6: "int32", 7: "int64", 9: "bool",
	10: "float16", 11: "double", 12: "uint32", 13: "uint64", 14: "complex64", 15: "complex128", 16: "bfloat16",
}

// A model may be asked and built in several goroutines at once.
func TestBuildAtOnce(t *testing.T) {
	m := testModel(t, "embedding.onnx")
	require.NoError(t, m.SetInputShape("words", 1, 2))
	var group sync.WaitGroup
	for range 4 {
		group.Add(1)
		go func() {
			defer group.Done()
			g := gorgonia.NewGraph()
			built, err := m.Build(g, WithMaxBytes(1<<14))
			if assert.NoError(t, err) && assert.NoError(t, built.Let("words", of(i64(1, 2), 1, 2))) {
				assert.Equal(t, f32(1.5, 2, 2.5, 3, 3.5, 4), run(t, g, built, "embedded").Float32s())
			}
			assert.Len(t, m.Inputs(), 1)
			assert.Len(t, m.Outputs(), 1)
		}()
	}
	group.Wait()
}

// Gorgonia takes time by the square of the number of nodes.
func TestBuildOfTooManyNodes(t *testing.T) {
	m := modelOf(t, chain(3))
	_, err := m.build(gorgonia.NewGraph(), 6, nil) // g0 and i, too, and the output is read
	assert.NoError(t, err)
	_, err = m.build(gorgonia.NewGraph(), 4, nil)
	assert.EqualError(t, err, "node 2 (Gather of g3): more nodes than the 65536 that a graph may get")
}

func TestBuildListsUnsupportedOperators(t *testing.T) {
	_, err := testModel(t, "unsupported.onnx").Build(gorgonia.NewGraph())
	var bad *UnsupportedError
	require.True(t, errors.As(err, &bad))
	assert.Equal(t, []string{"Conv", "Relu", "ai.onnx.ml.Binarizer"}, bad.Operators)
	assert.EqualError(t, err, "onnx: the model needs 3 operators that are not supported: Conv, Relu, ai.onnx.ml.Binarizer; builders.All() of package onnx/builders, given to Build, has many")

	one := modelOf(t, modelMessage(13, message{}.bytes(graphNode, nodeMessage("Relu", []string{"x"}, []string{"y"}))))
	_, err = one.Build(gorgonia.NewGraph())
	assert.EqualError(t, err, "onnx: the model needs 1 operator that is not supported: Relu; builders.All() of package onnx/builders, given to Build, has many")
}

// A function of the model is none of ours, whatever it is called.
func TestBuildOfFunctions(t *testing.T) {
	function := func(domain, name string, overload ...string) message {
		f := message{}.text(1, name)
		for _, o := range overload {
			f = f.text(13, o)
		}
		if domain != "" {
			f = f.text(10, domain)
		}
		return message{}.bytes(25, f)
	}
	gather := func(overload string) message {
		node := nodeMessage("Gather", []string{"x", "i"}, []string{"y"})
		if overload != "" {
			node = node.text(8, overload)
		}
		return modelMessage(18, message{}.bytes(graphNode, node).bytes(graphInput, valueMessage("x", 1, 3)).
			bytes(graphInput, valueMessage("i", 7, 2)).bytes(graphOutput, valueMessage("y", 1, 2)))
	}
	for name, c := range map[string]struct {
		m    message
		want string // of the error
	}{
		"unused":               {append(gather(""), function("", "Scatter")...), ""},
		"in another domain":    {append(gather(""), function("own", "Gather")...), ""},
		"of ONNX's domain":     {append(gather(""), function("", "Gather")...), "onnx: ModelProto: the model has a function with the name of an operator, Gather: export with functions inlined"},
		"by the domain's name": {append(gather(""), function("ai.onnx", "Gather")...), "onnx: ModelProto: the model has a function with the name of an operator, Gather: export with functions inlined"},
		"another overload":     {append(gather(""), function("", "Gather", "second")...), ""},
		"an overload": {gather("second"), "onnx: the model needs 1 operator that is not supported: Gather:second; " +
			"builders.All() of package onnx/builders, given to Build, has many"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := modelOf(t, c.m).Build(gorgonia.NewGraph())
			if c.want == "" {
				assert.NoError(t, err)
				return
			}
			assert.EqualError(t, err, c.want)
		})
	}
}

// A function whose operator has a builder of the user's is no other one.
func TestBuildOfAFunctionWithABuilder(t *testing.T) {
	node := nodeMessage("Double", []string{"x"}, []string{"y"}).text(7, "own")
	m := append(modelMessage(18, message{}.bytes(graphNode, node).bytes(graphInput, valueMessage("x", 1, 3)).bytes(graphOutput, valueMessage("y", 1, 3))),
		message{}.bytes(25, message{}.text(1, "Double").text(10, "own")).bytes(8, message{}.text(1, "own").varint(2, 1))...)
	double := func(_ Node, inputs ...*gorgonia.Node) ([]*gorgonia.Node, error) {
		y, err := gorgonia.Add(inputs[0], inputs[0])
		return []*gorgonia.Node{y}, err
	}
	_, err := modelOf(t, m).Build(gorgonia.NewGraph(), WithOperator("own.Double", double))
	assert.NoError(t, err)
}

// IR versions before 4 listed every initializer among the inputs.
func TestBuildOfAnOldModel(t *testing.T) {
	m := testModel(t, "old.onnx")
	require.Len(t, m.Inputs(), 1)
	g := gorgonia.NewGraph()
	built, err := m.Build(g)
	require.NoError(t, err)
	require.NoError(t, built.Let("data", of(iota32(6), 2, 3)))
	assert.Equal(t, f32(2, 0, 5, 4), run(t, g, built, "y").Data())
}
