package gather_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReadme demands that the lines of each Go block of README.md and docs stand
// in one Example function, in the quickstart or in bigtable, in that order: what they show
// compiles, and its output is what comes out.
func TestReadme(t *testing.T) {
	var examples []string
	for _, name := range []string{"quickstart", "bigtable"} {
		program, err := os.ReadFile("examples/" + name + "/main.go")
		ok(t, err)
		examples = append(examples, string(program))
	}
	for _, pattern := range []string{"example*_test.go", "*/example*_test.go"} {
		files, err := filepath.Glob(pattern)
		ok(t, err)
		for _, file := range files {
			text, err := os.ReadFile(file)
			ok(t, err)
			examples = append(examples, strings.Split(string(text), "\nfunc Example")[1:]...)
		}
	}
	documents, err := filepath.Glob("docs/*.md")
	ok(t, err)
	for _, document := range append(documents, "README.md") {
		text, err := os.ReadFile(document)
		ok(t, err)
		for _, block := range strings.Split(string(text), "```go\n")[1:] {
			block, _, _ = strings.Cut(block, "```")
			shown := false
			for _, example := range examples {
				shown = shown || inOrder(strings.Split(block, "\n"), strings.Split(example, "\n"))
			}
			if !shown {
				t.Errorf("%s: no Example function has these lines:\n%s", document, block)
			}
		}
	}
}

// inOrder tells whether all lines stand in the text in their order, leaving out
// blank lines and indentation.
func inOrder(lines, text []string) bool {
	for _, line := range lines {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		at := 0
		for at < len(text) && strings.TrimSpace(text[at]) != line {
			at++
		}
		if at == len(text) {
			return false
		}
		text = text[at+1:]
	}
	return true
}
