package nn

import (
	"slices"

	"gorgonia.org/gather"
	"gorgonia.org/gather/internal/fault"
	G "gorgonia.org/gorgonia"
)

// MSE is the mean of the squares of y - wanted, which have one shape: to broadcast (n, 1) and
// (n) to (n, n) is what nobody wants here.
func MSE(y, wanted *G.Node) (*G.Node, error) {
	if err := alike("MSE", floats("y wanted"), y, wanted); err != nil {
		return nil, err
	}
	return chain("MSE", y,
		func(y *G.Node) (*G.Node, error) { return Sub(y, wanted) },
		Square,
		all(Mean),
	)
}

// L1 is the mean of |y - wanted|, which have one shape.
func L1(y, wanted *G.Node) (*G.Node, error) {
	if err := alike("L1", floats("y wanted"), y, wanted); err != nil {
		return nil, err
	}
	return chain("L1", y,
		func(y *G.Node) (*G.Node, error) { return Sub(y, wanted) },
		Abs,
		all(Mean),
	)
}

// Huber is the mean of d²/2, and of δ·(|d| - δ/2) where |d| is above delta, of d = y - wanted,
// which have one shape. With delta 1 it is PyTorch's smooth_l1_loss.
func Huber(y, wanted *G.Node, delta float64) (*G.Node, error) {
	const name = "Huber"
	if !(delta > 0) {
		return nil, fault.Errorf(gather.ErrOption, "%s: delta is %v, a number above 0 is allowed", name, delta)
	}
	if err := alike(name, floats("y wanted"), y, wanted); err != nil {
		return nil, err
	}
	d, err := chain(name, y, func(y *G.Node) (*G.Node, error) { return Sub(y, wanted) }, Abs)
	if err != nil {
		return nil, err
	}
	low, err := Clamp(d, 0, delta)
	if err != nil {
		return nil, named(name, err)
	}
	// low·(d - low/2), which is low²/2 + delta·(d - low).
	return chain(name, low,
		func(low *G.Node) (*G.Node, error) { return Mul(low, number(low, 0.5)) },
		func(half *G.Node) (*G.Node, error) { return Sub(d, half) },
		func(rest *G.Node) (*G.Node, error) { return Mul(low, rest) },
		all(Mean),
	)
}

// BCEWithLogits is the mean of the cross-entropies of yes and no: the softplus of the scores,
// minus the scores times wanted, which is 1 for yes, 0 for no, or between. Both have one shape.
func BCEWithLogits(scores, wanted *G.Node) (*G.Node, error) {
	const name = "BCEWithLogits"
	if err := alike(name, floats("scores wanted"), scores, wanted); err != nil {
		return nil, err
	}
	yes, err := Mul(scores, wanted)
	if err != nil {
		return nil, named(name, err)
	}
	return chain(name, scores, Softplus,
		func(no *G.Node) (*G.Node, error) { return Sub(no, yes) },
		all(Mean),
	)
}

// all is a reduction over all axes.
func all(reduce func(*G.Node, ...int) (*G.Node, error)) func(*G.Node) (*G.Node, error) {
	return func(x *G.Node) (*G.Node, error) { return reduce(x) }
}

// alike refuses nodes of different shapes.
func alike(name string, o operands, a, b *G.Node) error {
	if err := o.check(name, a, b); err != nil {
		return err
	}
	if !slices.Equal(a.Shape(), b.Shape()) {
		return fault.Errorf(gather.ErrShape, "%s: %s have shape %v, wanted have %v, they must be equal: use Reshape", name, o.names[0], fault.Shape(a.Shape()), fault.Shape(b.Shape()))
	}
	return nil
}
