package builders

import (
	"slices"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/onnx"
	G "gorgonia.org/gorgonia"
)

// Gelu is X times the probability of a normal variable to be below X; where
// approximate is "tanh", the approximation by tanh. Opsets from 20 on, float and
// double, as for the other activations.
func Gelu(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("Gelu", n, inputs, func(c *call) (*G.Node, error) {
		approximate, err := c.text("approximate", "none", "none", "tanh")
		if err != nil {
			return nil, err
		}
		if approximate == "tanh" {
			return apply(pointwise{name: "Gelu by tanh"}, c.inputs[0])
		}
		return apply(pointwise{name: "Gelu"}, c.inputs[0])
	})
}

// LeakyRelu is X, and alpha X (0.01 unless given) where X is negative. Opsets
// from 6 on.
func LeakyRelu(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return bent("LeakyRelu", 0.01, n, inputs)
}

// PRelu is X, and slope times X where X is negative; slope is broadcast to X.
// Opsets from 7 on.
func PRelu(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("PRelu", n, inputs, func(c *call) (*G.Node, error) {
		if shape, err := broadcast(c.shape(0), c.shape(1)); err != nil || !slices.Equal(shape, c.shape(0)) {
			return nil, fault.Errorf(dense.ErrShape, "slope of shape %v does not broadcast to %v", c.shape(1), c.shape(0))
		}
		above, err := apply(pointwise{name: "is positive"}, c.inputs[0])
		if err != nil {
			return nil, err
		}
		below, err := apply(pointwise{name: "is not positive"}, c.inputs[0])
		if err == nil {
			below, err = apply(pairing{"Mul"}, below, c.inputs[1])
		}
		if err == nil {
			above, err = apply(pairing{"Add"}, above, below)
		}
		if err != nil {
			return nil, err
		}
		return apply(pairing{"Mul"}, c.inputs[0], above)
	})
}

// ThresholdedRelu is X where it is above alpha (1 unless given), else 0. Opsets
// from 10 on.
func ThresholdedRelu(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return bent("ThresholdedRelu", 1, n, inputs)
}

// Elu is X, and alpha (exp(X) - 1) where X is negative, alpha being 1 unless
// given. Opsets from 6 on.
func Elu(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("Elu", n, inputs, func(c *call) (*G.Node, error) {
		alpha, err := c.real("alpha", 1)
		if err != nil {
			return nil, err
		}
		return apply(pointwise{"Elu", alpha, 1}, c.inputs[0])
	})
}

// Selu is gamma times [Elu], with 1.0507 and an alpha of 1.6733 unless they are
// given. Opsets from 6 on.
func Selu(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("Selu", n, inputs, func(c *call) (*G.Node, error) {
		alpha, err := c.real("alpha", 1.67326319217681884765625)
		if err != nil {
			return nil, err
		}
		gamma, err := c.real("gamma", 1.05070102214813232421875)
		if err != nil {
			return nil, err
		}
		return apply(pointwise{"Elu", alpha, gamma}, c.inputs[0])
	})
}

// Celu is X, and alpha (exp(X/alpha) - 1) where X is negative, alpha being 1
// unless given. Opsets from 12 on.
func Celu(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) { return bent("Celu", 1, n, inputs) }

// Swish is X times the sigmoid of alpha X, alpha being 1 unless given. Opsets from
// 24 on.
func Swish(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) { return bent("Swish", 1, n, inputs) }

// HardSigmoid is alpha X + beta, and 0 or 1 where that lies below or above. They
// are 0.2 and 0.5 unless given. Opsets from 6 on.
func HardSigmoid(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("HardSigmoid", n, inputs, func(c *call) (*G.Node, error) {
		alpha, err := c.real("alpha", float64(float32(0.2)))
		if err != nil {
			return nil, err
		}
		beta, err := c.real("beta", 0.5)
		if err != nil {
			return nil, err
		}
		return apply(pointwise{"HardSigmoid", alpha, beta}, c.inputs[0])
	})
}

// HardSwish is X times X/6 + 1/2, which is cut off at 0 and at 1. Opsets from 14
// on.
func HardSwish(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) { return one("HardSwish", n, inputs) }

// Softplus is log(1 + exp(X)).
func Softplus(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) { return one("Softplus", n, inputs) }

// Softsign is X / (1 + |X|).
func Softsign(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) { return one("Softsign", n, inputs) }

// Mish is X times the hyperbolic tangent of [Softplus]. Opsets from 18 on.
func Mish(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) { return one("Mish", n, inputs) }

// bent is a function of one number with the attribute alpha.
func bent(op string, alpha float64, n onnx.Node, inputs []*G.Node) ([]*G.Node, error) {
	return build(op, n, inputs, func(c *call) (*G.Node, error) {
		alpha, err := c.real("alpha", float64(float32(alpha)))
		if err != nil {
			return nil, err
		}
		return apply(pointwise{name: op, alpha: alpha}, c.inputs[0])
	})
}
