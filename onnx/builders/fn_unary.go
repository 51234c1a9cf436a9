package builders

import (
	"fmt"
	"math"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/tensor"
)

// A curve is a function of one number and its slope.
type curve struct {
	at func(x float64) float64
	// slope is that at a point, of which it is given x, or y = at(x) where
	// ofResult is true.
	slope    func(v float64) float64
	ofResult bool
}

// curves are the functions of single numbers that ONNX has, by its names.
// float32 is computed in float64 and rounded. At a kink the slope is the one
// that PyTorch takes.
var curves = map[string]curve{
	"Neg":     {at: func(x float64) float64 { return -x }, slope: func(float64) float64 { return -1 }},
	"Abs":     {at: math.Abs, slope: sign},
	"Exp":     {at: math.Exp, slope: func(y float64) float64 { return y }, ofResult: true},
	"Log":     {at: math.Log, slope: func(x float64) float64 { return 1 / x }},
	"Sqrt":    {at: math.Sqrt, slope: func(y float64) float64 { return 0.5 / y }, ofResult: true},
	"Tanh":    {at: math.Tanh, slope: func(y float64) float64 { return 1 - y*y }, ofResult: true},
	"Sigmoid": {at: sigmoid, slope: func(y float64) float64 { return y * (1 - y) }, ofResult: true},
	"Relu":    {at: relu, slope: positive},
	"Erf":     {at: math.Erf, slope: func(x float64) float64 { return 2 / math.SqrtPi * math.Exp(-x*x) }},
	"Sin":     {at: math.Sin, slope: math.Cos},
	"Cos":     {at: math.Cos, slope: func(x float64) float64 { return -math.Sin(x) }},
	"Tan":     {at: math.Tan, slope: func(y float64) float64 { return 1 + y*y }, ofResult: true},
	"Floor":   {at: math.Floor, slope: flat},
	"Ceil":    {at: math.Ceil, slope: flat},
	"Round":   {at: math.RoundToEven, slope: flat},
	"Sign":    {at: sign, slope: flat},

	"Reciprocal": {at: func(x float64) float64 { return 1 / x }, slope: func(y float64) float64 { return -y * y }, ofResult: true},
	// PyTorch's slope of a norm is 0 at the zero vector.
	"root of a sum of squares": {at: math.Sqrt, slope: func(y float64) float64 {
		if y == 0 {
			return 0
		}
		return 0.5 / y
	}, ofResult: true},
}

// flat is the slope of a step.
func flat(float64) float64 { return 0 }

// sign is -1, 0 or 1, and NaN for NaN.
func sign(x float64) float64 {
	if x == 0 || x != x {
		return x
	}
	return math.Copysign(1, x)
}

// sigmoid never takes the exponential of a large number.
func sigmoid(x float64) float64 {
	if x < 0 {
		e := math.Exp(x)
		return e / (1 + e)
	}
	return 1 / (1 + math.Exp(-x))
}

// relu keeps NaN.
func relu(x float64) float64 {
	if x < 0 {
		return 0
	}
	return x
}

func positive(x float64) float64 {
	if x > 0 {
		return 1
	}
	return 0
}

// pointwise applies a curve to every element. alpha and beta are the numbers that
// a curve of families has, 0 where it has none.
type pointwise struct {
	name        string
	alpha, beta float64
}

func (f pointwise) String() string {
	if families[f.name] == nil {
		return f.name
	}
	return fmt.Sprintf("%s of %v and %v", f.name, f.alpha, f.beta)
}

// curve is the function and its slope.
func (f pointwise) curve() curve {
	if family := families[f.name]; family != nil {
		return family(f.alpha, f.beta)
	}
	if c, ok := activations[f.name]; ok {
		return c
	}
	return curves[f.name]
}

func (f pointwise) result(in []operand) (operand, error) {
	switch in[0].dtype {
	case tensor.Float32, tensor.Float64:
		return in[0], nil
	case tensor.Int8, tensor.Int16, tensor.Int32, tensor.Int64, tensor.Uint8, tensor.Uint16, tensor.Uint32, tensor.Uint64:
		if f.name == "Neg" || f.name == "Abs" || f.name == "Relu" {
			return in[0], nil
		}
	}
	return operand{}, fault.Errorf(dense.ErrDtype, "an input of type %v is not supported, float and double are", typeName(in[0].dtype))
}

func (f pointwise) run(out *tensor.Dense, in []*tensor.Dense) error {
	switch out.Dtype() {
	case tensor.Float32:
		eachFloat[float32](f.curve().at, out, in[0])
	case tensor.Float64:
		eachFloat[float64](f.curve().at, out, in[0])
	case tensor.Int8:
		eachInteger[int8](f.name, out, in[0])
	case tensor.Int16:
		eachInteger[int16](f.name, out, in[0])
	case tensor.Int32:
		eachInteger[int32](f.name, out, in[0])
	case tensor.Int64:
		eachInteger[int64](f.name, out, in[0])
	default:
		copying{reshaped(in[0].Shape(), in[0].Shape())}.move(in[0], out, true) // Abs of unsigned ones
	}
	return nil
}

func eachFloat[T float](at func(float64) float64, out, in *tensor.Dense) {
	dst, src := elements[T](out), elements[T](in)
	par.Each(len(dst), len(dst)/curveGrain, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			dst[i] = T(at(float64(src[i])))
		}
	})
}

// curveGrain is grain for curves, which take longer than sums.
const curveGrain = grain / 8

// eachInteger does not go by way of float64, which has 53 bits.
func eachInteger[T int8 | int16 | int32 | int64](name string, out, in *tensor.Dense) {
	dst := elements[T](out)
	for i, x := range elements[T](in) {
		switch {
		case name == "Neg", name == "Abs" && x < 0:
			x = -x
		case name == "Relu":
			x = max(x, 0)
		}
		dst[i] = x
	}
}

func (f pointwise) gradients([]operand, operand) []*term {
	v := input(0)
	if f.curve().ofResult {
		v = out()
	}
	return []*term{of(slope(f), grad(), v)}
}

// slope multiplies a gradient by the slope of a curve.
type slope pointwise

func (f slope) String() string { return "gradient of " + pointwise(f).String() }

func (f slope) result(in []operand) (operand, error) { return in[0], nil }

func (f slope) run(out *tensor.Dense, in []*tensor.Dense) error {
	at := pointwise(f).curve().slope
	if out.Dtype() == tensor.Float32 {
		slopes[float32](at, out, in)
	} else {
		slopes[float64](at, out, in)
	}
	return nil
}

func slopes[T float](at func(float64) float64, out *tensor.Dense, in []*tensor.Dense) {
	dst, g, v := elements[T](out), elements[T](in[0]), elements[T](in[1])
	par.Each(len(dst), len(dst)/curveGrain, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			dst[i] = T(float64(g[i]) * at(float64(v[i])))
		}
	})
}

func (f slope) gradients([]operand, operand) []*term { return onlyOnce(f, 2) }

// scaling multiplies by a number.
type scaling struct{ by float64 }

func (f scaling) String() string { return fmt.Sprint("scale by ", f.by) }

func (f scaling) result(in []operand) (operand, error) {
	if !isFloat(in[0].dtype) {
		return operand{}, fault.Errorf(dense.ErrDtype, "an input of type %v is not supported, float and double are", typeName(in[0].dtype))
	}
	return in[0], nil
}

func (f scaling) run(out *tensor.Dense, in []*tensor.Dense) error {
	at := func(x float64) float64 { return x * f.by }
	if out.Dtype() == tensor.Float32 {
		eachFloat[float32](at, out, in[0])
	} else {
		eachFloat[float64](at, out, in[0])
	}
	return nil
}

func (f scaling) gradients([]operand, operand) []*term { return []*term{of(f, grad())} }
