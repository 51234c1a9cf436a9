package gatherbeam

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/tensor"
)

func init() {
	beam.RegisterDoFn(reflect.TypeFor[beginFn]())
	beam.RegisterDoFn(reflect.TypeFor[trainFn]())
	beam.RegisterDoFn(reflect.TypeFor[shardFn]())
	beam.RegisterDoFn(reflect.TypeFor[epochsFn]())
	beam.RegisterType(reflect.TypeFor[factorBlock]())
}

// factorBlock is a block of users or of items on its way from stratum to stratum. Its
// key is the block of users of the pair that it belongs to next.
type factorBlock struct {
	Index int64
	Items bool   // not users
	Rows  []byte // (rows, dim)
	State []byte // of Adagrad, the same; empty: none yet
	Pairs []byte // of users: what the files with their ratings of each block of items are, in JSON
}

// Factorize lets factors learn from ratings for the epochs of one job, and writes them to
// a new generation:
//
//	f, err := gatherbeam.OpenFactors(ctx, folder)
//	next, err := gatherbeam.NewGeneration(ctx, folder)
//	p, s := beam.NewPipelineWithRoot()
//	gatherbeam.Factorize(s, c, f, ratings, next)
//	err = beamx.Run(ctx, p)
//	err = next.Commit(ctx)
//
// [DSGD] describes the training and its order. Several jobs of some epochs each give the
// same factors, bit for bit, as one job of all epochs and as a [Trainer] in one process:
// after each job the factors are in files, from which the next job continues. Until
// Commit, and if the job fails or is killed, the folder has the factors from before it.
//
// B is the number of blocks of users, and of items; users and items have the
// shape (rows, dim), ratings are B² shards as [Generation.Ratings] writes them. In a
// stratum all blocks of users and of items travel once, with what Adagrad remembers of
// them. The ratings do not: each worker reads those of the pairs that it trains. A
// worker holds Parallel pairs at a time, with their ratings.
//
// The pipeline fails if the arguments do not fit each other, if a file is missing or not
// what its table says, and if it has ratings of users or items that are not in its
// blocks. Numbers are not checked: of ratings that are NaN, and of a rate that is too
// high, come rows of NaN.
func Factorize(s beam.Scope, c DSGD, f Factors, ratings Table, next *Generation) {
	const op = "Factorize"
	s = s.Scope("gatherbeam.Factorize")
	err := checkFactorize(&c, &f, &ratings)
	var to Factors
	if err == nil {
		to, err = next.learnt(&c, &f)
	}
	if err != nil {
		failShards(s, op, err)
		return
	}
	blocks := f.blocks()
	var shifts []int // of all strata
	for epoch := range int64(c.Epochs) {
		shifts = append(shifts, c.strata(f.Epochs+epoch, blocks)...)
	}
	col := beam.ParDo(s, &beginFn{Ratings: ratings, Blocks: blocks, Shift: shifts[0]}, beam.Impulse(s))
	for n, shift := range shifts {
		epoch := f.Epochs + int64(n/blocks)
		train := &trainFn{C: c, Epoch: epoch, Blocks: blocks, Shift: shift, Dtype: f.Users.Dtype, Dim: f.dim(), Ratings: ratings}
		train.Ratings.Shards = nil // the blocks of users have them
		if n == 0 {
			train.From = &f
		}
		if n+1 < len(shifts) {
			train.Next = shifts[n+1]
		}
		col = beam.ParDo(s.Scope(fmt.Sprintf("epoch %d, stratum %d", epoch+1, n%blocks+1)), train, beam.GroupByKey(s, col))
	}
	for _, t := range []struct {
		to           Table
		items, state bool
	}{{to.Users, false, false}, {to.Items, true, false}, {to.UsersState, false, true}, {to.ItemsState, true, true}} {
		if len(t.to.Shards) > 0 {
			WriteTable(s, t.to, beam.ParDo(s, &shardFn{Table: t.to, Items: t.items, State: t.state}, col))
		}
	}
	WriteTable(s, next.tables[epochsName], beam.ParDo(s, &epochsFn{N: to.Epochs}, beam.Impulse(s)))
}

// learnt adds the tables of factors that have learnt to the generation.
func (g *Generation) learnt(c *DSGD, f *Factors) (to Factors, err error) {
	if g == nil {
		return Factors{}, errors.New("no generation to write to, NewGeneration makes one")
	}
	to.Epochs = f.Epochs + int64(c.Epochs)
	for _, t := range []struct {
		like Table
		name string
		to   *Table
	}{{f.Users, usersName, &to.Users}, {f.Items, itemsName, &to.Items}, {f.Users, usersStateName, &to.UsersState}, {f.Items, itemsStateName, &to.ItemsState}} {
		if !c.stateful() && strings.HasSuffix(t.name, ".adagrad") {
			continue
		}
		t.like.Name = t.name
		if *t.to, err = g.Like(t.like); err != nil {
			return Factors{}, err
		}
	}
	_, err = g.Table(epochsName, tensor.Int64, tensor.Shape{1}, 1)
	return to, err
}

// beginFn gives the blocks of the first stratum, which are in files still.
type beginFn struct {
	Ratings       Table
	Blocks, Shift int
}

// ProcessElement is called by Beam.
func (f *beginFn) ProcessElement(_ []byte, emit func(int64, factorBlock)) error {
	for b := range f.Blocks {
		pairs, err := json.Marshal(f.Ratings.Shards[b*f.Blocks : (b+1)*f.Blocks])
		if err != nil {
			return errors.WithStack(err)
		}
		emit(int64(b), factorBlock{Index: int64(b), Pairs: pairs})
		emit(int64(userBlock(b, f.Shift, f.Blocks)), factorBlock{Index: int64(b), Items: true})
	}
	return nil
}

// shardFn gives the rows of the last stratum, or what Adagrad remembers of them, as
// shards of their table.
type shardFn struct {
	Table        Table
	Items, State bool
	starts       []int64
}

// Setup is called by Beam.
func (f *shardFn) Setup() { f.starts = f.Table.starts() }

// ProcessElement is called by Beam.
func (f *shardFn) ProcessElement(_ int64, b factorBlock, emit func(Shard)) {
	if b.Items != f.Items {
		return
	}
	data := b.Rows
	if f.State {
		data = b.State
	}
	emit(Shard{
		Index: b.Index, Start: f.starts[b.Index], Dtype: f.Table.Dtype,
		Shape: withRows(f.Table.Shape, f.Table.Shards[b.Index].Rows), Data: data,
	})
}

// epochsFn gives the table of how many epochs factors have learnt.
type epochsFn struct{ N int64 }

// ProcessElement is called by Beam.
func (f *epochsFn) ProcessElement(_ []byte, emit func(Shard)) {
	emit(Shard{Dtype: "int64", Shape: []int64{1}, Data: append([]byte{}, num.Bytes([]int64{f.N})...)})
}
