package onnx

import (
	"bytes"
	"testing"

	"github.com/pkg/errors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gather"
	"gorgonia.org/gorgonia"
)

// Errors of reading and building name the node, and are found by type.
func TestNodeErrors(t *testing.T) {
	named := nodeMessage("Gather", []string{"x"}, []string{"z"}).text(3, "second lookup")
	for _, c := range []struct {
		name string
		m    message
		text string
	}{
		{"building, by its name", modelMessage(13, lookup().bytes(graphNode, named)), "onnx: node 1 (Gather second lookup): Gather-13: no indices, its input 1"},
		{"building, by its output", modelMessage(13, lookup().bytes(graphNode, nodeMessage("Gather", []string{"q"}, []string{"z"}))),
			`onnx: node 1 (Gather of z): input "q" is given by no earlier node, input or initializer`},
		{"reading", modelMessage(13, lookup().bytes(graphNode, append(named, nodeMessage("Gather", nil, nil, intAttribute("", 1))...))),
			"onnx: ModelProto: GraphProto: node 1 (Gather second lookup): NodeProto: AttributeProto: no name"},
		{"reading, of no operator", modelMessage(13, lookup().bytes(graphNode, nil)), "onnx: ModelProto: GraphProto: node 1: NodeProto: no op_type"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := firstError(c.m)
			assert.EqualError(t, err, c.text)
			var bad *NodeError
			require.True(t, errors.As(err, &bad))
			assert.Equal(t, 1, bad.Index)
			found, ok := AsNodeError(err)
			assert.True(t, ok)
			assert.Same(t, bad, found)
		})
	}
}

// Errors of a run name the node, too: a model may have many Gathers. Values in
// between go by the model's names.
func TestNodeErrorsOfARun(t *testing.T) {
	m := modelMessage(24, message{}.
		bytes(graphInput, valueMessage("items", 1, 3, 4)).
		bytes(graphInput, valueMessage("item ids", 7, 2)).
		bytes(graphInput, valueMessage("at", 7, 2)).
		bytes(graphNode, nodeMessage("Gather", []string{"items", "item ids"}, []string{"picked"}).text(3, "first")).
		bytes(graphNode, nodeMessage("Identity", []string{"picked"}, []string{"same"})).
		bytes(graphNode, nodeMessage("Gather", []string{"same", "item ids"}, []string{"again"}).text(3, "second")).
		bytes(graphNode, nodeMessage("TensorScatter", []string{"again", "picked", "at"}, []string{"y"}, intAttribute("axis", 1))).
		bytes(graphOutput, valueMessage("y", 1, 2, 4)))
	for _, c := range []struct {
		name    string
		ids, at []int64
		index   int
		text    string
	}{
		{"the first lookup", i64(0, 3), i64(0, 0), 0, "node 0 (Gather first): Gather(items, \"item ids\"): indices[1]: 3 out of range [-3, 3) for data axis 0; see WithOutOfRange"},
		{"the second lookup", i64(0, 2), i64(0, 0), 2, "node 2 (Gather second): Gather(picked, \"item ids\"): indices[1]: 2 out of range [-2, 2) for data axis 0; see WithOutOfRange"},
		{"the tuples", i64(0, 1), i64(0, 1), 3, "node 3 (TensorScatter of y): write_indices[1] is 1 and update has 4 positions: " +
			"TensorScatter(again, picked, at): indices[1]: 4 out of range [0, 4) for data axis 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := gorgonia.NewGraph()
			built, err := modelOf(t, m).Build(g)
			require.NoError(t, err)
			assert.Equal(t, "again", find(built.Outputs, nil, "y").Graph().AllNodes()[4].Name())
			require.NoError(t, built.Let("items", of(iota32(12), 3, 4)))
			require.NoError(t, built.Let("item ids", of(c.ids, 2)))
			require.NoError(t, built.Let("at", of(c.at, 2)))
			machine := gorgonia.NewTapeMachine(g)
			defer machine.Close()
			err = machine.RunAll()
			assert.ErrorContains(t, err, c.text)
			bad, ok := AsNodeError(err)
			require.True(t, ok)
			assert.Equal(t, c.index, bad.Index)
			assert.EqualError(t, bad, c.text)
			index, ok := gather.AsIndexError(err)
			assert.True(t, ok)
			assert.NotEmpty(t, index.Operands)
		})
	}
}

// Operators of two models, or of a model and a user, share no place.
func TestNodeErrorsOfTwoModels(t *testing.T) {
	g := gorgonia.NewGraph()
	m := modelOf(t, modelMessage(13, message{}.
		bytes(graphInput, valueMessage("x", 1, 3, 4)).
		bytes(graphInput, valueMessage("i", 7, 2)).
		bytes(graphNode, nodeMessage("Gather", []string{"x", "i"}, []string{"y"}, intAttribute("axis", 1)).text(3, "lookup")).
		bytes(graphOutput, valueMessage("y", 1, 3, 2))))
	first, err := m.Build(g)
	require.NoError(t, err)
	own, err := gather.Gather(first.Input("x"), first.Input("i"), 0)
	require.NoError(t, err)
	second, err := m.Build(g)
	require.NoError(t, err)
	assert.Equal(t, []string{"y", "y_2"}, []string{first.Output("y").Name(), second.Output("y").Name()})
	for _, b := range []*Graph{first, second} {
		require.NoError(t, b.Let("x", of(iota32(12), 3, 4)))
		require.NoError(t, b.Let("i", of(i64(0, 3), 2)))
	}
	machine := gorgonia.NewTapeMachine(g)
	defer machine.Close()
	err = machine.RunAll()
	assert.ErrorContains(t, err, "Gather(x, i): indices[1]: 3 out of range [-3, 3) for data axis 0; see WithOutOfRange")
	_, ok := AsNodeError(err)
	assert.False(t, ok, "%v of %v", err, own)
}

func TestAsNodeError(t *testing.T) {
	for _, err := range []error{nil, errors.New("other"), (*NodeError)(nil), (*VersionError)(nil)} {
		_, ok := AsNodeError(err)
		assert.False(t, ok, "%v", err)
	}
	_, err := ReadModel(bytes.NewReader(nil))
	_, ok := AsNodeError(err)
	assert.False(t, ok)
}
