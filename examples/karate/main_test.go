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

func runIn(t *testing.T, ctx context.Context, flags ...string) (report, folder string) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), "out")
	var stdout, stderr bytes.Buffer
	status := run(ctx, append([]string{"-out=" + folder}, flags...), &stdout, &stderr)
	require.Equal(t, console.OK, status, stderr.String())
	assert.Empty(t, stderr.String())
	return stdout.String(), folder
}

func isPicture(t *testing.T, path string) {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	img, err := png.Decode(f)
	require.NoError(t, err)
	assert.Greater(t, img.Bounds().Dx(), 800)
}

func TestRun(t *testing.T) {
	report, folder := runIn(t, context.Background(), "-runs=3", "-epochs=100")
	assert.Contains(t, report, "34 members, 78 friendships")
	assert.Equal(t, 3, len(regexp.MustCompile(`(?m)^  seed \d`).FindAllString(report, -1)))
	found := regexp.MustCompile(`mean [0-9.]+ %, least ([0-9.]+) %`).FindStringSubmatch(report)
	require.NotNil(t, found, report)
	least, err := strconv.ParseFloat(found[1], 64)
	require.NoError(t, err)
	assert.Greater(t, least, 85.0)

	path := filepath.Join(folder, "club.png")
	assert.Contains(t, report, path)
	isPicture(t, path)
}

func TestSameSeedSameResult(t *testing.T) {
	result := func(flags ...string) string {
		report, folder := runIn(t, context.Background(), append(flags, "-runs=2", "-epochs=20")...)
		picture, err := os.ReadFile(filepath.Join(folder, "club.png"))
		require.NoError(t, err)
		report = strings.ReplaceAll(report, folder, "") + string(picture)
		return regexp.MustCompile(`\S+ spent, \S+ left`).ReplaceAllString(report, "")
	}
	first := result()
	assert.True(t, first == result(), "the report or the picture differs")
	assert.False(t, first == result("-seed=2"), "another seed changes nothing")
}

func TestDrawPerfectGuess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "club.png")
	require.NoError(t, drawClub(path, sides()), "no black rim at all")
	isPicture(t, path)
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	report, folder := runIn(t, ctx, "-epochs=100000", "-runs=1000") // a day
	assert.Contains(t, report, "stopped in run 1 of 1000, after 1 of its 100000 epochs")
	assert.Contains(t, report, "  seed 1 ")
	isPicture(t, filepath.Join(folder, "club.png"))
}

func TestWrongFlags(t *testing.T) {
	cases := []struct{ name, arg, says string }{
		{"no such flag", "-epoch=3", "flag provided but not defined: -epoch"},
		{"no epoch", "-epochs=0", "flag -epochs: 0 is not allowed"},
		{"nothing to describe a member with", "-hidden=0", "flag -hidden: 0 is not allowed"},
		{"no run", "-runs=0", "flag -runs: 0 is not allowed"},
		{"a rate of zero", "-rate=0", "flag -rate: 0 is not allowed"},
		{"a rate that is no number", "-rate=NaN", "flag -rate: NaN is not allowed"},
		{"a negative seed", "-seed=-1", `invalid value "-1" for flag -seed`},
		{"an argument", "train", `unexpected argument "train"`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			out := filepath.Join(t.TempDir(), "out")
			assert.Equal(t, console.Usage, run(context.Background(), []string{"-out=" + out, c.arg}, &stdout, &stderr))
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
	assert.Equal(t, console.Failed, run(context.Background(), []string{"-out=" + filepath.Join(file, "out")}, &stdout, &stderr))
	assert.Empty(t, stdout.String(), "said before any training")
	assert.Contains(t, stderr.String(), "karate: cannot make the output folder")
	assert.Equal(t, 1, strings.Count(stderr.String(), "\n"))
}
