package nn

import (
	"slices"

	"gorgonia.org/gather"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/onnx/builders"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Reshape copies x under another shape of as many elements. A dim of -1 is what remains, and
// one of 0 that of x at the same axis.
//
// Gorgonia v0.9.18: Reshape shares memory with its input, which a later operator may
// overwrite, see [Square], and on LispMachine its gradient replaces that of other uses of x: of
// x + Reshape(x)² at [1 2] it is [2 4], for [3 5].
func Reshape(x *G.Node, dims ...int) (*G.Node, error) {
	if len(dims) == 0 {
		dims = []int{}
	}
	o := anything("x shape!")
	if err := o.check("Reshape", x); err != nil {
		return nil, err
	}
	if isFloat(x) {
		return call("Reshape", o, builders.Reshape, 1, attributes{"shape": dims}, x)
	}
	// What moves every dtype has the shape as an operand.
	shape := tensor.New(tensor.WithShape(len(dims)), tensor.Of(tensor.Int64))
	for i, n := range dims {
		shape.Int64s()[i] = int64(n)
	}
	return call("Reshape", o, builders.Reshape, 13, nil, x, G.NewConstant(shape))
}

// Flatten makes a matrix: the axes before axis are its rows, the others its columns.
func Flatten(x *G.Node, axis int) (*G.Node, error) {
	return call("Flatten", anything("x"), builders.Flatten, 11, attributes{"axis": axis}, x)
}

// Squeeze removes axes of size 1, all of them unless some are given.
func Squeeze(x *G.Node, axes ...int) (*G.Node, error) {
	a := attributes{}
	if len(axes) > 0 {
		a["axes"] = axes
	}
	return call("Squeeze", anything("x"), builders.Squeeze, 11, a, x)
}

// Unsqueeze adds axes of size 1, which axes count in the result.
func Unsqueeze(x *G.Node, axes ...int) (*G.Node, error) {
	return call("Unsqueeze", anything("x"), builders.Unsqueeze, 11, attributes{"axes": axes}, x)
}

// Transpose puts the axes into another order: axis i of the result is axis order[i] of x.
// Without an order it is reversed.
func Transpose(x *G.Node, order ...int) (*G.Node, error) {
	a := attributes{}
	if len(order) > 0 {
		a["perm"] = order
	}
	return call("Transpose", anything("x"), builders.Transpose, 13, a, x)
}

// Concat puts tensors behind each other along an axis; their other axes agree.
//
// Gorgonia v0.9.18: Concat along axis 1 is an error on LispMachine, or has the gradient 0, as
// for two tensors of (2, 1, 2). Along axis 0 it is right.
func Concat(axis int, xs ...*G.Node) (*G.Node, error) {
	return call("Concat", anything("xs…"), builders.Concat, 13, attributes{"axis": axis}, xs...)
}

// Stack puts tensors of one shape behind each other along a new axis, which axis counts in the
// result.
func Stack(axis int, xs ...*G.Node) (*G.Node, error) {
	const name = "Stack"
	if err := anything("xs…").check(name, xs...); err != nil {
		return nil, err
	}
	layers := make([]*G.Node, len(xs))
	for i, x := range xs {
		if !slices.Equal(x.Shape(), xs[0].Shape()) {
			return nil, fault.Errorf(gather.ErrShape, "%s: xs[0] has shape %v, xs[%d] has %v, they must be equal", name, fault.Shape(xs[0].Shape()), i, fault.Shape(x.Shape()))
		}
		var err error
		if layers[i], err = Unsqueeze(x, axis); err != nil {
			return nil, named(name, err)
		}
	}
	stacked, err := Concat(axis, layers...)
	return stacked, named(name, err)
}

// Slice is what lies from start up to end, which does not belong to it, along an axis.
// Negative ones count from the end, and what lies beyond it is the end.
//
// Gorgonia v0.9.18: Slice drops an axis of which one element is left: rows 0 to 1 of (2, 3)
// are (3), for (1, 3).
func Slice(x *G.Node, axis, start, end int) (*G.Node, error) {
	return call("Slice", anything("x"), builders.Slice, 9, attributes{"axes": []int{axis}, "starts": []int{start}, "ends": []int{end}}, x)
}
