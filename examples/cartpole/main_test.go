package main

import (
	"bytes"
	"context"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gorgonia.org/gather/examples/internal/console"
)

// runShort is a run of a second.
func runShort(t *testing.T, ctx context.Context, flags ...string) (report, picture string) {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "out")
	var stdout, stderr bytes.Buffer
	args := append([]string{"-out=" + folder, "-episodes=25", "-updates=4", "-batch=16", "-hidden=8"}, flags...)
	require.Equal(t, console.OK, run(ctx, args, &stdout, &stderr), stderr.String())
	assert.Empty(t, stderr.String())
	return stdout.String(), filepath.Join(folder, "returns.png")
}

func TestRun(t *testing.T) {
	report, picture := runShort(t, context.Background())
	assert.Contains(t, report, "at most 25 episodes, until 100 in a row have an average return of 195\n")
	assert.Regexp(t, `\n100%  average return \d+\.\d, \d+s spent, 0s left\n`, report)
	assert.Contains(t, report, "not solved: that takes 100 episodes at least")
	assert.NotContains(t, report, "stopped")
	assert.Contains(t, report, picture)

	f, err := os.Open(picture)
	require.NoError(t, err)
	defer f.Close()
	img, err := png.Decode(f)
	require.NoError(t, err)
	assert.Greater(t, img.Bounds().Dx(), 800)
}

func TestSameSeedSameResult(t *testing.T) {
	result := func(flags ...string) string {
		report, picture := runShort(t, context.Background(), flags...)
		content, err := os.ReadFile(picture)
		require.NoError(t, err)
		report = strings.ReplaceAll(report, picture, "")
		return regexp.MustCompile(`\S+ spent, \S+ left`).ReplaceAllString(report, "") + string(content)
	}
	first := result()
	assert.True(t, first == result(), "the report or the picture differs")
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
	stdout, folder := &interrupting{lines: 3, cancel: cancel}, t.TempDir()
	var stderr bytes.Buffer
	// A line for each 5 % of 200 episodes: the third one comes after the 10th.
	args := []string{"-out=" + folder, "-episodes=200", "-updates=2", "-batch=8", "-hidden=8"}
	require.Equal(t, console.OK, run(ctx, args, stdout, &stderr), stderr.String())
	assert.Contains(t, stdout.String(), "\nstopped after 10 of 200 episodes\n")
	assert.Contains(t, stdout.String(), "not solved: that takes 100 episodes at least")
	assert.FileExists(t, filepath.Join(folder, "returns.png"))
}

func TestInterruptedBeforeItBegan(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	report, picture := runShort(t, ctx)
	assert.Contains(t, report, "stopped after 1 of 25 episodes")
	assert.FileExists(t, picture, "one dot, and a line of one point")
}

func TestOneEpisodeWithTheSmallestOfEverything(t *testing.T) {
	report, _ := runShort(t, context.Background(), "-episodes=1", "-updates=1", "-batch=1", "-hidden=1", "-memory=1")
	assert.NotContains(t, report, "stopped")
}

func TestWrongFlags(t *testing.T) {
	cases := []struct {
		name string
		args []string
		says string
	}{
		{"no such flag", []string{"-episode=3"}, "flag provided but not defined: -episode"},
		{"no episode", []string{"-episodes=0"}, "flag -episodes: 0 is not allowed"},
		{"no training", []string{"-updates=0"}, "flag -updates: 0 is not allowed"},
		{"no batch", []string{"-batch=-1"}, "flag -batch: -1 is not allowed"},
		{"no hidden layer", []string{"-hidden=0"}, "flag -hidden: 0 is not allowed"},
		{"no memory", []string{"-memory=0"}, "flag -memory: 0 is not allowed"},
		{"a rate of zero", []string{"-rate=0"}, "flag -rate: 0 is not allowed"},
		{"a rate that is no number", []string{"-rate=NaN"}, "flag -rate: NaN is not allowed"},
		{"a negative seed", []string{"-seed=-1"}, `invalid value "-1" for flag -seed`},
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
	args := []string{"-out=" + filepath.Join(file, "out"), "-episodes=100000"} // hours, had it begun
	assert.Equal(t, console.Failed, run(context.Background(), args, &stdout, &stderr))
	assert.Empty(t, stdout.String())
	assert.Contains(t, stderr.String(), "cannot make the output folder")
	assert.Equal(t, 1, strings.Count(stderr.String(), "\n"))
}

// Where the picture belongs stands a folder: the report is not lost.
func TestThePictureCannotBeSaved(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "out")
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "returns.png"), 0o755))
	var stdout, stderr bytes.Buffer
	args := []string{"-out=" + folder, "-episodes=1", "-updates=1", "-batch=1", "-hidden=1"}
	assert.Equal(t, console.Failed, run(context.Background(), args, &stdout, &stderr))
	assert.Contains(t, stdout.String(), "not solved")
	assert.Contains(t, stderr.String(), "cartpole: cannot save a picture")
}

func TestRoundTicks(t *testing.T) {
	cases := map[int][]string{
		20:  {"0", "5", "10", "15", "20"},
		133: {"0", "50", "100"},
		600: {"0", "100", "200", "300", "400", "500", "600"},
	}
	for most, want := range cases {
		var labels []string
		for _, tick := range roundTicks(most) {
			labels = append(labels, tick.Label)
		}
		assert.Equal(t, want, labels, "up to %d", most)
	}
}
