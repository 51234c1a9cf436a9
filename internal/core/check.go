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

// inputs reads the two tensors that every operator but GatherTree has: the
// one that indices point into, and the indices. The caller must call load
// before it gives loaded to a kernel, and release afterwards.
func inputs(d *view, x *indices, op, argument string, data, idx tensor.Tensor) error {
	if err := d.read(op, argument, data); err != nil {
		return err
	}
	if err := x.view.read(op, "indices", idx); err != nil || x.kind.IsInteger() {
		return err
	}
	return elem.CheckIndex(op, x.dtype)
}

// firstBad is the position of the first index that is out of range, or -1.
func firstBad(p *plan.Params, data *view, x *indices) int {
	if x.size == 0 {
		return -1
	}
	c := kernel.Get()
	defer c.Put()
	return c.Describe(&kernel.Description{Idx: x.loaded, Idx32: x.is32, NonNegative: p.NonNegative, Axes: addressed(c.AvailableAxes(), p, data, x)}).Check()
}

// CheckDtypes checks the dtypes of an operator's inputs, in their order. A graph
// operator knows them before there are values.
func CheckDtypes(p *plan.Params, dtypes ...tensor.Dtype) error {
	op := p.Op.String()
	if p.Op == plan.GatherTree {
		return checkTree(op, dtypes)
	}
	data, bags := "data", p.Op >= plan.EmbeddingBagOffsets
	if bags {
		data = p.Arguments()[0]
	}
	if _, err := elem.Width(dtypes[0]); err != nil {
		return errors.WithMessagef(err, "%s: %s", op, data)
	}
	if bags {
		in := make([]*view, len(dtypes))
		for i, dt := range dtypes {
			in[i] = &view{name: p.Arguments()[i], dtype: dt, kind: elem.KindOf(dt)}
		}
		_, err := checkBag(p, op, in)
		return err
	}
	if err := elem.CheckIndex(op, dtypes[1]); err != nil || !p.Op.Scatters() {
		return err
	}
	return checkReduction(op, p.Reduction, elem.KindOf(dtypes[0]), &dtypes[0], &dtypes[2])
}

// checkReduction checks that a scatter's updates are like data, which is of a kind, and that
// the values have the reduction.
func checkReduction(op string, r num.Reduction, kind num.Kind, data, updates *tensor.Dtype) error {
	if !elem.Same(updates, data) {
		return fault.Errorf(elem.ErrDtype, "%s: updates have dtype %v, data has %v, they must be equal", op, elem.Name(*updates), elem.Name(*data))
	}
	if !reducible(kind, r) {
		return fault.Errorf(elem.ErrDtype, "%s: values of dtype %v have no reduction %v, %s",
			op, elem.Name(*data), r, reductions(kind, reducible, num.None, num.Add, num.Sub, num.Mul, num.Min, num.Max, num.Mean))
	}
	return nil
}

// checkTree checks the dtypes of GatherTree's inputs.
func checkTree(op string, dtypes []tensor.Dtype) error {
	for i, dt := range dtypes {
		if dt != dtypes[0] {
			return fault.Errorf(elem.ErrDtype, "%s: %s has dtype %v, %s has %v: they must be of one dtype", op, treeArguments[i], elem.Name(dt), treeArguments[0], elem.Name(dtypes[0]))
		}
	}
	if !kernel.HasTree(elem.KindOf(dtypes[0])) {
		return fault.Errorf(elem.ErrDtype, "%s: %s has dtype %v, allowed are integers and real floats", op, treeArguments[0], elem.Name(dtypes[0]))
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

// reductions says which of them values of a kind have, for messages.
func reductions(kind num.Kind, has func(num.Kind, num.Reduction) bool, all ...num.Reduction) string {
	var list []string
	for _, r := range all {
		if has(kind, r) {
			list = append(list, strings.Replace(r.String(), "none", "none (overwrite)", 1))
		}
	}
	if list == nil {
		return "nor any other"
	}
	return "allowed is " + strings.Join(list, ", ")
}
