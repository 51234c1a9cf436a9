package onnx_test

import (
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/gradtest"
	"gorgonia.org/gather/onnx"
	"gorgonia.org/gather/onnx/builders"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// nodeTests names the environment variable with the folder of ONNX's own node
// tests.
const nodeTests = "ONNX_NODE_TESTS"

// TestNodeTests runs ONNX's published tests of the operators of this package and of
// package builders: each is a model with its inputs and the outputs it must give.
// Every test in the folder must be listed, either to be run or to be ignored for
// a reason, and every one that is listed must be there. What is ignored must be
// refused: a wrong value is no reason.
func TestNodeTests(t *testing.T) {
	root := os.Getenv(nodeTests)
	if root == "" {
		t.Skipf("skipped: %s names no folder with ONNX's node tests; onnx/testdata/fetch.sh FOLDER fetches them and prints what to set", nodeTests)
	}
	folders := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if folder := filepath.Dir(path); err == nil && d.Name() == "model.onnx" {
			folders[filepath.Base(folder)] = folder
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	run, ignored := listed(t, "testdata/nodetests_run.txt"), listed(t, "testdata/nodetests_ignored.txt")
	for name := range folders {
		_, runs := run[name]
		reason, ignores := ignored[name]
		if runs == ignores || ignores && reason == "" {
			t.Errorf("%s must be in exactly one of the two lists, with a reason if it is ignored", name)
		}
	}
	for _, list := range []map[string]string{run, ignored} {
		for name := range list {
			t.Run(name, func(t *testing.T) {
				folder, ok := folders[name]
				if !ok {
					t.Fatalf("the test is listed and not in %s", root)
				}
				err := nodeTest(t, folder)
				if _, runs := run[name]; runs && err != nil {
					t.Error(err)
				} else if !runs && (err == nil || strings.Contains(err.Error(), "want")) {
					t.Errorf("it is ignored, and gives %v", err)
				}
			})
		}
	}
}

// nodeTest runs the model of a folder on each of its data sets.
func nodeTest(t *testing.T, folder string) error {
	sets, err := filepath.Glob(filepath.Join(folder, "test_data_set_*"))
	if err != nil || len(sets) == 0 {
		return errors.Errorf("no data in %s: %v", folder, err)
	}
	for _, set := range sets {
		if err := dataSet(t, folder, set); err != nil {
			return err
		}
	}
	return nil
}

// Of the operators that shape a result by their inputs, all inputs but the first
// must be known when the graph is built, and of some the first, too. The tests
// give them as inputs of the model.
var (
	shaping     = regexp.MustCompile(`^test_(center_crop|compress|constant_pad|cumsum|dropout|edge_pad|expand|onehot|pad|reduce|reflect_pad|reshape|slice|split|squeeze|tile|top_k|tril|triu|unsqueeze|wrap_pad)(_|$)`)
	alwaysKnown = regexp.MustCompile(`^test_(constantofshape|range)(_|$)`)
)

// dataSet builds a model and compares its outputs.
func dataSet(t *testing.T, folder, set string) error {
	m := onnx.ModelFile(t, filepath.Join(folder, "model.onnx"))
	values := map[string]*tensor.Dense{}
	options := []onnx.BuildOption{builders.All()}
	for i, v := range m.Inputs() {
		d, err := tensorFile(filepath.Join(set, fmt.Sprintf("input_%d.pb", i)))
		if err != nil {
			return err
		}
		if name := filepath.Base(folder); alwaysKnown.MatchString(name) || i > 0 && shaping.MatchString(name) {
			options = append(options, onnx.WithInput(v.Name, d))
			continue
		}
		values[v.Name] = d
		if err := m.SetInputShape(v.Name, d.Shape()...); err != nil {
			return err
		}
	}
	g := G.NewGraph()
	built, err := m.Build(g, options...)
	if err != nil {
		return err
	}
	for name, d := range values {
		if err := built.Let(name, d); err != nil {
			return err
		}
	}
	if len(g.AllNodes()) > 0 {
		machine := G.NewTapeMachine(g)
		defer machine.Close()
		if err := machine.RunAll(); err != nil {
			return err
		}
	}
	for i, v := range m.Outputs() {
		want, err := tensorFile(filepath.Join(set, fmt.Sprintf("output_%d.pb", i)))
		if err != nil {
			return err
		}
		got, err := built.Value(v.Name)
		if err != nil {
			return err
		}
		tolerance := 1e-5
		if filepath.Base(folder) == "test_averagepool_2d_ceil_last_window_starts_on_pad" {
			tolerance = 1e-4 // its values are published to four digits
		}
		if err := same(got, want, tolerance); err != nil {
			return errors.WithMessagef(err, "output %s", v.Name)
		}
	}
	return nil
}

// same compares floats to the tolerance of ONNX's own tests where they are
// computed, and all else exactly.
func same(got, want *tensor.Dense, tolerance float64) error {
	if got.Dtype() != want.Dtype() || !slices.Equal(got.Shape(), want.Shape()) {
		return errors.Errorf("got %v %v, want %v %v", got.Dtype(), got.Shape(), want.Dtype(), want.Shape())
	}
	if want.Dtype() != tensor.Float32 && want.Dtype() != tensor.Float64 {
		if a, b := fmt.Sprint(onnx.Values(got)), fmt.Sprint(onnx.Values(want)); a != b {
			return errors.Errorf("got %s, want %s", a, b)
		}
		return nil
	}
	a, err := gradtest.Floats(got)
	if err != nil {
		return err
	}
	b, err := gradtest.Floats(want)
	if err != nil {
		return err
	}
	for i := range b {
		if !gradtest.Close(a[i], b[i], tolerance) && (a[i] == a[i] || b[i] == b[i]) {
			return errors.Errorf("got %v, want %v", a, b)
		}
	}
	return nil
}

func tensorFile(path string) (*tensor.Dense, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return onnx.ReadTensor(f)
}

// listed reads a list of names, each with what follows it.
func listed(t *testing.T, path string) map[string]string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	names := map[string]string{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		name, reason, _ := strings.Cut(lines.Text(), " ")
		if _, twice := names[name]; twice {
			t.Fatalf("%s lists %s twice", path, name)
		}
		names[name] = reason
	}
	return names
}
