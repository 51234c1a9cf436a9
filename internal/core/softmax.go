package core

import (
	"slices"

	"gorgonia.org/gather/internal/bag"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/tensor"
)

// SoftmaxMap is a softmax over segments, or one of its derivatives.
type SoftmaxMap uint8

const (
	Softmax       SoftmaxMap = iota // of data
	SoftmaxVJP                      // of the gradient of the result, and of the result
	SoftmaxSecond                   // of a tangent, and of what SoftmaxVJP is of
)

// SoftmaxArguments are the operands of a map, before the segment ids.
var SoftmaxArguments = [...][]string{Softmax: {"data"}, SoftmaxVJP: {"grad", "result"}, SoftmaxSecond: {"tangent", "grad", "result"}}

// Apply runs a map, on tensors that are all of one shape and dtype. The result is dst,
// or a new tensor if dst is nil. Rows whose segment id is skipped are 0.
func (m SoftmaxMap) Apply(p plan.Params, dst *tensor.Dense, ids tensor.Tensor, in ...tensor.Tensor) (_ *tensor.Dense, err error) {
	defer Recover(p.Op.String(), &err)
	b := &bagCall{p: p, op: p.Op.String()}
	shape, err := b.read(make(tensor.Shape, 0, plan.RankHint), "data", &BagInputs{Table: in[len(in)-1], Borders: ids})
	if err != nil {
		return nil, err
	}
	defer b.release()
	if _, _, _, err := b.loadBorders(b.table.shape[0]); err != nil {
		return nil, err
	}
	var views [3]view
	for i, t := range in {
		if err := views[i].readLike(b.op, SoftmaxArguments[m][i], t, b.table.shape, "data", &b.table); err != nil {
			return nil, err
		}
	}
	return written(b.op, dst, shape, b.table.dtype, func(mem []byte) error {
		given, rows, to := views[:len(in)], &b.rows, views[0].over(mem)
		if rows.list == nil {
			m.run(&to, given, b.borders.starts(rows.lo))
			return nil
		}
		// The padding is 0, and the rows between are copied.
		n := len(rows.list)
		k := kept{rows.list, [3]int{1, shape[0], product(shape[1:])}, slices.Concat([]int{n}, shape[1:])}
		left := to.anew(k.shape)
		if n > 0 {
			for i := range given {
				given[i] = k.of(&given[i])
			}
			m.run(&left, given, b.borders.starts(0))
		}
		k.toUpdates(to, left)
		return nil
	}, &views[0], &views[1], &views[2], &b.borders.view)
}

// run runs a map on segments that begin at some rows, the last of them at the end. All other
// rows are 0.
func (m SoftmaxMap) run(to *view, in []view, starts []int) {
	var mem [3][]byte
	for i := range in {
		mem[i] = packedMemory(&in[i])
	}
	rows, row := bag.Rows{Starts: starts, Columns: product(to.shape[1:])}, len(to.mem)/to.shape[0]
	par.Clear(to.mem[:starts[0]*row])
	par.Clear(to.mem[starts[len(starts)-1]*row:])
	if to.kind == num.Float32 {
		softmax[float32](m, to.mem, mem, rows)
	} else {
		softmax[float64](m, to.mem, mem, rows)
	}
}

func softmax[T bag.Float](m SoftmaxMap, out []byte, in [3][]byte, rows bag.Rows) {
	to, a, b, c := num.As[T](out), num.As[T](in[0]), num.As[T](in[1]), num.As[T](in[2])
	switch m {
	case SoftmaxVJP:
		bag.Gradient(to, a, b, rows)
	case SoftmaxSecond:
		bag.Second(to, a, b, c, rows)
	default:
		bag.Softmax(to, a, rows)
	}
}

// starts are the rows where the segments of the loaded ids begin, and the row behind the last one. The first id is that of row first.
func (x *indices) starts(first int) []int {
	if x.is32 {
		return startsOf(num.As[int32](x.loaded), first)
	}
	return startsOf(num.As[int64](x.loaded), first)
}

func startsOf[I int32 | int64](ids []I, first int) []int {
	starts := make([]int, 0, 64)
	before := I(-1)
	for i, v := range ids {
		if v != before {
			starts, before = append(starts, first+i), v
		}
	}
	return append(starts, first+len(ids))
}
