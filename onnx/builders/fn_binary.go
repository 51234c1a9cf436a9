package builders

import (
	"math"

	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/tensor"
)

// pairing is arithmetic on two operands, which are broadcast to each other.
type pairing struct{ name string }

func (f pairing) String() string { return f.name }

func (f pairing) result(in []operand) (operand, error) {
	a, b := in[0], in[1]
	if a.dtype != b.dtype {
		return a, fault.Errorf(dense.ErrDtype, "inputs of types %v and %v, they must be of one type", typeName(a.dtype), typeName(b.dtype))
	}
	if arithmetic[a.dtype] == nil {
		return a, fault.Errorf(dense.ErrDtype, "inputs of type %v are not supported, float, double and integers are", typeName(a.dtype))
	}
	shape, err := broadcast(a.shape, b.shape)
	return operand{a.dtype, shape}, err
}

func (f pairing) run(out *tensor.Dense, in []*tensor.Dense) error {
	return arithmetic[out.Dtype()](f.name, out, in[0], in[1])
}

// arithmetic has the loops, by dtype.
var arithmetic = map[tensor.Dtype]func(name string, out, a, b *tensor.Dense) error{
	tensor.Float32: floats[float32], tensor.Float64: floats[float64],
	tensor.Int8: integers[int8], tensor.Int16: integers[int16], tensor.Int32: integers[int32], tensor.Int64: integers[int64],
	tensor.Uint8: integers[uint8], tensor.Uint16: integers[uint16], tensor.Uint32: integers[uint32], tensor.Uint64: integers[uint64],
}

func floats[T float](name string, out, a, b *tensor.Dense) error {
	switch name {
	case "Pow":
		pairs(out, a, b, byElement(func(x, y T) T { return T(math.Pow(float64(x), float64(y))) }))
	case powSlope:
		// PyTorch's rule: no slope where the exponent is 0, also at x = 0.
		pairs(out, a, b, byElement(func(x, y T) T {
			if y == 0 {
				return 0
			}
			return T(float64(y) * math.Pow(float64(x), float64(y)-1))
		}))
	case powLog:
		// 0 to a power that is not negative stays 0 nearby.
		pairs(out, a, b, byElement(func(x, y T) T {
			if x == 0 && y >= 0 {
				return 0
			}
			return T(math.Pow(float64(x), float64(y)) * math.Log(float64(x)))
		}))
	case "Div":
		pairs(out, a, b, divide[T])
	case "Mod":
		pairs(out, a, b, byElement(modulo[T]))
	case truncated:
		pairs(out, a, b, byElement(func(x, y T) T { return T(math.Mod(float64(x), float64(y))) }))
	case shareOfMax:
		pairs(out, a, b, byElement(share[T]))
	case shareOfMin:
		pairs(out, a, b, byElement(func(x, y T) T { return share(y, x) }))
	default:
		basic[T](name, out, a, b)
	}
	return nil
}

// modulo is x - floor(x/y) y. A zero has the sign of y, as in NumPy.
func modulo[T float](x, y T) T {
	m := math.Mod(float64(x), float64(y))
	switch {
	case m == 0:
		m = math.Copysign(0, float64(y))
	case (m < 0) != (y < 0):
		m += float64(y)
	}
	return T(m)
}

func integers[T integer](name string, out, a, b *tensor.Dense) error {
	switch name {
	case "Div", "Mod", truncated:
		for i, y := range elements[T](b) {
			if y == 0 && count(out.Shape()) > 0 {
				return errors.Errorf("division by zero: element %d of input 1", i)
			}
		}
		switch name {
		case "Div":
			pairs(out, a, b, divide[T])
		case truncated:
			pairs(out, a, b, byElement(func(x, y T) T { return x % y }))
		default:
			pairs(out, a, b, byElement(func(x, y T) T {
				if m := x % y; m != 0 && (m < 0) != (y < 0) {
					return m + y
				}
				return x % y
			}))
		}
	case "Pow":
		pairs(out, a, b, byElement(power[T]))
	default:
		basic[T](name, out, a, b)
	}
	return nil
}

// power is x to the y, of which it keeps the low bits. A power below 1 is
// rounded toward zero, and that of 0 is 0, as ONNX Runtime has them.
func power[T integer](x, y T) T {
	result := T(1)
	if y < 0 {
		switch {
		case x == 1:
			return 1
		case x+1 == 0 && y%2 == 0:
			return 1
		case x+1 == 0:
			return x
		}
		return 0
	}
	for ; y > 0; y >>= 1 {
		if y&1 == 1 {
			result *= x
		}
		x *= x
	}
	return result
}

func basic[T number](name string, out, a, b *tensor.Dense) {
	switch name {
	case "Add":
		pairs(out, a, b, add[T])
	case "Sub":
		pairs(out, a, b, subtract[T])
	case "Mul":
		pairs(out, a, b, times[T])
	case "Max":
		pairs(out, a, b, byElement(func(x, y T) T { return max(x, y) }))
	case "Min":
		pairs(out, a, b, byElement(func(x, y T) T { return min(x, y) }))
	}
}

// truncated is Mod with fmod, whose result has the sign of the first operand.
const truncated = "Mod with fmod"

// The shares that the operands of Max and Min have in its gradient.
const (
	shareOfMax = "share in Max"
	shareOfMin = "share in Min"
)

// share is PyTorch's rule: equal operands of Max get half of the gradient each,
// and both get all of it where one is NaN.
func share[T float](x, y T) T {
	switch {
	case x < y:
		return 0
	case x == y:
		return 0.5
	}
	return 1
}

// The slopes of a power, functions of base and exponent.
const (
	powSlope = "slope of Pow by its base"
	powLog   = "slope of Pow by its exponent"
)

func (f pairing) gradients(in []operand, y operand) []*term {
	a, b := in[0].shape, in[1].shape
	toA := func(t *term) *term { return sumTo(t, y.shape, a) }
	toB := func(t *term) *term { return sumTo(t, y.shape, b) }
	times := func(t, u *term) *term { return of(pairing{"Mul"}, t, u) }
	over := func(t, u *term) *term { return of(pairing{"Div"}, t, u) }
	minus := func(t *term) *term { return of(pointwise{name: "Neg"}, t) }
	switch f.name {
	case "Add":
		return []*term{toA(grad()), toB(grad())}
	case "Sub":
		return []*term{toA(grad()), minus(toB(grad()))}
	case "Mul":
		return []*term{toA(times(grad(), input(1))), toB(times(grad(), input(0)))}
	case "Div":
		return []*term{toA(over(grad(), input(1))), minus(toB(over(times(grad(), out()), input(1))))}
	case "Pow":
		return []*term{
			toA(times(grad(), of(pairing{powSlope}, input(0), input(1)))),
			toB(times(grad(), of(pairing{powLog}, input(0), input(1)))),
		}
	case "Max", "Min":
		own := pairing{shareOfMax}
		if f.name == "Min" {
			own = pairing{shareOfMin}
		}
		return []*term{toA(times(grad(), of(own, input(0), input(1)))), toB(times(grad(), of(own, input(1), input(0))))}
	case "Mod", truncated:
		// The quotient is constant but for its jumps.
		quotient := over(of(pairing{"Sub"}, input(0), out()), input(1))
		return []*term{toA(grad()), minus(toB(times(grad(), quotient)))}
	}
	return onlyOnce(f, 2)
}
