package main

import (
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gorgonia.org/gather/internal/examples/consoletest"
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

func TestTraining(t *testing.T) {
	endless := []string{"-runs=1000", "-epochs=100000"} // a day
	consoletest.Training{
		Program:  run,
		Pictures: []string{"club.png"},
		Short:    []string{"-runs=2", "-epochs=20"},
		Endless:  endless,
		Reported: "  seed 1 ",
		Mistakes: []consoletest.Mistake{
			{Name: "no epoch", Args: []string{"-epochs=0"}, Says: "flag -epochs: 0 is not allowed"},
			{Name: "nothing to describe a member with", Args: []string{"-hidden=0"}, Says: "flag -hidden: 0 is not allowed"},
			{Name: "no run", Args: []string{"-runs=0"}, Says: "flag -runs: 0 is not allowed"},
		},
		Stops: []consoletest.Stop{
			{Lines: 3, Flags: []string{"-epochs=2000", "-runs=2"}, Says: []string{`stopped in run 1 of 2, after \d+ of its 2000 epochs`, "  seed 1 "}},
			{Flags: endless, Says: []string{"stopped in run 1 of 1000, after 1 of its 100000 epochs", "  seed 1 "}},
		},
	}.Test(t)
}

func TestDrawPerfectGuess(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "club.png")
	require.NoError(t, drawClub(path, sides()), "no black rim at all")
	consoletest.Pictures(t, path, folder, "club.png")
}
