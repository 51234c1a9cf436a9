package main

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/examples/console"
	"gorgonia.org/gorgonia"
)

// A result is what the classifier says of the held-out names before and after it
// has learnt from others.
type result struct {
	held          []name
	before, after []int // guesses
	epochs        int   // that were finished
	trained       *network
}

// train trains the classifier n further on names that it has not seen.
func train(ctx context.Context, s settings, names []name, n *network, bar *console.Progress) (*result, error) {
	var news []name
	r := &result{}
	for _, n := range names {
		switch n.part {
		case finetune:
			news = append(news, n)
		case heldOut:
			r.held = append(r.held, n)
		}
	}
	r.trained = n
	judge, err := newJudge(r.held)
	if err != nil {
		return nil, err
	}
	defer judge.machine.Close()
	if r.before, err = judge.guess(n); err != nil {
		return nil, err
	}

	loss, targets, err := n.loss()
	if err != nil {
		return nil, err
	}
	weights := n.built.Trainable()
	if _, err := gorgonia.Grad(loss, weights...); err != nil {
		return nil, errors.WithStack(err)
	}
	machine := gorgonia.NewTapeMachine(n.graph, gorgonia.BindDualValues(weights...))
	defer machine.Close()
	solver := gorgonia.NewAdamSolver(gorgonia.WithLearnRate(s.Rate))
	rng := rand.New(rand.NewPCG(s.Seed, 0))
	for epoch := range s.epochs {
		rng.Shuffle(len(news), func(i, j int) { news[i], news[j] = news[j], news[i] })
		sum := 0.0
		for step := range len(news) / s.batch {
			if ctx.Err() != nil && r.epochs > 0 { // the first epoch is always finished
				r.after, err = judge.guess(n)
				return r, err
			}
			batch := news[step*s.batch : (step+1)*s.batch]
			n.let(batch)
			for i, name := range batch {
				targets[i] = int64(name.language)
			}
			if err := machine.RunAll(); err != nil {
				return nil, err
			}
			sum += float64(*loss.Value().(*gorgonia.F32))
			if err := solver.Step(gorgonia.NodesToValueGrads(weights)); err != nil {
				return nil, errors.WithStack(err)
			}
			machine.Reset()
			bar.Step(fmt.Sprintf("epoch %d/%d", epoch+1, s.epochs), fmt.Sprintf("loss %.3f", sum/float64(step+1)))
		}
		r.epochs++
	}
	r.after, err = judge.guess(n)
	return r, err
}

// right is the share of guesses that are right, in percent.
func right(names []name, guesses []int) float64 {
	count := 0
	for i, n := range names {
		if guesses[i] == n.language {
			count++
		}
	}
	return 100 * float64(count) / float64(len(names))
}
