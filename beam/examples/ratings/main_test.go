package main

import (
	"bytes"
	"context"
	"flag"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gorgonia.org/gather/internal/examples/console"
	"gorgonia.org/gather/internal/examples/consoletest"
)

// TestMain is a worker, if a runner has started this program as one. Beam leaves a file in
// the temporary folder for each pipeline, so that the tests get one of their own.
func TestMain(m *testing.M) {
	flag.Parse()
	beam.Init()
	folder, err := os.MkdirTemp("", "beam-ratings-test-")
	if err == nil {
		err = os.Setenv("TMPDIR", folder)
	}
	if err != nil {
		log.Fatal(err)
	}
	status := m.Run()
	if err := os.RemoveAll(folder); err != nil {
		log.Fatal(err)
	}
	os.Exit(status)
}

// small are flags for a short training.
var small = []string{"-users=200", "-items=80", "-count=6000", "-epochs=4", "-blocks=3", "-dim=5"}

func with(flags ...string) []string { return append(append([]string(nil), small...), flags...) }

// last is the line of the table after so many epochs.
func last(t *testing.T, report, epochs string) string {
	t.Helper()
	found := regexp.MustCompile(`(?m)^ +` + epochs + ` +[0-9.]+( +[0-9.]+)?$`).FindString(report)
	require.NotEmpty(t, found, report)
	return found
}

// The rows learn, and what happens is said in few lines.
func TestRun(t *testing.T) {
	report, folder := consoletest.Run(t, run)
	assert.Contains(t, report, "the rows are those of one process, bit for bit")
	assert.Less(t, strings.Count(report, "\n"), 40, report)
	errors := regexp.MustCompile(`(?m)^ +20 +([0-9.]+) +([0-9.]+)$`).FindStringSubmatch(report)
	require.NotNil(t, errors, report)
	assert.Equal(t, errors[1], errors[2])
	assert.Less(t, errors[1], "0.75", "biases alone come to 0.815")
	assert.Greater(t, errors[1], "0.6")
	consoletest.Pictures(t, report, folder, "error.png")
}

// Stopped and resumed, with or without one process beside, it comes to the same.
func TestResume(t *testing.T) {
	whole, _ := consoletest.Run(t, run, small...)
	atOnce, _ := consoletest.Interrupted(t, 3, run, small...)
	assert.Contains(t, atOnce, "stopped after 0 of 4 epochs; -resume continues from here")
	stopped, folder := consoletest.Interrupted(t, 4, run, small...)
	assert.Contains(t, stopped, "stopped after 2 of 4 epochs; -resume continues from here")
	resumed, _ := consoletest.Run(t, run, with("-resume", "-out="+folder)...)
	assert.Contains(t, resumed, "resuming after 2 epochs")
	assert.Equal(t, last(t, whole, "4"), last(t, resumed, "4"))
	alone, _ := consoletest.Run(t, run, with("-compare=false", "-each=4")...)
	assert.Equal(t, strings.Fields(last(t, whole, "4"))[:2], strings.Fields(last(t, alone, "4")))
	again, _ := consoletest.Run(t, run, with("-resume", "-out="+folder)...)
	assert.Contains(t, again, "resuming after 4 epochs", "what is done is done")

	for _, c := range []struct{ flag, text string }{
		{"-seed=2", "made with another -seed"}, {"-dim=6", "made with another -dim"}, {"-l2=0.3", "made with another -l2"},
		{"-out=" + filepath.Join(folder, "none"), "manifest.json"},
	} {
		_, complaint := consoletest.Fails(t, run, console.Failed, with("-resume", "-out="+folder, c.flag)...)
		assert.Contains(t, complaint, c.text, c.flag)
	}
}

// Ctrl-C before anything is there leaves nothing to go on from, and says so.
func TestInterruptedBeforeItBegan(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr bytes.Buffer
	status := run(ctx, with("-out="+filepath.Join(t.TempDir(), "out")), &stdout, &stderr)
	assert.Equal(t, console.Failed, status, stdout.String())
	assert.Contains(t, stderr.String(), "there is nothing to resume yet")
}

func TestRealRatings(t *testing.T) {
	var lines []string
	for k := range 2000 {
		lines = append(lines, strings.Join([]string{string(rune('a' + k%17)), string(rune('A' + k*k%13)), []string{"1", "2.5", "4"}[(k+k/17)%3]}, ","))
	}
	path := filepath.Join(t.TempDir(), "ratings.csv")
	require.NoError(t, os.WriteFile(path, []byte("userId,movieId,rating\n"+strings.Join(lines, "\n")), 0o600))
	report, _ := consoletest.Run(t, run, "-ratings="+path, "-epochs=2", "-blocks=3")
	assert.Contains(t, report, "2000 ratings of 7 films by 17 users, from ratings.csv")
	_, complaint := consoletest.Fails(t, run, console.Failed, "-ratings="+path, "-blocks=8", "-out="+t.TempDir())
	assert.Contains(t, complaint, "has no rows; fewer blocks are needed")
}

func TestWrongFlags(t *testing.T) {
	consoletest.Mistakes(t, run, []consoletest.Mistake{
		{Name: "no such flag", Args: []string{"-user=3"}, Says: "flag provided but not defined: -user"},
		{Name: "no blocks", Args: []string{"-blocks=0"}, Says: "flag -blocks: 0 is not allowed"},
		{Name: "too many blocks", Args: []string{"-blocks=317"}, Says: "flag -blocks: 317 is not allowed"},
		{Name: "a row of one", Args: []string{"-dim=1"}, Says: "flag -dim: 1 is not allowed"},
		{Name: "no epochs", Args: []string{"-epochs=0"}, Says: "flag -epochs: 0 is not allowed"},
		{Name: "a job without epochs", Args: []string{"-each=0"}, Says: "flag -each: 0 is not allowed"},
		{Name: "a rate that is no number", Args: []string{"-rate=NaN"}, Says: "flag -rate: NaN is not allowed"},
		{Name: "an argument", Args: []string{"train"}, Says: `unexpected argument "train"`},
	})
}

func TestUnwritableFolder(t *testing.T) { consoletest.UnwritableFolder(t, run, "-epochs=1000") }

func TestThePictureCannotBeSaved(t *testing.T) {
	consoletest.UnsavablePicture(t, run, "error.png", "one process", small...)
}
