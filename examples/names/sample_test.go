package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDraw(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	p := []float64{0.1, 0.6, 0, 0.3}
	logP := make([]float32, len(p))
	var sum float64
	for i := range p {
		logP[i] = float32(math.Log(p[i])) // that of 0 is -Inf
		sum += math.Pow(p[i], 1/temperature)
	}
	const draws = 20_000
	counts := make([]float64, len(p))
	for range draws {
		counts[choose(logP, rng)]++
	}
	for i := range p {
		assert.InDelta(t, math.Pow(p[i], 1/temperature)/sum, counts[i]/draws, 0.015, "token %d", i)
	}
	assert.Zero(t, counts[2], "what is impossible is never chosen")
}

// An untrained model writes gibberish, of all lengths, which is as good here.
func TestInventedNamesAreNew(t *testing.T) {
	c := corpusOf(t, "en")
	rng := rand.New(rand.NewPCG(1, 0))
	names, err := invent(newWeights(rng, len(c.symbols), 8), c, rng)
	require.NoError(t, err)
	assert.Len(t, names, invented)
	for i, n := range names {
		length := len([]rune(n))
		assert.True(t, shortest <= length && length <= longest, "%q", n)
		assert.NotContains(t, names[:i], n)
		assert.False(t, slices.ContainsFunc(slices.Concat(c.train, c.held), func(tokens []int) bool {
			return strings.EqualFold(c.decode(tokens), n)
		}), "%q is a real name", n)
	}
}
