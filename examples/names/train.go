package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/pkg/errors"
	G "gorgonia.org/gorgonia"

	"gorgonia.org/gather/internal/examples/console"
)

// decay pulls the weights towards zero: a few thousand names could otherwise be
// learnt by heart, which helps with no other name.
const decay = 6e-4

// history is the loss in bits per character after each epoch. The figure for
// training is the mean over the epoch, during which the model got better: at
// first it lies above the one for the held-out names, which is taken after it.
type history struct {
	train, held []float64
	complete    bool // false when training was interrupted
}

// trainer changes the weights of learner, and measures with judge, which shares
// them but has no gradients to compute.
type trainer struct {
	settings
	train, held    *examples
	learner, judge *network
	solver         *G.AdamSolver
	rng            *rand.Rand
}

func newTrainer(s settings, c *corpus, w *weights, rng *rand.Rand) (*trainer, error) {
	t := &trainer{
		settings: s,
		train:    newExamples(c.train),
		held:     newExamples(c.held),
		solver:   G.NewAdamSolver(G.WithL2Reg(decay)),
		rng:      rng,
	}
	var err error
	if t.learner, err = newNetwork(w, s.batch, true); err != nil {
		return nil, err
	}
	t.judge, err = newNetwork(w, s.batch, false)
	return t, err
}

func (t *trainer) close() {
	t.learner.machine.Close()
	t.judge.machine.Close()
}

// steps is the number of batches in an epoch. Only whole batches count, as a
// graph has fixed shapes; the shuffling leaves out other examples each time.
func (t *trainer) steps() int { return t.train.len() / t.batch }

// run trains until the epochs are done or ctx ends. An epoch cut short is
// measured too, so that the history ends with the weights as they are.
func (t *trainer) run(ctx context.Context, bar *console.Progress) (*history, error) {
	h := &history{}
	for epoch := 0; epoch < t.epochs && (epoch == 0 || ctx.Err() == nil); epoch++ {
		train, complete, err := t.epoch(ctx, epoch, bar)
		if err != nil {
			return nil, err
		}
		held, err := measure(t.judge, t.held)
		if err != nil {
			return nil, err
		}
		h.train = append(h.train, train)
		h.held = append(h.held, held)
		h.complete = complete && epoch == t.epochs-1
	}
	return h, nil
}

// epoch learns from each training example once, until ctx ends, and returns
// the mean loss. It takes one step in any case, lest there be no mean.
func (t *trainer) epoch(ctx context.Context, epoch int, bar *console.Progress) (mean float64, complete bool, err error) {
	var sum float64
	ids := t.train.shuffled(t.rng)
	for step := range t.steps() {
		if step > 0 && ctx.Err() != nil {
			return mean, false, nil
		}
		t.train.read(ids[step*t.batch:(step+1)*t.batch], t.learner.contexts, t.learner.next)
		if err := t.learner.run(); err != nil {
			return 0, false, err
		}
		// The rate falls in a straight line, to a tenth at the end: long strides
		// first, fine ones later.
		past := float64(epoch*t.steps()+step) / float64(t.epochs*t.steps())
		G.WithLearnRate(t.Rate * (1 - 0.9*past))(t.solver)
		if err := t.solver.Step(G.NodesToValueGrads(t.learner.learnt)); err != nil {
			return 0, false, errors.Wrap(err, "changing the weights")
		}
		sum += t.learner.bits(t.batch)
		mean = sum / float64(step+1)
		if math.IsNaN(mean) || math.IsInf(mean, 0) {
			return 0, false, errors.Errorf("in epoch %d the loss stopped being a number; try a -rate below %g", epoch+1, t.Rate)
		}
		bar.Step(fmt.Sprintf("epoch %d/%d", epoch+1, t.epochs), fmt.Sprintf("loss %.3f", mean))
	}
	return mean, true, nil
}

// measure is the mean of -log2 P(true next character) over all examples.
func measure(n *network, e *examples) (float64, error) {
	var total float64
	for first := 0; first < e.len(); first += n.batch {
		ids := make([]int, min(n.batch, e.len()-first))
		for i := range ids {
			ids[i] = first + i
		}
		e.read(ids, n.contexts, n.next)
		if err := n.run(); err != nil {
			return 0, err
		}
		total += n.bits(len(ids)) * float64(len(ids))
	}
	return total / float64(e.len()), nil
}
