package builders

import (
	"fmt"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/tensor"
)

// lengths are the rows of a tensor (steps × batch, …) that sequences of some lengths have,
// as (steps, batch): in their order or, if reverse, from the last step of each to the
// first. Where a sequence has ended there is none, which is steps × batch. If last, it is
// only the last row of each, as (batch).
type lengths struct {
	steps, batch  int
	reverse, last bool
}

func (f lengths) String() string {
	return fmt.Sprintf("rows of %d sequences of up to %d steps, reverse %v, last %v", f.batch, f.steps, f.reverse, f.last)
}

func (f lengths) result(in []operand) (operand, error) {
	if in[0].dtype != tensor.Int32 {
		return in[0], fault.Errorf(dense.ErrDtype, "sequence_lens of type %v, int32 is allowed", typeName(in[0].dtype))
	}
	if len(in[0].shape) != 1 || in[0].shape[0] != f.batch {
		return in[0], fault.Errorf(dense.ErrShape, "sequence_lens of shape %v, (%d) is allowed", in[0].shape, f.batch)
	}
	if f.last {
		return operand{tensor.Int64, tensor.Shape{f.batch}}, nil
	}
	return operand{tensor.Int64, tensor.Shape{f.steps, f.batch}}, nil
}

func (f lengths) run(out *tensor.Dense, in []*tensor.Dense) error {
	rows := elements[int64](out)
	for b, n := range elements[int32](in[0]) {
		length := int(n)
		if length < 0 || length > f.steps {
			return fault.Errorf(dense.ErrShape, "sequence_lens[%d] is %d, 0 to %d are allowed", b, n, f.steps)
		}
		row := func(step int) int64 {
			if step < 0 || step >= length {
				return int64(f.steps * f.batch)
			}
			return int64(step*f.batch + b)
		}
		if f.last {
			rows[b] = row(length - 1)
			continue
		}
		for step := range f.steps {
			if f.reverse {
				rows[step*f.batch+b] = row(length - 1 - step)
			} else {
				rows[step*f.batch+b] = row(step)
			}
		}
	}
	return nil
}

func (f lengths) gradients([]operand, operand) []*term { return make([]*term, 1) }
