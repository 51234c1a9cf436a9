package gatherbeam

import (
	"math"
	"sort"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/plan"
)

// layout says which shard has which rows.
type layout struct {
	starts  []int64 // of the shards, in the order of rows, and behind them the number of all rows
	indexes []int64 // of the shards, in the same order
}

// layoutOf is the layout of a table in files.
func layoutOf(t Table) layout {
	l := layout{starts: t.starts(), indexes: make([]int64, len(t.Shards))}
	for i := range l.indexes {
		l.indexes[i] = int64(i)
	}
	return l
}

// rows is the number of all rows.
func (l layout) rows() int64 { return l.starts[len(l.starts)-1] }

// shardOf is the place in the layout of the shard that has a row: the last one that
// starts at it or before. Shards without rows start where the next one does.
func (l layout) shardOf(row int64) int {
	return sort.Search(len(l.starts), func(i int) bool { return l.starts[i] > row }) - 1
}

// noRow stands in a route for a row of zeros.
const noRow = math.MaxUint32

// nowhere stands for the shard of an id that is left out.
const nowhere = -1

// route is the ids of a block that go to one shard.
type route struct {
	shard     int64    // the index of the shard
	positions []uint32 // in the block, ascending
	rows      []uint32 // in the shard, or noRow
}

// rowOf is the row that an id picks of so many, or -1 if it is the padding or out of range.
func rowOf(p plan.Params, id, rows int64) int64 {
	if p.Padded && id == p.Padding {
		return -1
	}
	if id < 0 && !p.NonNegative {
		id += rows
	}
	if p.OutOfRange == plan.Clamp {
		id = min(max(id, 0), rows-1) // -1 if there is none
	}
	if id < 0 || id >= rows {
		return -1
	}
	return id
}

// routes sends the ids of a block to the shards that have their rows. The padding is a row of
// zeros of any shard, and no row of a scatter; an id out of range is the same, or an error.
// start is the position of the first id among all.
func (l layout) routes(p plan.Params, ids []int64, start int64) ([]route, error) {
	all := l.rows()
	where := make([]int32, len(ids))
	counts := make([]int, len(l.indexes))
	for i, id := range ids {
		row := rowOf(p, id, all)
		allowed := p.Padded && id == p.Padding || p.OutOfRange == plan.ZeroFill || p.OutOfRange == plan.Skip
		switch {
		case row >= 0:
			where[i] = int32(l.shardOf(row))
		case !allowed:
			return nil, indexError(p, start+int64(i), id, all)
		case p.Op.Scatters():
			where[i] = nowhere
			continue
		}
		counts[where[i]]++
	}
	// The positions of one shard follow each other in memory, in their order.
	positions, rows := make([]uint32, len(ids)), make([]uint32, len(ids))
	next, used := make([]int, len(counts)), 0
	at := 0
	for shard, n := range counts {
		next[shard] = at
		at += n
		if n > 0 {
			used++
		}
	}
	for i, id := range ids {
		shard := where[i]
		if shard == nowhere {
			continue
		}
		place := next[shard]
		next[shard]++
		positions[place], rows[place] = uint32(i), noRow
		if row := rowOf(p, id, all); row >= 0 {
			rows[place] = uint32(row - l.starts[shard])
		}
	}
	result := make([]route, 0, used)
	for shard, n := range counts {
		if n > 0 {
			end := next[shard]
			result = append(result, route{shard: l.indexes[shard], positions: positions[end-n : end], rows: rows[end-n : end]})
		}
	}
	return result, nil
}

// indexError is the error of an id, at a position among all, as package dense has it
// for the whole table.
func indexError(p plan.Params, position, id, rows int64) error {
	e := &core.IndexError{Op: p.Op.String(), Position: []int{int(position)}, Index: id, Size: int(rows), NonNegative: p.NonNegative}
	if p.Op.Tuples() { // dense has the ids as tuples of one: (M, 1)
		e.Position = append(e.Position, 0)
	}
	return e
}

// request asks a shard for rows.
type request struct {
	Block, Start, Count int64  // of the ids
	Positions, Rows     []byte // uint32: in the block, and in the shard, or noRow
}

// requests are those of a block of ids. A block without ids has an empty one, of
// any shard, so that it is not lost.
func (l layout) requests(p plan.Params, b IDs, emit func(int64, request)) error {
	ids, err := b.widen()
	if err != nil {
		return err
	}
	routes, err := l.routes(p, ids, b.Start)
	if err != nil {
		return err
	}
	if len(ids) == 0 {
		routes = []route{{shard: l.indexes[0]}}
	}
	for _, r := range routes {
		emit(r.shard, request{
			Block: b.Block, Start: b.Start, Count: int64(len(ids)),
			Positions: num.Bytes(r.positions), Rows: num.Bytes(r.rows),
		})
	}
	return nil
}

// answer gives the rows for a request in parts of a size that travels well. gather
// copies rows of the shard to dst, and zeros for noRow.
func (r request) answer(dtype string, shape []int64, width int, gather func(dst []byte, rows []uint32) error, emit func(Part)) error {
	rows := elements[uint32](r.Rows)
	each := max(1, partBytes/max(width, 1))
	for first := 0; ; first += each {
		n := min(each, len(rows)-first)
		data := make([]byte, n*width)
		if err := gather(data, rows[first:first+n]); err != nil {
			return err
		}
		emit(Part{
			Block: r.Block, Start: r.Start, Count: r.Count,
			Positions: append([]byte{}, r.Positions[4*first:4*(first+n)]...),
			Dtype:     dtype, Shape: withRows(shape, int64(n)), Data: data,
		})
		if first+n == len(rows) {
			return nil
		}
	}
}

// partBytes is how many bytes of rows an element holds that is made here.
const partBytes = 4 << 20

// copyRows copies rows of data.
func copyRows(dst, data []byte, rows []uint32, width int) error {
	for i, row := range rows {
		to := dst[i*width : (i+1)*width]
		if row == noRow {
			clear(to)
			continue
		}
		if at := int(row) * width; at+width <= len(data) {
			copy(to, data[at:])
		} else {
			return errShardRow(row)
		}
	}
	return nil
}

// gatherParams are the options of a gather of rows.
func gatherParams(opts []dense.Option) (plan.Params, error) {
	p, err := plan.ForGraph(plan.Gather, 0, opts...)
	if err == nil && p.BatchDims != 0 {
		err = errBatchDims
	}
	return p, err
}
