package onnx

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// short demands that an error quotes no more than a part of what is hostile.
func short(t *testing.T, what string, err error) {
	t.Helper()
	if assert.Error(t, err, what) {
		assert.Less(t, len(err.Error()), 900, "%s: %.1000s", what, err)
	}
}

// Errors about models quote a part of a name, however long it is.
func TestModelErrorsAreShort(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	node := func(op string, inputs, outputs []string, attributes ...message) message {
		return lookup().bytes(graphNode, nodeMessage(op, inputs, outputs, attributes...))
	}
	named := func(n message) message { return lookup().bytes(graphNode, n.text(3, long)) }
	many := make([]string, 10_000)
	for i := range many {
		many[i] = uniqueName(i)
	}
	value := message{}.text(1, "value").varint(20, kindTensor)
	for what, m := range map[string]message{
		"an operator":               modelMessage(13, node(long, nil, []string{"a"})),
		"a domain":                  modelMessage(13, lookup().bytes(graphNode, nodeMessage("A", nil, []string{"a"}).text(7, long))),
		"the domain of a set":       message{}.varint(1, 8).bytes(7, lookup()).bytes(8, message{}.text(1, long)),
		"a node":                    modelMessage(13, named(nodeMessage("Gather", []string{"x"}, []string{"a"}))),
		"an output":                 modelMessage(13, node("Gather", []string{"x"}, []string{long})),
		"an output twice":           modelMessage(13, node("Identity", []string{"x"}, []string{long, long})),
		"an input of a node":        modelMessage(13, node("Gather", []string{"x", long}, []string{"a"})),
		"an attribute":              modelMessage(13, node("Gather", []string{"x", "i"}, []string{"a"}, intAttribute(long, 1))),
		"an attribute twice":        modelMessage(13, node("Gather", []string{"x", "i"}, []string{"a"}, intAttribute(long, 1), intAttribute(long, 1))),
		"an attribute of two kinds": modelMessage(13, node("Gather", []string{"x", "i"}, []string{"a"}, intAttribute(long, 1).text(4, ""))),
		"an attribute of no kind":   modelMessage(13, node("Gather", []string{"x", "i"}, []string{"a"}, message{}.text(1, long).varint(20, 77))),
		"an attribute declared":     modelMessage(13, node("Gather", []string{"x", "i"}, []string{"a"}, message{}.text(1, long).text(4, "").varint(20, kindInt))),
		"a tensor without values":   modelMessage(13, node("Gather", []string{"x", "i"}, []string{"a"}, message{}.text(1, long).varint(20, kindTensor))),
		"a word":                    modelMessage(18, node("ScatterND", []string{"x", "i", "x"}, []string{"a"}, message{}.text(1, "reduction").text(4, long).varint(20, kindString))),
		"a Constant's attribute":    modelMessage(13, node("Constant", nil, []string{"a"}, intAttribute(long, 1))),
		"a Constant's tensor":       modelMessage(13, node("Constant", nil, []string{"a"}, value.bytes(5, int64Message(long, []int64{3}, 1)))),
		"an initializer":            modelMessage(13, lookup().bytes(graphInitializer, int64Message(long, []int64{3}, 1))),
		"an initializer of dims":    modelMessage(13, lookup().bytes(graphInitializer, int64Message(long, append(make([]int64, 60), 1<<30, 1<<30, 1<<30)))),
		"an initializer twice":      modelMessage(13, lookup().bytes(graphInitializer, int64Message(long, nil, 1)).bytes(graphInitializer, int64Message(long, nil, 1))),
		"an input":                  modelMessage(13, lookup().bytes(graphInput, valueMessage(long, 17, 3))),
		"an input with open dims":   modelMessage(13, lookup().bytes(graphInput, valueMessage(long, 1, -1, -1))),
		"an input without a shape":  modelMessage(13, lookup().bytes(graphInput, message{}.text(1, long).bytes(2, message{}.bytes(1, message{}.varint(1, 1))))),
		"an input of 64 dims":       modelMessage(13, lookup().bytes(graphInput, valueMessage("z", 1, append(make([]int64, 62), -1, -1)...))),
		"a dim": modelMessage(13, lookup().bytes(graphInput, message{}.text(1, "z").bytes(2, message{}.bytes(1,
			message{}.varint(1, 1).bytes(2, message{}.bytes(1, message{}.text(2, long))))))),
		"an input that is large":    modelMessage(13, lookup().bytes(graphInput, valueMessage(long, 1, 1<<30, 1<<30))),
		"a sequence":                modelMessage(13, lookup().bytes(graphInput, message{}.text(1, long).bytes(2, message{}.bytes(4, nil)))),
		"an output that nobody has": modelMessage(13, lookup().bytes(graphOutput, valueMessage(long, 1, 3))),
		"two outputs of one name":   modelMessage(13, lookup().bytes(graphOutput, valueMessage(long, 1, 3)).bytes(graphOutput, valueMessage(long, 1, 3))),
		"a named operand": modelMessage(13, lookup().bytes(graphInput, valueMessage(long, 1, 3, 4)).
			bytes(graphNode, nodeMessage("GatherElements", []string{long, "i"}, []string{"a"}))),
		"many outputs": modelMessage(13, node("Identity", []string{"x"}, many)),
		"many inputs":  modelMessage(13, node("Identity", many, []string{"a"})),
	} {
		short(t, what, firstError(m))
	}
	t.Run("many operators", func(t *testing.T) {
		var graph message
		for _, op := range many {
			graph = graph.bytes(graphNode, nodeMessage("Gather"+op, nil, nil)).bytes(graphNode, nodeMessage(op+long[:1000], nil, nil))
		}
		short(t, "operators", firstError(modelMessage(13, graph)))
	})
	t.Run("a sound model", func(t *testing.T) {
		m := modelOf(t, modelMessage(13, message{}.bytes(graphInput, valueMessage(long, 1, 3, 4)).bytes(graphOutput, valueMessage(long, 1, 3, 4))))
		short(t, "SetInputShape", m.SetInputShape(long, 5))
		short(t, "SetInputShape", m.SetInputShape(long, make([]int, 1<<20)...))
		short(t, "SetInputShape", m.SetInputShape(long, append(make([]int, 1<<20), -1)...))
		short(t, "SetInputShape", m.SetInputShape(long+"y", 5))
		built, err := m.Build(gorgonia.NewGraph())
		require.NoError(t, err)
		short(t, "Let", built.Let(long, nil))
		short(t, "Let", built.Let(long, of(iota32(3), 3)))
		short(t, "Let", built.Let(long, of(i64(1), 1)))
		short(t, "Let", built.Let(long+"y", of(i64(1), 1)))
		_, err = built.Value(long)
		short(t, "Value", err)
		_, err = built.Value(long + "y")
		short(t, "Value", err)
		assert.Less(t, len(m.Inputs()[0].String()), 200)
	})
	t.Run("a tensor", func(t *testing.T) {
		_, err := ReadTensor(bytes.NewReader(int64Message(long, []int64{3}, 1)))
		short(t, "values", err)
		_, err = ReadTensor(bytes.NewReader(tensorMessage(long, 99, 1)))
		short(t, "a data type", err)
	})
}

// So do errors about nodes, of graphs and of tensors.
func TestNodeErrorsAreShort(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	ones := make([]int, 1000)
	for d := range ones {
		ones[d] = 1
	}
	huge := tensor.New(tensor.WithShape(ones...), tensor.WithBacking([]float32{1}))
	for what, c := range map[string]struct {
		node   Node
		inputs []*tensor.Dense
	}{
		"an operator":  {Node{OpType: long, Opset: 13}, nil},
		"an attribute": {Node{OpType: "Gather", Opset: 13, Attributes: set{long: int64(1)}}, []*tensor.Dense{floats, rows}},
		"a word":       {Node{OpType: "ScatterND", Opset: 18, Attributes: set{"reduction": long}}, []*tensor.Dense{floats, tuples2, pair}},
		"a mode":       {Node{OpType: "TensorScatter", Opset: 24, Attributes: set{"mode": long}}, []*tensor.Dense{floats, news}},
		"shapes":       {Node{OpType: "GatherND", Opset: 13}, []*tensor.Dense{huge, of(i64(0), 1)}},
		"a cache":      {Node{OpType: "TensorScatter", Opset: 24}, []*tensor.Dense{huge, floats}},
		"indices":      {Node{OpType: "GatherElements", Opset: 13}, []*tensor.Dense{floats, of(i64(0), ones...)}},
		"updates":      {Node{OpType: "ScatterND", Opset: 18}, []*tensor.Dense{floats, tuples2, huge}},
	} {
		if what == "shapes" {
			c.inputs[1] = of(make([]int64, 1001), 1001)
		}
		tensors := make([]tensor.Tensor, len(c.inputs))
		for i, in := range c.inputs {
			tensors[i] = in
		}
		_, err := Eval(c.node, tensors...)
		short(t, what, err)
	}
	g := gorgonia.NewGraph()
	x := gorgonia.NewMatrix(g, tensor.Float32, gorgonia.WithShape(3, 4), gorgonia.WithName(long))
	for _, n := range []*gorgonia.Node{
		x, x.Clone().(*gorgonia.Node), gorgonia.NewMatrix(g, tensor.Int64, gorgonia.WithName(long+"y")), gorgonia.NewUniqueNode(gorgonia.In(g), gorgonia.WithName(long)),
	} {
		_, err := Apply(Node{OpType: "GatherElements", Opset: 13}, x, n)
		short(t, "nodes", err)
	}
}
