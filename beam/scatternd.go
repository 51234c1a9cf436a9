package gatherbeam

import (
	"cmp"
	"reflect"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/tensor"
)

func init() {
	beam.RegisterDoFn(reflect.TypeFor[idsKeyFn]())
	beam.RegisterDoFn(reflect.TypeFor[rowsKeyFn]())
	beam.RegisterDoFn(reflect.TypeFor[updatesFn]())
	beam.RegisterDoFn(reflect.TypeFor[scatterFn]())
	beam.RegisterType(reflect.TypeFor[update]())
}

// ScatterND puts updates into the rows of a table that ids pick, or combines them
// with what is there:
//
//	out[ids[j], …] = out[ids[j], …] ∘ updates[j, …], for j = 0 … M-1
//
// where out begins as the table and ∘ is the reduction, by default the update alone.
// table is a PCollection of [Shard], of a table (R, d...), ids one of [IDs], M in all,
// updates one of [Rows], (M, d...): for each block of ids one of the same number,
// start and count. The result is the shards of the new table, a PCollection of Shard
// that [WriteTable] takes.
//
// The updates of a row are combined in the order of their positions. So the result
// is bit for bit that of [dense.ScatterND] for the whole table and indices of shape
// (M, 1), whatever the shards, blocks and workers. Table and updates are sent once to
// the worker that has the shard. That worker holds the shard and all its updates in
// memory, for a short time twice.
//
// Options: [dense.WithReduction], [dense.WithInitValue], [dense.WithOutOfRange],
// [dense.WithPadding], [dense.WithNonNegativeIndices]. The pipeline fails as that of [Gather] does, and
// if the blocks of ids and of updates do not belong together.
func ScatterND(s beam.Scope, table, ids, updates beam.PCollection, opts ...dense.Option) beam.PCollection {
	const op = "ScatterND"
	s = s.Scope("gatherbeam.ScatterND")
	p, err := plan.ForGraph(plan.ScatterND, 0, opts...)
	if err == nil {
		err = checkElements("table", table, reflect.TypeFor[Shard]())
	}
	if err == nil {
		err = checkElements("ids", ids, reflect.TypeFor[IDs]())
	}
	if err == nil {
		err = checkElements("updates", updates, reflect.TypeFor[Rows]())
	}
	if err != nil {
		return failShards(s, op, err)
	}
	checkBlocks(s, op, ids)
	blocks := beam.CoGroupByKey(s, beam.ParDo(s, &idsKeyFn{}, ids), beam.ParDo(s, &rowsKeyFn{}, updates))
	routed := beam.ParDo(s, &updatesFn{Params: p}, blocks, shardsWithoutRows(s, table))
	return beam.ParDo(s, &scatterFn{Params: p}, beam.CoGroupByKey(s, beam.ParDo(s, &shardKeyFn{}, table), routed))
}

// idsKeyFn keys ids by their block.
type idsKeyFn struct{}

// ProcessElement is called by Beam.
func (*idsKeyFn) ProcessElement(b IDs) (int64, IDs) { return b.Block, b }

// rowsKeyFn keys updates by their block.
type rowsKeyFn struct{}

// ProcessElement is called by Beam.
func (*rowsKeyFn) ProcessElement(r Rows) (int64, Rows) { return r.Block, r }

// update is updates of some rows of a shard.
type update struct {
	First int64  // the position of the first one among all
	Rows  []byte // uint32: in the shard, in the order of positions
	Data  []byte // a row for each
}

// updatesFn sends the updates of a block to the shards that have their rows.
type updatesFn struct {
	Params plan.Params
	layout shardLayout
}

// ProcessElement is called by Beam.
func (f *updatesFn) ProcessElement(block int64, ids func(*IDs) bool, updates func(*Rows) bool, shards func(*Shard) bool, emit func(int64, update)) error {
	err := f.layout.read(shards)
	if err == nil {
		err = f.route(block, ids, updates, emit)
	}
	return errors.WithMessage(err, "ScatterND")
}

func (f *updatesFn) route(block int64, ids func(*IDs) bool, updates func(*Rows) bool, emit func(int64, update)) error {
	var b IDs
	var u Rows
	if !ids(&b) {
		return errors.Errorf("updates: a block %d, which ids have not", block)
	}
	if !updates(&u) {
		return errors.Errorf("updates: no block %d, which ids have", block)
	}
	if ids(&IDs{}) || updates(&Rows{}) {
		return errors.Errorf("two blocks of ids or of updates have the number %d", block)
	}
	wide, err := b.widen()
	if err != nil {
		return err
	}
	want := withRows(f.layout.like.Shape, int64(len(wide)))
	if u.Start != b.Start || u.Dtype != f.layout.like.Dtype || !slices.Equal(u.Shape, want) {
		return fault.Errorf(dense.ErrShape, "updates: block %d from position %d is of %s of shape %v; it has to be from position %d, of %s of shape %v",
			block, u.Start, fault.Cut(u.Dtype), u.Shape, b.Start, f.layout.like.Dtype, want)
	}
	width, err := rowBytes(u.Dtype, u.Shape)
	if err != nil {
		return err
	}
	if len(u.Data) != len(wide)*width {
		return fault.Errorf(dense.ErrShape, "updates: block %d has %d bytes of data, %s of shape %v has %d", block, len(u.Data), u.Dtype, u.Shape, len(wide)*width)
	}
	routes, err := f.layout.routes(f.Params, wide, b.Start)
	if err != nil {
		return err
	}
	each := max(1, partBytes/max(width, 1))
	for _, r := range routes {
		for first := 0; first < len(r.rows); first += each {
			positions := r.positions[first:min(first+each, len(r.rows))]
			data := make([]byte, len(positions)*width)
			if err := copyRows(data, u.Data, positions, width); err != nil {
				return err
			}
			emit(r.shard, update{
				First: b.Start + int64(positions[0]),
				Rows:  num.Bytes(r.rows[first : first+len(positions)]),
				Data:  data,
			})
		}
	}
	return nil
}

// scatterFn puts all updates of a shard into it.
type scatterFn struct{ Params plan.Params }

// ProcessElement is called by Beam.
func (f *scatterFn) ProcessElement(index int64, shards func(*Shard) bool, updates func(*update) bool) (Shard, error) {
	shard, err := f.scatter(index, shards, updates)
	return shard, errors.WithMessage(err, "ScatterND")
}

func (f *scatterFn) scatter(index int64, shards func(*Shard) bool, next func(*update) bool) (Shard, error) {
	shard, _, err := oneShard(index, shards)
	if err != nil {
		return Shard{}, err
	}
	var all []update
	rows, bytes := 0, 0
	for u := (update{}); next(&u); {
		all = append(all, u)
		rows += len(u.Rows) / 4
		bytes += len(u.Data)
	}
	if rows == 0 {
		return shard, nil
	}
	// What comes together here comes in no order, and a sum depends on it.
	slices.SortFunc(all, func(a, b update) int { return cmp.Compare(a.First, b.First) })
	tuples, values := make([]int64, 0, rows), make([]byte, 0, bytes)
	for _, u := range all {
		for _, row := range elements[uint32](u.Rows) {
			tuples = append(tuples, int64(row))
		}
		values = append(values, u.Data...)
	}
	all = nil
	data, err := tensorOf(shard.Dtype, shard.Shape, shard.Data)
	if err != nil {
		return Shard{}, err
	}
	news, err := tensorOf(shard.Dtype, withRows(shard.Shape, int64(rows)), values)
	if err != nil {
		return Shard{}, err
	}
	indices := tensor.New(tensor.WithShape(rows, 1), tensor.WithBacking(tuples))
	opts := []dense.Option{dense.WithReduction(f.Params.Reduction), dense.WithInitValue(!f.Params.NoInit), dense.WithReuse(data)}
	if data, err = dense.ScatterND(data, indices, news, opts...); err != nil {
		return Shard{}, err
	}
	_, _, shard.Data, err = dataOf("ScatterND", "result", data)
	return shard, err
}
