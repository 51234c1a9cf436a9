package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/tensor"
)

// The sums that tell a club with a slip of the pen from Zachary's.
func TestClub(t *testing.T) {
	list := friendships()
	assert.Len(t, list, 78)
	degree := map[int]int{}
	seen := map[friendship]bool{}
	for _, f := range list {
		assert.True(t, 1 <= f.a && f.a < f.b && f.b <= members, "%v", f)
		assert.False(t, seen[f], "%v is listed twice", f)
		seen[f] = true
		degree[f.a]++
		degree[f.b]++
	}
	assert.Len(t, degree, members, "nobody is without a friend")
	for member, friends := range map[int]int{instructor: 16, president: 17, 33: 12, 3: 10, 2: 9, 12: 1} {
		assert.Equal(t, friends, degree[member], "friends of member %d", member)
	}

	count := [factions]int{}
	for _, side := range sides() {
		count[side]++
	}
	assert.Equal(t, [factions]int{17, 17}, count)
	assert.Equal(t, withInstructor, sides()[instructor-1])
	assert.Equal(t, withPresident, sides()[president-1])
}

func TestMessages(t *testing.T) {
	m := newMessages(friendships())
	assert.Len(t, m.from, members+2*78)
	for i := range m.from {
		if m.from[i] == 11 && m.to[i] == 0 {
			// Member 12 has one friend and himself, member 1 has 16.
			assert.InDelta(t, 1/math.Sqrt(2*17), m.weight[i], 1e-15)
		}
	}
}

func testNetwork(t *testing.T, m *messages) *network {
	t.Helper()
	n, err := newNetwork(rand.New(rand.NewPCG(5, 0)), m, known, sides(), 3, false)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, n.machine.Close()) })
	return n
}

func values(n *network, learnt int) []float64 {
	return n.learnt[learnt].Value().(*tensor.Dense).Data().([]float64)
}

// TestNetworkFollowsTheFormula computes both layers with a matrix of the edges
// whom, instead of messages.
func TestNetworkFollowsTheFormula(t *testing.T) {
	m := newMessages(friendships())
	n := testNetwork(t, m)
	require.NoError(t, n.run())

	var edges [members][members]float64
	for e := range m.from {
		edges[m.to[e]][m.from[e]] += m.weight[e]
	}
	pass := func(rows [][]float64) [][]float64 {
		out := make([][]float64, members)
		for i := range out {
			out[i] = make([]float64, len(rows[0]))
			for j := range rows {
				for k := range rows[j] {
					out[i][k] += edges[i][j] * rows[j][k]
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
	layer = pass(layer)
	score := make([][]float64, members)
	for i := range score {
		score[i] = make([]float64, factions)
		for k, x := range layer[i] {
			for f := range factions {
				score[i][f] += math.Tanh(x) * out[k*factions+f]
			}
		}
	}
	score = pass(score)
	got := n.logP.Data().([]float64)
	for i, s := range score {
		total := math.Log(math.Exp(s[0]) + math.Exp(s[1]))
		assert.InDelta(t, s[0]-total, got[2*i], 1e-12, "member %d", i+1)
		assert.InDelta(t, s[1]-total, got[2*i+1], 1e-12, "member %d", i+1)
	}
	want := -(got[2*(instructor-1)+withInstructor] + got[2*(president-1)+withPresident]) / 2
	assert.InDelta(t, want, n.loss.Data().(float64), 1e-12, "the loss is of the two that are known")
}

func TestGradients(t *testing.T) { checkGradients(t, testNetwork(t, newMessages(friendships()))) }

func checkGradients(t *testing.T, n *network) {
	t.Helper()
	for i, node := range n.learnt {
		t.Run(node.Name(), func(t *testing.T) {
			// Gradients add up from run to run until a solver's step clears them.
			require.NoError(t, n.run())
			grad, err := node.Grad()
			require.NoError(t, err)
			grad.(*tensor.Dense).Zero()
			require.NoError(t, n.run())
			gradient := append([]float64{}, grad.Data().([]float64)...)

			weight := values(n, i)
			for k := range weight {
				const step = 1e-5
				loss := func(change float64) float64 {
					kept := weight[k]
					defer func() { weight[k] = kept }()
					weight[k] += change
					require.NoError(t, n.run())
					return n.loss.Data().(float64)
				}
				assert.InDelta(t, (loss(step)-loss(-step))/(2*step), gradient[k], 1e-9, "weight %d", k)
			}
		})
	}
}

// TestWithoutFriendsNothingIsLearnt: the network knows members by their friends
// alone, so without any, showing it two factions tells nothing of the others.
func TestWithoutFriendsNothingIsLearnt(t *testing.T) {
	n := testNetwork(t, newMessages(nil))
	require.NoError(t, n.run())
	grad, err := n.learnt[0].Grad()
	require.NoError(t, err)
	rows := grad.Data().([]float64)
	for m := range members {
		shown := m+1 == instructor || m+1 == president
		assert.Equal(t, shown, fmt.Sprint(rows[3*m:3*m+3]) != "[0 0 0]", "member %d", m+1)
	}
}

func TestCountLeavesOutTheKnown(t *testing.T) {
	side := sides()
	assert.Equal(t, members-2, count(side, side))
	guess := append([]int{}, side...)
	guess[instructor-1], guess[president-1] = withPresident, withInstructor
	assert.Equal(t, members-2, count(guess, side))
	guess[8] = withPresident
	assert.Equal(t, members-3, count(guess, side))
}
