package main

import (
	"bytes"
	"context"
	"fmt"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// program runs the command on the fetched model, or skips the test.
func program(t *testing.T, ctx context.Context, stdin string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join("model", modelFile)); os.IsNotExist(err) {
		t.Skip("skipped: the model is not there, gonnx/examples/sentences/fetch.sh fetches it")
	}
	var out, complaints bytes.Buffer
	status = run(ctx, append([]string{"-model", "model", "-out", filepath.Join(t.TempDir(), "out")}, args...), strings.NewReader(stdin), &out, &complaints)
	return status, out.String(), complaints.String()
}

func TestShipped(t *testing.T) {
	out := filepath.Join(t.TempDir(), "pictures")
	status, stdout, stderr := program(t, context.Background(), "", "-out", out)
	require.Equal(t, ok, status, stderr)
	assert.Empty(t, stderr)
	assert.Contains(t, stdout, "32 sentences of 8 to 15 tokens")
	nearest := between(stdout, "nearest to \"Where is the cat?\"\n", "\n")
	assert.Contains(t, nearest, "A small cat is dozing in the sun by the window.")
	alike := between(stdout, "most similar\n", "picture")
	assert.True(t, strings.HasPrefix(strings.TrimSpace(alike), "0.6"), alike)
	assert.Contains(t, strings.Split(alike, "\n")[1], "A small cat")
	f, err := os.Open(filepath.Join(out, "similarity.png"))
	require.NoError(t, err)
	defer f.Close()
	size, err := png.DecodeConfig(f)
	require.NoError(t, err)
	assert.Greater(t, size.Width, 1000)
}

func between(s, start, end string) string {
	_, s, _ = strings.Cut(s, start)
	s, _, _ = strings.Cut(s, end)
	return s
}

func TestInput(t *testing.T) {
	long := strings.Repeat("the cat sat on the mat and ", 40)
	stdin := "\ufeffA cat.\r\n\r\n   \nEin Kätzchen schläft.\r\n我爱北京。\n\xff\xfe broken\n" + long + "\n🐈 🐈\nlast without an end"
	status, stdout, stderr := program(t, context.Background(), stdin, "-in", "-", "-query", long, "-top", "2", "-batch", "3")
	require.Equal(t, ok, status, stderr)
	assert.Contains(t, stdout, "7 sentences of")
	assert.Contains(t, stdout, "2 empty lines left out")
	assert.Contains(t, stdout, "1 sentence cut to 128 tokens: line [7]")
	assert.Contains(t, stdout, "of the query only the first 128 tokens are used")
	assert.Contains(t, stdout, "  1.000  the cat sat on the mat", "the same sentence is nearest to itself")

	file := filepath.Join(t.TempDir(), "one.txt")
	require.NoError(t, os.WriteFile(file, []byte("only one"), 0o644))
	status, stdout, stderr = program(t, context.Background(), "", "-in", file, "-tokens", "512", "-batch", "1024")
	require.Equal(t, ok, status, stderr)
	assert.Contains(t, stdout, "1 sentence of 4 to 4 tokens")
	assert.NotContains(t, stdout, "nearest")
	assert.NotContains(t, stdout, "most similar")
}

func TestComplaints(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	for name, c := range map[string]struct {
		args   []string
		stdin  string
		status int
		says   string
	}{
		"an unknown flag":       {[]string{"-speed", "9"}, "", usage, "-speed"},
		"a word":                {[]string{"notes.txt"}, "", usage, `unexpected argument "notes.txt"`},
		"no batch":              {[]string{"-batch", "0"}, "", usage, "flag -batch: 0 is not allowed, it ranges from 1 to 1024"},
		"more tokens than fit":  {[]string{"-tokens", "513"}, "", usage, "from 3 to 512"},
		"nothing to print":      {[]string{"-top", "-1"}, "", usage, "-top"},
		"no such file":          {[]string{"-in", "none.txt"}, "", failed, "none.txt"},
		"a folder":              {[]string{"-in", "."}, "", failed, "reading sentences"},
		"no sentences":          {[]string{"-in", "-"}, "\n\n \n", failed, "standard input has no sentences"},
		"a line without an end": {[]string{"-in", "-"}, "a\n" + strings.Repeat("x", 2*maxLine), failed, "line 2 is longer than"},
		"no model":              {[]string{"-model", t.TempDir()}, "", failed, "fetch.sh fetches it"},
		"a file as folder":      {[]string{"-out", filepath.Join(file, "out")}, "", failed, "cannot make the folder"},
	} {
		t.Run(name, func(t *testing.T) {
			status, stdout, stderr := program(t, context.Background(), c.stdin, c.args...)
			assert.Equal(t, c.status, status)
			assert.Contains(t, stderr, c.says)
			assert.Equal(t, 1, strings.Count(stderr, "\n"), "one line: %s", stderr)
			assert.NotContains(t, stdout, "panic")
		})
	}
	var out, complaints bytes.Buffer
	assert.Equal(t, ok, run(context.Background(), []string{"-h"}, nil, &out, &complaints))
	assert.Contains(t, out.String(), "-query")
	assert.Empty(t, complaints.String())
}

// TestBrokenModel: files that are no model are errors of one line.
func TestBrokenModel(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"no vocabulary of BERT's": {vocabularyFile: "the\ncat\n", modelFile: ""},
		"no model":                {vocabularyFile: "[CLS]\n[SEP]\n[UNK]\n"},
		"an empty model":          {vocabularyFile: "[CLS]\n[SEP]\n[UNK]\n", modelFile: ""},
		"another file":            {vocabularyFile: "[CLS]\n[SEP]\n[UNK]\n", modelFile: "<html>not found</html>"},
	} {
		folder := t.TempDir()
		for file, content := range files {
			require.NoError(t, os.WriteFile(filepath.Join(folder, file), []byte(content), 0o644))
		}
		var out, complaints bytes.Buffer
		status := run(context.Background(), []string{"-model", folder, "-out", filepath.Join(folder, "out")}, nil, &out, &complaints)
		assert.Equal(t, failed, status, name)
		assert.Equal(t, 1, strings.Count(complaints.String(), "\n"), "%s: %s", name, complaints.String())
	}
}

// TestInterrupted: a context that ended leaves the sentences that are done.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	status, stdout, stderr := program(t, ctx, "", "-batch", "1")
	assert.Equal(t, ok, status, stderr)
	assert.Contains(t, stdout, "stopped after 0 of 32 sentences")
	assert.NotContains(t, stdout, "picture")
}

// TestProgress: a bar of less than 40 columns, whatever it counts to.
func TestProgress(t *testing.T) {
	for _, total := range []int{1, 100, 99_999} {
		var out bytes.Buffer
		p := progressOn(&out, total, true)
		for range 10 {
			p.step(total / 10)
		}
		p.finish()
		for _, line := range strings.FieldsFunc(out.String(), func(r rune) bool { return r == '\r' || r == '\n' }) {
			assert.Less(t, len(strings.TrimRight(line, " ")), 40, "%q", line)
		}
		assert.True(t, strings.HasSuffix(out.String(), "\n"))
	}
	var out bytes.Buffer
	p := progressOn(&out, 3, false)
	p.step(3)
	p.finish()
	assert.Empty(t, out.String())
}

func TestCosine(t *testing.T) {
	assert.InDelta(t, 1, cosine([]float32{1, 2}, []float32{2, 4}), 1e-12)
	assert.InDelta(t, -1, cosine([]float32{1, 2}, []float32{-1, -2}), 1e-12)
	assert.InDelta(t, 0.6, cosine([]float32{1, 0}, []float32{3, 4}), 1e-12)
	assert.Equal(t, 0.0, cosine([]float32{0, 0}, []float32{3, 4}))
	assert.InDelta(t, 1, cosine([]float32{1e30, 1e30}, []float32{1e30, 1e30}), 1e-12, "squares beyond float32")
}

// TestOrder: groups that were shuffled stand together again.
func TestOrder(t *testing.T) {
	assert.Empty(t, likeNextToLike(nil))
	assert.Equal(t, []int{0}, likeNextToLike([][]float64{{1}}))
	rng := rand.New(rand.NewPCG(1, 2))
	group := rng.Perm(12) // group[i]/4 is the group of i
	matrix := make([][]float64, len(group))
	for i := range matrix {
		matrix[i] = make([]float64, len(group))
		for j := range matrix[i] {
			if group[i]/4 == group[j]/4 {
				matrix[i][j] = 0.8
			}
			matrix[i][j] -= 0.01 * math.Abs(float64(group[i]-group[j]))
		}
	}
	order := likeNextToLike(matrix)
	require.Len(t, order, 12)
	seen, changes := map[int]bool{}, 0
	for at, i := range order {
		seen[i] = true
		if at > 0 && group[i]/4 != group[order[at-1]]/4 {
			changes++
		}
	}
	assert.Len(t, seen, 12)
	assert.Equal(t, 2, changes)
}

// TestPairs: of many sentences the first ones are compared, in no time.
func TestPairs(t *testing.T) {
	all := make([]*sentence, 3*mostPaired)
	for i := range all {
		all[i] = &sentence{text: fmt.Sprint(i), vector: []float32{float32(i % 1000), 1000}}
	}
	var out strings.Builder
	printPairs(&out, all, 3)
	assert.Equal(t, "\nmost similar of the first 2000\n  1.000  0\n         1000\n  1.000  1\n         1001\n  1.000  2\n         1002\n", out.String())
	out.Reset()
	printPairs(&out, all[:1], 3)
	assert.Empty(t, out.String())
}

// TestDraw draws few and many sentences, and such as the font cannot write.
func TestDraw(t *testing.T) {
	for _, n := range []int{1, 2, 90, mostDrawn + 5} {
		var all []*sentence
		for i := range n {
			all = append(all, &sentence{text: fmt.Sprintf("我 sentence %d %s", i, strings.Repeat("long ", i%20)), vector: []float32{float32(i), 1}})
		}
		for _, query := range []*sentence{nil, {text: "何?", vector: []float32{1, 1}}} {
			path := filepath.Join(t.TempDir(), "picture.png")
			require.NoError(t, drawSimilarity(path, all, query))
			info, err := os.Stat(path)
			require.NoError(t, err)
			assert.Greater(t, info.Size(), int64(1000))
		}
	}
	assert.ErrorContains(t, drawSimilarity(filepath.Join(t.TempDir(), "none", "x.png"), []*sentence{{text: "x", vector: []float32{1}}}, nil), "cannot save the picture")
	assert.Equal(t, "a□b", drawable("a我b"))
	assert.Equal(t, strings.Repeat("x", labelRunes)+"…", drawable(strings.Repeat("x", 1000)))
}
