package core

import (
	"math"
	"slices"

	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/bag"
	"gorgonia.org/gather/internal/elem"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/kernel"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/gather/internal/simd"
	"gorgonia.org/gather/shapes"
	"gorgonia.org/tensor"
)

// BagInputs are the inputs of an operator of bags. What it does not have is nil.
type BagInputs struct {
	Table   tensor.Tensor // SegmentMax's data
	Indices tensor.Tensor
	Borders tensor.Tensor // offsets or segmentIDs
	Weights tensor.Tensor // nil for ones
}

// BagInputsOf takes inputs from a list in the order of plan.Op.Arguments.
func BagInputsOf(op plan.Op, in []tensor.Tensor) BagInputs {
	named := func(names ...string) tensor.Tensor {
		for i, name := range op.Arguments()[:len(in)] {
			if slices.Contains(names, name) {
				return in[i]
			}
		}
		return nil
	}
	return BagInputs{named("table", "data"), named("indices"), named("offsets", "segmentIDs"), named("weights")}
}

// Given reports whether an argument that may be left out is there.
func Given(t tensor.Tensor) bool {
	d, ok := t.(*tensor.Dense)
	return t != nil && !(ok && d == nil)
}

// bagCall is an operator of bags or of segments with its inputs.
type bagCall struct {
	p              plan.Params
	op             string // what errors call it
	table, weights view
	x, borders     indices
	bags           int         // how many: the first dim of the result
	rows           segmentRows // what of the table is in segments, or all of it
	empty          []byte      // an element of an empty segment
	near           []*[]byte   // memory of the pool
}

// read takes the inputs; argument is what errors call the table. It returns the shape of the result, in buf, which is empty.
func (b *bagCall) read(buf tensor.Shape, argument string, in *BagInputs) (tensor.Shape, error) {
	p, op, names := &b.p, b.op, b.p.Arguments()
	err := b.table.read(op, argument, in.Table)
	views, n := [4]*view{&b.table}, 1 // append would make b escape to the heap
	if err == nil && p.Op.Weighted() {
		err = b.x.view.read(op, "indices", in.Indices)
		views[n], n = &b.x.view, n+1
	}
	if err == nil && p.Op != plan.EmbeddingBagPacked {
		err = b.borders.read(op, names[len(names)/2], in.Borders) // of four, or of two without indices and weights
		views[n], n = &b.borders.view, n+1
	}
	if err == nil && Given(in.Weights) {
		err = b.weights.read(op, "weights", in.Weights)
		views[n], n = &b.weights, n+1
	}
	if err != nil {
		return nil, err
	}
	if b.empty, err = checkBag(p, op, views[:n]); err != nil {
		return nil, err
	}
	var list [4]tensor.Shape
	for i, v := range views[:n] {
		list[i] = v.shape
	}
	shape, err := p.AppendShape(buf, list[:n]...)
	if err == nil {
		b.bags = shape[0]
	} else if op != p.Op.String() {
		err = errors.WithMessage(err, op) // of an adjoint: the error names the operator
	}
	return shape, err
}

// checkBag checks the dtypes of the inputs of an operator of bags or of segments, in their
// order. The result is the emptySegment of their dtype.
func checkBag(p *plan.Params, op string, in []*view) ([]byte, error) {
	table, kind := in[0], in[0].kind
	switch {
	case p.Op == plan.SegmentSoftmax && kind != num.Float32 && kind != num.Float64:
		return nil, fault.Errorf(elem.ErrDtype, "%s: data has dtype %v, allowed are float32 and float64", op, elem.Name(table.dtype))
	case !p.Op.Weighted() && (kind == num.Bool || kind == num.NoKind || !reducible(kind, p.Reduction)):
		return nil, fault.Errorf(elem.ErrDtype, "%s: values of dtype %v have no reduction %v, numbers have one, real ones for min and max", op, elem.Name(table.dtype), p.Reduction)
	case p.Op.Weighted() && !bag.Has(kind, p.Reduction):
		return nil, fault.Errorf(elem.ErrDtype, "%s: values of dtype %v have no reduction %v, %s",
			op, elem.Name(table.dtype), p.Reduction, reductions(kind, bag.Has, num.Add, num.Mean, num.SqrtN, num.Max))
	case p.Op.Weighted() && p.Reduction == plan.Mean && len(in) == len(p.Arguments()) && !bag.Has(kind, plan.SqrtN):
		return nil, fault.Errorf(elem.ErrDtype, "%s: values of dtype %v have no mean with weights, real floats have one", op, elem.Name(table.dtype))
	}
	for _, v := range in[1:] {
		switch {
		case v.name == "weights" && !elem.Same(&v.dtype, &table.dtype):
			return nil, fault.Errorf(elem.ErrDtype, "%s: weights have dtype %v, %s has %v, they must be equal", op, elem.Name(v.dtype), table.name, elem.Name(table.dtype))
		case v.name == "weights" || v.kind.IsInteger():
		case v.name == "indices":
			return nil, elem.CheckIndex(op, v.dtype)
		default:
			return nil, fault.Errorf(elem.ErrDtype, "%s: %s have dtype %v, integers are needed", op, v.name, elem.Name(v.dtype))
		}
	}
	return emptySegment(p, table)
}

// describe makes d the call for the kernels. table is b.table, or of a gradient, whose b.table is dst, what the forward call read: it
// has that shape, and perhaps no memory. It checks where bags begin and end. The indices are to be released. To return a Description is to copy it twice.
func (b *bagCall) describe(d *bag.Description, table *view) error {
	n, positions, lookups := b.table.shape[0], "rows", b.p.Op.Weighted()
	b.rows.hi = n
	if lookups {
		b.x.load(b.p.Beyond())
		n, positions = b.x.size, "positions"
	}
	if b.p.Reduction == num.Mean && n > math.MaxInt32 {
		return fault.Errorf(shapes.ErrShape, "%s: a mean of %d %s, at most %d can be counted", b.op, n, positions, math.MaxInt32)
	}
	offsets, segments, perBag, err := b.loadBorders(n)
	if err == nil && lookups {
		err = b.x.settle(&b.p, &b.table)
	}
	if err != nil {
		return err
	}
	mem, pitch, rows, idx, idx32, nonNegative := table.mem, b.pitch(table, n), b.rows.hi-b.rows.lo, b.x.loaded, b.x.is32, b.p.NonNegative
	switch {
	case pitch > 0:
	case b.fewRows(table):
		if rows, idx, idx32, nonNegative = n, b.places(), false, true; mem != nil {
			copied := b.rowsLike(table)
			b.onRows((*kernel.Call).Gather, &copied, table, &copied)
			mem = copied.mem
		}
	default:
		mem = b.inSegments(b.packedTable(table))
	}
	*d = bag.Description{
		Kind: b.table.kind, Reduction: b.p.Reduction,
		Table: mem, Pitch: pitch, Rows: rows, Inner: b.inner(),
		Idx: idx, Idx32: idx32, NonNegative: nonNegative, SkipBad: b.p.OutOfRange == plan.ZeroFill,
		Weights: packedMemory(&b.weights), Default: b.p.DefaultRow(), Empty: b.empty,
		Borders: bag.Borders{Bags: b.bags, Offsets: offsets, Segments: segments, Short: b.borders.is32, PerBag: perBag},
	}
	return nil
}

// pitch is that of the call's table if n positions have its rows where they are, and else 0. Packed rows of few numbers are read faster, and
// those that means check: where there are more than twice as many positions as rows they are packed first.
func (b *bagCall) pitch(table *view, n int) int {
	if b.p.Op.Weighted() && table == &b.table && !table.packed &&
		(n <= 2*table.shape[0] || b.inner() > simd.ShortColumns && (b.p.Reduction != num.Mean || !table.kind.IsInteger())) {
		return table.pitch()
	}
	return 0
}

// inner is how many elements a row has.
func (b *bagCall) inner() int { return product(b.table.shape[1:]) }

// inSegments is what the rows that are in segments have of memory like that of the table.
func (b *bagCall) inSegments(mem []byte) []byte {
	if row := b.inner() * b.table.width; mem != nil {
		return mem[b.rows.lo*row : b.rows.hi*row]
	}
	return nil
}

// packedTable is packedMemory of a table, in memory of the pool unless that is more than a pool should keep.
func (b *bagCall) packedTable(table *view) []byte {
	if table.mem == nil || table.packed || table.size*table.width > packMost {
		return packedMemory(table)
	}
	var rows view
	b.near = append(b.near, table.packInto(&rows, table))
	return rows.mem
}

// fewRows reports whether the kernels have a copy of a row for each position, as the call's table or the other one, see describe, is not
// packed and so large that this is better than to pack it.
func (b *bagCall) fewRows(table *view) bool {
	large := func(v *view) bool { return v.mem != nil && !v.packed && v.size*v.width >= packAll }
	return b.p.Op.Weighted() && !b.p.HasDefault && 2*b.x.size <= b.table.shape[0] && (large(&b.table) || large(table))
}

// places are the indices of the copies of fewRows: position p has row p, or none if its index is out of range.
func (b *bagCall) places() []byte {
	places, axis := make([]int64, b.x.size), simd.AxisOf(b.table.shape[0], b.p.NonNegative, 0)
	for p := range places {
		if places[p] = int64(p); simd.Row(b.x.at(p), axis.NegativeOffset) >= axis.Size {
			places[p] = -1
		}
	}
	return num.Bytes(places)
}

// rowsLike are rows like those of a table, one for each position, with anything in them.
func (b *bagCall) rowsLike(t *view) view { return t.anew(slices.Concat(b.x.shape, t.shape[1:])) }

// onRows runs kernels on those and on the rows of a table that the indices address. No index is refused.
func (b *bagCall) onRows(kernels func(*kernel.Call) int, to, table, rows *view) {
	p := plan.Params{Op: plan.ScatterUpdate, Settings: plan.Settings{OutOfRange: plan.Skip, NonNegative: b.p.NonNegative}}
	_ = run(kernels, &p, to, table, rows, &b.x, startState{})
}

func (b *bagCall) release() {
	b.x.release()
	b.borders.release()
	for _, memory := range b.near {
		packMemory.Put(memory)
	}
}

// at is an index that has been loaded.
func (x *indices) at(position int) int64 { return num.Index(x.loaded, x.is32, position) }

// Bag runs an operator of bags or of segments. The result is dst, or a new tensor if dst is nil.
func Bag(p *plan.Params, dst *tensor.Dense, in *BagInputs) (_ *tensor.Dense, err error) {
	defer Recover(p.Op.String(), &err)
	b := &bagCall{p: *p, op: p.Op.String()}
	shape, err := b.read(make(tensor.Shape, 0, plan.RankHint), p.Op.Arguments()[0], in)
	if err != nil {
		return nil, err
	}
	defer b.release()
	var bags bag.Description
	if err := b.describe(&bags, &b.table); err != nil {
		return nil, err
	}
	// What follows is writtenOrEmpty, without calls inside calls: see bag.Description.Reduce.
	var out view
	made, err := result(&out, b.op, dst, shape, b.table.dtype, &b.table, &b.x.view, &b.borders.view, &b.weights)
	if err == nil {
		mem := out.toFill()
		err = out.store(mem, b.badIndex(bags.Reduce(mem)))
	}
	if err != nil {
		return nil, err
	}
	return made, nil
}
