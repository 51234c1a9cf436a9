package main

import (
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gorgonia.org/gather/examples/internal/consoletest"
)

func TestRun(t *testing.T) {
	report, folder := consoletest.Run(t, run, "-runs=3", "-epochs=100")
	assert.Contains(t, report, "34 members, 78 friendships")
	assert.Equal(t, 3, len(regexp.MustCompile(`(?m)^  seed \d`).FindAllString(report, -1)))
	found := regexp.MustCompile(`mean [0-9.]+ %, least ([0-9.]+) %`).FindStringSubmatch(report)
	require.NotNil(t, found, report)
	least, err := strconv.ParseFloat(found[1], 64)
	require.NoError(t, err)
	assert.Greater(t, least, 85.0)

	consoletest.Pictures(t, report, folder, "club.png")
}

func TestSameSeedSameResult(t *testing.T) {
	consoletest.SameSeed(t, run, []string{"club.png"}, "-runs=2", "-epochs=20")
}

func TestDrawPerfectGuess(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "club.png")
	require.NoError(t, drawClub(path, sides()), "no black rim at all")
	consoletest.Pictures(t, path, folder, "club.png")
}

func TestInterruptedItReportsAndSaves(t *testing.T) {
	report, folder := consoletest.Interrupted(t, 3, run, "-epochs=2000", "-runs=2")
	assert.Regexp(t, `stopped in run 1 of 2, after \d+ of its 2000 epochs`, report)
	assert.Contains(t, report, "  seed 1 ")
	consoletest.Pictures(t, report, folder, "club.png")
}

func TestInterruptedBeforeItBegan(t *testing.T) {
	report, folder := consoletest.Interrupted(t, 0, run, "-epochs=100000", "-runs=1000") // a day
	assert.Contains(t, report, "stopped in run 1 of 1000, after 1 of its 100000 epochs")
	assert.Contains(t, report, "  seed 1 ")
	consoletest.Pictures(t, report, folder, "club.png")
}

func TestWrongFlags(t *testing.T) {
	consoletest.Mistakes(t, run, []consoletest.Mistake{
		{Name: "no such flag", Args: []string{"-epoch=3"}, Says: "flag provided but not defined: -epoch"},
		{Name: "no epoch", Args: []string{"-epochs=0"}, Says: "flag -epochs: 0 is not allowed"},
		{Name: "nothing to describe a member with", Args: []string{"-hidden=0"}, Says: "flag -hidden: 0 is not allowed"},
		{Name: "no run", Args: []string{"-runs=0"}, Says: "flag -runs: 0 is not allowed"},
		{Name: "a rate of zero", Args: []string{"-rate=0"}, Says: "flag -rate: 0 is not allowed"},
		{Name: "a rate that is no number", Args: []string{"-rate=NaN"}, Says: "flag -rate: NaN is not allowed"},
		{Name: "a negative seed", Args: []string{"-seed=-1"}, Says: `invalid value "-1" for flag -seed`},
		{Name: "an argument", Args: []string{"train"}, Says: `unexpected argument "train"`},
	})
}

func TestUnwritableFolder(t *testing.T) {
	consoletest.UnwritableFolder(t, run, "-runs=1000", "-epochs=100000")
}

func TestThePictureCannotBeSaved(t *testing.T) {
	consoletest.UnsavablePicture(t, run, "club.png", "  seed 1 ", "-runs=1", "-epochs=1")
}
