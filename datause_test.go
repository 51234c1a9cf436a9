package gather_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// scalarData are the calls of Data, by file and receiver, on values that are no
// tensors, or are kept alive.
var scalarData = map[string]bool{
	"examples/bigtable/main.go: loss.Value()":    true,
	"examples/cartpole/agent.go: a.learner.loss": true,
	"examples/karate/train.go: n.loss":           true,
	"examples/skipgram/model.go: m.loss.Value()": true,
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
