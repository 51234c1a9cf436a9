package gatherbeam

import (
	"context"
	"iter"

	"github.com/pkg/errors"
	"gorgonia.org/tensor"
)

// A Prediction is the rating of an item by a user, and the rating that the factors
// predict.
type Prediction struct {
	User, Item        int64
	Rating, Predicted float64
}

// Predict iterates over the ratings of a table in their order, with the rating that
// the factors predict for each. It reads Mean and Biases of c. One block of users,
// one of items and their ratings are in memory at a time.
func (c DSGD) Predict(ctx context.Context, f Factors, ratings Table) iter.Seq2[Prediction, error] {
	return func(yield func(Prediction, error) bool) {
		c.Epochs, c.Parallel = 1, 0
		err := checkFactorize(&c, &f, &ratings)
		if err == nil {
			if f.Users.Dtype == "float32" {
				err = predict(ctx, &c, &f, &ratings, shardsOfTable[float32](ctx, &f.Users), shardsOfTable[float32](ctx, &f.Items), yield)
			} else {
				err = predict(ctx, &c, &f, &ratings, shardsOfTable[float64](ctx, &f.Users), shardsOfTable[float64](ctx, &f.Items), yield)
			}
		}
		report("Predict", err, yield)
	}
}

// Predict is [DSGD.Predict] by the rows of the trainer.
func (t *Trainer) Predict(ctx context.Context, ratings Table) iter.Seq2[Prediction, error] {
	return func(yield func(Prediction, error) bool) {
		err := t.f.checkRatingsTable(&ratings)
		if err == nil {
			if t.f.Users.Dtype == "float32" {
				err = predict(ctx, &t.c, &t.f, &ratings, blocksOf[float32](t.users, &t.f.Users), blocksOf[float32](t.items, &t.f.Items), yield)
			} else {
				err = predict(ctx, &t.c, &t.f, &ratings, blocksOf[float64](t.users, &t.f.Users), blocksOf[float64](t.items, &t.f.Items), yield)
			}
		}
		report("Trainer.Predict", err, yield)
	}
}

var errEnough = errors.New("nobody wants more")

// report hands on an error that ended a sequence.
func report(op string, err error, yield func(Prediction, error) bool) {
	if err != nil && !errors.Is(err, errEnough) {
		yield(Prediction{}, errors.WithMessage(err, op))
	}
}

// rowsOf returns the rows of a block.
type rowsOf[T float32 | float64] func(block int) ([]T, error)

// shardsOfTable reads them.
func shardsOfTable[T float32 | float64](ctx context.Context, t *Table) rowsOf[T] {
	return func(block int) ([]T, error) {
		data, err := t.readShard(ctx, block)
		return elements[T](data), err
	}
}

// blocksOf has them in memory.
func blocksOf[T float32 | float64](rows *tensor.Dense, t *Table) rowsOf[T] {
	starts, dim := t.starts(), t.Shape[1]
	return func(block int) ([]T, error) { return floatsOf[T](rows)[starts[block]*dim : starts[block+1]*dim], nil }
}

func predict[T float32 | float64](ctx context.Context, c *DSGD, f *Factors, ratings *Table, users, items rowsOf[T], yield func(Prediction, error) bool) error {
	userStarts, itemStarts := f.Users.starts(), f.Items.starts()
	blocks, dim := f.blocks(), f.dim()
	for u := range blocks {
		mine, err := users(u)
		if err != nil {
			return err
		}
		for i := range blocks {
			if ratings.Shards[u*blocks+i].Rows == 0 {
				continue
			}
			if err := ctx.Err(); err != nil {
				return errors.WithStack(err)
			}
			of, err := readRatings(ctx, ratings, u*blocks+i, f.Users.Shards[u].Rows, f.Items.Shards[i].Rows)
			if err != nil {
				return err
			}
			theirs, err := items(i)
			if err != nil {
				return err
			}
			for ; len(of) > 0; of = of[3:] {
				user, item := int(of[0]), int(of[1])
				x := said(c, mine[user*dim:(user+1)*dim], theirs[item*dim:(item+1)*dim])
				if !yield(Prediction{userStarts[u] + int64(user), itemStarts[i] + int64(item), float64(of[2]), float64(x)}, nil) {
					return errEnough
				}
			}
		}
	}
	return nil
}
