package builders

import (
	"fmt"
	"math"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/tensor"
)

// normalizing divides every line of n elements by the root of its mean square
// and epsilon, with the line's mean subtracted before where centred is true. It
// is computed in float64, in two passes: a variance from sums of squares would
// lose its digits where the mean is large.
type normalizing struct {
	n       int
	epsilon float64
	centred bool
}

func (f normalizing) String() string {
	if f.centred {
		return fmt.Sprintf("normalize lines of %d, epsilon %v", f.n, f.epsilon)
	}
	return fmt.Sprintf("divide lines of %d by their root mean square, epsilon %v", f.n, f.epsilon)
}

func (f normalizing) result(in []operand) (operand, error) {
	if !isFloat(in[0].dtype) {
		return operand{}, fault.Errorf(dense.ErrDtype, "an input of type %v is not supported, float and double are", typeName(in[0].dtype))
	}
	return in[0], nil
}

func (f normalizing) run(out *tensor.Dense, in []*tensor.Dense) error {
	if out.Dtype() == tensor.Float32 {
		normalize[float32](f, out, in[0])
	} else {
		normalize[float64](f, out, in[0])
	}
	return nil
}

func normalize[T float](f normalizing, out, in *tensor.Dense) {
	dst, src := elements[T](out), elements[T](in)
	f.of(len(src)).each(func(_, at int) {
		line := src[at : at+f.n]
		mean, scale := moments(f, line)
		for i, x := range line {
			dst[at+i] = T((float64(x) - mean) * scale)
		}
	})
}

// of are the lines of that many elements.
func (f normalizing) of(elements int) lines { return lines{elements / f.n, f.n, 1} }

// moments are what a line is moved and multiplied by.
func moments[T float](f normalizing, line []T) (mean, scale float64) {
	if f.centred {
		for _, x := range line {
			mean += float64(x)
		}
		mean /= float64(f.n)
	}
	square := 0.0
	for _, x := range line {
		square += (float64(x) - mean) * (float64(x) - mean)
	}
	return mean, 1 / math.Sqrt(square/float64(f.n)+f.epsilon)
}

func (f normalizing) gradients([]operand, operand) []*term {
	return []*term{of(normalizingGradient(f), grad(), input(0))}
}

// normalizingGradient is the gradient of normalizing, of the result's gradient g
// and the operand x, with the result y and its factor s worked out again:
//
//	s (g - mean of g - y mean of g y)
//
// where the mean of g stays only if the lines are centred.
type normalizingGradient normalizing

func (f normalizingGradient) String() string { return "gradient of " + normalizing(f).String() }

func (f normalizingGradient) result(in []operand) (operand, error) { return in[0], nil }

func (f normalizingGradient) run(out *tensor.Dense, in []*tensor.Dense) error {
	if out.Dtype() == tensor.Float32 {
		normalizeBack[float32](normalizing(f), out, in)
	} else {
		normalizeBack[float64](normalizing(f), out, in)
	}
	return nil
}

func normalizeBack[T float](f normalizing, out *tensor.Dense, in []*tensor.Dense) {
	dst, g, x := elements[T](out), elements[T](in[0]), elements[T](in[1])
	f.of(len(x)).each(func(_, at int) {
		line := x[at : at+f.n]
		mean, scale := moments(f, line)
		sum, product := 0.0, 0.0
		for i, v := range line {
			sum += float64(g[at+i])
			product += float64(g[at+i]) * (float64(v) - mean) * scale
		}
		if !f.centred {
			sum = 0
		}
		for i, v := range line {
			y := (float64(v) - mean) * scale
			dst[at+i] = T(scale * (float64(g[at+i]) - (sum+y*product)/float64(f.n)))
		}
	})
}

func (f normalizingGradient) gradients([]operand, operand) []*term { return onlyOnce(f, 2) }
