package onnx

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestDocs holds the table of operators in docs/onnx.md against those that this package
// has, in a graph or when it is built.
func TestDocs(t *testing.T) {
	text, err := os.ReadFile("../docs/onnx.md")
	if err != nil {
		t.Fatal(err)
	}
	var documented []string
	for _, line := range strings.Split(string(text), "\n") {
		if cells := strings.Split(line, "|"); len(cells) > 4 && strings.TrimSpace(cells[2]) == "`onnx`" {
			documented = append(documented, strings.Split(strings.TrimSpace(cells[1]), ", ")...)
		}
	}
	want := []string{"Constant", "Identity"}
	for name := range operators {
		want = append(want, name[strings.LastIndex(name, ".")+1:])
	}
	for name := range knownOperators {
		want = append(want, name)
	}
	slices.Sort(documented)
	slices.Sort(want)
	if !slices.Equal(documented, want) {
		t.Errorf("documented are %v, there are %v", documented, want)
	}
}
