package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sampleReport has two cases at 1 and 2 threads, one in which a peer is faster
// at 2, and one that ByIndices does wrong and PyTorch does not do.
func sampleReport() *Report {
	lookup := Case{Name: "lookup", Group: Gathers, Op: "Gather", Data: []int{7, 5}, Indices: []int{3}, Mode: Read}
	rows := Case{Name: "rows of 64 bytes", Group: Rows, Op: "Gather", Data: []int{100, 16}, Indices: []int{40}, Mode: Read}
	at := func(c Case, threads int, times ...Time) Result {
		return Result{Case: c, Threads: threads, Bytes: 4000, Times: times}
	}
	us := func(name string, median float64) Time { return Time{Runner: name, Median: median, Min: median} }
	return &Report{
		Machine: Machine{CPU: "test", Cores: 2, Versions: map[string]string{ONNXRuntime: "1"}, Date: "2026-01-02"},
		Rounds:  3,
		Results: []Result{
			at(lookup, 1, us(Ours, 10), us(Memcpy, 1), us(ONNXRuntime, 40), us(PyTorch, 20), Time{Runner: ByIndices, Missing: errWrong.Error()}),
			at(lookup, 2, us(Ours, 8), us(Memcpy, 1), us(ONNXRuntime, 32), us(PyTorch, 4), Time{Runner: ByIndices, Missing: errWrong.Error()}),
			at(rows, 1, us(Ours, 5), us(OursNoasm, 20), us(Memcpy, 2), us(ONNXRuntime, 5)),
			at(rows, 2, us(Ours, 4), us(OursNoasm, 5), us(Memcpy, 1), us(ONNXRuntime, 16)),
		},
	}
}

func TestRatios(t *testing.T) {
	r := sampleReport()
	name, us, ok := r.Results[0].bestPeer()
	assert.Equal(t, PyTorch, name)
	assert.Equal(t, 20.0, us)
	assert.True(t, ok)

	t.Run("a peer that is faster", func(t *testing.T) {
		ratio, ok := r.Results[1].ratioToBest()
		assert.True(t, ok)
		assert.Equal(t, 0.5, ratio)
	})
	t.Run("noasm and memcpy are no peers", func(t *testing.T) {
		_, _, ok := Result{Times: []Time{{Runner: Ours, Median: 1}, {Runner: OursNoasm, Median: 2}, {Runner: Memcpy, Median: 3}}}.bestPeer()
		assert.False(t, ok)
	})
	t.Run("a wrong result is no time", func(t *testing.T) {
		_, ok := r.Results[0].ratioTo(ByIndices)
		assert.False(t, ok)
	})
	t.Run("share", func(t *testing.T) {
		share, ok := r.Results[2].share(OursNoasm)
		assert.True(t, ok)
		assert.Equal(t, 0.1, share)
	})
}

func TestGeomean(t *testing.T) {
	r := sampleReport()
	mean, n := geomean(r.of(notStep, 1), Result.ratioToBest) // of 2 and 1
	assert.InDelta(t, 1.41421356, mean, 1e-8)
	assert.Equal(t, 2, n)
	mean, n = geomean(r.of(notStep, 2), func(x Result) (float64, bool) { return x.ratioTo(PyTorch) }) // rows have none
	assert.InDelta(t, 0.5, mean, 1e-12)
	assert.Equal(t, 1, n)
	_, n = geomean(r.of(func(c Case) bool { return c.in(Scatters) }, 1), Result.ratioToBest)
	assert.Zero(t, n)
}

func TestTables(t *testing.T) {
	byTitle := map[string]table{}
	for _, x := range sampleReport().tables() {
		byTitle[x.title] = x
		for _, row := range x.rows {
			assert.Len(t, row, len(x.head), x.title)
		}
	}
	lookup := byTitle["gathers, µs"]
	assert.Equal(t, []string{
		"case", "data", "indices", Ours, ONNXRuntime, PyTorch, ByIndices, Memcpy, "best peer / gather", "ONNX Runtime / gather",
	}, lookup.head)
	assert.Equal(t, [][]string{{
		"lookup", "7×5", "3", "10 / 8.0", "40 / 32", "20 / 4.0", "wrong", "1.0 / 1.0", "2.00 / 0.50 ▼", "4.00 / 4.00",
	}}, lookup.rows)
	assert.Equal(t, [][]string{{"64 B", "2.0 / 4.0", "40 % / 25 %", "10 % / 20 %", "40 % / 6 %"}},
		byTitle["rows out of cache: a table of 512 MB, 32 MB looked up, share of memcpy's bandwidth"].rows)
	assert.Equal(t, [][]string{{"lookup", "2", PyTorch, "0.50", "▼", ""}},
		byTitle["cases in which a peer is faster (▼), or is in some of several runs (≈)"].rows)
	assert.Equal(t, [][]string{{"rows of 64 bytes", "0.25 / 0.80"}}, byTitle["with and without assembly"].rows)
	means := byTitle["geometric means"].rows
	assert.Contains(t, means, []string{"published first", "2", "1.41 / 1.41", "2.00 / 4.00", "2.00 / 0.50", "-"})
	assert.Contains(t, means, []string{Rows, "1", "1.00 / 4.00", "1.00 / 4.00", "-", "-"})
}

func TestTableText(t *testing.T) {
	x := table{title: "sizes", head: []string{"case", "µs"}, rows: [][]string{{"a", "10"}, {"longer ×", "1.5"}}}
	var text, markdown strings.Builder
	x.text(&text)
	x.markdown(&markdown)
	assert.Equal(t, "\nSizes\ncase       µs\na          10\nlonger ×  1.5\n", text.String())
	assert.Equal(t, "\nSizes:\n\n| case | µs |\n|---|---:|\n| a | 10 |\n| longer × | 1.5 |\n", markdown.String())
}

func TestReportFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "report.json")
	want := sampleReport()
	require.NoError(t, want.save(file))
	got, err := loadReports([]string{file})
	require.NoError(t, err)
	assert.Equal(t, want, got)

	require.NoError(t, os.WriteFile(file, []byte("{"), 0o600))
	_, err = loadReports([]string{file})
	assert.ErrorContains(t, err, file)
}

func TestMedian(t *testing.T) {
	samples := []float64{9, 1, 4}
	assert.Equal(t, 4.0, median(samples))
	assert.Equal(t, []float64{9, 1, 4}, samples, "the samples stay in order")
	assert.Equal(t, 2.5, median([]float64{4, 1, 100, 1}))
}
