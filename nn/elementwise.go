package nn

import (
	"gorgonia.org/gather"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/onnx/builders"
	G "gorgonia.org/gorgonia"
)

// Add is a + b. As for Sub, Mul, Div, Maximum, Minimum and Pow the shapes are broadcast to
// each other: from the last axis on they are equal, or one of them is 1 or missing. So a bias
// (n) is added to a matrix (m, n) as it is. The gradient of an operand is summed over the axes
// along which it was repeated.
//
// A number is gorgonia.NewConstant(float32(2)), of the other operand's dtype.
func Add(a, b *G.Node) (*G.Node, error) {
	return call("Add", numbers("a b"), builders.Add, 14, nil, a, b)
}

// Sub is a - b: see [Add].
func Sub(a, b *G.Node) (*G.Node, error) {
	return call("Sub", numbers("a b"), builders.Sub, 14, nil, a, b)
}

// Mul is a * b, element by element: see [Add], and [MatMul] for matrices.
func Mul(a, b *G.Node) (*G.Node, error) {
	return call("Mul", numbers("a b"), builders.Mul, 14, nil, a, b)
}

// Div is a / b: see [Add].
func Div(a, b *G.Node) (*G.Node, error) {
	return call("Div", numbers("a b"), builders.Div, 14, nil, a, b)
}

// Pow is a to the power of b: see [Add].
func Pow(a, b *G.Node) (*G.Node, error) {
	return call("Pow", numbers("a b"), builders.Pow, 13, nil, a, b)
}

// Maximum is the larger of a and b, element by element: see [Add]. Where they are equal each
// has half of the gradient.
//
// Gorgonia v0.9.18: MaxBetween gives the gradient to the smaller one on LispMachine, [1 0] of x for
// MaxBetween(x, 1) at [0 3], and [0 1] would be right; MinBetween gives all of it to its second
// operand.
func Maximum(a, b *G.Node) (*G.Node, error) {
	return call("Maximum", numbers("a b"), builders.Max, 13, nil, a, b)
}

// Minimum is the smaller one: see [Maximum].
func Minimum(a, b *G.Node) (*G.Node, error) {
	return call("Minimum", numbers("a b"), builders.Min, 13, nil, a, b)
}

// Where is a where condition, which is bool, is true, and else b. The three shapes are
// broadcast to each other as for [Add].
func Where(condition, a, b *G.Node) (*G.Node, error) {
	o := anything("condition! a b")
	if err := o.check("Where", condition, a, b); err != nil {
		return nil, err
	}
	if err := checkBool("Where", "condition", condition); err != nil {
		return nil, err
	}
	return call("Where", o, builders.Where, 16, nil, condition, a, b)
}

// Equal is true where a and b are equal, and bool. As for Less and Greater the shapes are
// broadcast to each other as for [Add], and there is no gradient. It makes the condition of
// [Where] and the mask of [Attention]; [Cast] makes numbers of it.
func Equal(a, b *G.Node) (*G.Node, error) {
	return call("Equal", numbers("a b"), builders.Equal, 13, nil, a, b)
}

// Less is true where a is less than b: see [Equal].
func Less(a, b *G.Node) (*G.Node, error) {
	return call("Less", numbers("a b"), builders.Less, 13, nil, a, b)
}

// Greater is true where a is greater than b: see [Equal].
func Greater(a, b *G.Node) (*G.Node, error) {
	return call("Greater", numbers("a b"), builders.Greater, 13, nil, a, b)
}

// Not is true where x, which is bool, is false.
func Not(x *G.Node) (*G.Node, error) {
	o := anything("x")
	if err := o.check("Not", x); err != nil {
		return nil, err
	}
	if err := checkBool("Not", "x", x); err != nil {
		return nil, err
	}
	return call("Not", o, builders.Not, 1, nil, x)
}

// Neg is -x.
func Neg(x *G.Node) (*G.Node, error) { return call("Neg", numbers("x"), builders.Neg, 13, nil, x) }

// Abs is |x|. Its gradient at 0 is 0.
func Abs(x *G.Node) (*G.Node, error) { return call("Abs", numbers("x"), builders.Abs, 13, nil, x) }

// Exp is e to the power of x.
func Exp(x *G.Node) (*G.Node, error) { return call("Exp", floats("x"), builders.Exp, 13, nil, x) }

// Log is the natural logarithm.
func Log(x *G.Node) (*G.Node, error) { return call("Log", floats("x"), builders.Log, 13, nil, x) }

// Sqrt is the square root, NaN for negative numbers.
func Sqrt(x *G.Node) (*G.Node, error) { return call("Sqrt", floats("x"), builders.Sqrt, 13, nil, x) }

// Square is x times x.
//
// Gorgonia v0.9.18: Square of a Reshape of a weight overwrites the weight on TapeMachine, if
// there is a gradient: [1 2 3] is [2 4 6] after a run. Without Reshape it is right.
func Square(x *G.Node) (*G.Node, error) {
	return call("Square", numbers("x x"), builders.Mul, 14, nil, x, x)
}

// Clamp cuts x off at low and high, of which low may not be above high. What is cut off has no gradient, nor has what is equal to a
// bound, to which PyTorch's clamp gives one.
func Clamp(x *G.Node, low, high float64) (*G.Node, error) {
	if !(low <= high) {
		return nil, fault.Errorf(gather.ErrOption, "Clamp: low is %v and high is %v, numbers are needed of which low is not above high", low, high)
	}
	return call("Clamp", floats("x"), builders.Clip, 6, attributes{"min": low, "max": high}, x)
}

// ReLU is the larger of x and 0. Its gradient at 0 is 0.
func ReLU(x *G.Node) (*G.Node, error) { return call("ReLU", numbers("x"), builders.Relu, 14, nil, x) }

// LeakyReLU is x, and slope*x where x is negative. PyTorch's slope is 0.01 unless given.
func LeakyReLU(x *G.Node, slope float64) (*G.Node, error) {
	return call("LeakyReLU", floats("x"), builders.LeakyRelu, 16, attributes{"alpha": slope}, x)
}

// ELU is x, and alpha*(exp(x) - 1) where x is negative.
func ELU(x *G.Node, alpha float64) (*G.Node, error) {
	return call("ELU", floats("x"), builders.Elu, 6, attributes{"alpha": alpha}, x)
}

// GELU is x times the probability of a normal variable to be below x.
func GELU(x *G.Node) (*G.Node, error) { return call("GELU", floats("x"), builders.Gelu, 20, nil, x) }

// GELUTanh is the approximation of [GELU] by tanh.
func GELUTanh(x *G.Node) (*G.Node, error) {
	return call("GELUTanh", floats("x"), builders.Gelu, 20, attributes{"approximate": "tanh"}, x)
}

// SiLU is x times the sigmoid of x; it is also called Swish.
func SiLU(x *G.Node) (*G.Node, error) { return call("SiLU", floats("x"), builders.Swish, 24, nil, x) }

// Softplus is log(1 + exp(x)).
func Softplus(x *G.Node) (*G.Node, error) {
	return call("Softplus", floats("x"), builders.Softplus, 1, nil, x)
}

// Sigmoid is 1 / (1 + exp(-x)).
func Sigmoid(x *G.Node) (*G.Node, error) {
	return call("Sigmoid", floats("x"), builders.Sigmoid, 13, nil, x)
}

// Tanh is the hyperbolic tangent.
func Tanh(x *G.Node) (*G.Node, error) { return call("Tanh", floats("x"), builders.Tanh, 13, nil, x) }
