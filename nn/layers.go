package nn

import (
	"math"

	"gorgonia.org/gather/onnx/builders"
	G "gorgonia.org/gorgonia"
)

// MatMul is the matrix product of the last two axes, for every matrix of the axes in front of
// them, which are broadcast to each other: (…, m, k) times (…, k, n) is (…, m, n). A vector is
// a row on the left, and a column on the right, whose axis the result does not have.
func MatMul(a, b *G.Node) (*G.Node, error) { return call("MatMul", builders.MatMul, 13, nil, a, b) }

// Linear is x·weightᵀ + bias: x (…, in), weight (out, in), as PyTorch keeps it, bias (out) or
// nil; the result is (…, out).
func Linear(x, weight, bias *G.Node) (*G.Node, error) {
	if x == nil || weight == nil || len(x.Shape()) == 2 {
		return call("Linear", builders.Gemm, 13, attributes{"transB": 1}, x, weight, bias)
	}
	w, err := Transpose(weight)
	if err != nil {
		return nil, named("Linear", err)
	}
	y, err := MatMul(x, w)
	if err == nil && bias != nil {
		y, err = Add(y, bias)
	}
	return y, named("Linear", err)
}

// LayerNorm subtracts the mean over the last axes, as many as weight has, divides by the root
// of the variance and epsilon, multiplies by weight, and adds bias, which may be nil.
// PyTorch's epsilon is 1e-5 unless given.
func LayerNorm(x, weight, bias *G.Node, epsilon float64) (*G.Node, error) {
	a := attributes{"epsilon": epsilon}
	if weight != nil {
		a["axis"] = -max(1, len(weight.Shape()))
	}
	return call("LayerNorm", builders.LayerNormalization, 17, a, x, weight, bias)
}

// RMSNorm is x divided by the root of its mean square and epsilon, times weight: see
// [LayerNorm].
func RMSNorm(x, weight *G.Node, epsilon float64) (*G.Node, error) {
	a := attributes{"epsilon": epsilon}
	if weight != nil {
		a["axis"] = -max(1, len(weight.Shape()))
	}
	return call("RMSNorm", builders.RMSNormalization, 23, a, x, weight)
}

// GroupNorm is [LayerNorm] of groups of channels, which axis 1 counts, with a weight and a bias
// for each channel.
func GroupNorm(x *G.Node, groups int, weight, bias *G.Node, epsilon float64) (*G.Node, error) {
	return call("GroupNorm", builders.GroupNormalization, 21, attributes{"num_groups": groups, "epsilon": epsilon}, x, weight, bias)
}

// BatchNorm is what a trained model does with each channel, which axis 1 counts: x minus mean,
// divided by the root of variance and epsilon, times weight, plus bias. It does not compute mean
// and variance: in training [GroupNorm] and [LayerNorm] need none.
//
// Gorgonia v0.9.18: BatchNorm ends the process on LispMachine.
func BatchNorm(x, mean, variance, weight, bias *G.Node, epsilon float64) (*G.Node, error) {
	return call("BatchNorm", builders.BatchNormalization, 15, attributes{"epsilon": epsilon}, x, weight, bias, mean, variance)
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
	return call("Conv", builders.Conv, 11, a, x, weight, bias)
}

// MaxPool is the greatest element under a window at each place. The first of equal elements
// gets the gradient.
func MaxPool(x *G.Node, w Window) (*G.Node, error) {
	return call("MaxPool", builders.MaxPool, 12, w.pool().attributes(x), x)
}

// AvgPool is the mean of the elements under a window at each place, padding included.
//
// Gorgonia v0.9.18: Grad of GlobalAveragePool2D panics, and on LispMachine its gradient is 0. Use
// [Mean] over axes 2 and 3.
func AvgPool(x *G.Node, w Window) (*G.Node, error) {
	a := w.pool().attributes(x)
	a["count_include_pad"] = 1
	return call("AvgPool", builders.AveragePool, 19, a, x)
}

// pool is the window with the stride that pools have unless it is given.
func (w Window) pool() Window {
	if w.Stride == nil {
		w.Stride = w.Kernel
	}
	return w
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

// Attention is the softmax of q·kᵀ/√d, times v: q (…, m, d), k (…, n, d), v (…, n, e), and the
// result (…, m, e). mask is bool, broadcast to (…, m, n), and true where a position may be
// attended to; nil lets all of them be. It is PyTorch's scaled_dot_product_attention.
func Attention(q, k, v, mask *G.Node) (*G.Node, error) {
	const name = "Attention"
	keys, err := swapped(k)
	if err != nil {
		return nil, named(name, err)
	}
	return chain(name, q,
		func(q *G.Node) (*G.Node, error) { return MatMul(q, keys) },
		func(s *G.Node) (*G.Node, error) {
			return Mul(s, number(s, 1/math.Sqrt(float64(q.Shape()[len(q.Shape())-1]))))
		},
		func(s *G.Node) (*G.Node, error) {
			if mask == nil {
				return s, nil
			}
			return Where(mask, s, number(s, math.Inf(-1)))
		},
		func(s *G.Node) (*G.Node, error) { return Softmax(s, -1) },
		func(p *G.Node) (*G.Node, error) { return MatMul(p, v) },
	)
}

// swapped is x with its last two axes swapped.
func swapped(x *G.Node) (*G.Node, error) {
	if x == nil || len(x.Shape()) < 2 {
		return Transpose(x)
	}
	order := make([]int, len(x.Shape()))
	for i := range order {
		order[i] = i
	}
	n := len(order)
	order[n-1], order[n-2] = n-2, n-1
	return Transpose(x, order...)
}
