package builders

import (
	"fmt"
	"math"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/tensor"
)

// lines are the lines of a tensor along which a softmax runs: n elements each,
// step apart. There are outer blocks of step lines.
type lines struct{ outer, n, step int }

// each visits the lines, by their number and their first element, in any order and
// in several goroutines.
func (l lines) each(visit func(line, first int)) {
	par.Each(l.outer*l.step, l.outer*l.step*l.n/curveGrain, func(lo, hi int) {
		for line := lo; line < hi; line++ {
			visit(line, line/l.step*l.n*l.step+line%l.step)
		}
	})
}

// softmax is Softmax or LogSoftmax along lines.
type softmax struct {
	log bool
	lines
}

func (f softmax) String() string {
	name := "Softmax"
	if f.log {
		name = "LogSoftmax"
	}
	return fmt.Sprintf("%s of %d by %d by %d", name, f.outer, f.n, f.step)
}

func (f softmax) result(in []operand) (operand, error) {
	if !isFloat(in[0].dtype) {
		return operand{}, fault.Errorf(dense.ErrDtype, "an input of type %v is not supported, float and double are", typeName(in[0].dtype))
	}
	return in[0], nil
}

func (f softmax) run(out *tensor.Dense, in []*tensor.Dense) error {
	if out.Dtype() == tensor.Float32 {
		softmaxOf[float32](f, out, in[0])
	} else {
		softmaxOf[float64](f, out, in[0])
	}
	return nil
}

// softmaxOf subtracts the maximum first, so that no exponential overflows.
func softmaxOf[T float](f softmax, out, in *tensor.Dense) {
	dst, src := elements[T](out), elements[T](in)
	if len(dst) == 0 {
		return
	}
	f.each(func(_, first int) {
		end := first + f.n*f.step
		largest := math.Inf(-1)
		for i := first; i < end; i += f.step {
			largest = max(largest, float64(src[i]))
		}
		sum := 0.0
		for i := first; i < end; i += f.step {
			sum += math.Exp(float64(src[i]) - largest)
		}
		logSum := math.Log(sum)
		for i := first; i < end; i += f.step {
			x := float64(src[i]) - largest
			if f.log {
				dst[i] = T(x - logSum)
			} else {
				dst[i] = T(math.Exp(x) / sum)
			}
		}
	})
}

func (f softmax) gradients([]operand, operand) []*term {
	return []*term{of(softmaxGradient(f), grad(), out())}
}

// softmaxGradient is the gradient of a softmax, of the result's gradient g and
// the result y:
//
//	Softmax     y (g - sum of g y)
//	LogSoftmax  g - exp(y) sum of g
type softmaxGradient softmax

func (f softmaxGradient) String() string { return "gradient of " + softmax(f).String() }

func (f softmaxGradient) result(in []operand) (operand, error) { return in[0], nil }

func (f softmaxGradient) run(out *tensor.Dense, in []*tensor.Dense) error {
	if out.Dtype() == tensor.Float32 {
		softmaxGradientOf[float32](f, out, in)
	} else {
		softmaxGradientOf[float64](f, out, in)
	}
	return nil
}

func softmaxGradientOf[T float](f softmaxGradient, out *tensor.Dense, in []*tensor.Dense) {
	dst, g, y := elements[T](out), elements[T](in[0]), elements[T](in[1])
	if len(dst) == 0 {
		return
	}
	f.each(func(_, first int) {
		end := first + f.n*f.step
		sum := 0.0
		for i := first; i < end; i += f.step {
			if f.log {
				sum += float64(g[i])
			} else {
				sum += float64(g[i]) * float64(y[i])
			}
		}
		for i := first; i < end; i += f.step {
			if f.log {
				dst[i] = T(float64(g[i]) - math.Exp(float64(y[i]))*sum)
			} else {
				dst[i] = T(float64(y[i]) * (float64(g[i]) - sum))
			}
		}
	})
}

func (f softmaxGradient) gradients([]operand, operand) []*term { return onlyOnce(f, 2) }
