package builders

import (
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/onnx"
	G "gorgonia.org/gorgonia"
)

// Add is A + B. The shapes are broadcast to each other, as for Sub, Mul, Div and
// Pow: from the last axis on, they are equal or one of them is 1 or missing. The
// gradient of an operand is summed over the axes along which it was repeated.
//
// Opsets from 7 on; float and double, and integers as the version allows them.
func Add(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) { return pair("Add", n, inputs) }

// Sub is A - B: see [Add].
func Sub(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) { return pair("Sub", n, inputs) }

// Mul is A * B, element by element: see [Add].
func Mul(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) { return pair("Mul", n, inputs) }

// Div is A / B: see [Add]. Integers are divided toward zero; a division of an
// integer by zero is an error when the graph runs.
func Div(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) { return pair("Div", n, inputs) }

func pair(op string, n onnx.Node, inputs []*G.Node) ([]*G.Node, error) {
	return build(op, n, inputs, func(c *call) (*G.Node, error) {
		return apply(pairing{op}, c.inputs...)
	})
}

// Pow is A to the power of B: see [Add]. From opset 12 on B may be of another
// type, which is converted to A's; floats as powers of integers are refused.
func Pow(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("Pow", n, inputs, func(c *call) (*G.Node, error) {
		base, exponent := c.inputs[0], c.inputs[1]
		if base.Dtype() != exponent.Dtype() {
			if c.version.since < 12 || !isFloat(base.Dtype()) || !numericB.Has(exponent.Dtype()) {
				return nil, fault.Errorf(dense.ErrDtype, "a power of %v to %v is not supported", typeName(base.Dtype()), typeName(exponent.Dtype()))
			}
			var err error
			if exponent, err = apply(casting{base.Dtype()}, exponent); err != nil {
				return nil, err
			}
		}
		return apply(pairing{"Pow"}, base, exponent)
	})
}

// Neg is -X. Opsets from 6 on, as for the other functions of one number; float
// and double, for Neg, Abs and, from opset 14 on, Relu also integers.
func Neg(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) { return one("Neg", n, inputs) }

// Abs is |X|: see [Neg]. Its gradient at 0 is 0.
func Abs(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) { return one("Abs", n, inputs) }

// Exp is e to the power of X: see [Neg].
func Exp(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) { return one("Exp", n, inputs) }

// Log is the natural logarithm: see [Neg].
func Log(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) { return one("Log", n, inputs) }

// Sqrt is the square root, NaN for negative numbers: see [Neg].
func Sqrt(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) { return one("Sqrt", n, inputs) }

// Tanh is the hyperbolic tangent: see [Neg].
func Tanh(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) { return one("Tanh", n, inputs) }

// Sigmoid is 1 / (1 + exp(-X)): see [Neg].
func Sigmoid(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) { return one("Sigmoid", n, inputs) }

// Relu is max(0, X), and NaN for NaN: see [Neg]. Its gradient at 0 is 0.
func Relu(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) { return one("Relu", n, inputs) }

// Erf is the error function: see [Neg]. Opsets from 9 on.
func Erf(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) { return one("Erf", n, inputs) }

// Reciprocal is 1 / X: see [Neg].
func Reciprocal(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return one("Reciprocal", n, inputs)
}

// Sin is the sine: see [Neg]. Opsets from 7 on, as for Cos and Tan.
func Sin(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) { return one("Sin", n, inputs) }

// Cos is the cosine: see [Sin].
func Cos(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) { return one("Cos", n, inputs) }

// Tan is the tangent: see [Sin].
func Tan(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) { return one("Tan", n, inputs) }

// Floor is the largest integer up to X: see [Neg]. Its gradient is 0.
func Floor(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) { return one("Floor", n, inputs) }

// Ceil is the smallest integer from X on: see [Floor].
func Ceil(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) { return one("Ceil", n, inputs) }

// Round is the nearest integer, the even one of two: see [Floor]. Opsets from 11
// on.
func Round(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) { return one("Round", n, inputs) }

// Sign is -1, 0 or 1, and NaN for NaN: see [Floor]. Opsets from 9 on.
func Sign(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) { return one("Sign", n, inputs) }

func one(op string, n onnx.Node, inputs []*G.Node) ([]*G.Node, error) {
	return build(op, n, inputs, func(c *call) (*G.Node, error) {
		return apply(pointwise{name: op}, c.inputs...)
	})
}
