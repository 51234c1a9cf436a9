package core

import (
	"math"

	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/bag"
	"gorgonia.org/gather/internal/elem"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/plan"
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
	var b BagInputs
	for i, t := range in {
		switch op.Arguments()[i] {
		case "table", "data":
			b.Table = t
		case "indices":
			b.Indices = t
		case "weights":
			b.Weights = t
		default:
			b.Borders = t
		}
	}
	return b
}

// Given reports whether an argument that may be left out is there.
func Given(t tensor.Tensor) bool {
	d, ok := t.(*tensor.Dense)
	return t != nil && !(ok && d == nil)
}

// bagCall is an operator of bags with its inputs, as the kernels need them.
type bagCall struct {
	p              plan.Params
	op             string // what errors call it
	table, weights view
	x, borders     indices
	kind           num.Kind
	rows           segmentRows // of a SegmentMax
	bag.Description
}

// read takes the inputs; argument is what errors call the table. It appends the
// shape of the result to a buffer.
func (b *bagCall) read(buf tensor.Shape, p plan.Params, op, argument string, in *BagInputs) (tensor.Shape, error) {
	b.p, b.op = p, op
	if err := b.table.read(op, argument, in.Table); err != nil {
		return nil, err
	}
	var list [4]tensor.Shape
	dtypes := [4]tensor.Dtype{b.table.dtype}
	n := 1
	list[0] = b.table.shape
	add := func(v *view, name string, t tensor.Tensor) error {
		err := v.read(op, name, t)
		list[n], dtypes[n] = v.shape, v.dtype
		n++
		return err
	}
	if p.Op != plan.SegmentMax {
		if err := add(&b.x.view, "indices", in.Indices); err != nil {
			return nil, err
		}
	}
	if p.Op != plan.EmbeddingBagPacked {
		if err := add(&b.borders.view, bordersName(&p), in.Borders); err != nil {
			return nil, err
		}
	}
	if Given(in.Weights) {
		if err := add(&b.weights, "weights", in.Weights); err != nil {
			return nil, err
		}
	}
	if err := checkBag(&b.p, op, argument, dtypes[:n]); err != nil {
		return nil, err
	}
	b.kind = b.table.kind
	b.Empty, _ = emptySegment(&b.p, b.kind) // checkBag has seen it
	if p.FillMode == plan.FillLowest {
		b.Empty = elem.Lowest(b.kind)
	}
	return p.AppendShape(buf, list[:n]...)
}

func bordersName(p *plan.Params) string {
	switch {
	case p.Op.Segments():
		return "segmentIDs"
	case p.Lengths:
		return "lengths"
	}
	return "offsets"
}

// checkBag checks the dtypes of an operator's inputs, in their order.
func checkBag(p *plan.Params, op, argument string, dtypes []tensor.Dtype) error {
	table := dtypes[0]
	if _, err := elem.Width(table); err != nil {
		return errors.WithMessagef(err, "%s: %s", op, argument)
	}
	if !bag.Has(elem.KindOf(table), p.Reduction) {
		return fault.Errorf(elem.ErrDtype, "%s: values of dtype %v have no reduction %v, allowed is %s",
			op, elem.Name(table), p.Reduction, bagReductions(elem.KindOf(table)))
	}
	if _, err := emptySegment(p, elem.KindOf(table)); err != nil {
		return err
	}
	if p.Reduction == plan.Mean && len(dtypes) == len(p.Op.Arguments()) && !bag.Has(elem.KindOf(table), plan.SqrtN) {
		return fault.Errorf(elem.ErrDtype, "%s: values of dtype %v have no mean with weights, real floats have one", op, elem.Name(table))
	}
	for i, name := range p.Op.Arguments()[1:] {
		if i++; i == len(dtypes) {
			break
		}
		dt := dtypes[i]
		switch {
		case name == "weights" && dt != table:
			return fault.Errorf(elem.ErrDtype, "%s: weights have dtype %v, %s has %v", op, elem.Name(dt), argument, elem.Name(table))
		case name == "indices":
			if err := elem.CheckIndex(op, dt); err != nil {
				return err
			}
		case name != "weights" && !elem.IsIndex(dt):
			return fault.Errorf(elem.ErrDtype, "%s: %s have dtype %v, integers are needed", op, name, elem.Name(dt))
		}
	}
	return nil
}

// bagReductions are those that bags of a kind have, for messages.
func bagReductions(kind num.Kind) string {
	list := ""
	for _, r := range []num.Reduction{num.Add, num.Mean, num.SqrtN, num.Max} {
		if bag.Has(kind, r) {
			list += ", " + r.String()
		}
	}
	if list == "" {
		return "none"
	}
	return list[len(", "):]
}

// load makes the call for the kernels, but for the memory of rows, and checks where
// bags begin and end. The indices are to be released.
func (b *bagCall) load() error {
	c := &b.Description
	c.Kind, c.Reduction = b.kind, b.p.Reduction
	c.Rows, c.Inner = b.table.shape[0], product(b.table.shape[1:])
	if c.Default = -1; b.p.HasDefault {
		c.Default = b.p.DefaultIndex
	}
	n := c.Rows
	if b.p.Op != plan.SegmentMax {
		b.x.load(b.p.Beyond())
		n = b.x.size
	}
	if c.Reduction == num.Mean && n > math.MaxInt32 {
		return fault.Errorf(shapes.ErrShape, "%s: a mean of %d positions, at most %d can be counted", b.op, n, math.MaxInt32)
	}
	if b.weights.mem != nil {
		c.Weights = present(packedMemory(&b.weights))
	}
	if err := b.loadBorders(n); err != nil || b.p.Op == plan.SegmentMax {
		return err
	}
	if err := b.x.settle(&b.p, &b.table); err != nil {
		return err
	}
	c.Idx, c.Idx32 = present(b.x.loaded), b.x.is32
	c.NonNegative, c.SkipBad = b.p.NonNegative, b.p.OutOfRange == plan.ZeroFill
	return nil
}

// loadBorders says where bags of n positions begin and end.
func (b *bagCall) loadBorders(n int) error {
	c := &b.Description
	if b.p.Op == plan.EmbeddingBagPacked {
		c.Bags, c.PerBag = b.x.shape[0], b.x.shape[1]
		return nil
	}
	if b.p.Lengths {
		b.borders.loadWide()
		c.Offsets, c.Bags = present(b.borders.loaded), b.borders.size
		return Offsets(b.op, num.As[int64](b.borders.loaded), n, "indices")
	}
	b.borders.load(b.p.Beyond())
	c.Short = b.borders.is32
	if b.p.Op == plan.SegmentMax {
		var err error
		if b.rows, err = b.borders.segmentRows(&b.p); err != nil {
			return err
		}
		c.Bags = b.p.NumSegments
		b.rows.describe(c, &b.borders)
		return nil
	}
	if b.p.Op.Segments() {
		c.Segments, c.Bags = present(b.borders.loaded), b.p.NumSegments
	} else {
		c.Offsets, c.Bags = present(b.borders.loaded), b.borders.size
	}
	if err := b.badBorder(c.Borders.Check(n), n); err != nil || !b.p.LastOffset {
		return err
	}
	c.Bags--
	c.Offsets = c.Offsets[:c.Bags*len(c.Offsets)/b.borders.size]
	return CheckLast(b.op, b.borders.at(c.Bags), c.Bags, n, "indices")
}

// present is memory that is not nil, which to the kernels is none at all: that of an
// empty tensor may be.
func present(mem []byte) []byte {
	if mem == nil {
		return noBytes
	}
	return mem
}

var noBytes = []byte{}

func (b *bagCall) release() {
	b.x.release()
	b.borders.release()
}

// at is an index that has been loaded.
func (x *indices) at(position int) int64 {
	if x.is32 {
		return int64(num.As[int32](x.loaded)[position])
	}
	return num.As[int64](x.loaded)[position]
}

// Bag runs an operator of bags. The result is dst, or a new tensor if dst is nil.
func Bag(p plan.Params, dst *tensor.Dense, in BagInputs) (_ *tensor.Dense, err error) {
	defer report(p.Op.String(), &err)
	var b bagCall
	shape, err := b.read(make(tensor.Shape, 0, plan.RankHint), p, p.Op.String(), p.Op.Arguments()[0], &in)
	if err != nil {
		return nil, err
	}
	defer b.release()
	if err := b.load(); err != nil {
		return nil, err
	}
	var out view
	made, err := result(&out, p.Op.String(), dst, shape, b.table.dtype, &b.table, &b.x.view, &b.borders.view, &b.weights)
	if err != nil {
		return nil, err
	}
	b.Table = b.inSegments(packedMemory(&b.table))
	to := out.asPacked()
	if to.mem = out.mem; !out.packed {
		to.mem = make([]byte, out.size*out.width)
	}
	if err := b.badIndex(b.Reduce(to.mem)); err != nil {
		return nil, err
	}
	if !out.packed {
		copyView(&out, &to)
	}
	return made, nil
}

// inSegments is what rows of a SegmentMax have in memory that are in segments, or all
// rows of another operator.
func (b *bagCall) inSegments(table []byte) []byte {
	if b.p.Op == plan.SegmentMax {
		return b.rows.of(table, b.Inner*b.kind.Width())
	}
	return table
}
