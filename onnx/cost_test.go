package onnx_test

import (
	"bytes"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
	"gorgonia.org/gather/onnx"
	"gorgonia.org/gather/onnx/builders"
	"gorgonia.org/gorgonia"
)

// A wireMessage is a protobuf message in the making.
type wireMessage []byte

func (m wireMessage) bytes(n protowire.Number, b []byte) wireMessage {
	return protowire.AppendBytes(protowire.AppendTag(m, n, protowire.BytesType), b)
}

func (m wireMessage) varint(n protowire.Number, v uint64) wireMessage {
	return protowire.AppendVarint(protowire.AppendTag(m, n, protowire.VarintType), v)
}

// initializer adds a tensor of a data type, all 0.
func (m wireMessage) initializer(name string, dataType uint64, width int, dims ...uint64) wireMessage {
	t := wireMessage{}.varint(2, dataType).bytes(8, []byte(name))
	for _, d := range dims {
		t, width = t.varint(1, d), width*int(d)
	}
	return m.bytes(5, t.bytes(9, make([]byte, width)))
}

// node adds a node, of Concat and Split on axis 0.
func (m wireMessage) node(op string, inputs []string, outputs ...string) wireMessage {
	n := wireMessage{}.bytes(4, []byte(op))
	for _, s := range inputs {
		n = n.bytes(1, []byte(s))
	}
	for _, s := range outputs {
		n = n.bytes(2, []byte(s))
	}
	if op == "Concat" || op == "Split" {
		n = n.bytes(5, wireMessage{}.bytes(1, []byte("axis")).varint(3, 0).varint(20, 2))
	}
	return m.bytes(1, n)
}

// model is the model of a graph with these outputs.
func (m wireMessage) model(t *testing.T, outputs ...string) *onnx.Model {
	t.Helper()
	for _, name := range outputs {
		m = m.bytes(12, wireMessage{}.bytes(1, []byte(name)))
	}
	file := wireMessage{}.varint(1, 8).bytes(8, wireMessage{}.varint(2, 17)).bytes(7, m)
	model, err := onnx.ReadModel(bytes.NewReader(file))
	require.NoError(t, err)
	return model
}

// numbered are so many names.
func numbered(prefix string, count int) []string {
	names := make([]string, count)
	for i := range names {
		names[i] = fmt.Sprint(prefix, i)
	}
	return names
}

// costlyModels are models of little that could ask for much.
func costlyModels(t *testing.T, n int) map[string]*onnx.Model {
	inputs := numbered("i", n)
	var many wireMessage
	for _, name := range inputs {
		many = many.initializer(name, 1, 4, 1)
	}
	folds := wireMessage{}.initializer("i0", 7, 8, 1)
	for i := range n {
		folds = folds.node("Neg", inputs[:1], fmt.Sprint("f", i))
	}
	chain := wireMessage{}.initializer("a0", 1, 4, 1)
	for i := range n {
		chain = chain.node("Neg", []string{fmt.Sprint("a", i)}, fmt.Sprint("a", i+1))
	}
	var ports wireMessage
	for _, name := range inputs {
		shape := wireMessage{}.bytes(1, wireMessage{}.varint(1, 1))
		ports = ports.bytes(11, wireMessage{}.bytes(1, []byte(name)).bytes(2, wireMessage{}.bytes(1, wireMessage{}.varint(1, 1).bytes(2, shape))))
	}
	sizes := make([]byte, 8*n)
	for i := range n {
		sizes[8*i] = 1
	}
	split := wireMessage{}.initializer("x", 1, 4, uint64(n))
	split = split.bytes(5, wireMessage{}.varint(1, uint64(n)).varint(2, 7).bytes(8, []byte("sizes")).bytes(9, sizes))
	parts := numbered("p", n)
	return map[string]*onnx.Model{
		"initializers joined": many.node("Concat", inputs, "y").model(t, "y"),
		"folds":               folds.model(t, "f0"),
		"operators":           chain.model(t, "a1"),
		"inputs":              ports.model(t, "i0"),
		"a split":             split.node("Split", []string{"x", "sizes"}, parts...).model(t, parts...),
	}
}

// What a build keeps lies within the limit, counted as the heap has it afterwards,
// whether the limit lets it end or not.
func TestBuildKeepsWhatIsAllowed(t *testing.T) {
	n, limit := 12_000, int64(8<<20)
	if testing.Short() {
		n, limit = n/4, limit/4
	}
	for name, m := range costlyModels(t, n) {
		t.Run(name, func(t *testing.T) {
			g := gorgonia.NewGraph()
			before := heap()
			_, err := m.Build(g, builders.All(), onnx.WithMaxBytes(limit))
			assert.ErrorIs(t, err, onnx.ErrMaxBytes)
			assert.Less(t, heap()-before, limit)
			runtime.KeepAlive(g)
		})
	}
	// Each kind by itself: no count is less than what it stands for.
	for name, m := range costlyModels(t, n/6) {
		t.Run(name+", to the end", func(t *testing.T) {
			needed, more := int64(1<<16), int64(4)
			if testing.Short() {
				more = 2
			}
			for ; ; needed += needed / more {
				if _, err := m.Build(gorgonia.NewGraph(), builders.All(), onnx.WithMaxBytes(needed)); err == nil {
					break
				}
			}
			before := heap()
			g := gorgonia.NewGraph()
			built, err := m.Build(g, builders.All())
			require.NoError(t, err)
			assert.Less(t, heap()-before, needed)
			runtime.KeepAlive(built)
			runtime.KeepAlive(g)
		})
	}
}

// heap is the number of bytes that are in use.
func heap() int64 {
	var s runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc)
}

// A node of many inputs or outputs takes time in proportion to them. Gorgonia's
// comparison of types is by the square of an operator's operands, and a name that
// has the list of sizes in it is made for each part.
func TestBuildOfNodesWithManyInputs(t *testing.T) {
	models := costlyModels(t, 5000)
	for _, name := range []string{"initializers joined", "a split"} {
		g := gorgonia.NewGraph()
		_, err := models[name].Build(g, builders.All())
		require.NoError(t, err)
		for _, n := range g.AllNodes() {
			assert.LessOrEqual(t, g.From(n.ID()).Len(), 256, name)
			assert.LessOrEqual(t, len(n.Name()), 256*32, name)
		}
	}
	inputs := make([]string, 1<<16+1)
	for i := range inputs {
		inputs[i] = "x"
	}
	_, err := wireMessage{}.initializer("x", 1, 4, 1).node("Concat", inputs, "y").model(t, "y").Build(gorgonia.NewGraph(), builders.All())
	assert.EqualError(t, err, "onnx: node 0 (Concat of y): 65537 inputs, more than the 65536 nodes that a graph may get")
}

// A Gather adds the axes of its indices to those of data, and a shape may be of any
// length.
func TestBuildOfManyAxes(t *testing.T) {
	ones := make([]uint64, 64)
	for i := range ones {
		ones[i] = 1
	}
	m := wireMessage{}.initializer("x", 1, 4, 1).initializer("i", 7, 8, ones...)
	m = m.node("Gather", []string{"x", "i"}, "y")
	_, err := m.model(t, "y").Build(gorgonia.NewGraph())
	assert.NoError(t, err, "64 axes")
	_, err = m.node("Gather", []string{"y", "i"}, "z").model(t, "z").Build(gorgonia.NewGraph())
	assert.EqualError(t, err, "onnx: node 1 (Gather of z): a result of 127 axes, at most 64 are allowed")
	// Among known integers, too.
	m = wireMessage{}.initializer("x", 7, 8, 1).initializer("i", 7, 8, ones...)
	m = m.node("Gather", []string{"x", "i"}, "y").node("Gather", []string{"y", "i"}, "z")
	_, err = m.model(t, "z").Build(gorgonia.NewGraph())
	assert.EqualError(t, err, "onnx: node 1 (Gather of z): a result of 127 axes, at most 64 are allowed")

	m = wireMessage{}.initializer("x", 1, 4, 1).initializer("shape", 7, 8, 1_000_000)
	_, err = m.node("Reshape", []string{"x", "shape"}, "y").model(t, "y").Build(gorgonia.NewGraph(), builders.All())
	assert.EqualError(t, err, "onnx: node 0 (Reshape of y): Reshape-14: shape of 1000000 elements, at most 128 are allowed")
	m = wireMessage{}.initializer("x", 1, 4, 1).initializer("sizes", 7, 8, 1_000_000)
	_, err = m.node("Split", []string{"x", "sizes"}, "y").model(t, "y").Build(gorgonia.NewGraph(), builders.All())
	assert.ErrorContains(t, err, "and 999984 more sums to 0, the axis has size 1")
	assert.Less(t, len(err.Error()), 200)
}
