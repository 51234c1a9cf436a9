package main

import (
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gorgonia.org/gather/internal/examples/consoletest"
)

func TestByReceiver(t *testing.T) {
	m := newMessages(friendships())
	from, to := m.byReceiver()
	assert.True(t, slices.IsSorted(to))
	pairs := func(from, to []int64) map[[2]int64]int {
		count := map[[2]int64]int{}
		for e := range from {
			count[[2]int64{from[e], to[e]}]++
		}
		return count
	}
	assert.Equal(t, pairs(m.from, m.to), pairs(from, to))
}

// TestAttentionFollowsTheFormula computes both layers with loops over all pairs of
// members.
func TestAttentionFollowsTheFormula(t *testing.T) {
	m := newMessages(friendships())
	n := testAttention(t, m)
	require.NoError(t, n.run())

	var edges [members][members]bool
	for e := range m.from {
		edges[m.to[e]][m.from[e]] = true
	}
	dot := func(row, weight []float64) float64 {
		sum := 0.0
		for k := range row {
			sum += row[k] * weight[k]
		}
		return sum
	}
	attend := func(rows [][]float64, source, target []float64) [][]float64 {
		out := make([][]float64, members)
		for i := range out {
			var attention [members]float64
			total := 0.0
			for j := range rows {
				if edges[i][j] {
					score := dot(rows[j], source) + dot(rows[i], target)
					attention[j] = math.Exp(max(score, 0.2*score))
					total += attention[j]
				}
			}
			out[i] = make([]float64, len(rows[0]))
			for j := range rows {
				for k := range rows[j] {
					out[i][k] += attention[j] / total * rows[j][k]
				}
			}
		}
		return out
	}
	self, out := values(n, 0), values(n, 1)
	layer := make([][]float64, members)
	for i := range layer {
		layer[i] = self[3*i : 3*i+3]
	}
	layer = attend(layer, values(n, 2), values(n, 3))
	said := make([][]float64, members)
	for i := range said {
		said[i] = make([]float64, factions)
		for k, x := range layer[i] {
			for f := range factions {
				said[i][f] += math.Tanh(x) * out[k*factions+f]
			}
		}
	}
	score := attend(said, values(n, 4), values(n, 5))
	got := n.logP.Data().([]float64)
	for i, s := range score {
		total := math.Log(math.Exp(s[0]) + math.Exp(s[1]))
		assert.InDelta(t, s[0]-total, got[2*i], 1e-12, "member %d", i+1)
		assert.InDelta(t, s[1]-total, got[2*i+1], 1e-12, "member %d", i+1)
	}
}

func TestAttentionGradients(t *testing.T) {
	n := testAttention(t, newMessages(friendships()))
	require.Len(t, n.learnt, 6)
	checkGradients(t, n)
}

func testAttention(t *testing.T, m *messages) *network {
	t.Helper()
	n, err := newNetwork(rand.New(rand.NewPCG(5, 0)), m, known, sides(), 3, true)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, n.machine.Close()) })
	return n
}

func TestRunAttention(t *testing.T) {
	runs := "-runs=3"
	if testing.Short() {
		runs = "-runs=2"
	}
	report, folder := consoletest.Run(t, run, "-attention", runs)
	found := regexp.MustCompile(`mean ([0-9.]+) %, least`).FindStringSubmatch(report)
	require.NotNil(t, found, report)
	mean, err := strconv.ParseFloat(found[1], 64)
	require.NoError(t, err)
	assert.Greater(t, mean, 75.0)
	consoletest.Pictures(t, report, folder, "club.png")
}
