package main

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"gorgonia.org/gather/internal/examples/consoletest"
)

// short is a run of a second.
var short = []string{"-episodes=25", "-updates=4", "-batch=16", "-hidden=8"}

func TestRun(t *testing.T) {
	report, folder := consoletest.Run(t, run, short...)
	assert.Contains(t, report, "at most 25 episodes, until 100 in a row have an average return of 195\n")
	assert.Regexp(t, `\n100% average return \d+\.\d, 0s left\n`, report)
	assert.Contains(t, report, "not solved: it takes at least 100 episodes")
	assert.NotContains(t, report, "stopped")
	consoletest.Pictures(t, report, folder, "returns.png")
}

func TestTraining(t *testing.T) {
	consoletest.Training{
		Program:  run,
		Pictures: []string{"returns.png"},
		Short:    short,
		Endless:  []string{"-episodes=100000"},
		Reported: "not solved",
		Mistakes: []consoletest.Mistake{
			{Name: "no episode", Args: []string{"-episodes=0"}, Says: "flag -episodes: 0 is not allowed"},
			{Name: "no training", Args: []string{"-updates=0"}, Says: "flag -updates: 0 is not allowed"},
			{Name: "no batch", Args: []string{"-batch=-1"}, Says: "flag -batch: -1 is not allowed"},
			{Name: "no hidden layer", Args: []string{"-hidden=0"}, Says: "flag -hidden: 0 is not allowed"},
			{Name: "no memory", Args: []string{"-memory=0"}, Says: "flag -memory: 0 is not allowed"},
		},
		Stops: []consoletest.Stop{
			// A line for each 5 % of 200 episodes: the third one comes after the 10th.
			{Lines: 3, Flags: []string{"-episodes=200", "-updates=2", "-batch=8", "-hidden=8"},
				Says: []string{"\nstopped after 10 of 200 episodes\n", "not solved: it takes at least 100 episodes"}},
			// A picture of one dot, and a line of one point.
			{Flags: short, Says: []string{"stopped after 1 of 25 episodes"}},
		},
	}.Test(t)
}

func TestOneEpisodeWithTheSmallestOfEverything(t *testing.T) {
	report, _ := consoletest.Run(t, run, "-episodes=1", "-updates=1", "-batch=1", "-hidden=1", "-memory=1")
	assert.NotContains(t, report, "stopped")
}
