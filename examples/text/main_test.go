package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gorgonia.org/gather/internal/examples/consoletest"
)

var pictures = []string{"loss.png"}

// TestRun learns for an epoch: it is better than the most frequent topic, and keeps the tables.
func TestRun(t *testing.T) {
	report, folder := consoletest.Run(t, run, "-epochs=1")
	assert.Regexp(t, `\d+ sentences, \d+ held out, \d+ words\n`, report)
	assert.Regexp(t, `\n[4-9]\d\.\d % of the held-out sentences are right, the words in Int8`, report)
	for _, folderOf := range []string{"checkpoint", "int8"} {
		assert.FileExists(t, filepath.Join(folder, folderOf, "manifest.json"))
	}
	_, err := os.Stat(filepath.Join(folder, pictures[0]))
	require.NoError(t, err)
}

// TestLength: docs/model.md says that the program has 120 lines.
func TestLength(t *testing.T) {
	program, err := os.ReadFile("main.go")
	require.NoError(t, err)
	assert.LessOrEqual(t, strings.Count(string(program), "\n"), 120)
}

func TestFlags(t *testing.T) {
	consoletest.Mistakes(t, run, []consoletest.Mistake{
		{Name: "no epochs", Args: []string{"-epochs=0"}, Says: "flag -epochs: 0 is not allowed"},
		{Name: "a rate of zero", Args: []string{"-rate=0"}, Says: "flag -rate: 0 is not allowed"},
	})
}

func TestSameSeed(t *testing.T) { consoletest.SameSeed(t, run, pictures, "-epochs=1") }

func TestInterrupted(t *testing.T) {
	report, _ := consoletest.Interrupted(t, 2, run, "-epochs=1000000")
	assert.Contains(t, report, "% of the held-out sentences are right")
}
