package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gorgonia.org/gather/internal/examples/console"
)

const (
	// The problem counts as solved when so many episodes in a row have an average
	// return that is enough.
	inARow = 100
	enough = 195
)

// curiosity is the probability of a random action. It is 1 in episode 0, and
// less by 3 % in each further one. A little of it stays: an agent that never
// fails forgets what failing is like.
func curiosity(episode int) float64 { return max(0.01, math.Pow(0.97, float64(episode))) }

// caution is what to multiply the learning rate by. It falls by 1 % in each
// episode, to a tenth: at the full rate an agent that balances well would soon
// unlearn it.
func caution(episode int) float64 { return max(0.1, math.Pow(0.99, float64(episode))) }

// history is how training went.
type history struct {
	returns  []float64 // the return of each episode
	averages []float64 // for each episode the average return up to it, of the last inARow or, at first, of all
}

func (h *history) add(pushes int) {
	h.returns = append(h.returns, float64(pushes))
	last := h.returns[max(0, len(h.returns)-inARow):]
	var sum float64
	for _, r := range last {
		sum += r
	}
	h.averages = append(h.averages, sum/float64(len(last)))
}

// full is the averages that are taken over inARow episodes, and not fewer.
func (h *history) full() []float64 { return h.averages[min(inARow-1, len(h.averages)):] }

// best is the highest average of inARow episodes. There must be so many.
func (h *history) best() float64 { return slices.Max(h.full()) }

// long is whether there are averages of inARow episodes at all.
func (h *history) long() bool { return len(h.full()) > 0 }

func (h *history) solved() bool { return h.long() && h.best() >= enough }

// verdict says in a sentence what has come of it.
func (h *history) verdict() string {
	episodes := len(h.returns)
	switch {
	case h.solved():
		return fmt.Sprintf("solved after %d episodes: the average return of the last %d is %.2f",
			episodes, inARow, h.averages[episodes-1])
	case h.long():
		return fmt.Sprintf("not solved: the best average return of %d episodes is %.2f, %d is needed",
			inARow, h.best(), enough)
	}
	return fmt.Sprintf("not solved: it takes at least %d episodes; the average return so far is %.1f",
		inARow, h.averages[episodes-1])
}

// train lets the agent make attempts until it has solved the problem, the
// episodes are used up or ctx ends; one it makes in any case, lest there be
// nothing to report. It learns between the episodes, an equal while after each,
// so that they all take about as long and the time left can be told.
func train(ctx context.Context, a *agent, bar *console.Progress) (*history, error) {
	h := &history{}
	for episode := 0; episode < a.episodes && !h.solved() && (episode == 0 || ctx.Err() == nil); episode++ {
		pushes, err := a.attempt(curiosity(episode))
		if err != nil {
			return nil, err
		}
		h.add(pushes)
		for range a.updates {
			if err := a.learn(a.Rate * caution(episode)); err != nil {
				return nil, err
			}
		}
		bar.Step(fmt.Sprintf("average return %.1f", h.averages[episode]))
	}
	return h, nil
}

// attempt is one episode. It returns the number of pushes until the fall, or
// until the time was up. The latter is no fall: what the agent remembers of the
// last push is a state from which it would have gone on.
func (a *agent) attempt(curiosity float64) (pushes int, err error) {
	s := start(a.rng)
	for !s.fallen() && pushes < longest {
		action, err := a.act(s, curiosity)
		if err != nil {
			return 0, err
		}
		after := s.push(action)
		a.memory.add(moment{s, action, after})
		s = after
		pushes++
	}
	return pushes, nil
}
