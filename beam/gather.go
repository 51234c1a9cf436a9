package gatherbeam

import (
	"cmp"
	"reflect"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/plan"
)

func init() {
	beam.RegisterDoFn(reflect.TypeFor[shardKeyFn]())
	beam.RegisterDoFn(reflect.TypeFor[withoutRowsFn]())
	beam.RegisterDoFn(reflect.TypeFor[routeToFn]())
	beam.RegisterDoFn(reflect.TypeFor[gatherFn]())
}

// Gather picks rows of a table whose shards are the elements of a PCollection, as an
// earlier step of the pipeline makes them. For a table in files [GatherFrom] sends less
// between workers.
//
//	out[j, …] = table[ids[j], …]
//
// table is a PCollection of [Shard], of a table (R, d...), ids one of [IDs], M in
// all. The result is a PCollection of [Part], as that of GatherFrom, for a step that
// takes parts in any order or for [Assemble]. All shards are sent to the workers that
// read rows of them. A worker holds one shard and the requests for its rows in memory.
//
// Options: [dense.WithOutOfRange], [dense.WithPadding], [dense.WithNonNegativeIndices]. The pipeline fails
// with a [dense.IndexError] of an id out of range; if blocks of ids overlap, leave
// positions out or share a number; if shards do so, or differ in dtype or shape; and
// on options and arguments that do not fit.
func Gather(s beam.Scope, table, ids beam.PCollection, opts ...dense.Option) beam.PCollection {
	const op = "Gather"
	s = s.Scope("gatherbeam.Gather")
	p, err := gatherParams(opts)
	if err == nil {
		err = checkElements("table", table, reflect.TypeFor[Shard]())
	}
	if err == nil {
		err = checkElements("ids", ids, reflect.TypeFor[IDs]())
	}
	if err != nil {
		return failParts(s, op, err)
	}
	checkBlocks(s, op, ids)
	requests := beam.ParDo(s, &routeToFn{Params: p}, ids, shardsWithoutRows(s, table))
	return beam.ParDo(s, &gatherFn{}, beam.CoGroupByKey(s, beam.ParDo(s, &shardKeyFn{}, table), requests))
}

// shardsWithoutRows tells all workers which shards there are.
func shardsWithoutRows(s beam.Scope, table beam.PCollection) beam.SideInput {
	return beam.SideInput{Input: beam.ParDo(s, &withoutRowsFn{}, table)}
}

// withoutRowsFn leaves the rows of a shard out.
type withoutRowsFn struct{}

// ProcessElement is called by Beam.
func (*withoutRowsFn) ProcessElement(s Shard) Shard {
	s.Data = nil
	return s
}

// shardKeyFn keys a shard by its number.
type shardKeyFn struct{}

// ProcessElement is called by Beam.
func (*shardKeyFn) ProcessElement(s Shard) (int64, Shard) { return s.Index, s }

// shardLayout is the layout of a table whose shards are elements, and one of them
// for its dtype and shape.
type shardLayout struct {
	layout
	like Shard
}

// read reads the layout, once: it is the same for all blocks.
func (l *shardLayout) read(next func(*Shard) bool) error {
	if l.indexes != nil {
		return nil
	}
	var all []Shard
	for s := (Shard{}); next(&s); {
		all = append(all, s)
	}
	if len(all) == 0 {
		return fault.Errorf(dense.ErrShape, "table: no shards; a table without rows has one without rows")
	}
	// One without rows stands before the one that has the row.
	slices.SortFunc(all, func(a, b Shard) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), slices.Compare(a.Shape, b.Shape), cmp.Compare(a.Index, b.Index))
	})
	l.like = all[0]
	starts, indexes := []int64{0}, []int64{}
	numbers := map[int64]bool{}
	at := int64(0)
	for _, s := range all {
		if _, err := bytesOf(s.Dtype, s.Shape); err != nil {
			return errors.WithMessagef(err, "table: shard %d", s.Index)
		}
		if len(s.Shape) == 0 || s.Dtype != l.like.Dtype || !slices.Equal(withRows(s.Shape, 0), withRows(l.like.Shape, 0)) {
			return fault.Errorf(dense.ErrShape, "table: shard %d is %s of shape %v, shard %d is %s of shape %v",
				s.Index, s.Dtype, s.Shape, l.like.Index, l.like.Dtype, l.like.Shape)
		}
		if numbers[s.Index] {
			return fault.Errorf(dense.ErrShape, "table: two shards have the number %d", s.Index)
		}
		numbers[s.Index] = true
		if s.Start != at {
			return fault.Errorf(dense.ErrShape, "table: shard %d starts at row %d, those before it end at row %d", s.Index, s.Start, at-1)
		}
		if s.Shape[0] > mostRows {
			return fault.Errorf(dense.ErrShape, "table: shard %d has %d rows, up to %d are allowed", s.Index, s.Shape[0], int64(mostRows))
		}
		at += s.Shape[0]
		starts, indexes = append(starts, at), append(indexes, s.Index)
	}
	l.starts, l.indexes = starts, indexes
	return nil
}

// routeToFn sends ids to the shards of a PCollection.
type routeToFn struct {
	Params plan.Params
	layout shardLayout
}

// ProcessElement is called by Beam.
func (f *routeToFn) ProcessElement(b IDs, shards func(*Shard) bool, emit func(int64, request)) error {
	if err := f.layout.read(shards); err != nil {
		return errors.WithMessage(err, "Gather")
	}
	return f.layout.requests(f.Params, b, emit)
}

// gatherFn answers the requests to a shard.
type gatherFn struct{}

// ProcessElement is called by Beam.
func (*gatherFn) ProcessElement(index int64, shards func(*Shard) bool, requests func(*request) bool, emit func(Part)) error {
	const op = "Gather"
	shard, width, err := oneShard(index, shards)
	if err != nil {
		return errors.WithMessage(err, op)
	}
	gather := func(dst []byte, rows []uint32) error { return copyRows(dst, shard.Data, rows, width) }
	for r := (request{}); requests(&r); {
		if err := r.answer(shard.Dtype, shard.Shape, width, gather, emit); err != nil {
			return errors.WithMessage(err, op)
		}
	}
	return nil
}

// oneShard is the shard of a number, and how many bytes a row of it has.
func oneShard(index int64, next func(*Shard) bool) (shard Shard, width int, err error) {
	if !next(&shard) {
		return shard, 0, errors.Errorf("table: no shard %d", index)
	}
	if other := (Shard{}); next(&other) {
		return shard, 0, fault.Errorf(dense.ErrShape, "table: two shards have the number %d", index)
	}
	if width, err = rowBytes(shard.Dtype, shard.Shape); err != nil {
		return shard, 0, errors.WithMessagef(err, "table: shard %d", index)
	}
	if want := int64(width) * shard.Shape[0]; want != int64(len(shard.Data)) {
		return shard, 0, fault.Errorf(dense.ErrShape, "table: shard %d has %d bytes of data, %s of shape %v has %d", index, len(shard.Data), shard.Dtype, shard.Shape, want)
	}
	return shard, width, nil
}
