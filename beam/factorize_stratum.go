package gatherbeam

import (
	"context"
	"encoding/json"

	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/num"
)

// trainFn is a stratum: each group is a block of users and the block of items that
// it meets. Pairs train side by side also within a bundle, which may have all of
// the stratum: a pair begins while those before it still learn, and its blocks go on
// as soon as somebody sees that it is done.
type trainFn struct {
	C             DSGD
	Epoch         int64
	Blocks, Shift int
	Next          int // shift of the next stratum
	Dtype         string
	Dim           int
	Ratings       Table    // without its shards
	From          *Factors // of the first stratum

	running int
	done    chan trained
}

// trained is a pair that has learnt.
type trained struct {
	users, items factorBlock
	err          error
}

// Setup is called by Beam.
func (f *trainFn) Setup() {
	f.done = make(chan trained, f.C.parallel())
	f.Ratings.Shards = make([]ShardFile, f.Blocks*f.Blocks)
}

// ProcessElement is called by Beam.
func (f *trainFn) ProcessElement(ctx context.Context, key int64, group func(*factorBlock) bool, emit func(int64, factorBlock)) error {
	var pair trained
	var there [2]int
	for b := (factorBlock{}); group(&b); b = (factorBlock{}) {
		if b.Items {
			pair.items = b
			there[1]++
		} else {
			pair.users = b
			there[0]++
		}
	}
	if want := int64(itemBlock(int(key), f.Shift, f.Blocks)); there != [2]int{1, 1} || pair.users.Index != key || pair.items.Index != want {
		f.wait()
		return errors.Errorf("Factorize: block %d of users has come %d times and met %d blocks of items, the last one %d; it is to meet block %d",
			key, there[0], there[1], pair.items.Index, want)
	}
	if f.running == f.C.parallel() {
		if err := f.emit(emit); err != nil {
			return err
		}
	}
	f.running++
	go func() {
		err := f.train(ctx, &pair)
		pair.err = err
		f.done <- pair
	}()
	return nil
}

// FinishBundle is called by Beam.
func (f *trainFn) FinishBundle(_ context.Context, emit func(int64, factorBlock)) error {
	for f.running > 0 {
		if err := f.emit(emit); err != nil {
			return err
		}
	}
	return nil
}

// emit waits for a pair and sends its blocks to where they are needed next. After an
// error it waits for the others, too.
func (f *trainFn) emit(emit func(int64, factorBlock)) error {
	pair := <-f.done
	f.running--
	if pair.err != nil {
		f.wait()
		return errors.WithMessage(pair.err, "Factorize")
	}
	emit(pair.users.Index, pair.users)
	emit(int64(userBlock(int(pair.items.Index), f.Next, f.Blocks)), pair.items)
	return nil
}

// wait waits for the pairs that learn still.
func (f *trainFn) wait() {
	for ; f.running > 0; f.running-- {
		<-f.done
	}
}

// train learns from the ratings of a pair.
func (f *trainFn) train(ctx context.Context, p *trained) (err error) {
	defer func() {
		if cause := recover(); cause != nil { // it would end the worker
			err = errors.Errorf("a pair of blocks: %v", cause)
		}
	}()
	if f.From != nil {
		if err := f.read(ctx, &p.users, &f.From.Users, &f.From.UsersState); err != nil {
			return err
		}
		if err := f.read(ctx, &p.items, &f.From.Items, &f.From.ItemsState); err != nil {
			return err
		}
	}
	if f.Dtype == "float32" {
		return trainPair[float32](ctx, f, p)
	}
	return trainPair[float64](ctx, f, p)
}

// read reads a block's rows, and what Adagrad remembers of them.
func (f *trainFn) read(ctx context.Context, b *factorBlock, rows, state *Table) (err error) {
	if b.Rows, err = rows.readShard(ctx, int(b.Index)); err != nil {
		return err
	}
	if f.C.stateful() && len(state.Shards) > 0 {
		b.State, err = state.readShard(ctx, int(b.Index))
	}
	return err
}

// trainPair is train for a dtype.
func trainPair[T float32 | float64](ctx context.Context, f *trainFn, p *trained) error {
	var numbers [4][]T
	for i, data := range [...][]byte{p.users.Rows, p.items.Rows, p.users.State, p.items.State} {
		numbers[i] = elements[T](data) // the bytes belong to the runner
	}
	users, items := int64(len(numbers[0])/f.Dim), int64(len(numbers[1])/f.Dim)

	// The table of the ratings has one shard for this pair, and none but those of other
	// pairs that are trained here at the same time.
	table := f.Ratings
	var shards []ShardFile
	if err := json.Unmarshal(p.users.Pairs, &shards); err != nil {
		return errors.WithStack(err)
	}
	shard := int(p.users.Index)*f.Blocks + int(p.items.Index)
	table.Shards[shard] = shards[p.items.Index]
	ratings, err := readRatings(ctx, &table, shard, users, items)
	if err != nil {
		return err
	}

	t, err := newTrainer(&f.C, f.Dim, numbers[0], numbers[1], numbers[2], numbers[3])
	if err != nil {
		return err
	}
	order := f.C.order(f.Epoch, int(p.users.Index), int(p.items.Index), len(ratings)/3)
	if err := t.train(pair{ratings: ratings, order: order}); err != nil {
		return err
	}
	p.users.Rows, p.items.Rows = num.Bytes(t.users.rows), num.Bytes(t.items.rows)
	p.users.State, p.items.State = num.Bytes(t.users.state), num.Bytes(t.items.state)
	return nil
}
