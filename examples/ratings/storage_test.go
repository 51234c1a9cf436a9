package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gorgonia.org/gather/internal/examples/consoletest"
)

// Rows in fewer bits are smaller, and predict nearly as well; the fewer bits, the farther
// they are from the trained ones.
func TestStorage(t *testing.T) {
	report, folder := consoletest.Run(t, run, with("-storage=all")...)
	lines := regexp.MustCompile(`(?m)^  (\w+) +(\d+) +(\d+) (bytes|kB) +[0-9.]+ µs +([0-9.]+) % +([0-9.]+)$`).FindAllStringSubmatch(report, -1)
	require.Len(t, lines, 5, report)
	trained := reported(t, report)[3]
	for i, want := range []struct {
		name        string
		bytes, of   int
		least, most float64 // error of a row, in per cent
		change      float64 // of the RMSE, at most
	}{
		{"float32", 32, 280 * 32, 0, 0, 5e-5}, // the report above has four digits
		{"float16", 16, 280 * 16, 0.001, 0.05, 1e-3},
		{"bfloat16", 16, 280 * 16, 0.05, 0.4, 2e-3},
		{"int8", 16, 280 * 16, 0.05, 1, 2e-3},
		{"int4", 8, 280 * 8, 2, 15, 2e-2},
	} {
		line := lines[i]
		assert.Equal(t, []string{want.name, fmt.Sprint(want.bytes)}, line[1:3])
		assert.Equal(t, inBytes(want.of), line[3]+" "+line[4], want.name)
		rowError, held := number(t, line[5]), number(t, line[6])
		assert.True(t, rowError >= want.least && rowError <= want.most, "%s: error of a row %v %%", want.name, rowError)
		assert.InDelta(t, trained, held, want.change, want.name)
	}
	consoletest.Pictures(t, report, folder, "storage.png")
}

// Tables in files of a run that was stopped are stored, too, in the order asked for.
func TestStorageResumed(t *testing.T) {
	_, folder := consoletest.Run(t, run, with("-mapped", "-epochs=1")...)
	report, _ := consoletest.Run(t, run, with("-mapped", "-epochs=1", "-resume", "-out="+folder, "-storage=int4,int8")...)
	assert.Regexp(t, `(?s)\n  float32 .*\n  int4 .*\n  int8 `, report)
	assert.NotContains(t, report, "bfloat16")
	assert.FileExists(t, filepath.Join(folder, "storage.png"))
}

func TestWrongStorage(t *testing.T) {
	var mistakes []consoletest.Mistake
	for _, text := range []string{"", "int3", "float32", "int8,", "int8 int4", "all,int8"} {
		mistakes = append(mistakes, consoletest.Mistake{Name: "storage " + text, Args: []string{"-storage=" + text}, Says: "for flag -storage: allowed are float16"})
	}
	consoletest.Mistakes(t, run, mistakes)
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(text, 64)
	require.NoError(t, err)
	return x
}
