package gather_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// layers are the folders of this module, from the lowest to the highest. A
// package imports only what stands in a lower line. A name with a slash at its
// end is that of all folders below it, which may import each other.
var layers = [][]string{
	{"internal/fault", "internal/screen", "internal/machine"},
	{"shapes", "internal/num"},
	{"internal/simd"},
	{"internal/par"},
	{"internal/quant"},
	{"internal/plan", "internal/kernel", "internal/bag", "internal/npy", "internal/safetensors", "internal/files", "internal/memtest"}, // the last one for their tests
	{"internal/update", "internal/adjoint", "internal/loss"},
	{"internal/elem"},
	{"internal/core"},
	{"dense", "internal/graph"},
	{"diff"},
	{"."},
	{"embedding"},
	{"internal/opset"},
	{"onnx", "openvino", "internal/opset/opsettest"}, // the last one for their tests
	{"onnx/builders"},
	{"nn"},
	{"internal/examples/"},
	{"examples/"},
}

// testOnly are packages that only tests import, and helpers of tests, whose names
// end in test.
var testOnly = []string{"internal/race", "internal/oracle", "internal/gradtest", "internal/badinput", "internal/cases", "internal/layout", "internal/turns"}

// withoutGraph are packages for programs that have no graph.
var withoutGraph = []string{"internal/fault", "internal/machine", "shapes", "internal/num", "internal/npy", "internal/safetensors", "internal/files", "internal/simd", "internal/par", "internal/quant", "internal/plan", "internal/kernel", "internal/bag", "internal/update", "internal/adjoint", "internal/loss", "internal/elem", "internal/core", "dense"}

// plainMemory are the packages that know memory and no tensors.
var plainMemory = []string{"internal/num", "internal/simd", "internal/par", "internal/quant", "internal/kernel", "internal/bag", "internal/update", "internal/adjoint", "internal/loss"}

// layerOf is the line of a folder, or -1.
func layerOf(folder string) int {
	return slices.IndexFunc(layers, func(names []string) bool {
		return slices.ContainsFunc(names, func(name string) bool {
			return name == folder || strings.HasSuffix(name, "/") && strings.HasPrefix(folder, name)
		})
	})
}

// TestLayers reads the imports of every file that is no test, whatever it is
// built for, and holds them against the order of the layers.
func TestLayers(t *testing.T) {
	const module = "gorgonia.org/gather"
	files := 0
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			_, own := os.Stat(filepath.Join(name, "go.mod"))
			if base := entry.Name(); name != "." && (own == nil || base[0] == '.' || base[0] == '_' || base == "testdata") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		files++
		folder := path.Dir(filepath.ToSlash(name))
		layer, helper := layerOf(folder), slices.Contains(testOnly, folder)
		if layer < 0 && !helper {
			t.Errorf("%s is in no layer: add it to the list in this test, and to CONTRIBUTING.md", folder)
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if slices.Contains(withoutGraph, folder) && strings.HasPrefix(imported, "gorgonia.org/gorgonia") {
				t.Errorf("%s imports %s, but its users have no graph", name, imported)
			}
			if folder == "embedding" && (imported == "os" || imported == "syscall") {
				t.Errorf("%s imports %s, but all calls into the file system are made by internal/files, where tests make them fail", name, imported)
			}
			if imported != module && !strings.HasPrefix(imported, module+"/") {
				continue
			}
			other := strings.TrimPrefix(strings.TrimPrefix(imported, module), "/")
			if other == "" {
				other = "."
			}
			below := layerOf(other)
			switch {
			case helper && slices.Contains(testOnly, other):
			case helper:
				t.Errorf("%s imports %s: what tests compare with must share nothing with it", name, imported)
			case slices.Contains(testOnly, other) && !strings.HasSuffix(folder, "test"):
				t.Errorf("%s imports %s, which is for tests", name, imported)
			case below == layer && layer >= 0 && strings.HasSuffix(layers[layer][0], "/"):
			case below >= layer:
				t.Errorf("%s imports %s, which is not below it", name, imported)
			}
		}
		return nil
	})
	ok(t, err)
	if files == 0 {
		t.Error("no file was read")
	}
}

// TestPlainMemory lists what the loops are built of, imports of imports included:
// the standard library and golang.org/x/sys, so that no loop can know a tensor.
func TestPlainMemory(t *testing.T) {
	const module = "gorgonia.org/gather/"
	args := []string{"list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}"}
	for _, folder := range plainMemory {
		args = append(args, "./"+folder)
	}
	out, err := exec.Command("go", args...).CombinedOutput()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, out)
	}
	listed := strings.Fields(string(out))
	for _, folder := range plainMemory {
		if !slices.Contains(listed, module+folder) {
			t.Errorf("go list names no %s:\n%s", folder, out)
		}
	}
	for _, imported := range listed {
		if !strings.HasPrefix(imported, "golang.org/x/sys/") && !slices.Contains(plainMemory, strings.TrimPrefix(imported, module)) {
			t.Errorf("%s is below package kernel: it knows plain memory alone", imported)
		}
	}
}

// scalarData are the calls of Data, by file and receiver, on values that are no
// tensors, or are kept alive.
var scalarData = map[string]bool{
	"examples/bigtable/main.go: loss.Value()":    true,
	"examples/cartpole/agent.go: a.learner.loss": true,
	"examples/karate/train.go: n.loss":           true,
	"internal/gradtest/values.go: dense":         true,
	"internal/gradtest/values.go: scalar":        true,
	"internal/opset/operand.go: v":               true,
	"internal/opset/opsettest/tensors.go: d":     true,
	"onnx/builders/elements.go: v":               true,
	"openvino/axis.go: v":                        true,
}

// TestDataIsNotUsed finds no call of Data on a tensor in what users run or read as
// an example. For a moment it holds the memory by an integer alone, and a garbage
// collection in it frees the memory.
func TestDataIsNotUsed(t *testing.T) {
	files := token.NewFileSet()
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if base := entry.Name(); name != "." && (base[0] == '.' || base[0] == '_' || base == "conformance" || base == "benchmarks") {
				return fs.SkipDir
			}
			return nil
		}
		isTest := strings.HasSuffix(name, "_test.go") && !strings.Contains(filepath.Base(name), "example")
		if !strings.HasSuffix(name, ".go") || isTest {
			return nil
		}
		file, err := parser.ParseFile(files, name, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) > 0 {
				return true
			}
			method, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || method.Sel.Name != "Data" {
				return true
			}
			var receiver bytes.Buffer
			ok = printer.Fprint(&receiver, files, method.X) == nil
			if place := filepath.ToSlash(name) + ": " + receiver.String(); !ok || !scalarData[place] {
				t.Errorf("%s calls Data: use Float64s and the like", place)
			}
			return true
		})
		return nil
	})
	ok(t, err)
}

// TestOtherLayers: the file of an operator names files of its other layers that are there.
func TestOtherLayers(t *testing.T) {
	files, err := filepath.Glob("op_*.go")
	ok(t, err)
	named := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		ok(t, err)
		_, rest, found := strings.Cut(string(text), "// Other layers: ")
		if !found {
			continue
		}
		comment, _, _ := strings.Cut(rest, "\n\n")
		for _, word := range strings.Fields(comment) {
			if word = strings.Trim(word, ",."); strings.HasSuffix(word, ".go") {
				named++
				if _, err := os.Stat(word); err != nil {
					t.Errorf("%s names %s: %v", file, word, err)
				}
			}
		}
	}
	if named < 70 {
		t.Errorf("only %d files are named", named)
	}
}
