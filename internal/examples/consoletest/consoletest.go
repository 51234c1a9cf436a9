// Package consoletest holds the tests that every example has to pass: a mistake
// costs one line and nothing else, one seed gives one result, and Ctrl-C ends the
// work in good order.
package consoletest

import (
	"bytes"
	"context"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gorgonia.org/gather/internal/examples/console"
	"gorgonia.org/gather/internal/race"
)

// Run lets the program do its work, which must succeed, with the given flags
// and a folder of its own, and returns its report and the folder.
func Run(t *testing.T, program console.Program, flags ...string) (report, folder string) {
	t.Helper()
	var stdout bytes.Buffer
	folder = runTo(t.Context(), t, program, &stdout, flags)
	fits(t, stdout.String(), folder)
	return stdout.String(), folder
}

// fits holds the report against 80 columns, with a folder of a usual length, and its
// progress against 40.
func fits(t *testing.T, report, folder string) {
	t.Helper()
	progress := regexp.MustCompile(`^ *\d+% .* left$`)
	for line := range strings.Lines(strings.ReplaceAll(report, folder, "program-out")) {
		line, most := strings.TrimSuffix(line, "\n"), 80
		if progress.MatchString(line) {
			most = 40
		}
		assert.LessOrEqual(t, utf8.RuneCountInString(line), most, line)
	}
}

// Interrupted is Run, but for a Ctrl-C once so many lines of the report are
// written, or, if that is 0, before the program began.
func Interrupted(t *testing.T, lines int, program console.Program, flags ...string) (report, folder string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if lines == 0 {
		cancel()
	}
	stdout := &interrupting{lines: lines, cancel: cancel}
	folder = runTo(ctx, t, program, stdout, flags)
	fits(t, stdout.String(), folder)
	return stdout.String(), folder
}

func runTo(ctx context.Context, t *testing.T, program console.Program, stdout io.Writer, flags []string) (folder string) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), "out")
	var stderr bytes.Buffer
	status := program(ctx, append([]string{"-out=" + folder}, flags...), stdout, &stderr)
	require.Equal(t, console.OK, status, stderr.String())
	assert.Empty(t, stderr.String())
	return folder
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

// Fails lets the program do work that must fail with one line on stderr, which
// it returns beside the report so far.
func Fails(t *testing.T, program console.Program, status int, args ...string) (report, complaint string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	assert.Equal(t, status, program(t.Context(), args, &stdout, &stderr))
	assert.Equal(t, 1, strings.Count(stderr.String(), "\n"), "one line: %s", stderr.String())
	return stdout.String(), stderr.String()
}

// Mistake is a wrong command line, and what the program says to it.
type Mistake struct {
	Name string
	Args []string
	Says string
}

// Mistakes holds the program against wrong command lines: it says what is wrong
// in one line, does nothing, and makes no folder.
func Mistakes(t *testing.T, program console.Program, mistakes []Mistake) {
	t.Helper()
	for _, m := range mistakes {
		t.Run(m.Name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			report, complaint := Fails(t, program, console.Usage, append([]string{"-out=" + out}, m.Args...)...)
			assert.Empty(t, report)
			assert.Contains(t, complaint, m.Says)
			assert.NoDirExists(t, out)
		})
	}
}

// UnwritableFolder holds the program against an output folder that cannot be
// made. Give it flags with which it would work for hours if it began.
func UnwritableFolder(t *testing.T, program console.Program, flags ...string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	report, complaint := Fails(t, program, console.Failed, append([]string{"-out=" + filepath.Join(file, "out")}, flags...)...)
	assert.Empty(t, report, "said before any work")
	assert.Contains(t, complaint, ": cannot make the output folder")
}

// UnsavablePicture runs the program with a folder where its picture belongs: it
// must fail, and say which picture, but not before it has reported.
func UnsavablePicture(t *testing.T, program console.Program, picture, reported string, flags ...string) {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "out")
	require.NoError(t, os.MkdirAll(filepath.Join(folder, picture), 0o755))
	report, complaint := Fails(t, program, console.Failed, append([]string{"-out=" + folder}, flags...)...)
	assert.Contains(t, report, reported, "the report is not lost")
	assert.Contains(t, complaint, ": cannot save a picture: ")
	assert.Contains(t, complaint, picture)
}

// SameSeed runs the program twice as it is, which must give the same report and
// the same pictures, and once with another seed, which must not.
func SameSeed(t *testing.T, program console.Program, pictures []string, flags ...string) {
	t.Helper()
	if race.Enabled || testing.Short() {
		t.Skip("three runs of a program that the other tests run, too")
	}
	result := func(flags ...string) string {
		report, folder := Run(t, program, flags...)
		report = strings.ReplaceAll(report, folder, "")
		report = regexp.MustCompile(`(?m)^ *\d+% .* left$|\d+ \w+ a second|\S+ ms a step`).ReplaceAllString(report, "")
		for _, picture := range pictures {
			content, err := os.ReadFile(filepath.Join(folder, picture))
			require.NoError(t, err)
			report += string(content)
		}
		return report
	}
	first := result(flags...)
	assert.True(t, first == result(flags...), "the report or a picture differs")
	assert.False(t, first == result(append(flags, "-seed=2")...), "another seed changes nothing")
}

// Pictures are PNG files of a size to look at, which the report names.
func Pictures(t *testing.T, report, folder string, names ...string) {
	t.Helper()
	for _, name := range names {
		path := filepath.Join(folder, name)
		assert.Contains(t, report, path)
		f, err := os.Open(path)
		require.NoError(t, err)
		defer f.Close()
		img, err := png.Decode(f)
		require.NoError(t, err, name)
		assert.Greater(t, img.Bounds().Dx(), 800, name)
	}
}
