package gathergonnx

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/advancedclimatesystems/gonnx"
	"github.com/pkg/errors"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/onnx"
	"gorgonia.org/tensor"
)

// TestNodeTests runs ONNX's own node tests, those that package onnx lists, through gonnx:
// each is a model with its inputs and the outputs it must give. What is not computed is
// refused.
func TestNodeTests(t *testing.T) {
	root := os.Getenv("ONNX_NODE_TESTS")
	if root == "" {
		t.Skip("skipped: ONNX_NODE_TESTS names no folder with ONNX's node tests; onnx/testdata/fetch.sh FOLDER fetches them and prints what to set")
	}
	passed, refused := 0, map[string]bool{}
	for _, list := range []string{"run", "ignored"} {
		names, err := os.Open(filepath.Join("../onnx/testdata", "nodetests_"+list+".txt"))
		require.NoError(t, err)
		defer names.Close()
		for lines := bufio.NewScanner(names); lines.Scan(); {
			name, _, _ := strings.Cut(lines.Text(), " ")
			t.Run(name, func(t *testing.T) {
				folders, err := filepath.Glob(filepath.Join(root, "*", name))
				require.NoError(t, err)
				require.Len(t, folders, 1)
				if err := nodeTest(t, folders[0]); err == nil {
					passed++
				} else if refused[name] = true; list == "run" && notByGonnx[name] == "" {
					t.Error(err)
				}
			})
		}
	}
	for name := range notByGonnx {
		require.True(t, refused[name], name)
	}
	require.Greater(t, passed, 900)
	t.Logf("%d passed, %d are refused", passed, len(refused))
}

// notByGonnx are the tests that package onnx/builders passes in a graph and gonnx
// does not, with the reason.
var notByGonnx = map[string]string{}

// nodeTest returns an error of loading or running a model. A wrong output ends the test.
func nodeTest(t *testing.T, folder string) error {
	m, err := LoadFile(filepath.Join(folder, "model.onnx"))
	if err != nil {
		return err
	}
	sets, err := filepath.Glob(filepath.Join(folder, "test_data_set_*"))
	require.NoError(t, err)
	require.NotEmpty(t, sets)
	for _, set := range sets {
		inputs := gonnx.Tensors{}
		for i, v := range m.Inputs() {
			if inputs[v.Name], err = tensorFile(set, "input", i); err != nil {
				return err
			}
		}
		out, err := m.Run(inputs)
		if err != nil {
			return err
		}
		for i, name := range m.OutputNames() {
			want, err := tensorFile(set, "output", i)
			if err != nil {
				return err
			}
			got, ok := out[name].(*tensor.Dense)
			require.True(t, ok, name)
			requireNear(t, folder, want, got)
		}
	}
	return nil
}

// requireNear compares floats to the tolerance of ONNX's own tests, and all else to the bit.
func requireNear(t *testing.T, folder string, want, got *tensor.Dense) {
	t.Helper()
	if !slices.Contains(floatTypes, want.Dtype()) || slices.Contains(want.Shape(), 0) {
		assertSame(t, want, got)
		return
	}
	require.Equal(t, want.Dtype(), got.Dtype())
	require.True(t, slices.Equal(want.Shape(), got.Shape()), "%v %v", want.Shape(), got.Shape())
	tolerance := 1e-5
	if filepath.Base(folder) == "test_averagepool_2d_ceil_last_window_starts_on_pad" {
		tolerance = 1e-4 // its values are published to four digits
	}
	switch want.Dtype() { // some units in the last place: others round in other places
	case dense.Float16:
		tolerance = 1.0 / 512
	case dense.BFloat16:
		tolerance = 1.0 / 64
	}
	a, b := floats(want), floats(got)
	for i, x := range a {
		if x != b[i] && (x == x || b[i] == b[i]) {
			require.InDelta(t, x, b[i], tolerance*max(1, x, -x), "%d", i)
		}
	}
}

var floatTypes = []tensor.Dtype{tensor.Float32, tensor.Float64, dense.Float16, dense.BFloat16}

// floats are the elements of a packed tensor of floats.
func floats(d *tensor.Dense) []float64 {
	switch d.Dtype() {
	case tensor.Float64:
		return elements[float64](d)
	case dense.Float16, dense.BFloat16:
		list := make([]float64, size(d.Shape()))
		for i := range list {
			list[i] = half(d, i)
		}
		return list
	}
	return converted(elements[float32](d), func(x float32) float64 { return float64(x) })
}

func tensorFile(set, kind string, i int) (*tensor.Dense, error) {
	f, err := os.Open(filepath.Join(set, fmt.Sprintf("%s_%d.pb", kind, i)))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	d, err := onnx.ReadTensor(f)
	return d, errors.WithMessage(err, set)
}
