package gatherbeam

import (
	"context"
	"io"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/plan"
)

func init() {
	beam.RegisterDoFn(reflect.TypeFor[routeFn]())
	beam.RegisterDoFn(reflect.TypeFor[gatherFromFn]())
	beam.RegisterType(reflect.TypeFor[request]())
}

// GatherFrom picks rows of a table whose shards stay where they are, in files: ids
// are sent to the workers that read the shards, 8 bytes for each id.
//
//	out[j, …] = table[ids[j], …]
//
// table is of shape (R, d...), ids a PCollection of [IDs], M in all. The result is a
// PCollection of [Part], in no order: each position is in one of them, with its row.
// A following step that takes parts in any order, such as a sum, runs in the same
// process as the gather, so that no row is sent to another worker. [Assemble] puts the
// rows in order.
//
// A worker reads a shard whole, or row by row where its file can be read anywhere
// and few rows are requested; then its checksum is not verified. It needs memory for
// the shard and some MiB more.
//
// Options: [dense.WithOutOfRange], [dense.WithPadding], [dense.WithNonNegativeIndices]. The pipeline fails
// with a [dense.IndexError] of an id out of range; if blocks of ids overlap, leave
// positions out or share a number; if a file is missing or is not what the table
// says; and on options and arguments that do not fit.
func GatherFrom(s beam.Scope, table Table, ids beam.PCollection, opts ...dense.Option) beam.PCollection {
	const op = "GatherFrom"
	s = s.Scope("gatherbeam.GatherFrom")
	p, err := gatherParams(opts)
	if err == nil {
		err = table.check()
	}
	if err == nil {
		err = checkElements("ids", ids, reflect.TypeFor[IDs]())
	}
	if err != nil {
		return failParts(s, op, err)
	}
	checkBlocks(s, op, ids)
	requests := beam.ParDo(s, &routeFn{Table: table, Params: p}, ids)
	return beam.ParDo(s, &gatherFromFn{Table: table}, beam.GroupByKey(s, requests))
}

// routeFn sends ids to the shards of a table in files.
type routeFn struct {
	Table  Table
	Params plan.Params
	layout layout
}

// Setup is called by Beam.
func (f *routeFn) Setup() { f.layout = layoutOf(f.Table) }

// ProcessElement is called by Beam.
func (f *routeFn) ProcessElement(b IDs, emit func(int64, request)) error {
	return f.layout.requests(f.Params, b, emit)
}

// gatherFromFn answers the requests to a shard.
type gatherFromFn struct {
	Table Table
	width int
}

// Setup is called by Beam.
func (f *gatherFromFn) Setup() (err error) {
	f.width, err = rowBytes(f.Table.Dtype, f.Table.Shape)
	return err
}

// ProcessElement is called by Beam.
func (f *gatherFromFn) ProcessElement(ctx context.Context, shard int64, next func(*request) bool, emit func(Part)) error {
	rows := shardRows{width: f.width, open: func() (*shardReader, error) { return f.Table.openShard(ctx, int(shard)) }}
	defer rows.close()
	for r := (request{}); next(&r); {
		if err := r.answer(f.Table.Dtype, f.Table.Shape, f.width, rows.gather, emit); err != nil {
			return errors.WithMessage(err, "GatherFrom")
		}
	}
	return nil
}

// shardRows is rows of a shard's file, which is opened when the first one is asked
// for.
type shardRows struct {
	width int
	open  func() (*shardReader, error)

	file *shardReader
	data []byte // once all is read
	read int64  // bytes that were read row by row
}

// singleRows is the part of a shard that is read row by row at most. A read of its
// own costs a call of the system whatever the row's size, so that a stream is sooner
// done long before all rows are asked for. The value was not measured.
const singleRows = 1. / 16

// gather copies rows of the shard.
func (s *shardRows) gather(dst []byte, rows []uint32) (err error) {
	if !anyRow(rows) {
		clear(dst)
		return nil
	}
	if s.file == nil {
		if s.file, err = s.open(); err != nil {
			return err
		}
	}
	at, anywhere := s.file.r.(io.ReaderAt)
	if s.data == nil && (!anywhere || float64(s.read+int64(len(dst))) > singleRows*float64(s.file.bytes)) {
		if s.data, err = s.file.all(); err != nil {
			return err
		}
	}
	if s.data != nil {
		return copyRows(dst, s.data, rows, s.width)
	}
	s.read += int64(len(dst))
	for i, row := range rows {
		to := dst[i*s.width : (i+1)*s.width]
		if row == noRow {
			clear(to)
			continue
		}
		offset := int64(row) * int64(s.width)
		if offset+int64(s.width) > s.file.bytes {
			return errShardRow(row)
		}
		if _, err := at.ReadAt(to, s.file.at+offset); err != nil {
			return errors.Wrap(err, s.file.path)
		}
	}
	return nil
}

func (s *shardRows) close() {
	if s.file != nil {
		s.file.Close()
	}
}

// anyRow reports whether there is a row that is not of zeros.
func anyRow(rows []uint32) bool {
	for _, row := range rows {
		if row != noRow {
			return true
		}
	}
	return false
}
