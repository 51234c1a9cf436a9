package main

import (
	"math"
	"math/rand/v2"

	"github.com/pkg/errors"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

const (
	// What is to come n pushes later counts discount^n times as much as what
	// comes next: an agent looks some two seconds ahead.
	discount = 0.99

	// The reward is that of the paper of 1983, a penalty for falling and nothing
	// else. To count 1 for each push, as the return does, makes the same choices:
	// (1-discount) times that worth, less 1, is this one. But this one lies
	// between -1 and 0, near where a new network begins, and that one near 100.
	penalty = -1

	// The part of the way that the slow weights follow the quick ones in each
	// training step.
	following = 0.02
)

// agent learns by double Q-learning with neural networks: V. Mnih et al.,
// "Human-level control through deep reinforcement learning", 2015, and H. van
// Hasselt, A. Guez and D. Silver, "Deep Reinforcement Learning with Double
// Q-learning", 2016. When action a has led from state s to state s', then
// Q(s,a) should be
//
//	penalty                                    if s' is a fall
//	discount · slowQ(s', argmax over b: Q(s',b)) otherwise
//
// where slowQ has weights that follow those of Q slowly. If Q were its own
// measure it would chase what it moves, and if slowQ chose the action too, each
// error in its favour would be passed on.
type agent struct {
	settings
	quick, slow weights
	actor       *network // Q of one state, to act
	learner     *network // Q of a batch of states s, and the gradients
	ahead       *network // Q of a batch of states s'
	judge       *network // slowQ of the same
	solver      *G.AdamSolver
	memory      *memory
	rng         *rand.Rand
}

func newAgent(s settings, rng *rand.Rand) (*agent, error) {
	a := &agent{
		settings: s,
		quick:    newWeights(rng, s.hidden),
		slow:     newWeights(rng, s.hidden),
		solver:   G.NewAdamSolver(),
		memory:   newMemory(s.memory),
		rng:      rng,
	}
	a.slow.moveTo(a.quick, 1)
	var err error
	if a.learner, err = newNetwork(a.quick, s.batch, true); err != nil {
		return nil, err
	}
	if a.actor, err = newNetwork(a.quick, 1, false); err != nil {
		return nil, err
	}
	if a.ahead, err = newNetwork(a.quick, s.batch, false); err != nil {
		return nil, err
	}
	a.judge, err = newNetwork(a.slow, s.batch, false)
	return a, err
}

func (a *agent) close() {
	for _, n := range []*network{a.actor, a.learner, a.ahead, a.judge} {
		n.machine.Close()
	}
}

// act chooses an action: the best, or with the given probability any.
func (a *agent) act(s state, curiosity float64) (int, error) {
	if a.rng.Float64() < curiosity {
		return a.rng.IntN(actions), nil
	}
	a.actor.see(0, s)
	err := a.actor.run()
	return a.actor.best(0), err
}

// learn is one training step, with moments from the memory.
func (a *agent) learn(rate float64) error {
	moments := a.memory.draw(a.batch, a.rng)
	if err := a.aim(moments); err != nil {
		return err
	}
	for row, m := range moments {
		a.learner.see(row, m.before)
		a.learner.actions[row] = int64(m.action)
	}
	if err := a.learner.run(); err != nil {
		return err
	}
	if loss := a.learner.loss.Data().(float64); math.IsNaN(loss) || math.IsInf(loss, 0) {
		return errors.Errorf("the loss stopped being a number; try a -rate below %g", a.Rate)
	}
	G.WithLearnRate(rate)(a.solver)
	if err := a.solver.Step(G.NodesToValueGrads(a.learner.learnt)); err != nil {
		return errors.Wrap(err, "changing the weights")
	}
	a.slow.moveTo(a.quick, following)
	return nil
}

// aim computes the targets of the moments, what Q should be.
func (a *agent) aim(moments []moment) error {
	for row, m := range moments {
		a.ahead.see(row, m.after)
		a.judge.see(row, m.after)
	}
	if err := a.ahead.run(); err != nil {
		return err
	}
	for row := range moments {
		a.judge.actions[row] = int64(a.ahead.best(row))
	}
	if err := a.judge.run(); err != nil {
		return err
	}
	for row, worth := range a.judge.chosen.(*tensor.Dense).Float64s() {
		if moments[row].after.fallen() {
			a.learner.targets[row] = penalty
		} else {
			a.learner.targets[row] = discount * worth
		}
	}
	return nil
}
