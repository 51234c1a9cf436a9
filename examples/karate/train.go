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

// known are the members whose factions are shown to the network: the two at the
// heart of the quarrel.
var known = []int{instructor, president}

// result is what one run has come to.
type result struct {
	guess  []int // the faction of each member
	right  int   // how many of the members that were not shown
	epochs int   // how long it learnt
}

// train teaches a new network until the epochs are done or ctx ends; it takes
// one step in any case.
func train(ctx context.Context, s settings, seed uint64, bar *console.Progress) (*result, error) {
	side := sides()
	n, err := newNetwork(rand.New(rand.NewPCG(seed, 0)), newMessages(friendships()), known, side, s.hidden, s.attention)
	if err != nil {
		return nil, err
	}
	defer n.machine.Close()
	solver := G.NewAdamSolver(G.WithLearnRate(s.Rate))
	epoch := 0
	for ; epoch < s.epochs && (epoch == 0 || ctx.Err() == nil); epoch++ {
		if err := n.run(); err != nil {
			return nil, err
		}
		if err := solver.Step(G.NodesToValueGrads(n.learnt)); err != nil {
			return nil, errors.Wrap(err, "changing the weights")
		}
		loss := n.loss.Data().(float64)
		if math.IsNaN(loss) || math.IsInf(loss, 0) {
			return nil, errors.Errorf("with seed %d the loss stopped being a number; try a -rate below %g", seed, s.Rate)
		}
		bar.Step(fmt.Sprintf("seed %d", seed), fmt.Sprintf("loss %.4f", loss))
	}
	// Once more, to see the factions as the last step has left them.
	if err := n.run(); err != nil {
		return nil, err
	}
	guess := n.guess()
	return &result{guess, count(guess, side), epoch}, nil
}

// count returns how many guesses are right, not counting those that were shown.
func count(guess, side []int) int {
	right := 0
	for m := range side {
		if guess[m] == side[m] && m+1 != instructor && m+1 != president {
			right++
		}
	}
	return right
}
