package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFlags(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"no such case":     {[]string{"-case", "nothing is called so", "-onnxruntime", ""}, "no case has that in its name"},
		"no rounds":        {[]string{"-rounds", "0"}, "at least 1"},
		"no runs":          {[]string{"-runs", "0"}, "-runs 0, at least 1"},
		"resume what":      {[]string{"-resume"}, "-resume needs"},
		"no such group":    {[]string{"-group", "gather", "-onnxruntime", ""}, "-group gather: the groups are"},
		"threads":          {[]string{"-threads", "1,x", "-onnxruntime", ""}, `"x" is no number of threads`},
		"an argument":      {[]string{"all"}, `"all" is too many`},
		"an unknown flag":  {[]string{"-unknown"}, "help requested"},
		"a missing report": {[]string{"-from", filepath.Join(t.TempDir(), "none.json")}, "none.json"},
		"a missing peer":   {[]string{"-case", "batch_dims", "-onnxruntime", "", "-torch", filepath.Join(t.TempDir(), "python")}, PyTorch},
	} {
		t.Run(name, func(t *testing.T) {
			var out, complaints strings.Builder
			err := run(context.Background(), c.args, strings.NewReader(""), &out, &complaints)
			assert.ErrorContains(t, err, c.want)
		})
	}
}

func TestList(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(context.Background(), []string{"-list"}, nil, &out, &out))
	assert.Equal(t, len(cases()), strings.Count(out.String(), "\n"))
}

func TestFromReport(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "report.json")
	require.NoError(t, sampleReport().save(file))
	var out strings.Builder
	args := []string{"-from", file, "-markdown", filepath.Join(dir, "t.md"), "-svg", filepath.Join(dir, "t.svg")}
	require.NoError(t, run(context.Background(), args, nil, &out, &out))
	assert.Contains(t, out.String(), "Geometric means")
	b, err := os.ReadFile(filepath.Join(dir, "t.md"))
	require.NoError(t, err)
	assert.Contains(t, string(b), "| lookup | 7×5 | 3 | 10 / 8.0 |")
}

func TestCaches(t *testing.T) {
	dir := t.TempDir()
	for i, files := range []map[string]string{
		{"level": "1", "type": "Data", "size": "32K", "shared_cpu_list": "0"},
		{"level": "1", "type": "Instruction", "size": "32K", "shared_cpu_list": "0"},
		{"level": "2", "type": "Unified", "size": "1024K", "shared_cpu_list": "0-1"},
		{"level": "3", "type": "Unified"}, // as in some virtual machines
	} {
		index := filepath.Join(dir, "index"+string(rune('0'+i)))
		require.NoError(t, os.Mkdir(index, 0o700))
		for name, text := range files {
			require.NoError(t, os.WriteFile(filepath.Join(index, name), []byte(text+"\n"), 0o600))
		}
	}
	assert.Equal(t, []Cache{{1, 32 << 10, "0"}, {2, 1 << 20, "0-1"}}, caches(dir))
	assert.Empty(t, caches(filepath.Join(dir, "none")))
}

func TestByteText(t *testing.T) {
	for n, want := range map[int]string{64: "64 B", 1536: "1536 B", 2048: "2 kB", 32 << 20: "32 MB"} {
		assert.Equal(t, want, byteText(n))
	}
}
