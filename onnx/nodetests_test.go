package onnx

import (
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pkg/errors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"
)

// nodeTests names the environment variable with the folder of ONNX's own node
// tests.
const nodeTests = "ONNX_NODE_TESTS"

// family are the names of the tests that concern this package.
var family = regexp.MustCompile(`^test_(gather|scatter|tensor_?scatter|Embedding|operator_index)`)

// TestNodeTests runs ONNX's published tests of these operators: each is a model
// with its inputs and the outputs it must give. Every test of the family that
// the folder holds must be listed, either to be run or to be ignored for a
// reason, and every one that is listed must be there.
func TestNodeTests(t *testing.T) {
	root := os.Getenv(nodeTests)
	if root == "" {
		t.Skipf("skipped: %s names no folder with ONNX's node tests; onnx/testdata/fetch.sh FOLDER fetches them and prints what to set", nodeTests)
	}
	folders := map[string]string{}
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if folder := filepath.Dir(path); err == nil && d.Name() == "model.onnx" && family.MatchString(filepath.Base(folder)) {
			folders[filepath.Base(folder)] = folder
		}
		return err
	}))
	run, ignored := list(t, "testdata/nodetests_run.txt"), list(t, "testdata/nodetests_ignored.txt")
	for name := range folders {
		_, runs := run[name]
		reason, ignores := ignored[name]
		assert.True(t, runs != ignores, "%s must be in exactly one of the two lists", name)
		if ignores {
			assert.NotEmpty(t, reason, "%s is ignored without a reason", name)
		}
	}
	for name := range run {
		t.Run(name, func(t *testing.T) {
			folder, ok := folders[name]
			require.True(t, ok, "the test is listed and not in %s", root)
			nodeTest(t, folder)
		})
	}
	// What is ignored is so because Build cannot have it, and not for ease.
	for name := range ignored {
		t.Run("ignored "+name, func(t *testing.T) {
			folder, ok := folders[name]
			require.True(t, ok, "the test is listed and not in %s", root)
			_, err := modelFile(t, filepath.Join(folder, "model.onnx")).Build(gorgonia.NewGraph())
			var unsupported *UnsupportedError
			assert.True(t, errors.As(err, &unsupported), "%v", err)
		})
	}
}

// nodeTest runs the model of a folder on each of its data sets.
func nodeTest(t *testing.T, folder string) {
	sets, err := filepath.Glob(filepath.Join(folder, "test_data_set_*"))
	require.NoError(t, err)
	require.NotEmpty(t, sets)
	for _, set := range sets {
		m := modelFile(t, filepath.Join(folder, "model.onnx"))
		require.NotEmpty(t, m.Outputs())
		for i, v := range m.Inputs() {
			in := testTensor(t, filepath.Join(set, fmt.Sprintf("input_%d.pb", i)))
			require.NoError(t, m.SetInputShape(v.Name, in.Shape()...))
		}
		g := gorgonia.NewGraph()
		built, err := m.Build(g)
		require.NoError(t, err)
		for i, v := range m.Inputs() {
			in := testTensor(t, filepath.Join(set, fmt.Sprintf("input_%d.pb", i)))
			require.NoError(t, built.Let(v.Name, in))
		}
		for i, v := range m.Outputs() {
			want := testTensor(t, filepath.Join(set, fmt.Sprintf("output_%d.pb", i)))
			got := run(t, g, built, v.Name)
			assert.Equal(t, want.Dtype(), got.Dtype())
			assert.Equal(t, want.Shape(), got.Shape())
			assert.Equal(t, values(want), values(got))
		}
	}
}

// list reads a list of names, each with what follows it.
func list(t *testing.T, path string) map[string]string {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	names := map[string]string{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		name, reason, _ := strings.Cut(lines.Text(), " ")
		require.NotContains(t, names, name)
		names[name] = reason
	}
	return names
}
