package main

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/pkg/errors"

	gatherbeam "gorgonia.org/gather/beam"
	"gorgonia.org/gather/internal/examples/console"
)

// training is jobs, one after the other.
type training struct {
	settings
	folder        string
	factors       gatherbeam.Factors
	ratings, held gatherbeam.Table
	mean          float64
	least, most   float64 // ratings are not below or above
	history       []measured
	spent         time.Duration // in jobs
	alone         time.Duration // in this process, for the same epochs
}

// measured is the error on the ratings held out, after some epochs.
type measured struct {
	epochs      int64
	beam, alone float64 // alone is that of one process
}

// jobs is how many jobs are left.
func (t *training) jobs() int {
	left := int64(t.epochs) - t.factors.Epochs
	return int((left + int64(t.each) - 1) / int64(t.each))
}

// run runs the jobs until ctx ends.
func (t *training) run(ctx context.Context, bar *console.Progress) error {
	c := t.dsgd(t.mean)
	var alone *gatherbeam.Trainer
	var err error
	if t.compare {
		if alone, err = gatherbeam.NewTrainer(ctx, c, t.factors, t.ratings); err != nil {
			return stopped(ctx, err)
		}
	}
	if err := t.measure(ctx, c, alone); err != nil {
		return stopped(ctx, err)
	}
	for t.jobs() > 0 && ctx.Err() == nil {
		c.Epochs = int(min(int64(t.each), int64(t.epochs)-t.factors.Epochs))
		start := time.Now()
		if err := t.job(ctx, c); err != nil {
			return stopped(ctx, err)
		}
		t.spent += time.Since(start)
		if alone != nil {
			start = time.Now()
			if err := alone.Run(ctx, c.Epochs); err != nil {
				return stopped(ctx, err)
			}
			t.alone += time.Since(start)
		}
		if err := t.measure(ctx, c, alone); err != nil {
			return stopped(ctx, err)
		}
		last := t.history[len(t.history)-1]
		bar.Step(fmt.Sprintf("epoch %d/%d", t.factors.Epochs, t.epochs), fmt.Sprintf("RMSE %.4f", last.beam))
	}
	return nil
}

// stopped forgives what a Ctrl-C has broken off: the folder holds what the last whole
// job has left.
func stopped(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// job lets the factors learn for the epochs of a job.
func (t *training) job(ctx context.Context, c gatherbeam.DSGD) error {
	next, err := gatherbeam.NewGeneration(ctx, t.folder)
	if err != nil {
		return err
	}
	p, s := beam.NewPipelineWithRoot()
	gatherbeam.Factorize(s, c, t.factors, t.ratings, next)
	if err := runPipeline(ctx, p); err != nil {
		return err
	}
	if err := next.Commit(ctx); err != nil {
		return err
	}
	if t.factors, err = gatherbeam.OpenFactors(ctx, t.folder); err != nil {
		return err
	}
	return gatherbeam.Prune(ctx, t.folder)
}

// measure adds the error on the ratings held out to the history. With one process
// beside, its rows must be the same.
func (t *training) measure(ctx context.Context, c gatherbeam.DSGD, alone *gatherbeam.Trainer) (err error) {
	m := measured{epochs: t.factors.Epochs}
	if m.beam, err = t.error(c.Predict(ctx, t.factors, t.held)); err != nil {
		return err
	}
	if alone != nil {
		if m.alone, err = t.error(alone.Predict(ctx, t.held)); err != nil {
			return err
		}
		users, err := t.factors.Users.Load(ctx)
		if err != nil {
			return err
		}
		items, err := t.factors.Items.Load(ctx)
		if err != nil {
			return err
		}
		if !same(users.Float32s(), alone.Users().Float32s()) || !same(items.Float32s(), alone.Items().Float32s()) {
			return errors.Errorf("after %d epochs the rows are not those of one process", m.epochs)
		}
	}
	if math.IsNaN(m.beam) || math.IsInf(m.beam, 0) {
		return errors.Errorf("after %d epochs the error is no number; try a -rate below %g", m.epochs, t.rate)
	}
	t.history = append(t.history, m)
	return nil
}

func same(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) })
}

// error is the root of the mean squared error.
func (t *training) error(predicted iter.Seq2[gatherbeam.Prediction, error]) (float64, error) {
	sum, n := 0.0, 0
	for f, err := range predicted {
		if err != nil {
			return 0, err
		}
		diff := min(max(f.Predicted, t.least), t.most) - f.Rating
		sum += diff * diff
		n++
	}
	return math.Sqrt(sum / float64(max(n, 1))), nil
}
