package onnx_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gather/onnx/builders"
	"gorgonia.org/gorgonia"
)

func entry(key, value string) wireMessage {
	return wireMessage{}.bytes(1, []byte(key)).bytes(2, []byte(value))
}

// note adds what PyTorch's exporter notes about an initializer.
func (m wireMessage) note(name, kind string) wireMessage {
	return m.bytes(13, wireMessage{}.bytes(1, []byte(name)).
		bytes(4, entry("pkg.torch.onnx.original_node_name", "p_"+name)).
		bytes(4, entry("pkg.torch.export.graph_signature.InputSpec.kind", kind)))
}

// trained is a model with initializers of every kind: a weight, a scalar, a mask, one
// that only a comparison reads, integers, one that an output uses as it is, and one
// that nothing uses.
func trained() wireMessage {
	return wireMessage{}.
		initializer("ids", 7, 8, 2).initializer("w", 1, 4, 3, 2).initializer("mask", 1, 4, 2, 2).
		initializer("scale", 1, 4).initializer("compared", 1, 4, 2, 2).initializer("doubles", 11, 8, 2, 2).
		initializer("unused", 1, 4, 2).
		node("Gather", []string{"w", "ids"}, "rows").
		node("Mul", []string{"rows", "mask"}, "masked").
		node("Mul", []string{"masked", "scale"}, "scaled").
		node("Less", []string{"compared", "scaled"}, "less").
		node("Where", []string{"less", "scaled", "scaled"}, "y").
		node("Neg", []string{"doubles"}, "z")
}

func names(nodes gorgonia.Nodes) []string {
	var list []string
	for _, n := range nodes {
		list = append(list, n.Name())
	}
	return list
}

// Trainable are the parameters of a file's notes, or else the floats of one axis and
// more, as far as gradients reach them.
func TestTrainable(t *testing.T) {
	for _, c := range []struct {
		name string
		m    wireMessage
		want []string
	}{
		{"no notes", trained(), []string{"w", "mask", "doubles"}},
		{"notes", trained().note("w", "PARAMETER").note("scale", "PARAMETER").note("mask", "BUFFER").
			note("compared", "PARAMETER").note("unused", "PARAMETER").note("ids", "PARAMETER"), []string{"w", "scale"}},
		{"notes about other values alone", trained().note("rows", "PARAMETER").note("y", "USER_OUTPUT"), []string{"w", "mask", "doubles"}},
		{"no parameter", trained().note("mask", "BUFFER"), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := gorgonia.NewGraph()
			built, err := c.m.model(t, "y", "z").Build(g, builders.All())
			require.NoError(t, err)
			assert.Equal(t, c.want, names(built.Trainable()))
			weights, err := built.Weights()
			require.NoError(t, err)
			for _, n := range built.Trainable() {
				assert.Contains(t, weights, n.Name(), "what Write would leave out")
			}
		})
	}
	t.Run("of a cost", func(t *testing.T) {
		m := wireMessage{}.x().parameter("a", 2).parameter("b", 2).node("Mul", on("x", "a"), "y").node("Mul", on("x", "b"), "z")
		built, err := m.model(t, "y", "z").Build(gorgonia.NewGraph(), builders.All())
		require.NoError(t, err)
		assert.Equal(t, []string{"a", "b"}, names(built.Trainable()))
		loss := gorgonia.Must(gorgonia.Sum(built.Output("z")))
		assert.Equal(t, []string{"b"}, names(built.Trainable(loss)))
		assert.Equal(t, []string{"a", "b"}, names(built.Trainable(loss, built.Output("y"))))
		outside := gorgonia.NewConstant(float32(1), gorgonia.In(loss.Graph()))
		for _, n := range []*gorgonia.Node{nil, new(gorgonia.Node), gorgonia.NewConstant(1.0), outside, loss.Clone().(*gorgonia.Node)} {
			assert.Empty(t, built.Trainable(n))
		}
		_, err = gorgonia.Grad(loss, built.Trainable(loss)...)
		assert.NoError(t, err)
	})
	t.Run("what is handed through", func(t *testing.T) {
		built, err := trained().model(t, "w").Build(gorgonia.NewGraph(), builders.All())
		require.NoError(t, err)
		assert.Equal(t, []string{"w"}, names(built.Trainable()))
	})
	t.Run("notes that are none", func(t *testing.T) {
		_, err := trained().bytes(13, []byte{0x22, 0x02, 0x0a, 0x05}).model(t, "y").Build(gorgonia.NewGraph(), builders.All())
		assert.ErrorContains(t, err, "GraphProto: ValueInfoProto: StringStringEntryProto: field 1")
	})
}

// A parameter without axes is trained by Gorgonia's solvers like others.
func TestTrainableScalar(t *testing.T) {
	for dataType, width := range map[uint64]int{1: 4, 11: 8} {
		m := wireMessage{}.initializer("scale", dataType, width).initializer("one", dataType, width, 1).note("scale", "PARAMETER").
			node("Exp", []string{"scale"}, "power").node("Mul", []string{"one", "power"}, "product").
			node("Add", []string{"product", "scale"}, "sum").node("Squeeze", []string{"sum"}, "y").model(t, "y")
		for name, solver := range map[string]gorgonia.Solver{"Vanilla": gorgonia.NewVanillaSolver(gorgonia.WithLearnRate(0.5)), "Adam": gorgonia.NewAdamSolver(gorgonia.WithLearnRate(0.5))} {
			g := gorgonia.NewGraph()
			built, err := m.Build(g, builders.All())
			require.NoError(t, err)
			require.Equal(t, []string{"scale"}, names(built.Trainable()))
			_, err = gorgonia.Grad(built.Output("y"), built.Trainable()...)
			require.NoError(t, err)
			machine := gorgonia.NewTapeMachine(g, gorgonia.BindDualValues(built.Trainable()...))
			require.NoError(t, machine.RunAll())
			require.NoError(t, solver.Step(gorgonia.NodesToValueGrads(built.Trainable())))
			weights, err := built.Weights()
			require.NoError(t, err)
			// one is 0, so that the gradient is 1.
			assert.InDelta(t, -0.5, weights["scale"].Data(), 1e-5, name)
			assert.NoError(t, m.Write(new(bytes.Buffer), weights))
			machine.Close()
		}
	}
}

// An error about operators says what to do, by what Build was given.
func TestUnsupportedOperators(t *testing.T) {
	m := wireMessage{}.initializer("x", 1, 4, 3).node("Loop", []string{"x"}, "y").node("GatherNd", []string{"x", "x"}, "z").model(t, "y", "z")
	_, err := m.Build(gorgonia.NewGraph())
	assert.EqualError(t, err, "onnx: the model needs 2 operators that are not supported: GatherNd (did you mean GatherND or Gather?), "+
		"Loop (export a fixed number of steps; for nn.EmbeddingBag, Embedding(x).mean(1)); "+
		"builders.All() of package onnx/builders, given to Build, has many")
	_, err = m.Build(gorgonia.NewGraph(), builders.All())
	assert.ErrorContains(t, err, "; the builders given to Build lack them: add your own by WithOperator")
}

// An integer result of many elements is left to the run, and may be used by it.
func TestLargeIntegersAreNotFolded(t *testing.T) {
	m := wireMessage{}.initializer("x", 7, 8, 1<<16).initializer("one", 7, 8, 1).
		node("Concat", []string{"x", "one"}, "long").node("Neg", []string{"long"}, "y").model(t, "y")
	g := gorgonia.NewGraph()
	built, err := m.Build(g, builders.All())
	require.NoError(t, err)
	machine := gorgonia.NewTapeMachine(g)
	defer machine.Close()
	require.NoError(t, machine.RunAll())
	y, err := built.Value("y")
	require.NoError(t, err)
	assert.Equal(t, 1<<16+1, y.Shape()[0])
	assert.NotNil(t, built.Constant("x"), "it is a node of the graph")
}
