package gather_test

import (
	"go/parser"
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
	{"internal/fault", "internal/screen"},
	{"shapes", "internal/num"},
	{"internal/simd"},
	{"internal/par"},
	{"internal/quant"},
	{"internal/plan", "internal/kernel", "internal/segment", "internal/bag", "internal/npy", "internal/safetensors", "internal/files", "internal/memtest"}, // the last one for their tests
	{"internal/update", "internal/adjoint"},
	{"internal/elem"},
	{"internal/core"},
	{"dense", "internal/graph"},
	{"diff"},
	{"."},
	{"embedding"},
	{"internal/opset"},
	{"onnx", "openvino", "internal/opset/opsettest"}, // the last one for their tests
	{"onnx/builders"},
	{"internal/examples/"},
	{"examples/"},
}

// testOnly are packages that only tests import, and helpers of tests, whose names
// end in test.
var testOnly = []string{"internal/race", "internal/oracle", "internal/gradtest", "internal/badinput", "internal/cases", "internal/layout"}

// withoutGraph are packages for programs that have no graph.
var withoutGraph = []string{"internal/fault", "shapes", "internal/num", "internal/npy", "internal/safetensors", "internal/files", "internal/simd", "internal/par", "internal/quant", "internal/plan", "internal/kernel", "internal/segment", "internal/bag", "internal/update", "internal/adjoint", "internal/elem", "internal/core", "dense"}

// plainMemory are the packages that know memory and no tensors.
var plainMemory = []string{"internal/num", "internal/simd", "internal/par", "internal/quant", "internal/kernel", "internal/segment", "internal/bag", "internal/update", "internal/adjoint"}

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
