package main

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/pkg/errors"

	"gorgonia.org/gather/embedding"
	"gorgonia.org/gather/internal/examples/console"
	"gorgonia.org/gather/internal/examples/ratings"
)

// judgeBatch is the size of a batch that is only predicted.
const judgeBatch = 1024

// trainer changes the weights of learner, and measures with judge, which shares
// them.
type trainer struct {
	settings
	data           *ratings.Data
	weights        *weights
	learner, judge *network
	optimizer      embedding.Optimizer // of the tables
	layers         embedding.Optimizer // of the dense layer
	progress       progress

	times []time.Duration // of the steps in this process
}

func newTrainer(s settings, d *ratings.Data) (t *trainer, err error) {
	t = &trainer{settings: s, data: d, progress: newProgress()}
	if t.weights, err = newWeights(s, d); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			t.close()
		}
	}()
	if t.learner, err = newNetwork(t.weights, s.batch, true); err != nil {
		return nil, err
	}
	if t.judge, err = newNetwork(t.weights, judgeBatch, false); err != nil {
		return nil, err
	}
	// The loss is a mean over the batch, and so is what pulls the rows to zero.
	if t.optimizer, err = embedding.NewAdagrad(embedding.WithLearnRate(s.rate), embedding.WithL2Reg(2*s.l2/float64(s.batch))); err != nil {
		return nil, err
	}
	// It remembers nothing, so that a checkpoint is whole without it.
	if t.layers, err = embedding.NewSGD(embedding.WithLearnRate(s.denseRate)); err != nil {
		return nil, err
	}
	return t, nil
}

func (t *trainer) close() {
	for _, n := range []*network{t.learner, t.judge} {
		if n != nil {
			n.machine.Close()
		}
	}
	t.weights.close()
}

// steps is the number of batches in an epoch. Only whole batches count, as a graph
// has fixed shapes; the shuffling leaves out other ratings each time.
func (t *trainer) steps() int { return len(t.data.Train) / t.batch }

// run trains until the error does not fall any more, the epochs are done, or ctx
// ends.
func (t *trainer) run(ctx context.Context, bar *console.Progress) error {
	p := t.progress
	for !t.done() {
		whole, err := t.epoch(ctx, bar)
		if err != nil || !whole {
			return err
		}
		valid, err := t.judge.error(t.data, t.data.Valid)
		if err != nil {
			return err
		}
		learnt := math.Sqrt(p.row[lossSum] / float64(t.steps()))
		p.history[2*p.epoch()], p.history[2*p.epoch()+1] = learnt, valid
		p.row[atEpoch]++
		p.row[atStep], p.row[lossSum] = 0, 0
		if p.best() == 0 || valid < p.row[bestError] {
			p.row[bestEpoch], p.row[bestError] = p.row[atEpoch], valid
			if err := t.saveTo(bestCheckpoint); err != nil {
				return err
			}
		}
		// The best one is there before this one says so.
		if err := t.saveTo(lastCheckpoint); err != nil {
			return err
		}
	}
	return nil
}

// done tells whether training is over.
func (t *trainer) done() bool {
	p := t.progress
	return p.epoch() >= t.epochs || p.best() > 0 && p.epoch()-p.best() >= t.patience
}

// left is how many steps there are to make at most, 1 if there are none.
func (t *trainer) left() int {
	if t.done() {
		return 1
	}
	return (t.epochs-t.progress.epoch())*t.steps() - t.progress.step()
}

// epoch goes through the ratings once, or through what is left of an epoch. If ctx ends,
// it saves and is not whole; it makes one step in any case.
func (t *trainer) epoch(ctx context.Context, bar *console.Progress) (whole bool, err error) {
	p := t.progress
	order := t.data.Shuffled(t.seed, p.epoch())
	for ; p.step() < t.steps(); p.row[atStep]++ {
		if len(t.times) > 0 && ctx.Err() != nil {
			return false, t.saveTo(lastCheckpoint)
		}
		start := time.Now()
		if err := t.step(order[p.step()*t.batch : (p.step()+1)*t.batch]); err != nil {
			return false, err
		}
		t.times = append(t.times, time.Since(start))
		loss := t.learner.meanLoss()
		if math.IsNaN(loss) || math.IsInf(loss, 0) {
			return false, errors.Errorf("in epoch %d the error stopped being a number; try a -rate below %g", p.epoch()+1, t.rate)
		}
		p.row[lossSum] += loss
		bar.Step(fmt.Sprintf("epoch %d/%d", p.epoch()+1, t.epochs), fmt.Sprintf("error %.3f", math.Sqrt(p.row[lossSum]/float64(p.step()+1))))
	}
	return true, nil
}

// step learns from a batch: one optimiser changes the dense layer, and the other one the
// rows that the batch has touched.
func (t *trainer) step(batch []int32) error {
	if err := t.learner.run(t.data, batch); err != nil {
		return err
	}
	if err := t.layers.Step(t.learner.dense...); err != nil {
		return errors.Wrap(err, "changing the dense layer")
	}
	return t.optimizer.Step(t.learner.lookups...)
}
