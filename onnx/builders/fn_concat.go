package builders

import (
	"fmt"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/tensor"
)

// joining puts tensors behind each other along an axis.
type joining struct{ axis int }

func (f joining) String() string { return fmt.Sprint("Concat on axis ", f.axis) }

func (f joining) result(in []operand) (operand, error) {
	out := operand{in[0].dtype, append(tensor.Shape{}, in[0].shape...)}
	for i, o := range in[1:] {
		if o.dtype != out.dtype {
			return out, fault.Errorf(dense.ErrDtype, "input %d of type %v, the first one of type %v", i+1, typeName(o.dtype), typeName(out.dtype))
		}
		fits := len(o.shape) == len(out.shape)
		for d := 0; fits && d < len(o.shape); d++ {
			fits = d == f.axis || o.shape[d] == out.shape[d]
		}
		if !fits {
			return out, fault.Errorf(dense.ErrShape, "input %d of shape %v does not fit %v but for axis %d", i+1, o.shape, in[0].shape, f.axis)
		}
		out.shape[f.axis] += o.shape[f.axis]
	}
	return out, nil
}

func (f joining) run(out *tensor.Dense, in []*tensor.Dense) error {
	start := 0
	for _, t := range in {
		n := t.Shape()[f.axis]
		sliced(out.Shape(), f.axis, start, n).move(out, t, false)
		start += n
	}
	return nil
}

func (f joining) gradients(in []operand, out operand) []*term {
	terms := make([]*term, len(in))
	start := 0
	for i, o := range in {
		terms[i] = of(copying{sliced(out.shape, f.axis, start, o.shape[f.axis])}, grad())
		start += o.shape[f.axis]
	}
	return terms
}

// sliced are the places of n neighbours along an axis.
func sliced(from tensor.Shape, axis, start, n int) places {
	p := places{part: append(tensor.Shape{}, from...), whole: from, steps: rowMajor(from)}
	p.part[axis] = n
	p.offset = start * p.steps[axis]
	return p
}
