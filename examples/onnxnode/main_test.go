package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/x448/float16"
	"gorgonia.org/tensor"

	"gorgonia.org/gather"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/examples/console"
	"gorgonia.org/gather/onnx"
)

// data is a file of the models and tensors that package onnx is tested with.
func data(name string) string { return filepath.Join("..", "..", "onnx", "testdata", name) }

// output runs the program.
func output(args ...string) (status int, stdout, stderr string) {
	var out, err bytes.Buffer
	status = run(context.Background(), args, &out, &err)
	return status, out.String(), err.String()
}

func TestRun(t *testing.T) {
	dot := filepath.Join(t.TempDir(), "graph.dot")
	status, stdout, stderr := output("-dot", dot, "-expect", data("embedded.pb"), data("embedding.onnx"), data("words.pb"))
	assert.Equal(t, console.OK, status)
	assert.Empty(t, stderr)
	assert.Equal(t, strings.ReplaceAll(`../../onnx/testdata/embedding.onnx, opset 13:
  %0   int64      (2, 2)         words  (input)
  %1   float32    (4, 3)         table  (constant)
  %2   float32    (2, 2, 3)      Gather(axis=0)(%1, %0)  (output embedded)

outputs:
embedded float32 (2, 2, 3)
  ⎡  0  0.5    1⎤
  ⎣4.5    5  5.5⎦
  ⎡4.5    5  5.5⎤
  ⎣  3  3.5    4⎦
  as expected by ../../onnx/testdata/embedded.pb
`, "/", string(filepath.Separator)), stdout)
	graph, err := os.ReadFile(dot)
	require.NoError(t, err)
	assert.Contains(t, string(graph), "digraph")
	assert.Contains(t, string(graph), "Gather(axis=0)")
}

// Tensors come from NumPy, too, and models in several files from PyTorch.
func TestRunOfNpy(t *testing.T) {
	save := func(name string, d *tensor.Dense) string {
		path := filepath.Join(t.TempDir(), name)
		f, err := os.Create(path)
		require.NoError(t, err)
		require.NoError(t, dense.WriteNpy(f, d))
		require.NoError(t, f.Close())
		return path
	}
	words := save("words.npy", of([]int64{0, 3, 3, 2}, 2, 2))
	rows := save("rows.npy", of([]float32{0, 0.5, 1, 4.5, 5, 5.5, 4.5, 5, 5.5, 3, 3.5, 4}, 2, 2, 3))
	status, stdout, stderr := output("-expect", rows, data("embedding.onnx"), words)
	assert.Equal(t, console.OK, status, stderr)
	assert.Contains(t, stdout, "as expected by "+rows)
	status, _, stderr = output("-expect", words, data("embedding.onnx"), words)
	assert.Equal(t, console.Failed, status)
	assert.Contains(t, stderr, "output embedded is not that of")
	status, _, stderr = output("-max-bytes", "400", data("embedding.onnx"), save("large.npy", of(make([]int64, 200), 100, 2)))
	assert.Equal(t, console.Failed, status)
	assert.Contains(t, stderr, "large.npy")

	text, err := os.ReadFile(data("embedding.onnx"))
	require.NoError(t, err)
	broken := filepath.Join(t.TempDir(), "words.npy")
	require.NoError(t, os.WriteFile(broken, text, 0o600))
	status, _, stderr = output(data("embedding.onnx"), broken)
	assert.Equal(t, console.Failed, status)
	assert.Contains(t, stderr, "words.npy")

	_, _, stderr = output(filepath.Join("..", "..", "conformance", "zoo", "testdata", "causal.default.onnx"))
	assert.Contains(t, stderr, "takes 1 input(s) (x float (2, 5, 8))")
}

func TestRunOfConstants(t *testing.T) {
	status, stdout, stderr := output(data("constants.onnx"))
	assert.Equal(t, console.OK, status, stderr)
	assert.Contains(t, stdout, "square  (constant, output square)")
	assert.Contains(t, stdout, "one float32 (3)\n  [11  24   7]\n")
}

func TestHelp(t *testing.T) {
	status, stdout, stderr := output("-h")
	assert.Equal(t, console.OK, status)
	assert.Empty(t, stderr)
	assert.Contains(t, stdout, "usage: onnxnode [flags] MODEL.onnx INPUT…")
	assert.Contains(t, stdout, "-expect")
}

func TestMistakes(t *testing.T) {
	garbage := filepath.Join(t.TempDir(), "garbage")
	require.NoError(t, os.WriteFile(garbage, []byte("garbage"), 0o600))
	// An int64 tensor (1, 2) of 0 and 9, in protobuf's wire format.
	outOfRange := filepath.Join(t.TempDir(), "words.pb")
	require.NoError(t, os.WriteFile(outOfRange, []byte{0x08, 1, 0x08, 2, 0x10, 7, 0x38, 0, 0x38, 9}, 0o600))
	// An int64 tensor (1000, 2) of zeros.
	large := filepath.Join(t.TempDir(), "large.pb")
	require.NoError(t, os.WriteFile(large, append([]byte{0x08, 0xe8, 0x07, 0x08, 2, 0x10, 7, 0x3a, 0xd0, 0x0f}, make([]byte, 2000)...), 0o600))
	cases := []struct {
		name   string
		args   []string
		status int
		stderr string // a part of its only line
	}{
		{"no model", nil, console.Usage, "no model given"},
		{"an unknown flag", []string{"-fast", "x"}, console.Usage, "flag provided but not defined: -fast"},
		{"too few inputs", []string{data("embedding.onnx")}, console.Usage, "takes 1 input(s) (words int64 (sentences, 2)), 0 given"},
		{"too many inputs", []string{data("embedding.onnx"), data("words.pb"), data("words.pb")}, console.Usage, "2 given"},
		{"too many expected outputs", []string{"-expect", "a", "-expect", "b", data("embedding.onnx"), data("words.pb")}, console.Usage, "has 1 outputs, expected ones are given for 2"},
		{"a model that is not there", []string{data("nowhere.onnx")}, console.Failed, "nowhere.onnx"},
		{"a model that is none", []string{garbage}, console.Failed, "garbage: not an ONNX file: 7 bytes that begin with"},
		{"an input that is not there", []string{data("embedding.onnx"), data("nowhere.pb")}, console.Failed, "nowhere.pb"},
		{"an input that is none", []string{data("embedding.onnx"), garbage}, console.Failed, "garbage: onnx: TensorProto"},
		{"an input of another shape", []string{data("embedding.onnx"), data("tensors/scalar.pb")}, console.Failed, "shape () does not fit"},
		{"an input of another type", []string{data("embedding.onnx"), data("embedded.pb")}, console.Failed, "does not fit"},
		{"unsupported operators", []string{data("unsupported.onnx"), data("words.pb"), data("words.pb"), data("words.pb")}, console.Failed, "1 operator that is not supported: ai.onnx.ml.Binarizer"},
		{"unsupported operators, before the inputs", []string{data("unsupported.onnx")}, console.Failed, "not supported: ai.onnx.ml.Binarizer"},
		{"an output that is not expected", []string{"-expect", data("words.pb"), data("embedding.onnx"), data("words.pb")}, console.Failed, "output embedded is not that of"},
		{"an expected output that is not there", []string{"-expect", data("nowhere.pb"), data("embedding.onnx"), data("words.pb")}, console.Failed, "nowhere.pb"},
		{"a DOT file where none can be", []string{"-dot", filepath.Join(garbage, "x"), data("embedding.onnx"), data("words.pb")}, console.Failed, "garbage"},
		{"no memory at all", []string{"-max-bytes", "0", data("embedding.onnx")}, console.Usage, "flag -max-bytes: 0 is not allowed, the least is 1"},
		{"memory that is no number", []string{"-max-bytes", "1GB", data("embedding.onnx")}, console.Usage, `invalid value "1GB" for flag -max-bytes`},
		{"too little memory for the file", []string{"-max-bytes", "100", data("embedding.onnx"), data("words.pb")}, console.Failed, "the file, as far as it was read, takes 101 bytes, WithMaxBytes allows 100"},
		{"too little memory for an input", []string{"-max-bytes", "10000", data("embedding.onnx"), large}, console.Failed, "large.pb: onnx: TensorProto \"\": int64 (1000, 2) takes 16000 bytes"},
		{"too little memory for the values", []string{"-max-bytes", "30000", data("embedding.onnx"), large}, console.Failed, "node 0 (Gather lookup): float (1000, 2, 3) takes 24000 bytes, WithMaxBytes allows 30000"},
		{"an index out of range", []string{data("embedding.onnx"), outOfRange}, console.Failed, "onnxnode: node 0 (Gather lookup): Gather(table, words): indices[0 1]: 9 out of range [-4, 4) for data axis 0"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			status, _, stderr := output(c.args...)
			assert.Equal(t, c.status, status)
			assert.Contains(t, stderr, c.stderr)
			assert.Equal(t, 1, strings.Count(stderr, "\n"), "one line: %s", stderr)
			assert.True(t, strings.HasPrefix(stderr, "onnxnode: "), stderr)
		})
	}
}

// of makes a tensor of a slice.
func of(values any, shape ...int) *tensor.Dense {
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(values))
}

// A model of thousands of inputs does not fill the screen.
func TestJoin(t *testing.T) {
	x := onnx.Value{Name: "x", Shape: []int{2, -1}, Dims: []string{"", "n"}}
	assert.Empty(t, join(nil))
	assert.Equal(t, "x of no declared type (2, n); x of no declared type (2, n)", join([]onnx.Value{x, x}))
	long := make([]onnx.Value, 10_000)
	for i := range long {
		long[i] = x
	}
	assert.Less(t, len(join(long)), 600)
	assert.True(t, strings.HasSuffix(join(long), "; …"))
}

func TestCompare(t *testing.T) {
	nan := float32(0)
	nan /= nan
	a := of([]float32{1, 2, 3, nan, 5, 6}, 2, 3)
	assert.NoError(t, compare(a, of([]float32{1, 2, 3, nan, 5, 6}, 2, 3)))
	assert.EqualError(t, compare(a, of([]float32{1, 2, 3, nan, 4, 6}, 2, 3)), "at [1 1] it is 5, expected is 4")
	assert.ErrorContains(t, compare(a, of([]float32{1, 2, 3, 4, 5, 6}, 2, 3)), "at [1 0] it is NaN, expected is 4")
	assert.ErrorContains(t, compare(a, of([]float32{1, 2, 3, nan, 5, 6}, 3, 2)), "its shape is (2, 3), expected is (3, 2)")
	assert.ErrorContains(t, compare(a, of([]float64{1, 2, 3, 4, 5, 6}, 2, 3)), "its type is float32, expected is float64")
	assert.NoError(t, compare(of([]string{"a"}), of([]string{"a"})))
	assert.ErrorContains(t, compare(of([]string{"a"}), of([]string{"b"})), "it is a, expected is b")
	assert.NoError(t, compare(of([]int8{}, 0), of([]int8{}, 0)))
}

func TestPrintTensor(t *testing.T) {
	cases := []struct {
		name string
		d    *tensor.Dense
		want string
	}{
		{"empty", of([]float32{}, 0), "x float32 (0)\n"},
		{"bfloat16", of([]gather.BF16{0x3fc0, 0xc000}, 2), "x BF16 (2)\n  [1.5   -2]\n"},
		{"a bfloat16 scalar", of([]gather.BF16{0x3fc0}), "x BF16 ()\n  1.5\n"},
		{"float16", of([]float16.Float16{0x3e00, 0xc000}, 2), "x Float16 (2)\n  [1.5   -2]\n"},
		{"a float16 scalar", of([]float16.Float16{0x3e00}), "x Float16 ()\n  1.5\n"},
		{"strings", of([]string{"a", "b"}, 2), "x string (2)\n  [a  b]\n"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			printTensor(&out, "x", c.d)
			assert.Equal(t, c.want, out.String())
		})
	}
}
