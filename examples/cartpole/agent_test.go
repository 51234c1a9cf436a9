package main

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gorgonia.org/gather/internal/examples/console"
)

func newTestAgent(t *testing.T, s settings) *agent {
	t.Helper()
	a, err := newAgent(s, rand.New(rand.NewPCG(s.Seed, 0)))
	require.NoError(t, err)
	t.Cleanup(a.close)
	return a
}

func TestTargets(t *testing.T) {
	a := newTestAgent(t, settings{batch: 4, hidden: 6, memory: 10, Training: console.Training{Rate: 0.001}})
	a.quick.shake(a.rng)
	a.slow.shake(a.rng)
	moments := []moment{
		{after: state{angle: 1}},
		{after: state{x: 0.3, speed: -1}},
		{after: state{x: 3}},
		{after: state{angle: -0.1, spin: 2}},
	}
	require.NoError(t, a.aim(moments))
	for row, m := range moments {
		want := -1.0
		if row == 1 || row == 3 { // no fall: quick chooses, slow judges
			choice := left
			if q := a.quick.reference(m.after); q[right] > q[left] {
				choice = right
			}
			want = discount * a.slow.reference(m.after)[choice]
		}
		assert.InDelta(t, want, a.learner.targets[row], 1e-12, "row %d", row)
	}
}

func TestLearnMovesTheWeights(t *testing.T) {
	a := newTestAgent(t, settings{batch: 8, hidden: 6, memory: 100, Training: console.Training{Rate: 0.001}})
	_, err := a.attempt(1)
	require.NoError(t, err)
	var quick, slow []float64
	for i := range a.quick {
		quick, slow = append(quick, a.quick.values(i)[0]), append(slow, a.slow.values(i)[0])
	}
	require.NoError(t, a.learn(a.Rate))
	for i := range a.quick {
		moved := a.quick.values(i)[0] - quick[i]
		assert.InDelta(t, a.Rate, math.Abs(moved), 0.1*a.Rate, "Adam's first step is as long as the rate")
		assert.InDelta(t, following*moved, a.slow.values(i)[0]-slow[i], 1e-12)
	}
}

func TestLearnStopsAtNonsense(t *testing.T) {
	a := newTestAgent(t, settings{batch: 8, hidden: 6, memory: 100, Training: console.Training{Rate: 0.5}})
	_, err := a.attempt(1)
	require.NoError(t, err)
	a.quick.values(1)[0] = math.NaN()
	assert.ErrorContains(t, a.learn(a.Rate), "the loss stopped being a number; try a -rate below 0.5")
}

func TestAct(t *testing.T) {
	a := newTestAgent(t, settings{batch: 1, hidden: 6, memory: 1, Training: console.Training{Rate: 0.001}})
	for range 20 {
		a.quick.shake(a.rng)
		s := start(a.rng)
		q := a.quick.reference(s)
		action, err := a.act(s, 0)
		require.NoError(t, err)
		assert.Equal(t, max(q[left], q[right]), q[action])
	}
	count := make([]int, actions)
	for range 1000 {
		action, err := a.act(state{}, 1)
		require.NoError(t, err)
		count[action]++
	}
	assert.InDelta(t, 500, count[left], 60, "curious, it takes either as often")
}

func TestMemory(t *testing.T) {
	m := newMemory(3)
	rng := rand.New(rand.NewPCG(1, 2))
	has := func() map[int]bool {
		actions := map[int]bool{}
		for _, moment := range m.draw(200, rng) {
			actions[moment.action] = true
		}
		return actions
	}
	m.add(moment{action: 1})
	m.add(moment{action: 2})
	assert.Equal(t, map[int]bool{1: true, 2: true}, has())
	for action := 3; action <= 8; action++ {
		m.add(moment{action: action})
	}
	assert.Equal(t, map[int]bool{6: true, 7: true, 8: true}, has(), "the last three")
}
