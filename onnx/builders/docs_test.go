package builders

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestDocs holds the table of operators in docs/onnx.md against the builders: each has
// one row, with the first opset that it takes.
func TestDocs(t *testing.T) {
	text, err := os.ReadFile("../../docs/onnx.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]bool{}
	for _, line := range strings.Split(string(text), "\n") {
		cells := strings.Split(line, "|")
		if len(cells) < 5 || strings.TrimSpace(cells[2]) != "`onnx/builders`" {
			continue
		}
		for _, op := range strings.Split(strings.TrimSpace(cells[1]), ", ") {
			if documented[op] {
				t.Errorf("%s is there twice", op)
			}
			documented[op] = true
			rows, ok := versions[op]
			if !ok || builders[op] == nil {
				t.Errorf("%s: there is no such builder", op)
				continue
			}
			want := "all"
			if first := rows[0].since; first > 1 {
				want = fmt.Sprint("from ", first)
			}
			if got := strings.TrimSpace(cells[3]); got != want {
				t.Errorf("%s: opsets %q, it has %q", op, got, want)
			}
		}
	}
	for op := range builders {
		if !documented[op] {
			t.Errorf("%s is not documented", op)
		}
	}
}
