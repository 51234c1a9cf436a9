package gathergonnx

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestReadme runs the program of the README, and compares what it prints with what
// stands below it.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	_, rest, ok := strings.Cut(string(readme), "```go\n")
	require.True(t, ok)
	program, rest, ok := strings.Cut(rest, "```\n")
	require.True(t, ok)
	var want []string
	for _, line := range strings.Split(strings.TrimLeft(rest, "\n"), "\n") {
		if !strings.HasPrefix(line, "    ") {
			break
		}
		want = append(want, strings.TrimSpace(line))
	}
	require.Len(t, want, 2)
	path := filepath.Join(t.TempDir(), "main.go")
	require.NoError(t, os.WriteFile(path, []byte(program), 0o644))
	out, err := exec.Command("go", "run", path).CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Equal(t, want, strings.Split(strings.TrimSpace(string(out)), "\n"))
}
