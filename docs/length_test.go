package docs_test

import (
	"os"
	"strings"
	"testing"
)

// TestLengths holds the pages and programs to the lengths that they promise.
func TestLengths(t *testing.T) {
	for file, most := range map[string]int{"model.md": 120, "../README.md": 150} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(text), "\n"); n > most {
			t.Errorf("%s has %d lines, %d are allowed", file, n, most)
		}
	}
	for file, function := range map[string]string{"classifier": "classifier", "messages": "messages", "qlearning": "qLearning"} {
		text, err := os.ReadFile("example_" + file + "_test.go")
		if err != nil {
			t.Fatal(err)
		}
		_, body, found := strings.Cut(string(text), "\nfunc Example_"+function+"()")
		body, _, _ = strings.Cut(body, "\n}\n")
		if n := strings.Count(body, "\n"); !found || n > 60 || n < 20 {
			t.Errorf("Example_%s has %d lines, 60 are allowed", function, n)
		}
	}
}
