package main

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"gorgonia.org/gather/examples/internal/consoletest"
)

// short is a run of a second.
var short = []string{"-episodes=25", "-updates=4", "-batch=16", "-hidden=8"}

func TestRun(t *testing.T) {
	report, folder := consoletest.Run(t, run, short...)
	assert.Contains(t, report, "at most 25 episodes, until 100 in a row have an average return of 195\n")
	assert.Regexp(t, `\n100%  average return \d+\.\d, \d+s spent, 0s left\n`, report)
	assert.Contains(t, report, "not solved: that takes 100 episodes at least")
	assert.NotContains(t, report, "stopped")
	consoletest.Pictures(t, report, folder, "returns.png")
}

func TestSameSeedSameResult(t *testing.T) {
	consoletest.SameSeed(t, run, []string{"returns.png"}, short...)
}

func TestInterruptedItReportsAndSaves(t *testing.T) {
	// A line for each 5 % of 200 episodes: the third one comes after the 10th.
	report, folder := consoletest.Interrupted(t, 3, run, "-episodes=200", "-updates=2", "-batch=8", "-hidden=8")
	assert.Contains(t, report, "\nstopped after 10 of 200 episodes\n")
	assert.Contains(t, report, "not solved: that takes 100 episodes at least")
	consoletest.Pictures(t, report, folder, "returns.png")
}

func TestInterruptedBeforeItBegan(t *testing.T) {
	report, folder := consoletest.Interrupted(t, 0, run, short...)
	assert.Contains(t, report, "stopped after 1 of 25 episodes")
	consoletest.Pictures(t, report, folder, "returns.png") // of one dot, and a line of one point
}

func TestOneEpisodeWithTheSmallestOfEverything(t *testing.T) {
	report, _ := consoletest.Run(t, run, "-episodes=1", "-updates=1", "-batch=1", "-hidden=1", "-memory=1")
	assert.NotContains(t, report, "stopped")
}

func TestWrongFlags(t *testing.T) {
	consoletest.Mistakes(t, run, []consoletest.Mistake{
		{Name: "no such flag", Args: []string{"-episode=3"}, Says: "flag provided but not defined: -episode"},
		{Name: "no episode", Args: []string{"-episodes=0"}, Says: "flag -episodes: 0 is not allowed"},
		{Name: "no training", Args: []string{"-updates=0"}, Says: "flag -updates: 0 is not allowed"},
		{Name: "no batch", Args: []string{"-batch=-1"}, Says: "flag -batch: -1 is not allowed"},
		{Name: "no hidden layer", Args: []string{"-hidden=0"}, Says: "flag -hidden: 0 is not allowed"},
		{Name: "no memory", Args: []string{"-memory=0"}, Says: "flag -memory: 0 is not allowed"},
		{Name: "a rate of zero", Args: []string{"-rate=0"}, Says: "flag -rate: 0 is not allowed"},
		{Name: "a rate that is no number", Args: []string{"-rate=NaN"}, Says: "flag -rate: NaN is not allowed"},
		{Name: "a negative seed", Args: []string{"-seed=-1"}, Says: `invalid value "-1" for flag -seed`},
		{Name: "an argument", Args: []string{"train"}, Says: `unexpected argument "train"`},
	})
}

func TestUnwritableFolder(t *testing.T) {
	consoletest.UnwritableFolder(t, run, "-episodes=100000")
}

func TestThePictureCannotBeSaved(t *testing.T) {
	consoletest.UnsavablePicture(t, run, "returns.png", "not solved", "-episodes=1", "-updates=1", "-batch=1", "-hidden=1")
}
