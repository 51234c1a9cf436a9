package console

import (
	"bytes"
	"flag"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTraining(t *testing.T) {
	var s Training
	flags := flag.NewFlagSet("demo", flag.ContinueOnError)
	s.Flags(flags, 0.004, " at the start", "all that is random", "the picture")
	assert.Equal(t, Training{Rate: 0.004, Seed: 1, Out: "demo-out"}, s)
	var help bytes.Buffer
	flags.SetOutput(&help)
	flags.PrintDefaults()
	for _, text := range []string{
		"learning rate of Adam at the start (default 0.004)", "seed of all that is random: the same seed, the same result (default 1)", "folder for the picture (default \"demo-out\")",
	} {
		assert.Contains(t, help.String(), text)
	}
	require.NoError(t, flags.Parse([]string{"-rate=0.5", "-seed=7", "-out=there"}))
	assert.Equal(t, Training{Rate: 0.5, Seed: 7, Out: "there"}, s)
	assert.NoError(t, s.Check())
	for _, rate := range []float64{0, -1, 1e-7, 10.5, math.NaN(), math.Inf(1)} {
		s.Rate = rate
		assert.ErrorContains(t, s.Check(), "flag -rate: ")
	}
}
