package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gorgonia.org/gather/internal/examples/console"
	"gorgonia.org/gather/internal/examples/consoletest"
	"gorgonia.org/gather/internal/examples/ratings"
	"gorgonia.org/gather/internal/turns"
)

// small are flags for a short training.
var small = []string{"-users=200", "-items=80", "-count=6000", "-epochs=4", "-batch=128", "-dim=8"}

func with(flags ...string) []string { return append(append([]string(nil), small...), flags...) }

// errors are those of the report: of the mean, the means, the biases and the model.
func reported(t *testing.T, report string) (errors [4]float64) {
	t.Helper()
	for i, name := range []string{"mean of all ratings", "means of user and film", "biases of user and film", `this model, after epoch \d+`} {
		found := regexp.MustCompile(`(?m)^  ` + name + ` +([0-9.]+)$`).FindStringSubmatch(report)
		require.NotNil(t, found, report)
		var err error
		errors[i], err = strconv.ParseFloat(found[1], 64)
		require.NoError(t, err)
	}
	return errors
}

// results are what does not depend on how often a training was stopped.
func results(t *testing.T, report string) string {
	t.Helper()
	_, after, found := strings.Cut(report, "\nRMSE on held-out ratings")
	require.True(t, found, report)
	after = regexp.MustCompile(`(?m)^[0-9.]+ ms a step.*\n`).ReplaceAllString(after, "")
	before, _, _ := strings.Cut(after, "\npictures")
	return before
}

// whole is the report of a training with the small flags that nobody stopped.
func whole(t *testing.T) string {
	t.Helper()
	if wholeReport == "" {
		wholeReport, _ = consoletest.Run(t, run, small...)
	}
	return wholeReport
}

var wholeReport string

// The model is better than those that know nothing of tastes, and its neighbours are
// of the same genre.
func TestRun(t *testing.T) {
	epochs := "-epochs=12"
	if testing.Short() {
		epochs = "-epochs=6"
	}
	report, folder := consoletest.Run(t, run, epochs, "-batch=256", "-items=200")
	errors := reported(t, report)
	for _, other := range errors[:3] {
		assert.Less(t, errors[3], other-0.03)
	}
	assert.Greater(t, errors[3], ratings.Chance)
	consoletest.Pictures(t, report, folder, "error.png", "films.png")
	lines := regexp.MustCompile(`(?m)^  ([A-Z][a-z ]+) \d+: (.*(?:\n    .*)*)$`).FindAllStringSubmatch(report, -1)
	require.Len(t, lines, 8)
	right := 0
	for _, line := range lines {
		right += strings.Count(line[2], line[1])
	}
	assert.Greater(t, right, 25, "neighbours of the same genre, of 32: %s", report)
}

func TestSameSeedSameResult(t *testing.T) {
	consoletest.SameSeed(t, run, []string{"error.png", "films.png"}, small...)
}

// Stopped by Ctrl-C within epochs and resumed, again and again, it ends with the same
// numbers as a run that was not; with tables in files, too.
func TestResume(t *testing.T) {
	if testing.Short() {
		t.Skip("it trains many times")
	}
	want := results(t, whole(t))
	lines := 60 // more than it reports
	if turns.Every() {
		lines = 18 // stops more often
	}
	for _, files := range []string{"-mapped=false", "-mapped"} {
		stopped, folder := consoletest.Interrupted(t, 4, run, with(files)...)
		require.Regexp(t, `stopped in epoch \d of 4; -resume continues from here`, stopped)
		for stops := 0; ; stops++ {
			var stdout bytes.Buffer
			ctx, cancel := context.WithCancel(t.Context())
			writer := &stopping{Writer: &stdout, lines: lines, cancel: cancel}
			var stderr bytes.Buffer
			status := run(ctx, with(files, "-resume", "-out="+folder), writer, &stderr)
			cancel()
			require.Equal(t, console.OK, status, stderr.String())
			require.Contains(t, stdout.String(), "resuming after epoch ")
			if !strings.Contains(stdout.String(), "stopped in epoch") {
				assert.Equal(t, want, results(t, stdout.String()), files)
				break
			}
			require.Less(t, stops, 40)
		}
		// What is done is done.
		again, _ := consoletest.Run(t, run, with(files, "-resume", "-out="+folder)...)
		assert.Equal(t, want, results(t, again), files)
	}
}

// stopping ends a context once so many lines were written.
type stopping struct {
	io.Writer
	lines  int
	cancel context.CancelFunc
}

func (w *stopping) Write(p []byte) (int, error) {
	if w.lines -= bytes.Count(p, []byte("\n")); w.lines <= 0 {
		w.cancel()
	}
	return w.Writer.Write(p)
}

// A second run without -resume replaces the tables in files of the first, and their states.
func TestMappedAgain(t *testing.T) {
	first, folder := consoletest.Run(t, run, with("-epochs=1", "-mapped")...)
	again, _ := consoletest.Run(t, run, with("-epochs=1", "-mapped", "-out="+folder)...)
	assert.Equal(t, results(t, first), results(t, again))
}

const killed = "RATINGS_TEST_KILLED"

// Killed while it trains and saves, and resumed, it ends with the same numbers.
func TestKilledAndResumed(t *testing.T) {
	if testing.Short() {
		t.Skip("it trains many times")
	}
	if folder := os.Getenv(killed); folder != "" {
		args := with("-out=" + folder)
		if _, err := os.Stat(filepath.Join(folder, lastCheckpoint, "manifest.json")); err == nil {
			args = append(args, "-resume")
		}
		os.Exit(run(t.Context(), args, os.Stdout, os.Stderr))
	}
	want := results(t, whole(t))
	folder := filepath.Join(t.TempDir(), "out")
	for wait := 200 * time.Millisecond; ; wait += 50 * time.Millisecond {
		child := exec.Command(os.Args[0], "-test.run=^TestKilledAndResumed$")
		child.Env = append(os.Environ(), killed+"="+folder)
		var out bytes.Buffer
		child.Stdout, child.Stderr = &out, &out
		require.NoError(t, child.Start())
		kill := time.AfterFunc(wait, func() { child.Process.Kill() })
		err := child.Wait()
		kill.Stop()
		if err == nil {
			assert.Equal(t, want, results(t, out.String()))
			return
		}
		require.Less(t, wait, time.Minute, out.String())
	}
}

func TestInterruptedBeforeItBegan(t *testing.T) {
	report, folder := consoletest.Interrupted(t, 0, run, small...)
	assert.Contains(t, report, "stopped in epoch 1 of 4")
	assert.NoFileExists(t, filepath.Join(folder, "error.png"), "there is no epoch to draw")
}

// A checkpoint of other flags or ratings is refused.
func TestResumeRefuses(t *testing.T) {
	report, folder := consoletest.Run(t, run, with("-epochs=1")...)
	assert.NotContains(t, report, "fewer bits", "they were not asked for")
	assert.NoFileExists(t, filepath.Join(folder, "storage.png"))
	for _, c := range []struct{ flag, text string }{
		{"-batch=64", "made with another -batch"},
		{"-seed=2", "made with another -ratings"}, // other synthetic ratings, too
		{"-rate=0.1", "made with another -rate"},
		{"-l2=0.3", "made with another -l2"},
		{"-count=5000", "made with another -ratings"},
		{"-dim=9", "has the shape"},
		{"-hidden=9", "has the shape"},
		{"-out=" + filepath.Join(folder, "none"), "there is no checkpoint in"},
	} {
		_, complaint := consoletest.Fails(t, run, console.Failed, with("-epochs=1", "-resume", "-out="+folder, c.flag)...)
		assert.Contains(t, complaint, c.text, c.flag)
	}
}

func TestWithoutCheckpoints(t *testing.T) {
	report, folder := consoletest.Run(t, run, with("-epochs=1", "-save=false", "-users=1e5")...)
	assert.Contains(t, report, "by 100000 users")
	assert.Contains(t, report, "this model, after epoch 1")
	assert.NoDirExists(t, filepath.Join(folder, lastCheckpoint))
}

func TestWrongFlags(t *testing.T) {
	consoletest.Mistakes(t, run, []consoletest.Mistake{
		{Name: "no such flag", Args: []string{"-user=3"}, Says: "flag provided but not defined: -user"},
		{Name: "one user", Args: []string{"-users=1"}, Says: "flag -users: 1 is not allowed"},
		{Name: "half a user", Args: []string{"-users=2.5"}, Says: "a whole number is needed"},
		{Name: "too many users", Args: []string{"-users=1e12"}, Says: "a whole number is needed"},
		{Name: "one film", Args: []string{"-items=1"}, Says: "flag -items: 1 is not allowed"},
		{Name: "few ratings", Args: []string{"-count=999"}, Says: "flag -count: 999 is not allowed"},
		{Name: "a row of one", Args: []string{"-dim=1"}, Says: "flag -dim: 1 is not allowed"},
		{Name: "no layer", Args: []string{"-hidden=0"}, Says: "flag -hidden: 0 is not allowed"},
		{Name: "no batch", Args: []string{"-batch=0"}, Says: "flag -batch: 0 is not allowed"},
		{Name: "no epoch", Args: []string{"-epochs=0"}, Says: "flag -epochs: 0 is not allowed"},
		{Name: "no patience", Args: []string{"-patience=0"}, Says: "flag -patience: 0 is not allowed"},
		{Name: "a rate of zero", Args: []string{"-rate=0"}, Says: "flag -rate: 0 is not allowed"},
		{Name: "not a number", Args: []string{"-dense-rate=NaN"}, Says: "flag -dense-rate: NaN is not allowed"},
		{Name: "a push", Args: []string{"-l2=-1"}, Says: "flag -l2: -1 is not allowed"},
		{Name: "nothing to resume", Args: []string{"-resume", "-save=false"}, Says: "flag -resume: "},
		{Name: "an argument", Args: []string{"train"}, Says: `unexpected argument "train"`},
	})
}

func TestUnwritableFolder(t *testing.T) { consoletest.UnwritableFolder(t, run, "-epochs=1000") }

func TestThePicturesCannotBeSaved(t *testing.T) {
	for _, name := range []string{"error.png", "films.png"} {
		consoletest.UnsavablePicture(t, run, name, "this model", with("-epochs=1")...)
	}
}

// The smallest shapes are no special cases.
func TestSmallestShapes(t *testing.T) {
	report, _ := consoletest.Run(t, run, "-users=20", "-items=10", "-count=1000", "-epochs=1", "-batch=1", "-dim=2", "-hidden=1")
	assert.Contains(t, report, "this model, after epoch 1")
}

func TestNoSuchFile(t *testing.T) {
	_, complaint := consoletest.Fails(t, run, console.Failed, "-out="+t.TempDir(), "-ratings="+filepath.Join(t.TempDir(), "none.csv"))
	assert.Contains(t, complaint, "no such file")
}
