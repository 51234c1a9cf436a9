package gathergonnx

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/advancedclimatesystems/gonnx"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gather/onnx"
	"gorgonia.org/tensor"
)

// ours are the names of node tests of the gathers and scatters.
var ours = regexp.MustCompile(`(?i)gather|scatter|embedding`)

// TestNodeTests runs ONNX's own node tests of the gathers and scatters through
// gonnx: those that package onnx lists, each a model with its inputs and the outputs
// it must give, to the bit.
func TestNodeTests(t *testing.T) {
	root := os.Getenv("ONNX_NODE_TESTS")
	if root == "" {
		t.Skip("skipped: ONNX_NODE_TESTS names no folder with ONNX's node tests; onnx/testdata/fetch.sh FOLDER fetches them and prints what to set")
	}
	run, err := os.Open("../onnx/testdata/nodetests_run.txt")
	require.NoError(t, err)
	defer run.Close()
	count := 0
	for lines := bufio.NewScanner(run); lines.Scan(); {
		name, _, _ := strings.Cut(lines.Text(), " ")
		if !ours.MatchString(name) {
			continue // one of package onnx/builders
		}
		count++
		t.Run(name, func(t *testing.T) {
			folders, err := filepath.Glob(filepath.Join(root, "*", name))
			require.NoError(t, err)
			require.Len(t, folders, 1)
			m, err := LoadFile(filepath.Join(folders[0], "model.onnx"))
			require.NoError(t, err)
			sets, err := filepath.Glob(filepath.Join(folders[0], "test_data_set_*"))
			require.NoError(t, err)
			require.NotEmpty(t, sets)
			for _, set := range sets {
				inputs := gonnx.Tensors{}
				for i, v := range m.Inputs() {
					inputs[v.Name] = tensorFile(t, set, "input", i)
				}
				out, err := m.Run(inputs)
				require.NoError(t, err)
				for i, name := range m.OutputNames() {
					assertSame(t, tensorFile(t, set, "output", i), out[name])
				}
			}
		})
	}
	require.Greater(t, count, 25)
}

func tensorFile(t *testing.T, set, kind string, i int) *tensor.Dense {
	t.Helper()
	f, err := os.Open(filepath.Join(set, fmt.Sprintf("%s_%d.pb", kind, i)))
	require.NoError(t, err)
	defer f.Close()
	d, err := onnx.ReadTensor(f)
	require.NoError(t, err)
	return d
}
