package gather_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReadme demands that the lines of each Go block of the README stand in one
// Example function, in that order: what it shows compiles, and its output is
// what comes out.
func TestReadme(t *testing.T) {
	var examples []string
	for _, pattern := range []string{"example*_test.go", "*/example*_test.go"} {
		files, err := filepath.Glob(pattern)
		ok(t, err)
		for _, file := range files {
			text, err := os.ReadFile(file)
			ok(t, err)
			examples = append(examples, strings.Split(string(text), "\nfunc Example")[1:]...)
		}
	}
	readme, err := os.ReadFile("README.md")
	ok(t, err)
	blocks := strings.Split(string(readme), "```go\n")[1:]
	if len(blocks) == 0 {
		t.Error("the README has no Go block")
	}
	for _, block := range blocks {
		block, _, _ = strings.Cut(block, "```")
		shown := false
		for _, example := range examples {
			shown = shown || inOrder(strings.Split(block, "\n"), strings.Split(example, "\n"))
		}
		if !shown {
			t.Errorf("no Example function has these lines:\n%s", block)
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
