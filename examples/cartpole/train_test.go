package main

import (
	"bytes"
	"context"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gorgonia.org/gather/internal/examples/console"
)

// historyOf has n times the same return.
func historyOf(pushes, n int) *history {
	h := &history{}
	for range n {
		h.add(pushes)
	}
	return h
}

func TestHistory(t *testing.T) {
	h := historyOf(100, 1)
	h.add(50)
	assert.Equal(t, []float64{100, 75}, h.averages, "at first over all there are")
	for range inARow {
		h.add(200)
	}
	assert.Equal(t, (50+99*200)/100.0, h.averages[inARow], "then over the last hundred")
	assert.Equal(t, 200.0, h.averages[inARow+1])
}

func TestSolved(t *testing.T) {
	assert.False(t, (&history{}).solved())
	assert.False(t, historyOf(200, inARow-1).solved(), "not yet a hundred, however good")
	assert.True(t, historyOf(enough, inARow).solved(), "exactly enough")
	almost := historyOf(enough, inARow-1)
	almost.add(enough - 1)
	assert.False(t, almost.solved())
}

func TestReport(t *testing.T) {
	cases := []struct {
		name string
		h    *history
		says string
	}{
		{"solved", historyOf(197, 130), "\nsolved after 130 episodes: the average return of the last 100 is 197.00\n"},
		{"not solved", historyOf(150, 600),
			"\nnot solved: the best average return of 100 episodes is 150.00, 195 is needed\ntry more -episodes or another -seed\n"},
		{"stopped late", historyOf(150, 333), "\nstopped after 333 of 600 episodes\n\nnot solved: the best average return of 100 episodes is 150.00"},
		{"stopped early", historyOf(22, 7),
			"\nstopped after 7 of 600 episodes\n\nnot solved: it takes at least 100 episodes; the average return so far is 22.0\n"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			report(&out, settings{episodes: 600}, c.h)
			assert.Contains(t, out.String(), c.says)
		})
	}
}

func TestAttempt(t *testing.T) {
	a := newTestAgent(t, settings{batch: 1, hidden: 6, memory: 100_000, Training: console.Training{Rate: 0.001}})
	for range 30 {
		before := len(a.memory.moments)
		pushes, err := a.attempt(1)
		require.NoError(t, err)
		new := a.memory.moments[before:]
		require.Len(t, new, pushes)
		for i, m := range new {
			assert.Equal(t, m.before.push(m.action), m.after)
			assert.False(t, m.before.fallen())
			assert.Equal(t, i == pushes-1 && pushes < longest, m.after.fallen(), "only the last push can end in a fall")
			if i > 0 {
				assert.Equal(t, new[i-1].after, m.before)
			}
		}
	}
}

// Pushes at random keep the pole up for 22 steps on average.
func TestItLearns(t *testing.T) {
	if testing.Short() {
		t.Skip("it trains for long")
	}
	s := settings{episodes: 60, updates: 20, batch: 32, hidden: 16, memory: 10_000, Training: console.Training{Rate: 0.003, Seed: 1}}
	a := newTestAgent(t, s)
	h, err := train(context.Background(), a, console.NewProgress(io.Discard, s.episodes))
	require.NoError(t, err)
	var sum float64
	for _, r := range h.returns[50:] {
		sum += r
	}
	assert.Greater(t, sum/10, 60.0, "returns %v", h.returns)
}
