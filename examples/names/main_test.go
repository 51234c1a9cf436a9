package main

import (
	"bytes"
	"context"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gorgonia.org/gather/examples/internal/console"
)

// short is a run of seconds: one language, few epochs.
var short = []string{"-languages=en", "-epochs=3", "-batch=64"}

func runShort(t *testing.T, ctx context.Context, flags ...string) (report, folder string) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), "out")
	var stdout, stderr bytes.Buffer
	args := append(append([]string{"-out=" + folder}, short...), flags...)
	require.Equal(t, console.OK, run(ctx, args, &stdout, &stderr), stderr.String())
	assert.Empty(t, stderr.String())
	return stdout.String(), folder
}

// figure finds the number after a label of the report.
func figure(t *testing.T, report, label string) float64 {
	t.Helper()
	found := regexp.MustCompile(label + ` +([0-9.]+)`).FindStringSubmatch(report)
	require.NotNil(t, found, "%q in %s", label, report)
	value, err := strconv.ParseFloat(found[1], 64)
	require.NoError(t, err)
	return value
}

func TestRun(t *testing.T) {
	report, folder := runShort(t, context.Background())

	assert.Less(t, figure(t, report, "this model"), figure(t, report, "bigram counts"))
	assert.Contains(t, report, "the model is better by")
	assert.Regexp(t, `100%  epoch 3 of 3, loss \d\.\d+ bits, \d+s spent, 0s left\n`, report)
	_, names, _ := strings.Cut(report, "12 names it made up\n")
	names, _, _ = strings.Cut(names, "\n\n")
	assert.Len(t, strings.Split(names, "\n"), invented)

	for _, picture := range []string{"loss.png", "embedding.png"} {
		path := filepath.Join(folder, picture)
		assert.Contains(t, report, path)
		f, err := os.Open(path)
		require.NoError(t, err)
		defer f.Close()
		img, err := png.Decode(f)
		require.NoError(t, err, picture)
		assert.Greater(t, img.Bounds().Dx(), 800, picture)
	}
}

func TestSameSeedSameResult(t *testing.T) {
	result := func(flags ...string) string {
		report, folder := runShort(t, context.Background(), append(flags, "-epochs=1")...)
		for _, picture := range []string{"loss.png", "embedding.png"} {
			content, err := os.ReadFile(filepath.Join(folder, picture))
			require.NoError(t, err)
			report += string(content)
		}
		report = strings.ReplaceAll(report, folder, "")
		return regexp.MustCompile(`\S+ spent, \S+ left`).ReplaceAllString(report, "")
	}
	first := result()
	assert.True(t, first == result(), "the report or a picture differs")
	assert.False(t, first == result("-seed=2"), "another seed changes nothing")
}

// interrupting ends its context once so many lines were written.
type interrupting struct {
	bytes.Buffer
	lines  int
	cancel context.CancelFunc
}

func (w *interrupting) Write(p []byte) (int, error) {
	if w.lines -= bytes.Count(p, []byte("\n")); w.lines <= 0 {
		w.cancel()
	}
	return w.Buffer.Write(p)
}

func TestInterruptedItReportsAndSaves(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	stdout, folder := &interrupting{lines: 2, cancel: cancel}, t.TempDir()
	var stderr bytes.Buffer
	args := []string{"-out=" + folder, "-languages=en", "-epochs=10000", "-batch=64"} // hours
	require.Equal(t, console.OK, run(ctx, args, stdout, &stderr), stderr.String())

	assert.Regexp(t, `stopped in epoch \d+ of 10000`, stdout.String())
	assert.Greater(t, figure(t, stdout.String(), "this model"), 1.0)
	assert.FileExists(t, filepath.Join(folder, "loss.png"))
	assert.FileExists(t, filepath.Join(folder, "embedding.png"))
}

func TestInterruptedBeforeItBegan(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	report, _ := runShort(t, ctx)
	assert.Contains(t, report, "stopped in epoch 1 of 3")
	assert.Contains(t, report, "the model has not beaten the counts", "after a single step, and it says so")
}

func TestWrongFlags(t *testing.T) {
	cases := []struct {
		name string
		args []string
		says string
	}{
		{"no such flag", []string{"-epoch=3"}, "flag provided but not defined: -epoch"},
		{"no epoch", []string{"-epochs=0"}, "flag -epochs: 0 is not allowed"},
		{"no batch", []string{"-batch=-1"}, "flag -batch: -1 is not allowed"},
		{"a batch of more than there is", []string{"-batch=99999", "-languages=en"}, "flag -batch: 99999 is more than the"},
		{"an embedding that is no map", []string{"-embedding=1"}, "flag -embedding: 1 is not allowed"},
		{"a rate of zero", []string{"-rate=0"}, "flag -rate: 0 is not allowed"},
		{"a rate that is no number", []string{"-rate=NaN"}, "flag -rate: NaN is not allowed"},
		{"a negative seed", []string{"-seed=-1"}, `invalid value "-1" for flag -seed`},
		{"no such language", []string{"-languages=en,english"}, `flag -languages: no names are known in "english"`},
		{"a language that CLDR has no names in", []string{"-languages=tlh"}, `flag -languages: no names are known in "tlh"`},
		{"a language whose speakers read another's names", []string{"-languages=oc"}, `flag -languages: no names are known in "oc"`},
		{"no language at all", []string{"-languages="}, `flag -languages: no names are known in ""`},
		{"too few names", []string{"-languages=zh"}, "flag -languages: these languages have"},
		{"an argument", []string{"train"}, `unexpected argument "train"`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			out := filepath.Join(t.TempDir(), "out")
			assert.Equal(t, console.Usage, run(context.Background(), append([]string{"-out=" + out}, c.args...), &stdout, &stderr))
			assert.Empty(t, stdout.String())
			assert.Contains(t, stderr.String(), c.says)
			assert.Equal(t, 1, strings.Count(stderr.String(), "\n"), "one line: %s", stderr.String())
			assert.NoDirExists(t, out)
		})
	}
}

func TestUnwritableFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	var stdout, stderr bytes.Buffer
	args := append([]string{"-out=" + filepath.Join(file, "out")}, short...)
	assert.Equal(t, console.Failed, run(context.Background(), args, &stdout, &stderr))
	assert.Empty(t, stdout.String(), "said before any training")
	assert.Contains(t, stderr.String(), "names: cannot make the output folder")
	assert.Equal(t, 1, strings.Count(stderr.String(), "\n"))
}

func TestRateTooLarge(t *testing.T) {
	var stdout, stderr bytes.Buffer
	args := append([]string{"-out=" + t.TempDir(), "-rate=10"}, short...)
	assert.Equal(t, console.Failed, run(context.Background(), args, &stdout, &stderr))
	assert.Equal(t, "names: in epoch 1 the loss stopped being a number; try a -rate below 10\n", stderr.String())
}
