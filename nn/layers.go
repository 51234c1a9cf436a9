package nn

import (
	"maps"
	"slices"

	"gorgonia.org/gather"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/onnx"
	"gorgonia.org/gather/onnx/builders"
	G "gorgonia.org/gorgonia"
)

// Linear is x·weightᵀ + bias: x (…, in), weight (out, in), as PyTorch keeps it, bias (out), or
// (1, out) as a table of one row has it, or nil; the result is (…, out).
func Linear(x, weight, bias *G.Node) (*G.Node, error) {
	const name = "Linear"
	o := floats("x weight bias?")
	if err := o.check(name, x, weight, bias); err != nil {
		return nil, err
	}
	in, w := x.Shape(), weight.Shape()
	switch {
	case len(in) == 0 || len(w) != 2 || in[len(in)-1] != w[1]:
		return nil, fault.Errorf(gather.ErrShape, "%s: x has shape %v, weight %v, (…, in) and (out, in) are needed", name, fault.Shape(in), fault.Shape(w))
	case bias != nil && !slices.Equal(bias.Shape(), w[:1]) && !(len(in) > 1 && slices.Equal(bias.Shape(), []int{1, w[0]})):
		return nil, fault.Errorf(gather.ErrShape, "%s: bias has shape %v, (%d) is needed for weight %v", name, fault.Shape(bias.Shape()), w[0], fault.Shape(w))
	case len(in) == 2:
		return call(name, o, builders.Gemm, 13, attributes{"transB": 1}, x, weight, bias)
	}
	transposed, err := Transpose(weight)
	if err != nil {
		return nil, named(name, err)
	}
	y, err := MatMul(x, transposed)
	if err == nil && bias != nil {
		y, err = Add(y, bias)
	}
	return y, named(name, err)
}

// LayerNorm subtracts the mean over the last axes, as many as weight has, divides by the root
// of the variance and epsilon, multiplies by weight, and adds bias, which may be nil.
// PyTorch's epsilon is 1e-5 unless given.
func LayerNorm(x, weight, bias *G.Node, epsilon float64) (*G.Node, error) {
	a := attributes{"epsilon": epsilon}
	if weight != nil {
		a["axis"] = -max(1, len(weight.Shape()))
	}
	return call("LayerNorm", floats("x weight bias?"), builders.LayerNormalization, 17, a, x, weight, bias)
}

// RMSNorm is x divided by the root of its mean square and epsilon, times weight: see
// [LayerNorm].
func RMSNorm(x, weight *G.Node, epsilon float64) (*G.Node, error) {
	a := attributes{"epsilon": epsilon}
	if weight != nil {
		a["axis"] = -max(1, len(weight.Shape()))
	}
	return call("RMSNorm", floats("x weight"), builders.RMSNormalization, 23, a, x, weight)
}

// GroupNorm is [LayerNorm] of groups of channels, which axis 1 counts, with a weight and a bias
// for each channel.
func GroupNorm(x *G.Node, groups int, weight, bias *G.Node, epsilon float64) (*G.Node, error) {
	return call("GroupNorm", floats("x weight bias"), builders.GroupNormalization, 21, attributes{"num_groups": groups, "epsilon": epsilon}, x, weight, bias)
}

// BatchNorm is what a trained model does with each channel, which axis 1 counts: x minus mean,
// divided by the root of variance and epsilon, times weight, plus bias. It does not compute mean
// and variance: in training [GroupNorm] and [LayerNorm] need none.
//
// Gorgonia v0.9.18: BatchNorm ends the process on LispMachine.
func BatchNorm(x, mean, variance, weight, bias *G.Node, epsilon float64) (*G.Node, error) {
	return call("BatchNorm", floats("x weight bias mean variance"), builders.BatchNormalization, 15, attributes{"epsilon": epsilon}, x, weight, bias, mean, variance)
}

// A Window is what [Conv], [MaxPool] and [AvgPool] move over the spatial axes, which are those
// from axis 2 on. Each list has a number for each of them, or one number for all.
type Window struct {
	Kernel   []int // the size; Conv has it from its weight
	Stride   []int // from place to place: 1 unless given, for pools the size
	Padding  []int // added at both ends: 0 unless given
	Dilation []int // from element to element: 1 unless given
	Groups   int   // of channels, for Conv: 1 unless given
}

// Conv moves filters over the spatial axes of x, of which there may be any number:
// x (n, c, …), weight (m, c/groups, kernel…), bias (m) or nil; the result is (n, m, places…).
func Conv(x, weight, bias *G.Node, w Window) (*G.Node, error) {
	a := w.attributes(x)
	a["group"] = max(1, w.Groups)
	return call("Conv", floats("x weight bias?"), builders.Conv, 11, a, x, weight, bias)
}

// MaxPool is the greatest element under a window at each place. The first of equal elements
// gets the gradient.
func MaxPool(x *G.Node, w Window) (*G.Node, error) {
	return pool("MaxPool", builders.MaxPool, 12, x, w, nil)
}

// AvgPool is the mean of the elements under a window at each place, padding included.
//
// Gorgonia v0.9.18: Grad of GlobalAveragePool2D panics, and on LispMachine its gradient is 0. Use
// [Mean] over axes 2 and 3.
func AvgPool(x *G.Node, w Window) (*G.Node, error) {
	return pool("AvgPool", builders.AveragePool, 19, x, w, attributes{"count_include_pad": 1})
}

// pool moves a window by its own size, unless a stride is given.
func pool(name string, build onnx.Builder, opset int, x *G.Node, w Window, more attributes) (*G.Node, error) {
	if w.Groups != 0 {
		return nil, fault.Errorf(gather.ErrOption, "%s: Window.Groups is %d, it is for Conv", name, w.Groups)
	}
	if w.Stride == nil {
		w.Stride = w.Kernel
	}
	a := w.attributes(x)
	maps.Copy(a, more)
	return call(name, floats("x"), build, opset, a, x)
}

// attributes are those of ONNX, for the rank of x.
func (w Window) attributes(x *G.Node) attributes {
	a, axes := attributes{}, 1
	if x != nil {
		axes = max(1, len(x.Shape())-2)
	}
	for name, list := range map[string][]int{"kernel_shape": w.Kernel, "strides": w.Stride, "pads": w.Padding, "dilations": w.Dilation} {
		if len(list) == 1 {
			for len(list) < axes {
				list = append(list, list[0])
			}
		}
		if name == "pads" {
			list = append(list[:len(list):len(list)], list...)
		}
		if list != nil {
			a[name] = list
		}
	}
	return a
}
