package gatherbeam

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/tensor"
)

// Factors are what a factorisation has learnt: tables of one folder, and of one
// commit.
type Factors struct {
	Users, Items           Table // "users" and "items", (rows, dim), in B shards each
	UsersState, ItemsState Table // "users.adagrad" and "items.adagrad", the same; without shards: none yet
	Epochs                 int64 // that they have learnt, from the table "epochs"
}

// The names of the tables.
const (
	usersName, itemsName           = "users", "items"
	usersStateName, itemsStateName = "users.adagrad", "items.adagrad"
	epochsName                     = "epochs"
)

// OpenFactors describes the factors of a folder by its manifest.
//
// Errors: those of [OpenTable], and tables that do not fit each other.
func OpenFactors(ctx context.Context, folder string) (Factors, error) {
	const op = "OpenFactors"
	folder, err := absolute(folder)
	if err != nil {
		return Factors{}, errors.WithMessage(err, op)
	}
	m, err := readManifest(ctx, folder)
	if err != nil {
		return Factors{}, errors.WithMessage(err, op)
	}
	var f Factors
	for _, t := range []struct {
		name   string
		to     *Table
		needed bool
	}{{usersName, &f.Users, true}, {itemsName, &f.Items, true}, {usersStateName, &f.UsersState, false}, {itemsStateName, &f.ItemsState, false}} {
		if of, there := m.Tables[t.name]; there && (t.needed || of.Generation == f.Users.Generation) {
			*t.to = m.table(folder, t.name) // a state of an older generation is not of these rows
		} else if t.needed {
			return Factors{}, errors.Errorf("%s: %s has no table %s", op, join(folder, manifestName), t.name)
		}
	}
	if _, there := m.Tables[epochsName]; there {
		learnt, err := m.table(folder, epochsName).Load(ctx)
		if err != nil {
			return Factors{}, errors.WithMessage(err, op)
		}
		var epochs []int64
		if learnt.Dtype() == tensor.Int64 {
			epochs = learnt.Int64s()
		}
		if len(epochs) != 1 || epochs[0] < 0 || epochs[0] > mostEpochs {
			return Factors{}, errors.Errorf("%s: table %s is %v, a number of epochs is expected", op, epochsName, learnt)
		}
		f.Epochs = epochs[0]
	}
	return f, errors.WithMessage(f.check(), op)
}

// mostEpochs is how many epochs have a number of their own in what is drawn.
const mostEpochs = 1 << 30

// check returns an error if the tables do not fit each other.
func (f *Factors) check() error {
	for _, t := range []*Table{&f.Users, &f.Items} {
		if err := t.check(); err != nil {
			return err
		}
		if len(t.Shape) != 2 || t.Shape[1] < 1 || t.Shape[1] > math.MaxInt32 || t.Dtype != "float32" && t.Dtype != "float64" {
			return fault.Errorf(dense.ErrShape, "table %s is %s of shape %v; float32 and float64 of shape (rows, dim) are allowed", t.Name, t.Dtype, t.Shape)
		}
		for i, s := range t.Shards {
			if s.Rows == 0 {
				return fault.Errorf(dense.ErrShape, "table %s: block %d of %d has no rows; fewer blocks are needed", t.Name, i, len(t.Shards))
			}
			if s.Rows > mostBlockRows {
				return fault.Errorf(dense.ErrShape, "table %s: block %d has %d rows, at most %d are allowed", t.Name, i, s.Rows, mostBlockRows)
			}
		}
	}
	if f.Users.Shape[1] != f.Items.Shape[1] {
		return fault.Errorf(dense.ErrShape, "rows of users have %d numbers, those of items %d; they must be as many", f.Users.Shape[1], f.Items.Shape[1])
	}
	if f.Users.Dtype != f.Items.Dtype {
		return fault.Errorf(dense.ErrDtype, "users are %s, items %s; they must be the same", f.Users.Dtype, f.Items.Dtype)
	}
	if len(f.Users.Shards) != len(f.Items.Shards) {
		return fault.Errorf(dense.ErrShape, "users lie in %d blocks, items in %d; they must be as many", len(f.Users.Shards), len(f.Items.Shards))
	}
	if f.blocks() > mostBlocks {
		return fault.Errorf(dense.ErrShape, "%d blocks, at most %d are allowed", f.blocks(), mostBlocks)
	}
	if (len(f.UsersState.Shards) == 0) != (len(f.ItemsState.Shards) == 0) {
		return errors.New("there is a state of Adagrad of one of users and items only")
	}
	for _, t := range [][2]*Table{{&f.Users, &f.UsersState}, {&f.Items, &f.ItemsState}} {
		if state := t[1]; len(state.Shards) > 0 && !alike(t[0], state) {
			return fault.Errorf(dense.ErrShape, "table %s is not like table %s: they need the same dtype, shape and rows in each shard", state.Name, t[0].Name)
		}
	}
	return nil
}

// alike reports whether two tables differ in their names and files alone.
func alike(a, b *Table) bool {
	if a.Dtype != b.Dtype || len(a.Shape) != len(b.Shape) || a.Shape[0] != b.Shape[0] || a.Shape[1] != b.Shape[1] || len(a.Shards) != len(b.Shards) {
		return false
	}
	for i := range a.Shards {
		if a.Shards[i].Rows != b.Shards[i].Rows {
			return false
		}
	}
	return true
}

// mostBlocks bounds B: the ratings have a file for each pair of blocks, and a table
// has at most so many shards.
const mostBlocks = 316

// mostBlockRows bounds the rows of a block: so many numbers float32 tells apart, by
// which ratings name rows.
const mostBlockRows = 1 << 24

func (f *Factors) blocks() int { return len(f.Users.Shards) }
func (f *Factors) dim() int    { return int(f.Users.Shape[1]) }

// A Start is what a factorisation begins with.
type Start struct {
	Dtype        tensor.Dtype // float32 or float64
	Users, Items int          // rows
	Dim          int          // numbers in a row; with Biases the last one is the bias
	Blocks       int          // B, of users and of items: at most 316
	Deviation    float64      // the numbers are drawn from the normal distribution with mean 0 and this
	Biases       bool         // biases begin with 0
	Seed         uint64
}

// Factors writes the tables of a factorisation that has not learnt yet, block by
// block in this process: no more than one is in memory. [Generation.Commit] has to
// follow.
//
// Errors: [dense.ErrShape], [dense.ErrDtype], [dense.ErrOption], those of the file
// system.
func (g *Generation) Factors(ctx context.Context, start Start) (f Factors, err error) {
	const op = "Generation.Factors"
	if start.Dim < 1 || start.Dim > math.MaxInt32 {
		return Factors{}, fault.Errorf(dense.ErrShape, "%s: Dim is %d, the least is 1", op, start.Dim)
	}
	if d := start.Deviation; !(d >= 0 && d <= math.MaxFloat32) {
		return Factors{}, fault.Errorf(dense.ErrOption, "%s: Deviation is %v, allowed are finite numbers from 0 on", op, d)
	}
	for _, t := range []struct {
		name string
		rows int
		to   *Table
	}{{usersName, start.Users, &f.Users}, {itemsName, start.Items, &f.Items}} {
		if *t.to, err = newTable(g.folder, t.name, g.name, start.Dtype, tensor.Shape{t.rows, start.Dim}, start.Blocks); err != nil {
			return Factors{}, errors.WithMessage(err, op)
		}
	}
	if err := f.check(); err != nil {
		return Factors{}, errors.WithMessage(err, op)
	}
	for n, t := range []Table{f.Users, f.Items} {
		if err := g.add(op, t); err != nil {
			return Factors{}, err
		}
		if err := start.store(ctx, t, uint64(n)); err != nil {
			return Factors{}, errors.WithMessage(err, op)
		}
	}
	epochs, err := g.Table(epochsName, tensor.Int64, tensor.Shape{1}, 1)
	if err != nil {
		return Factors{}, errors.WithMessage(err, op)
	}
	return f, epochs.Store(ctx, tensor.New(tensor.WithShape(1), tensor.WithBacking([]int64{0})))
}

// store writes the shards of a table.
func (s *Start) store(ctx context.Context, t Table, of uint64) error {
	shards := make([]ShardFile, len(t.Shards))
	for i, shard := range t.Shards {
		var data []byte
		var err error
		if t.Dtype == "float32" {
			data, err = drawn[float32](s, int(shard.Rows), of, i)
		} else {
			data, err = drawn[float64](s, int(shard.Rows), of, i)
		}
		if err == nil {
			err = t.writeShard(ctx, i, data)
		}
		if err != nil {
			return err
		}
		shards[i] = ShardFile{Rows: shard.Rows, CRC32C: checksum(data)}
	}
	return t.record(ctx, shards)
}

// drawn is the rows of a block. Each block has a source of chance of its own: its rows
// are the same whoever draws the others.
func drawn[T float32 | float64](s *Start, rows int, of uint64, block int) ([]byte, error) {
	if err := core.Fits("Generation.Factors", "a block", tensor.Shape{rows, s.Dim}, s.Dtype); err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(s.Seed, of<<32|uint64(block)))
	numbers := make([]T, rows*s.Dim)
	for i := range numbers {
		if !s.Biases || i%s.Dim < s.Dim-1 {
			numbers[i] = T(s.Deviation * rng.NormFloat64())
		}
	}
	return num.Bytes(numbers), nil
}
