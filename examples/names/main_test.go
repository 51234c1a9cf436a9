package main

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gorgonia.org/gather/internal/examples/console"
	"gorgonia.org/gather/internal/examples/consoletest"
)

// short is a run of seconds: one language, few epochs.
var short = []string{"-languages=en", "-epochs=3", "-batch=64"}

var pictures = []string{"loss.png", "embedding.png"}

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
	report, folder := consoletest.Run(t, run, short...)

	assert.Less(t, figure(t, report, "this model"), figure(t, report, "bigram counts"))
	assert.Contains(t, report, "this model is better by")
	assert.Regexp(t, `100% epoch 3/3, loss \d\.\d+, 0s left\n`, report)
	_, names, _ := strings.Cut(report, "12 generated names\n")
	names, _, _ = strings.Cut(names, "\n\n")
	assert.Len(t, strings.Split(names, "\n"), invented)

	consoletest.Pictures(t, report, folder, pictures...)
}

func TestTraining(t *testing.T) {
	consoletest.Training{
		Program:  run,
		Pictures: pictures,
		Short:    []string{"-languages=en", "-epochs=1", "-batch=64"},
		Endless:  []string{"-epochs=10000"},
		Reported: "bits per character",
		Mistakes: []consoletest.Mistake{
			{Name: "no epoch", Args: []string{"-epochs=0"}, Says: "flag -epochs: 0 is not allowed"},
			{Name: "no batch", Args: []string{"-batch=-1"}, Says: "flag -batch: -1 is not allowed"},
			{Name: "a batch of more than there is", Args: []string{"-batch=99999", "-languages=en"}, Says: "flag -batch: 99999 is more than the"},
			{Name: "an embedding that is no map", Args: []string{"-embedding=1"}, Says: "flag -embedding: 1 is not allowed"},
			{Name: "no such language", Args: []string{"-languages=en,english"}, Says: `flag -languages: no names are known in "english"`},
			{Name: "a language that CLDR has no names in", Args: []string{"-languages=tlh"}, Says: `flag -languages: no names are known in "tlh"`},
			{Name: "a language whose speakers read another's names", Args: []string{"-languages=oc"}, Says: `flag -languages: no names are known in "oc"`},
			{Name: "no language at all", Args: []string{"-languages="}, Says: `flag -languages: no names are known in ""`},
			{Name: "too few names", Args: []string{"-languages=zh"}, Says: "flag -languages: these languages have"},
		},
		Stops: []consoletest.Stop{
			{Lines: 2, Flags: []string{"-languages=en", "-epochs=10000", "-batch=64"}, Says: []string{`stopped in epoch \d+ of 10000`}, Look: func(t *testing.T, report string) {
				assert.Greater(t, figure(t, report, "this model"), 1.0)
			}},
			// After a single step the model is no better, and it says so.
			{Flags: short, Says: []string{"stopped in epoch 1 of 3", "the counts are better"}},
		},
	}.Test(t)
}

func TestRateTooLarge(t *testing.T) {
	_, complaint := consoletest.Fails(t, run, console.Failed, append([]string{"-out=" + t.TempDir(), "-rate=10"}, short...)...)
	assert.Equal(t, "names: in epoch 1 the loss stopped being a number; try a -rate below 10\n", complaint)
}
