package builders

import (
	"fmt"
	"math"
	"slices"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/tensor"
)

// hiding puts a value where a second operand, bools that are broadcast, is false, and, if
// causal, behind the diagonal of every matrix.
type hiding struct {
	shape  tensor.Shape
	causal bool
	value  float64
}

func (f hiding) String() string {
	return fmt.Sprintf("hide of %v as %v, causal %v", f.shape, f.value, f.causal)
}

func (f hiding) result(in []operand) (operand, error) {
	if !isFloat(in[0].dtype) || len(in) > 1 && in[1].dtype != tensor.Bool {
		return in[0], fault.Errorf(dense.ErrDtype, "inputs of types %v", in)
	}
	if !slices.Equal(in[0].shape, f.shape) {
		return in[0], fault.Errorf(dense.ErrShape, "an input of shape %v", in[0].shape)
	}
	return in[0], nil
}

func (f hiding) run(out *tensor.Dense, in []*tensor.Dense) error {
	if out.Dtype() == tensor.Float32 {
		hide[float32](f, out, in)
	} else {
		hide[float64](f, out, in)
	}
	return nil
}

func hide[T float](f hiding, out *tensor.Dense, in []*tensor.Dense) {
	dst := elements[T](out)
	copy(dst, elements[T](in[0]))
	if len(dst) == 0 {
		return
	}
	if len(in) > 1 {
		shown := elements[bool](in[1])
		r := runsOf(f.shape, expanded(in[1].Shape(), f.shape).steps)
		r.each(func(at int, from []int) {
			for i := range r.n {
				if !shown[from[0]+i*r.step[0]] {
					dst[at+i] = T(f.value)
				}
			}
		})
	}
	if !f.causal {
		return
	}
	rows, width := f.shape[len(f.shape)-2], f.shape[len(f.shape)-1]
	for row := range len(dst) / width {
		for j := row%rows + 1; j < width; j++ {
			dst[row*width+j] = T(f.value)
		}
	}
}

// What is hidden gets no gradient.
func (f hiding) gradients(in []operand, _ operand) []*term {
	f.value = 0
	terms := make([]*term, len(in))
	terms[0] = of(f, grad())
	if len(in) > 1 {
		terms[0] = of(f, grad(), input(1))
	}
	return terms
}

// shares are a softmax along lines, and zeros along those that are all hidden.
type shares struct{ softmax }

func (f shares) String() string { return f.softmax.String() + ", of nothing 0" }

func (f shares) run(out *tensor.Dense, in []*tensor.Dense) error {
	if err := f.softmax.run(out, in); err != nil {
		return err
	}
	if out.Dtype() == tensor.Float32 {
		clearHidden[float32](f, out, in[0])
	} else {
		clearHidden[float64](f, out, in[0])
	}
	return nil
}

func clearHidden[T float](f shares, out, in *tensor.Dense) {
	dst, src := elements[T](out), elements[T](in)
	if len(dst) == 0 {
		return
	}
	f.each(func(_, first int) {
		for i := range f.n {
			if !math.IsInf(float64(src[first+i*f.step]), -1) {
				return
			}
		}
		for i := range f.n {
			dst[first+i*f.step] = 0
		}
	})
}

func (f shares) gradients([]operand, operand) []*term {
	return []*term{of(softmaxGradient(f.softmax), grad(), out())}
}
