package builders

import (
	"fmt"
	"slices"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/tensor"
)

// multiplying reduces the elements of part that have the same place to their
// product.
type multiplying struct{ places }

func (f multiplying) String() string { return "multiply " + f.places.String() }

func (f multiplying) result(in []operand) (operand, error) {
	if !slices.Equal(in[0].shape, f.part) {
		return operand{}, fault.Errorf(dense.ErrShape, "an input of shape %v", in[0].shape)
	}
	switch in[0].dtype {
	case tensor.Float32, tensor.Float64, tensor.Int32, tensor.Int64, tensor.Uint32, tensor.Uint64:
		return operand{in[0].dtype, f.whole}, nil
	}
	return operand{}, fault.Errorf(dense.ErrDtype, "a product of %v is not supported", typeName(in[0].dtype))
}

func (f multiplying) run(out *tensor.Dense, in []*tensor.Dense) error {
	switch out.Dtype() {
	case tensor.Float32:
		multiplyAll[float32](f, out, in[0])
	case tensor.Float64:
		multiplyAll[float64](f, out, in[0])
	case tensor.Int32, tensor.Uint32:
		multiplyAll[uint32](f, out, in[0])
	default:
		multiplyAll[uint64](f, out, in[0])
	}
	return nil
}

func multiplyAll[T number](f multiplying, out, in *tensor.Dense) {
	fill(out, T(1))
	if count(f.part) == 0 {
		return
	}
	dst, src := elements[T](out), elements[T](in)
	f.each(func(at, to, n, step int) {
		for i, x := range src[at : at+n] {
			dst[to+i*step] *= x
		}
	})
}

func (f multiplying) gradients([]operand, operand) []*term {
	return []*term{of(others(f), grad(), input(0))}
}

// others multiplies the gradient of a product by the product of the other
// elements, which is not the result divided by the element where that is 0.
type others multiplying

func (f others) String() string { return fmt.Sprint("gradient of ", multiplying(f)) }

func (f others) result(in []operand) (operand, error) { return in[1], nil }

func (f others) run(out *tensor.Dense, in []*tensor.Dense) error {
	if count(f.part) == 0 {
		return nil
	}
	if out.Dtype() == tensor.Float32 {
		multiplyOthers[float32](f, out, in)
	} else {
		multiplyOthers[float64](f, out, in)
	}
	return nil
}

func multiplyOthers[T float](f others, out *tensor.Dense, in []*tensor.Dense) {
	dst, g, x := elements[T](out), elements[T](in[0]), elements[T](in[1])
	product, zeros := make([]float64, len(g)), make([]int, len(g)) // of those that are not 0
	for i := range product {
		product[i] = 1
	}
	f.each(func(at, to, n, step int) {
		for i, v := range x[at : at+n] {
			if v == 0 {
				zeros[to+i*step]++
			} else {
				product[to+i*step] *= float64(v)
			}
		}
	})
	f.each(func(at, to, n, step int) {
		for i, v := range x[at : at+n] {
			p := to + i*step
			switch {
			case v == 0 && zeros[p] == 1:
				dst[at+i] = T(float64(g[p]) * product[p])
			case zeros[p] == 0:
				dst[at+i] = T(float64(g[p]) * product[p] / float64(v))
			}
		}
	})
}

func (f others) gradients([]operand, operand) []*term { return onlyOnce(f, 2) }
