package onnx

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// outsideMessage is a float tensor of shape (3) whose data are in another file, with
// these entries, a key and a value each.
func outsideMessage(name string, entries ...string) message {
	m := tensorMessage(name, 1, 3)
	for i := 0; i < len(entries); i += 2 {
		m = m.bytes(tensorExternal, message{}.text(1, entries[i]).text(2, entries[i+1]))
	}
	return m.varint(tensorLocation, 1)
}

// outsideModel writes a model with these initializers, which are its outputs, and
// files beside it.
func outsideModel(t *testing.T, initializers []message, files map[string][]byte) string {
	t.Helper()
	var graph message
	for _, m := range initializers {
		graph = graph.bytes(graphInitializer, m)
	}
	for i := range initializers {
		graph = graph.bytes(graphOutput, valueMessage(fmt.Sprint("w", i), 1, 3))
	}
	folder := t.TempDir()
	for name, b := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), b, 0o600))
	}
	path := filepath.Join(folder, "model.onnx")
	require.NoError(t, os.WriteFile(path, modelMessage(13, graph), 0o600))
	return path
}

// rawFloats are float32s as files have them.
func rawFloats(values ...float32) []byte {
	d := tensor.New(tensor.WithShape(len(values)), tensor.WithBacking(values))
	m, err := encodeValues(d)
	if err != nil {
		panic(err)
	}
	return m[len(m)-4*len(values):]
}

// builtValues are those of the initializers of a model that is built.
func builtValues(t *testing.T, m *Model) map[string][]float32 {
	t.Helper()
	built, err := m.Build(gorgonia.NewGraph())
	require.NoError(t, err)
	values := map[string][]float32{}
	for _, c := range built.Constants {
		values[c.Name] = c.Node.Value().Data().([]float32)
	}
	return values
}

// Data stand anywhere in files of the model's folder and below it, and what Write
// writes is one file.
func TestReadModelFile(t *testing.T) {
	path := outsideModel(t, []message{
		outsideMessage("w0", "location", "all.data"),
		outsideMessage("w1", "location", "all.data", "offset", "13", "length", "12"),
		outsideMessage("w2", "location", "./below/it/rest.data", "offset", "0", "checksum", "of no meaning"),
		outsideMessage("w3", "offset", "12", "location", "below/it/rest.data"),
		tensorMessage("w4", 1, 3).bytes(tensorRawData, rawFloats(-1, -2, -3)),
	}, map[string][]byte{
		"all.data":           slices.Concat(rawFloats(1, 2, 3), []byte{0}, rawFloats(4, 5, 6)),
		"below/it/rest.data": slices.Concat(rawFloats(7, 8, 9), rawFloats(10, 11, 12)),
	})
	m, err := ReadModelFile(path)
	require.NoError(t, err)
	want := map[string][]float32{
		"w0": {1, 2, 3}, "w1": {4, 5, 6}, "w2": {7, 8, 9}, "w3": {10, 11, 12}, "w4": {-1, -2, -3},
	}
	assert.Equal(t, want, builtValues(t, m))
	require.NoError(t, os.RemoveAll(filepath.Dir(path)), "the model has read all it needs")

	var file bytes.Buffer
	require.NoError(t, m.Write(&file, map[string]*tensor.Dense{
		"w2": tensor.New(tensor.WithShape(3), tensor.WithBacking([]float32{20, 21, 22})),
		"w3": tensor.New(tensor.WithShape(3), tensor.WithBacking([]float32{10, 11, 12})), // as it is
	}))
	one, err := ReadModel(&file)
	require.NoError(t, err)
	want["w2"] = []float32{20, 21, 22}
	assert.Equal(t, want, builtValues(t, one))
}

// What is wrong with the place of data, and what leads out of the folder, is refused
// when the model is read.
func TestReadModelFileErrors(t *testing.T) {
	files := map[string][]byte{"w.data": make([]byte, 12), "empty.data": nil}
	for _, c := range []struct {
		name    string
		entries []string
		want    string
	}{
		{"no location", nil, "keeps its data in another file, and does not say in which"},
		{"an empty location", []string{"location", ""}, "does not say in which"},
		{"above", []string{"location", "../w.data"}, `location "../w.data": a file in the model's folder or below it is allowed`},
		{"above by a detour", []string{"location", "below/../../w.data"}, `location "../w.data": a file in the model's folder`},
		{"absolute", []string{"location", "/etc/hostname"}, `location "/etc/hostname": a file in the model's folder`},
		{"a link to a file outside", []string{"location", "link.data"}, `location "link.data"`},
		{"a link to a folder outside", []string{"location", "away/w.data"}, `location "away/w.data"`},
		{"a folder", []string{"location", "."}, "no regular file"},
		{"a NUL", []string{"location", "w\x00.data"}, "invalid"},
		{"no such file", []string{"location", "none.data"}, `location "none.data": there is no such file: keep it beside the model`},
		{"a memory address", []string{"location", "*/_ORT_MEM_ADDR_/*", "offset", "4096", "length", "12"}, "no such file"},
		{"too few bytes", []string{"location", "w.data", "offset", "4"}, `has its data in "w.data", 12 bytes from 4 on: the file has 12`},
		{"an empty file", []string{"location", "empty.data"}, "the file has 0"},
		{"an offset behind the end", []string{"location", "w.data", "offset", "13", "length", "0"}, "0 bytes from 13 on: the file has 12"},
		{"a sum that wraps", []string{"location", "w.data", "offset", "1", "length", "18446744073709551615"}, "18446744073709551615 bytes from 1 on"},
		{"a negative offset", []string{"location", "w.data", "offset", "-1"}, `offset is "-1", a number of bytes is allowed`},
		{"an offset that is no number", []string{"location", "w.data", "offset", "0x4"}, `offset is "0x4"`},
		{"a length of 2^64", []string{"location", "w.data", "length", "18446744073709551616"}, `length is "18446744073709551616"`},
		{"two locations", []string{"location", "w.data", "location", "w.data"}, `external_data has two entries "location"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := outsideModel(t, []message{outsideMessage("w0", c.entries...)}, files)
			elsewhere := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(elsewhere, "w.data"), make([]byte, 12), 0o600))
			require.NoError(t, os.Symlink(filepath.Join(elsewhere, "w.data"), filepath.Join(filepath.Dir(path), "link.data")))
			require.NoError(t, os.Symlink(elsewhere, filepath.Join(filepath.Dir(path), "away")))
			m, err := ReadModelFile(path)
			assert.Nil(t, m)
			require.ErrorContains(t, err, c.want)
			assert.ErrorContains(t, err, path)
		})
	}
	t.Run("a wrong length is found by Build", func(t *testing.T) {
		m, err := ReadModelFile(outsideModel(t, []message{outsideMessage("w0", "location", "w.data", "length", "8")}, files))
		require.NoError(t, err)
		_, err = m.Build(gorgonia.NewGraph())
		assert.ErrorContains(t, err, `TensorProto "w0": raw_data has 8 bytes, the shape (3) needs 3 elements of 4 bytes`)
		assert.ErrorContains(t, m.Write(new(bytes.Buffer), map[string]*tensor.Dense{"w0": tensor.New(tensor.WithBacking([]float32{1, 2, 3}))}), "raw_data has 8 bytes")
	})
	t.Run("data here and there", func(t *testing.T) {
		_, err := ReadModelFile(outsideModel(t, []message{outsideMessage("w0", "location", "w.data").bytes(tensorRawData, make([]byte, 12))}, files))
		assert.ErrorContains(t, err, "has its data in the model and in another file")
	})
	t.Run("a model as a stream", func(t *testing.T) {
		graph := message{}.bytes(graphInitializer, outsideMessage("w", "location", "w.bin")).bytes(graphOutput, valueMessage("w", 1, 3))
		_, err := ReadModel(bytes.NewReader(modelMessage(13, graph)))
		assert.EqualError(t, err, `onnx: ModelProto: GraphProto: initializer "w": keeps its data in another file: ReadModelFile reads those`)
	})
	t.Run("an attribute", func(t *testing.T) {
		value := message{}.text(1, "value").bytes(5, outsideMessage("", "location", "w.data")).varint(20, kindTensor)
		graph := message{}.bytes(graphNode, nodeMessage("Constant", nil, []string{"y"}, value)).bytes(graphOutput, valueMessage("y", 1, 3))
		_, err := modelOf(t, modelMessage(13, graph)).Build(gorgonia.NewGraph())
		assert.ErrorContains(t, err, "keeps its data in another file")
	})
}

// The files count, each once however many tensors are in it.
func TestReadModelFileMaxBytes(t *testing.T) {
	var many []message
	for i := range 20 {
		many = append(many, outsideMessage(fmt.Sprint("w", i), "location", "w.data"))
	}
	path := outsideModel(t, many, map[string][]byte{"w.data": make([]byte, 1<<16)})
	_, err := ReadModelFile(path, WithMaxBytes(1<<17))
	assert.NoError(t, err)
	_, err = ReadModelFile(path, WithMaxBytes(1<<16))
	assert.ErrorIs(t, err, ErrMaxBytes)
	assert.ErrorContains(t, err, `location "w.data": the file takes 65536 bytes`)
}
