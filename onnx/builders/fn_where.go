package builders

import (
	"slices"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/tensor"
)

// choosing takes an element of the second operand where the first, a bool, is
// true, and of the third where it is false. All have one shape.
type choosing struct{}

func (f choosing) String() string { return "Where" }

func (f choosing) result(in []operand) (operand, error) {
	if in[0].dtype != tensor.Bool || in[1].dtype != in[2].dtype {
		return operand{}, fault.Errorf(dense.ErrDtype, "inputs of types %v, %v and %v", typeName(in[0].dtype), typeName(in[1].dtype), typeName(in[2].dtype))
	}
	if !slices.Equal(in[0].shape, in[1].shape) || !slices.Equal(in[0].shape, in[2].shape) {
		return operand{}, fault.Errorf(dense.ErrShape, "shapes %v, %v and %v", in[0].shape, in[1].shape, in[2].shape)
	}
	return in[1], nil
}

func (f choosing) run(out *tensor.Dense, in []*tensor.Dense) error {
	return choose(out, elements[bool](in[0]), in[1], in[2])
}

// masking keeps the elements where the condition is what keep says, and makes
// zeros of the others.
type masking struct{ keep bool }

func (f masking) String() string {
	if f.keep {
		return "keep where true"
	}
	return "keep where false"
}

func (f masking) result(in []operand) (operand, error) {
	return choosing{}.result([]operand{in[0], in[1], in[1]})
}

func (f masking) run(out *tensor.Dense, in []*tensor.Dense) error {
	yes, no := in[1], newTensor(operand{out.Dtype(), out.Shape()})
	if !f.keep {
		yes, no = no, yes
	}
	return choose(out, elements[bool](in[0]), yes, no)
}

func choose(out *tensor.Dense, condition []bool, yes, no *tensor.Dense) error {
	switch t := out.Dtype(); {
	case t == tensor.String:
		chooseAs[string](out, condition, yes, no)
	case t.Size() == 1:
		chooseAs[uint8](out, condition, yes, no)
	case t.Size() == 2:
		chooseAs[uint16](out, condition, yes, no)
	case t.Size() == 4:
		chooseAs[uint32](out, condition, yes, no)
	case t.Size() == 8:
		chooseAs[uint64](out, condition, yes, no)
	default:
		chooseAs[complex128](out, condition, yes, no)
	}
	return nil
}

func chooseAs[T any](out *tensor.Dense, condition []bool, yes, no *tensor.Dense) {
	dst, y, n := elements[T](out), elements[T](yes), elements[T](no)
	for i, c := range condition {
		if c {
			dst[i] = y[i]
		} else {
			dst[i] = n[i]
		}
	}
}

func (f choosing) gradients([]operand, operand) []*term {
	return []*term{nil, of(masking{true}, input(0), grad()), of(masking{false}, input(0), grad())}
}

func (f masking) gradients([]operand, operand) []*term {
	return []*term{nil, of(f, input(0), grad())}
}
