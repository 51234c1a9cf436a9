package gatherbeam

import (
	"context"

	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/tensor"
)

// A Trainer does in this process, one pair of blocks after the other, what [Factorize]
// does in a pipeline, and gives the same result bit for bit. All rows are in memory, in
// one table of users and one of items; the ratings are read from their files pair by
// pair. It is for factors that fit into this machine's memory, and for comparisons. A
// Trainer is for one goroutine.
type Trainer struct {
	c       DSGD
	f       Factors
	ratings Table
	run     func(ctx context.Context, epoch int64) error

	users, items *tensor.Dense
}

// NewTrainer reads factors from their files. Epochs and Parallel of c are ignored.
//
// Errors are those with which a pipeline of Factorize fails.
func NewTrainer(ctx context.Context, c DSGD, f Factors, ratings Table) (*Trainer, error) {
	const op = "NewTrainer"
	c.Epochs = 1
	if err := checkFactorize(&c, &f, &ratings); err != nil {
		return nil, errors.WithMessage(err, op)
	}
	t := &Trainer{c: c, f: f, ratings: ratings}
	var state [2]*tensor.Dense
	for _, part := range []struct {
		table Table
		to    **tensor.Dense
	}{{f.Users, &t.users}, {f.Items, &t.items}, {f.UsersState, &state[0]}, {f.ItemsState, &state[1]}} {
		if len(part.table.Shards) == 0 {
			continue
		}
		var err error
		if *part.to, err = part.table.Load(ctx); err != nil {
			return nil, errors.WithMessage(err, op)
		}
	}
	var err error
	if f.Users.Dtype == "float32" {
		t.run, err = newRun[float32](t, state)
	} else {
		t.run, err = newRun[float64](t, state)
	}
	return t, errors.WithMessage(err, op)
}

// newRun makes a function that learns for an epoch.
func newRun[T float32 | float64](t *Trainer, state [2]*tensor.Dense) (func(context.Context, int64) error, error) {
	var states [2][]T
	for i, s := range state {
		if s != nil {
			states[i] = floatsOf[T](s)
		}
	}
	all, err := newTrainer(&t.c, t.f.dim(), floatsOf[T](t.users), floatsOf[T](t.items), states[0], states[1])
	if err != nil {
		return nil, err
	}
	users, items := t.f.Users.starts(), t.f.Items.starts()
	blocks := t.f.blocks()
	return func(ctx context.Context, epoch int64) error {
		for _, shift := range t.c.strata(epoch, blocks) {
			for u := range blocks {
				if err := ctx.Err(); err != nil {
					return errors.WithStack(err)
				}
				i := itemBlock(u, shift, blocks)
				ratings, err := readRatings(ctx, &t.ratings, u*blocks+i, users[u+1]-users[u], items[i+1]-items[i])
				if err != nil {
					return err
				}
				order := t.c.order(epoch, u, i, len(ratings)/3)
				if err := all.train(pair{ratings: ratings, order: order, userStart: int(users[u]), itemStart: int(items[i])}); err != nil {
					return err
				}
			}
		}
		return nil
	}, nil
}

// Run learns for some epochs. If ctx ends, it stops within an epoch; training cannot
// continue from its rows then.
func (t *Trainer) Run(ctx context.Context, epochs int) error {
	for range epochs {
		if t.f.Epochs >= mostEpochs {
			return errors.Errorf("Trainer.Run: %d epochs are learnt, that is the most", t.f.Epochs)
		}
		if err := t.run(ctx, t.f.Epochs); err != nil {
			return errors.WithMessage(err, "Trainer.Run")
		}
		t.f.Epochs++
	}
	return nil
}

// Users are the rows of users, (rows, dim). They share the trainer's memory.
func (t *Trainer) Users() *tensor.Dense { return t.users }

// Items are the rows of items, (rows, dim). They share the trainer's memory.
func (t *Trainer) Items() *tensor.Dense { return t.items }

// checkFactorize returns an error if the settings, the factors and the ratings do not fit
// each other.
func checkFactorize(c *DSGD, f *Factors, ratings *Table) error {
	if err := c.check(); err != nil {
		return err
	}
	if err := f.check(); err != nil {
		return err
	}
	if f.Epochs < 0 || f.Epochs+int64(c.Epochs) > mostEpochs {
		return errors.Errorf("%d epochs after %d, at most %d in all are allowed", c.Epochs, f.Epochs, mostEpochs)
	}
	if c.Biases && f.dim() < 2 {
		return fault.Errorf(dense.ErrShape, "rows of one number have none beside the bias; with Biases they need two or more")
	}
	return f.checkRatingsTable(ratings)
}

// floatsOf are the numbers of a tensor of type T, on its memory.
func floatsOf[T float32 | float64](d *tensor.Dense) []T {
	if d.Dtype() == tensor.Float32 {
		return any(d.Float32s()).([]T)
	}
	return any(d.Float64s()).([]T)
}
