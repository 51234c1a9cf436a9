package gatherbeam

import (
	"context"
	"reflect"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
)

func init() {
	beam.RegisterDoFn(reflect.TypeFor[countFn]())
	beam.RegisterDoFn(reflect.TypeFor[readFn]())
	beam.RegisterDoFn(reflect.TypeFor[writeFn]())
	beam.RegisterDoFn(reflect.TypeFor[recordFn]())
	beam.RegisterType(reflect.TypeFor[wrote]())
}

// ReadTable reads the shards of a table: a PCollection of [Shard], in no order. Each
// shard is read whole, by one worker.
//
// The pipeline fails if a file is missing or is not what the table says: another
// dtype or shape, truncated, longer, or of another checksum.
func ReadTable(s beam.Scope, table Table) beam.PCollection {
	s = s.Scope("gatherbeam.ReadTable")
	if err := table.check(); err != nil {
		return failShards(s, "ReadTable", err)
	}
	// Without a reshuffle one worker would read all.
	numbers := beam.Reshuffle(s, beam.ParDo(s, &countFn{N: int64(len(table.Shards))}, beam.Impulse(s)))
	return beam.ParDo(s, &readFn{Table: table}, numbers)
}

// countFn gives the numbers 0 … N-1.
type countFn struct{ N int64 }

// ProcessElement is called by Beam.
func (f *countFn) ProcessElement(_ []byte, emit func(int64)) {
	for i := range f.N {
		emit(i)
	}
}

// readFn reads a shard.
type readFn struct {
	Table  Table
	starts []int64
}

// Setup is called by Beam.
func (f *readFn) Setup() { f.starts = f.Table.starts() }

// ProcessElement is called by Beam.
func (f *readFn) ProcessElement(ctx context.Context, shard int64) (Shard, error) {
	data, err := f.Table.readShard(ctx, int(shard))
	if err != nil {
		return Shard{}, errors.WithMessage(err, "ReadTable")
	}
	return Shard{
		Index: shard,
		Start: f.starts[shard],
		Dtype: f.Table.Dtype,
		Shape: withRows(f.Table.Shape, f.Table.Shards[shard].Rows),
		Data:  data,
	}, nil
}

// WriteTable writes the files of a table of a new [Generation]: shards is a
// PCollection of [Shard] with each shard of the table once. Once the pipeline has
// run without an error, [Generation.Commit] makes the generation the current one.
//
// A file gets its name when it is whole, and two workers that write the same shard
// do not meet. The pipeline fails if a shard is not as the table says, comes twice or
// not at all.
func WriteTable(s beam.Scope, table Table, shards beam.PCollection) {
	const op = "WriteTable"
	s = s.Scope("gatherbeam.WriteTable")
	err := table.check()
	if err == nil && table.Generation == "" {
		err = errors.Errorf("table %s is of no generation; Generation.Table and Generation.Like make one to write", table.Name)
	}
	if err == nil {
		err = checkElements("shards", shards, reflect.TypeFor[Shard]())
	}
	if err != nil {
		failShards(s, op, err)
		return
	}
	wrote := beam.ParDo(s, &writeFn{Table: table}, shards)
	// A stage without an output makes Prism 2.77 spin as long as it runs: this one has
	// one, which ends in a group that nobody takes.
	beam.GroupByKey(s, beam.ParDo(s, &recordFn{Table: table}, beam.GroupByKey(s, wrote)))
}

// wrote is what is known of a shard that has been written.
type wrote struct {
	Index  int64
	Rows   int64
	CRC32C string
}

// writeFn writes a shard.
type writeFn struct {
	Table  Table
	starts []int64
}

// Setup is called by Beam.
func (f *writeFn) Setup() { f.starts = f.Table.starts() }

// ProcessElement is called by Beam.
func (f *writeFn) ProcessElement(ctx context.Context, shard Shard) (int64, wrote, error) {
	const op = "WriteTable"
	t := f.Table
	if shard.Index < 0 || shard.Index >= int64(len(t.Shards)) {
		return 0, wrote{}, fault.Errorf(dense.ErrShape, "%s: a shard with number %d, table %s has %d", op, shard.Index, t.Name, len(t.Shards))
	}
	i := int(shard.Index)
	want := withRows(t.Shape, t.Shards[i].Rows)
	if shard.Dtype != t.Dtype || !slices.Equal(shard.Shape, want) || shard.Start != f.starts[i] {
		return 0, wrote{}, fault.Errorf(dense.ErrShape, "%s: shard %d from row %d is of %s of shape %v, that of table %s is from row %d, of %s of shape %v",
			op, i, shard.Start, fault.Cut(shard.Dtype), shard.Shape, t.Name, f.starts[i], t.Dtype, want)
	}
	if err := t.writeShard(ctx, i, shard.Data); err != nil {
		return 0, wrote{}, errors.WithMessage(err, op)
	}
	return 0, wrote{Index: shard.Index, Rows: want[0], CRC32C: checksum(shard.Data)}, nil
}

// recordFn is told of all shards that have been written, and says so in a file.
type recordFn struct{ Table Table }

// ProcessElement is called by Beam.
func (f *recordFn) ProcessElement(ctx context.Context, _ int64, next func(*wrote) bool) (int64, int64, error) {
	const op = "WriteTable"
	shards := make([]ShardFile, len(f.Table.Shards))
	n := 0
	for w := (wrote{}); next(&w); n++ {
		if shards[w.Index].CRC32C != "" {
			return 0, 0, errors.Errorf("%s: shard %d of table %s comes twice", op, w.Index, f.Table.Name)
		}
		shards[w.Index] = ShardFile{Rows: w.Rows, CRC32C: w.CRC32C}
	}
	if n < len(shards) {
		return 0, 0, errors.Errorf("%s: table %s has %d shards, %d have come", op, f.Table.Name, len(shards), n)
	}
	return 0, 0, errors.WithMessage(f.Table.record(ctx, shards), op)
}
