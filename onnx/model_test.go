package onnx

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"
)

// lookup is a sound graph that the cases spoil: y = Gather(x, i).
func lookup() message {
	return message{}.
		bytes(graphInput, valueMessage("x", 1, 3, 4)).
		bytes(graphInitializer, int64Message("i", []int64{2}, 2, 0)).
		bytes(graphNode, nodeMessage("Gather", []string{"x", "i"}, []string{"y"}, intAttribute("axis", 1))).
		bytes(graphOutput, valueMessage("y", 1, 3, 2))
}

// firstError is what reading or building a model ends with.
func firstError(m message) error {
	model, err := ReadModel(bytes.NewReader(m))
	if err != nil {
		return err
	}
	_, err = model.Build(gorgonia.NewGraph())
	return err
}

func TestModelErrors(t *testing.T) {
	require.NoError(t, firstError(modelMessage(13, lookup())))
	node := func(op string, inputs, outputs []string, attributes ...message) message {
		return nodeMessage(op, inputs, outputs, attributes...)
	}
	constant := func(attributes ...message) message {
		return message{}.bytes(graphNode, node("Constant", nil, []string{"y"}, attributes...)).bytes(graphOutput, valueMessage("y", 7, 1))
	}
	valueInts := message{}.text(1, "value_ints").bytes(8, packed(1)).varint(20, kindInts)
	valueFloat := message{}.text(1, "value_float").fixed32(2, 0).varint(20, kindFloat)
	cases := []struct {
		name string
		m    message
		text string
	}{
		{"empty file", nil, "not an ONNX file: it is empty"},
		{"a text", message("this is a text"), `not an ONNX file: 14 bytes that begin with "this is a text"`},
		{"a text that begins like a graph", message("=text"), `not an ONNX file: 5 bytes that begin with "=text"`},
		{"another message", message{}.varint(1, 8).varint(7, 1), "not an ONNX file: ModelProto: field 7 has wire type 0, not 2"},
		{"no graph", message{}.varint(1, 8), "not an ONNX file: ModelProto: no graph"},
		{"two graphs", modelMessage(13, lookup()).bytes(7, lookup()), "two graphs"},
		{"no IR version", message{}.bytes(7, lookup()), "ir_version 0"},
		{"an empty graph", modelMessage(13, nil), "the model has no output"},
		{"truncated in the graph", modelMessage(13, lookup())[:40], "unexpected EOF"},
		{"no opset", message{}.varint(1, 8).bytes(7, lookup()), "imports no version"},
		{"opset 0", modelMessage(0, lookup()), "version 0 is not in"},
		{"opset past an int", modelMessage(1<<40, lookup()), "is not in [1, 2147483647]"},
		{"two opsets", modelMessage(13, lookup()).bytes(8, message{}.text(1, "ai.onnx").varint(2, 11)), "two imports"},
		{"an import without a version", modelMessage(13, lookup()).bytes(8, message{}.text(1, "x")), "no version for domain"},

		{"a value given twice", modelMessage(13, lookup().bytes(graphNode, node("Identity", []string{"x"}, []string{"y"}))),
			`"y" is the name of a node's output and of a node's output`},
		{"a node that gives an input", modelMessage(13, lookup().bytes(graphNode, node("Identity", []string{"y"}, []string{"x"}))),
			`"x" is the name of an input and of a node's output`},
		{"a node that gives an initializer", modelMessage(13, lookup().bytes(graphNode, node("Identity", []string{"y"}, []string{"i"}))),
			`"i" is the name of an initializer and of a node's output`},
		{"two initializers of one name", modelMessage(13, lookup().bytes(graphInitializer, int64Message("i", nil, 1))), "an initializer and of an initializer"},
		{"two inputs of one name", modelMessage(13, lookup().bytes(graphInput, valueMessage("x", 1, 2))), "an input and of an input"},
		{"an initializer without a name", modelMessage(13, lookup().bytes(graphInitializer, int64Message("", nil, 1))), "an initializer without a name"},
		{"an input without a name", modelMessage(13, lookup().bytes(graphInput, nil)), "ValueInfoProto: no name"},
		{"an output twice", modelMessage(13, lookup().bytes(graphOutput, valueMessage("y", 1, 3, 2))), `"y" is the name of an output and of an output`},
		{"an output nobody gives", modelMessage(13, lookup().bytes(graphOutput, valueMessage("z", 1, 3, 2))), `output "z" is given by no node`},

		{"a node without an operator", modelMessage(13, lookup().bytes(graphNode, message{}.text(1, "x"))), "no op_type"},
		{"a node that reads what nobody gives", modelMessage(13, lookup().bytes(graphNode, node("Identity", []string{"q"}, []string{"z"}))),
			`node 1 (Identity of z): input "q" is given by no earlier node`},
		{"a cycle of two", modelMessage(13, lookup().
			bytes(graphNode, node("Identity", []string{"b"}, []string{"a"})).
			bytes(graphNode, node("Identity", []string{"a"}, []string{"b"}))), `input "b" is given by no earlier node`},
		{"a cycle of one", modelMessage(13, lookup().bytes(graphNode, node("Identity", []string{"a"}, []string{"a"}))), `input "a" is given by no earlier node`},
		{"no output", modelMessage(13, lookup().bytes(graphNode, node("Identity", []string{"x"}, nil))), "0 outputs"},
		{"two outputs", modelMessage(13, lookup().bytes(graphNode, node("Identity", []string{"x"}, []string{"a", "b"}))), "2 outputs"},
		{"Identity of two inputs", modelMessage(13, lookup().bytes(graphNode, node("Identity", []string{"x", "y"}, []string{"a"}))), "Identity-13: one input"},
		{"Identity of an input left out", modelMessage(13, lookup().bytes(graphNode, node("Identity", []string{""}, []string{"a"}))), "Identity-13: one input"},
		{"Identity with an attribute", modelMessage(13, lookup().bytes(graphNode, node("Identity", []string{"x"}, []string{"a"}, intAttribute("axis", 0)))), "Identity-13: no attribute"},
		{"an input left out", modelMessage(13, lookup().bytes(graphNode, node("Gather", []string{"", "i"}, []string{"a"}))), "Gather-13: no data, its input 0"},
		{"an operator of a later opset", modelMessage(10, lookup().bytes(graphNode, node("GatherND", []string{"x", "i"}, []string{"a"}))),
			"GatherND: the operator is not allowed in opset 10, it is since opset 11"},
		{"an attribute with a graph", modelMessage(13, lookup().bytes(graphNode, node("Gather", []string{"x", "i"}, []string{"a"},
			message{}.text(1, "axis").bytes(6, lookup()).varint(20, 5)))), `attribute "axis" is a GRAPH, an integer is allowed`},
		{"an operator of another domain", modelMessage(13, lookup().bytes(graphNode, node("Gather", []string{"x", "i"}, []string{"a"}).text(7, "com.example"))),
			"not supported: com.example.Gather"},

		{"an attribute twice", modelMessage(13, lookup().bytes(graphNode, node("Gather", []string{"x", "i"}, []string{"a"}, intAttribute("axis", 0), intAttribute("axis", 1)))),
			`"axis" appears twice`},
		{"an attribute without a name", modelMessage(13, lookup().bytes(graphNode, node("Gather", nil, nil, intAttribute("", 0)))), "AttributeProto: no name"},
		{"an attribute of two kinds", modelMessage(13, lookup().bytes(graphNode, node("Gather", nil, nil, intAttribute("axis", 0).text(4, "0")))), "both INT and STRING"},
		{"an attribute of another kind than declared", modelMessage(13, lookup().bytes(graphNode, node("Gather", nil, nil, message{}.text(1, "axis").text(4, "0").varint(20, kindInt)))),
			"declared as INT and holds STRING"},
		{"an attribute of no kind", modelMessage(13, lookup().bytes(graphNode, node("Gather", nil, nil, message{}.text(1, "axis")))), "kind 0"},
		{"an attribute of an unknown kind", modelMessage(13, lookup().bytes(graphNode, node("Gather", nil, nil, message{}.text(1, "axis").varint(20, 77)))), "kind 77"},
		{"a tensor attribute without a tensor", modelMessage(13, constant(message{}.text(1, "value").varint(20, kindTensor))), "has no tensor"},
		{"an attribute of a function", modelMessage(13, lookup().bytes(graphNode, node("Gather", nil, nil, message{}.text(1, "axis").text(21, "a")))), "ref_attr_name"},

		{"Constant without a value", modelMessage(13, constant()), "Constant-13: 0 attributes"},
		{"Constant of two values", modelMessage(13, constant(valueInts, valueFloat)), "Constant-13: 2 attributes"},
		{"Constant with an input", modelMessage(13, lookup().bytes(graphNode, node("Constant", []string{"x"}, []string{"c"}, valueInts))), "Constant-13: 1 inputs"},
		{"Constant of a sparse tensor", modelMessage(13, constant(message{}.text(1, "sparse_value").bytes(22, nil).varint(20, 11))), "sparse_value is not supported"},
		{"Constant of another kind", modelMessage(13, constant(message{}.text(1, "value_ints").varint(3, 1).varint(20, kindInt))), "INTS is allowed"},
		{"Constant-9 of integers", modelMessage(11, constant(valueInts)), `Constant-9: attribute "value_ints" is not allowed in opset 11, it is since opset 12`},
		{"Constant-1 of int64", modelMessage(8, constant(message{}.text(1, "value").bytes(5, int64Message("", []int64{1}, 1)).varint(20, kindTensor))),
			"Constant-1: value of type int64 is not allowed in opset 8, it is since opset 9"},
		{"Constant-9 of bfloat16", modelMessage(9, constant(message{}.text(1, "value").bytes(5, tensorMessage("", 16, 1).varint(5, 1)).varint(20, kindTensor))),
			"it is since opset 13"},
		{"Identity-1 of bfloat16", modelMessage(12, message{}.bytes(graphInput, valueMessage("x", 16, 1)).
			bytes(graphNode, node("Identity", []string{"x"}, []string{"y"})).bytes(graphOutput, valueMessage("y", 16, 1))),
			"Identity-1: input of type bfloat16 is not allowed in opset 12, it is since opset 13"},

		{"an input that is a sequence", modelMessage(13, lookup().bytes(graphInput, message{}.text(1, "s").bytes(2, message{}.bytes(4, nil)))), `input "s" is a sequence`},
		{"an input that is a map", modelMessage(13, lookup().bytes(graphInput, message{}.text(1, "s").bytes(2, message{}.bytes(5, nil)))), `input "s" is a map`},
		{"an opaque input", modelMessage(13, lookup().bytes(graphInput, message{}.text(1, "s").bytes(2, message{}.bytes(7, nil)))), `input "s" is an opaque value`},
		{"a sparse input", modelMessage(13, lookup().bytes(graphInput, message{}.text(1, "s").bytes(2, message{}.bytes(8, nil)))), `input "s" is a sparse tensor`},
		{"an optional input", modelMessage(13, lookup().bytes(graphInput, message{}.text(1, "s").bytes(2, message{}.bytes(9, nil)))), `input "s" is an optional value`},
		{"an input of float8", modelMessage(13, lookup().bytes(graphInput, valueMessage("s", 17, 1))), "FLOAT8E4M3FN is not supported"},
		{"an input of no type", modelMessage(13, lookup().bytes(graphInput, message{}.text(1, "s"))), "UNDEFINED is not supported"},
		{"an input of many dims", modelMessage(13, lookup().bytes(graphInput, valueMessage("s", 1, make([]int64, 65)...))), "more than 64 dims"},
		{"an initializer of int2", modelMessage(13, lookup().bytes(graphInitializer, tensorMessage("w", 26, 1))), "data type INT2 is not supported"},
		{"a Constant of int4", modelMessage(13, constant(message{}.text(1, "value").bytes(5, packedMessage("", 22, []byte{1}, 1)).varint(20, kindTensor))), "data type INT4 is not supported"},
		{"a Constant of uint4", modelMessage(21, constant(message{}.text(1, "value").bytes(5, packedMessage("", 21, []byte{1}, 1)).varint(20, kindTensor))), "data type UINT4 is not supported"},
		{"an input of int2", modelMessage(13, lookup().bytes(graphInput, valueMessage("s", 26, 1))), "INT2 is not supported"},
		{"an initializer that claims gigabytes", modelMessage(13, lookup().bytes(graphInitializer, int64Message("w", []int64{1 << 20, 1 << 10}, 1))), "field 7 has 1 values"},
		{"a sparse initializer", modelMessage(13, lookup().bytes(15, nil)), "sparse initializers are not supported"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			assert.ErrorContains(t, firstError(c.m), c.text)
		})
	}
	t.Run("Build into nothing", func(t *testing.T) {
		_, err := modelOf(t, modelMessage(13, lookup())).Build(nil)
		assert.Error(t, err)
	})
}

// A type or a graph nested a thousand times deep costs neither stack nor time:
// what is inside is not looked at.
func TestModelNesting(t *testing.T) {
	sequence := message{}
	for range 1000 {
		sequence = message{}.bytes(4, message{}.bytes(1, sequence))
	}
	m := modelMessage(13, lookup().bytes(graphInput, message{}.text(1, "s").bytes(2, sequence)))
	assert.ErrorContains(t, firstError(m), "is a sequence")

	graph := lookup()
	for range 1000 {
		graph = message{}.bytes(graphNode, nodeMessage("If", nil, []string{"z"}, message{}.text(1, "then_branch").bytes(6, graph).varint(20, 5)))
	}
	assert.ErrorContains(t, firstError(modelMessage(13, graph)), "not supported: If")
}

// A file cut anywhere is an error or a smaller model, never a panic.
func TestModelTruncatedAnywhere(t *testing.T) {
	files, err := filepath.Glob("testdata/*.onnx")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		whole, err := os.ReadFile(file)
		require.NoError(t, err)
		for n := range whole {
			_ = firstError(whole[:n])
		}
		for n := range whole {
			spoilt := bytes.Clone(whole)
			spoilt[n] ^= 0x55
			_ = firstError(spoilt)
		}
	}
}

// The first IR versions knew no opsets and no kinds of attributes.
func TestModelOfTheFirstVersions(t *testing.T) {
	graph := message{}.
		bytes(graphInput, valueMessage("x", 1, 3, 4)).
		bytes(graphInitializer, int64Message("i", []int64{2}, 2, 0)).
		bytes(graphInput, valueMessage("i", 7, 2)).
		bytes(graphNode, nodeMessage("Gather", []string{"x", "i"}, []string{"y"}, message{}.text(1, "axis").varint(3, 1))).
		bytes(graphOutput, valueMessage("y", 1, 3, 2))
	m := modelOf(t, message{}.varint(1, 1).bytes(7, graph))
	assert.Equal(t, 1, m.Opset())
	require.Len(t, m.Inputs(), 1)
	assert.Equal(t, "x", m.Inputs()[0].Name)
	_, err := m.Build(gorgonia.NewGraph())
	assert.NoError(t, err)
}

// What a writer of protobuf 3 leaves out is zero.
func TestAttributesLeftOut(t *testing.T) {
	var n modelNode
	require.NoError(t, n.parse(nodeMessage("X", nil, nil,
		message{}.text(1, "i").varint(20, kindInt),
		message{}.text(1, "f").varint(20, kindFloat),
		message{}.text(1, "s").varint(20, kindString),
		message{}.text(1, "list").varint(20, kindInts),
	), new(tensorProto)))
	values := map[string]any{}
	for _, a := range n.attributes {
		value, err := a.value()
		require.NoError(t, err)
		values[a.name] = value
	}
	assert.Equal(t, map[string]any{"i": int64(0), "f": float32(0), "s": "", "list": []int64{}}, values)
}

func TestValueString(t *testing.T) {
	v, err := parseValue(valueMessage("x", 1, 2, -1, 3))
	require.NoError(t, err)
	assert.Equal(t, "x float (2, n, 3)", v.String())
	v.Dims = nil
	assert.Equal(t, "x float (2, ?, 3)", fmt.Sprint(v))
	v, err = parseValue(valueMessage("s", 8))
	require.NoError(t, err)
	assert.Equal(t, "s string ()", v.String())
}
