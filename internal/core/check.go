package core

import (
	"strings"

	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/elem"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/kernel"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/tensor"
)

// inputs looks at the two tensors that every operator but GatherTree has: the
// one that indices point into, and the indices.
func inputs(d *view, x *indices, op, argument string, data, idx tensor.Tensor) error {
	if err := d.look(op, argument, data); err != nil {
		return err
	}
	return x.look(op, idx)
}

// check looks at every index.
func check(p *plan.Params, data *view, x *indices) error {
	if x.size == 0 {
		return nil
	}
	c := kernel.Get()
	defer c.Put()
	c.Idx, c.Idx32, c.NonNegative = x.loaded, x.is32, p.NonNegative
	addressed(c, p, data, x)
	return x.bad(p, data, c.Check())
}

// CheckReduction checks the dtypes of a scatter's data and updates.
func CheckReduction(p plan.Params, data, updates tensor.Dtype) error {
	if _, err := elem.Width(data); err != nil {
		return errors.WithMessagef(err, "%v: data", p.Op)
	}
	if updates != data {
		return fault.Errorf(elem.ErrDtype, "%v: updates have dtype %v, data has %v", p.Op, elem.Name(updates), elem.Name(data))
	}
	if !reducible(elem.KindOf(data), p.Reduction) {
		return fault.Errorf(elem.ErrDtype, "%v: values of dtype %v have no reduction %v, allowed is %v",
			p.Op, elem.Name(data), p.Reduction, reductionsOf(elem.KindOf(data)))
	}
	return nil
}

// reducible reports whether values of a kind have the reduction. Any value can
// be overwritten, but a mean needs what can be divided.
func reducible(kind num.Kind, r num.Reduction) bool {
	switch r {
	case num.None:
		return true
	case num.Mean:
		return kind != num.Bool && kernel.Has(kind, num.Add)
	}
	return kernel.Has(kind, r)
}

// reductionsOf are the reductions that values of a kind have, for messages.
func reductionsOf(kind num.Kind) string {
	var list []string
	for r := num.None; r <= num.Mean; r++ {
		if reducible(kind, r) {
			list = append(list, r.String())
		}
	}
	return strings.Join(list, ", ")
}
