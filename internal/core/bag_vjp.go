package core

import (
	"gorgonia.org/gather/internal/bag"
	"gorgonia.org/gather/internal/elem"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/kernel"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/tensor"
)

// AddBag adds the gradient of the table, given updates, that of the result, to dst,
// which has the shape of the table. The table itself is needed for Max alone. On an
// error dst is unchanged.
func AddBag(p plan.Params, dst, updates tensor.Tensor, in BagInputs) (err error) {
	op := adders[p.Op]
	defer Recover(op, &err)
	b := &bagCall{p: p, op: op}
	want, err := b.read(make(tensor.Shape, 0, plan.RankHint), "dst", &BagInputs{dst, in.Indices, in.Borders, in.Weights})
	if err != nil {
		return err
	}
	if err := CheckBagGradient(op, &p, b.table.dtype); err != nil {
		return err
	}
	var u, forward view
	err = u.readLike(op, "updates", updates, want, "the result", &b.table)
	if err == nil && p.Reduction == plan.Max {
		err = forward.readLike(op, p.Op.Arguments()[0], in.Table, b.table.shape, "dst", &b.table)
	}
	if err == nil {
		err = b.table.apart(op, &u, &b.x.view, &b.borders.view, &b.weights, &forward)
	}
	if err != nil {
		return err
	}
	defer b.release()
	var bags bag.Description
	if err := b.describe(&bags, &forward); err != nil {
		return err
	}
	if err := b.badIndex(bags.Check()); err != nil {
		return err
	}
	grad := packedMemory(&u)
	if !b.fewRows(&forward) {
		to := b.table.over(b.packedTable(&b.table))
		return b.table.store(to.mem, b.badIndex(bags.AddGradient(b.inSegments(to.mem), grad)))
	}
	rows, kind := b.rowsLike(&b.table), b.table.kind
	par.Repeat(rows.mem, elem.NegativeZero(kind)) // some are of positions in no bag
	if err := b.badIndex(bags.AddGradient(rows.mem, grad)); err != nil {
		return err
	}
	b.onRows(func(c *kernel.Call) int { return c.Reduce(kind, num.Add) }, &b.table, &b.table, &rows)
	return nil
}

// CheckBagGradient refuses dtypes of tables that have no gradient.
func CheckBagGradient(op string, p *plan.Params, dt tensor.Dtype) error {
	if bag.HasGradient(elem.KindOf(dt), p.Reduction) {
		return nil
	}
	return fault.Errorf(elem.ErrDtype, "%s: values of dtype %v have no gradient of the reduction %v, floats have one", op, elem.Name(dt), p.Reduction)
}

// BagWeights makes the gradient of the weights, given that of the result: for each
// position the product of its row and that row of grad, or what that is for a mean and
// SqrtN, in which the weights take part. It is dst, or a new tensor if dst is nil. The
// default row takes no part.
func BagWeights(p plan.Params, dst *tensor.Dense, grad tensor.Tensor, in BagInputs) (_ *tensor.Dense, err error) {
	defer Recover(p.Op.String(), &err)
	if p.Reduction == plan.Add {
		in = BagInputs{Table: in.Table, Indices: in.Indices, Borders: in.Borders}
	}
	b := &bagCall{p: p.WithoutDefault(), op: p.Op.String()}
	want, err := b.read(make(tensor.Shape, 0, plan.RankHint), p.Op.Arguments()[0], &in)
	if err != nil {
		return nil, err
	}
	var g view
	if err := g.readLike(b.op, "grad", grad, want, "the result", &b.table); err != nil {
		return nil, err
	}
	defer b.release()
	var bags bag.Description
	if err := b.describe(&bags, &b.table); err != nil {
		return nil, err
	}
	return written(b.op, dst, b.x.shape, b.table.dtype, func(mem []byte) error {
		return b.badIndex(bags.WeightsGradient(mem, packedMemory(&g)))
	}, &b.table, &b.x.view, &b.borders.view, &g)
}
