package onnx

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pkg/errors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// written is the file that Write makes.
func written(t testing.TB, m *Model, weights map[string]*tensor.Dense) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, m.Write(&b, weights))
	return b.Bytes()
}

// Without new values, and with the values that are there, a file comes out as it
// went in.
func TestWriteOfTheSame(t *testing.T) {
	files, err := filepath.Glob("testdata/*.onnx")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		want, err := os.ReadFile(file)
		require.NoError(t, err)
		m := modelFile(t, file)
		assert.Equal(t, want, written(t, m, nil), file)
		for _, v := range m.Inputs() {
			shape := append([]int{}, v.Shape...)
			for d, n := range shape {
				if n < 0 {
					shape[d] = 2
				}
			}
			require.NoError(t, m.SetInputShape(v.Name, shape...))
		}
		built, err := m.Build(gorgonia.NewGraph())
		if err != nil {
			continue // unsupported.onnx
		}
		weights, err := built.Weights()
		require.NoError(t, err)
		assert.Equal(t, want, written(t, m, weights), file)
	}
}

// odd is a model of an initializer, whose message and the length in front of it
// are given, between fields of no known number.
func odd(tensor, length []byte) message {
	graph := append(message{}, unknown...)
	graph = append(graph, 0x2a) // the tag of an initializer
	graph = append(append(graph, length...), tensor...)
	graph = append(graph.bytes(graphInput, valueMessage("i", 7, 1)).
		bytes(graphNode, nodeMessage("Gather", []string{"w", "i"}, []string{"y"})).
		bytes(graphInitializer, int64Message("other", []int64{1}, 5)), unknown...).
		bytes(graphOutput, valueMessage("y", 1, 1))
	return append(modelMessage(13, graph), unknown...)
}

var unknown = message{}.varint(99, 5).bytes(98, []byte("kept")).fixed32(97, 7).fixed64(96, 8)

// Write keeps what it does not know, lengths in more bytes than they need, and
// the order of all fields. The values stood in their typed field.
func TestWriteKeepsTheRest(t *testing.T) {
	front := append(append(message{}, unknown...), message{}.bytes(1, packed(2)).varint(2, 1)...)
	tail := message{}.text(8, "w").text(12, "a doc string").bytes(16, []byte("metadata"))
	old := message{}.fixed32(4, 0x3f800000).fixed32(4, 0x40000000)          // 1, 2
	fresh := message{}.bytes(9, []byte{0, 0, 0x40, 0x40, 0, 0, 0x80, 0x40}) // 3, 4
	before := slices.Concat(front, old, tail)
	after := slices.Concat(front, tail, fresh)

	model := odd(before, []byte{byte(len(before))&0x7f | 0x80, byte(len(before)>>7) | 0x80, 0})
	m := modelOf(t, model)
	assert.Equal(t, []byte(model), written(t, m, nil))
	assert.Equal(t, []byte(model), written(t, m, map[string]*tensor.Dense{"w": of(f32(1, 2), 2)}), "the same values")

	want := odd(after, protowire.AppendVarint(nil, uint64(len(after))))
	got := written(t, m, map[string]*tensor.Dense{"w": of(f32(3, 4), 2)})
	assert.Equal(t, []byte(want), got)
	built, err := modelOf(t, got).Build(gorgonia.NewGraph())
	require.NoError(t, err)
	assert.Equal(t, f32(3, 4), built.Constant("w").Value().Data())
}

// Values of every dtype are written and read again, as scalars, vectors and in
// other layouts.
func TestWriteEachDtype(t *testing.T) {
	for number, e := range elements {
		t.Run(e.name, func(t *testing.T) {
			for _, shape := range [][]int{{}, {3}, {2, 3}, {0, 3}} {
				dims := make([]int64, len(shape))
				for d, n := range shape {
					dims[d] = int64(n)
				}
				value := sample(e.dtype, shape...)
				encoded, err := encodeValues(value)
				require.NoError(t, err)
				graph := message{}.bytes(graphInitializer, append(tensorMessage("w", int64(number), dims...), encoded...)).
					bytes(graphOutput, valueMessage("w", int64(number), dims...))
				m := modelOf(t, modelMessage(13, graph))
				other := sample(e.dtype, shape...)
				change(other)
				again := modelOf(t, written(t, m, map[string]*tensor.Dense{"w": other}))
				built, err := again.Build(gorgonia.NewGraph())
				require.NoError(t, err)
				got, err := built.Value("w")
				require.NoError(t, err)
				assert.Equal(t, values(other), values(got))
			}
		})
	}
}

// change sets the first element to the value of the last one.
func change(d *tensor.Dense) {
	if n := d.Shape().TotalSize(); n > 1 {
		d.Set(0, d.Get(n-1))
	}
}

func TestWriteOfLayouts(t *testing.T) {
	graph := message{}.bytes(graphInitializer, tensorMessage("w", 1, 2, 3).bytes(9, make([]byte, 24))).bytes(graphOutput, valueMessage("w", 1, 2, 3))
	m := modelOf(t, modelMessage(13, graph))
	want := written(t, m, map[string]*tensor.Dense{"w": of(f32(1, 2, 3, 4, 5, 6), 2, 3)})
	turned := of(f32(1, 4, 2, 5, 3, 6), 3, 2)
	require.NoError(t, turned.T())
	assert.Equal(t, want, written(t, m, map[string]*tensor.Dense{"w": turned}))
	columns := tensor.New(tensor.WithShape(2, 3), tensor.AsFortran(f32(1, 2, 3, 4, 5, 6)))
	assert.Equal(t, want, written(t, m, map[string]*tensor.Dense{"w": columns}))
}

func TestWriteErrors(t *testing.T) {
	m := testModel(t, "embedding.onnx")
	table := of(iota32(12), 4, 3)
	for _, c := range []struct {
		name    string
		weights map[string]*tensor.Dense
		text    string
		is      error
	}{
		{"no initializer", map[string]*tensor.Dense{"words": table}, `onnx: the model has no initializer "words"`, nil},
		{"a node's output", map[string]*tensor.Dense{"embedded": table}, `onnx: the model has no initializer "embedded"`, nil},
		{"nil", map[string]*tensor.Dense{"table": nil}, `onnx: initializer "table": the value is nil`, nil},
		{"another dtype", map[string]*tensor.Dense{"table": of(make([]float64, 12), 4, 3)}, `onnx: initializer "table": it is of type float, the value of type double`, dense.ErrDtype},
		{"another shape", map[string]*tensor.Dense{"table": of(iota32(12), 3, 4)}, `onnx: initializer "table": it has shape (4, 3), the value (3, 4)`, dense.ErrShape},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b bytes.Buffer
			err := m.Write(&b, c.weights)
			assert.EqualError(t, err, c.text)
			assert.Zero(t, b.Len(), "nothing is written before an error")
			if c.is != nil {
				assert.ErrorIs(t, err, c.is)
			}
		})
	}
	assert.Error(t, m.Write(nil, nil))
	assert.Error(t, (*Model)(nil).Write(&bytes.Buffer{}, nil))
	assert.ErrorContains(t, m.Write(full{}, nil), "disk full")
}

// full is a writer that fails.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }
