package builders

import (
	"fmt"
	"math"
	"slices"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/tensor"
)

// padding puts a part into its places in a whole, which holds the one element of
// a second operand elsewhere, or, without it, zeros, or the least value there is.
type padding struct {
	places
	least bool
}

func (f padding) String() string { return fmt.Sprintf("pad %v, with the least %v", f.places, f.least) }

func (f padding) result(in []operand) (operand, error) {
	if !slices.Equal(in[0].shape, f.part) {
		return operand{}, fault.Errorf(dense.ErrShape, "an input of shape %v", in[0].shape)
	}
	if len(in) > 1 && (in[1].dtype != in[0].dtype || count(in[1].shape) != 1) {
		return operand{}, fault.Errorf(dense.ErrShape, "a constant value %v %v, one element of type %v is allowed", typeName(in[1].dtype), in[1].shape, typeName(in[0].dtype))
	}
	return operand{in[0].dtype, f.whole}, nil
}

func (f padding) run(out *tensor.Dense, in []*tensor.Dense) error {
	if len(in) > 1 {
		whole := out.Shape()
		places{part: whole, whole: in[1].Shape(), steps: make([]int, len(whole))}.move(in[1], out, true)
	}
	if f.least {
		switch out.Dtype() {
		case tensor.Float32:
			fill(out, float32(math.Inf(-1)))
		case tensor.Float64:
			fill(out, math.Inf(-1))
		case tensor.Int8:
			fill(out, int8(math.MinInt8))
		}
	}
	f.move(out, in[0], false)
	return nil
}

func fill[T number](t *tensor.Dense, x T) {
	list := elements[T](t)
	for i := range list {
		list[i] = x
	}
}

// The value's gradient is the sum over the places where it stands.
func (f padding) gradients(in []operand, y operand) []*term {
	terms := []*term{of(copying{f.places}, grad())}
	if len(in) > 1 {
		elsewhere := of(pairing{"Sub"}, grad(), of(padding{places: f.places}, terms[0]))
		all := places{part: y.shape, whole: in[1].shape, steps: make([]int, len(y.shape))}
		terms = append(terms, of(summing{all}, elsewhere))
	}
	return terms
}

// within are the places of a part that starts at start on every axis of a whole.
func within(part, whole tensor.Shape, start []int) places {
	p := places{part: part, whole: whole, steps: rowMajor(whole)}
	for d, n := range start {
		p.offset += n * p.steps[d]
	}
	if count(part) == 0 {
		p.offset = 0
	}
	return p
}
