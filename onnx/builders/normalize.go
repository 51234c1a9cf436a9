package builders

import (
	"slices"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/onnx"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// LayerNormalization subtracts the mean over the axes from axis (-1 unless given)
// on, divides by the root of the variance and epsilon, multiplies by Scale and
// adds B, if there is one; both are broadcast to X. The second result is the mean
// and the third 1 over that root, as float, with the axes of size 1. Opsets from
// 17 on; float and double.
func LayerNormalization(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return buildAll("LayerNormalization", n, inputs, func(c *call) ([]*G.Node, error) {
		f, axis, err := c.lineOf(true)
		if err != nil {
			return nil, err
		}
		y, err := c.normalized(f, c.shape(0), c.inputs[1:]...)
		if err != nil || !c.wants(1) && !c.wants(2) {
			return []*G.Node{y}, err
		}
		mean, inverse, err := c.statistics(f, axis)
		return []*G.Node{y, mean, inverse}, err
	})
}

// RMSNormalization is [LayerNormalization] without the mean: X divided by the
// root of its mean square and epsilon, times scale. Opsets from 23 on.
func RMSNormalization(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("RMSNormalization", n, inputs, func(c *call) (*G.Node, error) {
		f, _, err := c.lineOf(false)
		if err != nil {
			return nil, err
		}
		return c.normalized(f, c.shape(0), c.inputs[1])
	})
}

// lineOf is the normalisation over the axes from the attribute axis on.
func (c *call) lineOf(centred bool) (f normalizing, axis int, err error) {
	if axis, err = c.integer("axis", -1); err != nil {
		return f, 0, err
	}
	if axis, err = c.axis(axis, c.rank()); err != nil {
		return f, 0, err
	}
	if stash, err := c.integer("stash_type", 1); err != nil || stash != 1 {
		return f, 0, orOption(err, "stash_type is %d, 1 is allowed", stash)
	}
	f, err = c.normalizing(count(c.shape(0)[axis:]), centred)
	return f, axis, err
}

// orOption is an error, or one about an option.
func orOption(err error, format string, args ...any) error {
	if err != nil {
		return err
	}
	return fault.Errorf(dense.ErrOption, format, args...)
}

func (c *call) normalizing(n int, centred bool) (normalizing, error) {
	epsilon, err := c.real("epsilon", 1e-5)
	return normalizing{max(n, 1), epsilon, centred}, err
}

// normalized is the first input, under another shape, normalised and multiplied
// by the first of factors, with the second added, and then again in its own shape.
func (c *call) normalized(f normalizing, as tensor.Shape, factors ...*G.Node) (*G.Node, error) {
	y, err := apply(f, c.inputs[0])
	if err != nil {
		return nil, err
	}
	if !slices.Equal(as, y.Shape()) {
		if y, err = reshape(y, as); err != nil {
			return nil, err
		}
	}
	for i, factor := range factors {
		if factor == nil {
			continue
		}
		if shape, err := broadcast(y.Shape(), factor.Shape()); err != nil || !slices.Equal(shape, y.Shape()) {
			return nil, fault.Errorf(dense.ErrShape, "input %d of shape %v does not broadcast to %v", i+1, factor.Shape(), y.Shape())
		}
		if y, err = apply(pairing{[]string{"Mul", "Add"}[i]}, y, factor); err != nil {
			return nil, err
		}
	}
	if slices.Equal(y.Shape(), c.shape(0)) {
		return y, nil
	}
	return reshape(y, c.shape(0).Clone())
}

// statistics are the means over the axes from axis on and 1 over the roots of the
// variances.
func (c *call) statistics(f normalizing, axis int) (mean, inverse *G.Node, err error) {
	x := c.inputs[0]
	if x.Dtype() != tensor.Float32 {
		if x, err = apply(casting{tensor.Float32}, x); err != nil {
			return nil, nil, err
		}
	}
	shape := x.Shape().Clone()
	whole, n := shape.Clone(), count(shape[axis:])
	for d := range whole[axis:] {
		whole[axis+d] = 1
	}
	meanOf := func(x *G.Node) (*G.Node, error) {
		sum, err := apply(summing{expanded(whole, shape)}, x)
		if err != nil {
			return nil, err
		}
		return apply(scaling{1 / float64(n)}, sum)
	}
	if mean, err = meanOf(x); err != nil {
		return nil, nil, err
	}
	y, err := apply(pairing{"Sub"}, x, mean)
	if err == nil {
		y, err = apply(pairing{"Mul"}, y, y)
	}
	if err == nil {
		y, err = meanOf(y)
	}
	if err == nil {
		inverse, err = apply(pointwise{name: "inverse root", alpha: f.epsilon}, y)
	}
	return mean, inverse, err
}

// InstanceNormalization is [LayerNormalization] over the axes behind the second
// one, with a scale and a B for each channel, which is what the second axis counts.
// float and double.
func InstanceNormalization(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("InstanceNormalization", n, inputs, func(c *call) (*G.Node, error) {
		shape := c.shape(0)
		if len(shape) < 3 {
			return nil, fault.Errorf(dense.ErrShape, "input of shape %v, ranks of at least 3 are allowed", shape)
		}
		f, err := c.normalizing(count(shape[2:]), true)
		if err != nil {
			return nil, err
		}
		scale, err := c.perChannel(1, shape[1], len(shape)-2)
		if err != nil {
			return nil, err
		}
		bias, err := c.perChannel(2, shape[1], len(shape)-2)
		if err != nil {
			return nil, err
		}
		return c.normalized(f, shape, scale, bias)
	})
}

// GroupNormalization is [InstanceNormalization] over num_groups groups of
// channels. Opsets from 18 on; before opset 21 scale and bias are those of a group.
func GroupNormalization(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("GroupNormalization", n, inputs, func(c *call) (*G.Node, error) {
		groups, err := c.integer("num_groups", 0)
		if err != nil {
			return nil, err
		}
		shape := c.shape(0)
		if len(shape) < 2 || groups < 1 || shape[1]%groups != 0 {
			return nil, fault.Errorf(dense.ErrShape, "num_groups is %d, X of shape %v has channels that are no multiple of it", groups, shape)
		}
		if stash, err := c.integer("stash_type", 1); err != nil || stash != 1 {
			return nil, orOption(err, "stash_type is %d, 1 is allowed", stash)
		}
		each, inner := shape[1]/groups, count(shape[2:])
		f, err := c.normalizing(each*inner, true)
		if err != nil {
			return nil, err
		}
		channels, ones := groups*each, 1
		as := tensor.Shape{shape[0], channels, inner}
		if c.version.since < 21 {
			channels, ones, as = groups, 2, tensor.Shape{shape[0], groups, each, inner}
		}
		scale, err := c.perChannel(1, channels, ones)
		if err != nil {
			return nil, err
		}
		bias, err := c.perChannel(2, channels, ones)
		if err != nil {
			return nil, err
		}
		return c.normalized(f, as, scale, bias)
	})
}

// perChannel is an input of one number for each channel, with axes of size 1
// behind it.
func (c *call) perChannel(i, channels, ones int) (*G.Node, error) {
	if !slices.Equal(c.shape(i), tensor.Shape{channels}) {
		return nil, fault.Errorf(dense.ErrShape, "input %d of shape %v, (%d) is allowed", i, c.shape(i), channels)
	}
	shape := tensor.Shape{channels}
	for range ones {
		shape = append(shape, 1)
	}
	return reshape(c.inputs[i], shape)
}

// BatchNormalization is what a trained model does with each channel, which is
// what the second axis counts:
//
//	(X - mean) / root of (var + epsilon) * scale + B
//
// with the mean and the variance that it has as inputs. training_mode and the
// results that training has are refused. Opsets from 7 on; float and double.
func BatchNormalization(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("BatchNormalization", n, inputs, func(c *call) (*G.Node, error) {
		if training, err := c.boolean("training_mode", false); err != nil || training {
			return nil, orOption(err, "training_mode is not supported: export the model as it is in eval mode")
		}
		if spatial, err := c.boolean("spatial", true); err != nil || !spatial {
			return nil, orOption(err, "spatial is 0, 1 is allowed")
		}
		for i := range c.node.Outputs {
			if i > 0 && c.wants(i) {
				return nil, fault.Errorf(dense.ErrOption, "output %d is of training, which is not supported", i)
			}
		}
		epsilon, err := c.real("epsilon", 1e-5)
		if err != nil {
			return nil, err
		}
		shape := c.shape(0)
		if len(shape) < 2 {
			return nil, fault.Errorf(dense.ErrShape, "X of shape %v, ranks of at least 2 are allowed", shape)
		}
		var channels [4]*G.Node
		for i := range channels {
			if channels[i], err = c.perChannel(i+1, shape[1], len(shape)-2); err != nil {
				return nil, err
			}
		}
		y, err := apply(pairing{"Sub"}, c.inputs[0], channels[2])
		if err != nil {
			return nil, err
		}
		factor, err := apply(pointwise{name: "inverse root", alpha: epsilon}, channels[3])
		if err == nil {
			factor, err = apply(pairing{"Mul"}, factor, channels[0])
		}
		if err == nil {
			y, err = apply(pairing{"Mul"}, y, factor)
		}
		if err != nil {
			return nil, err
		}
		return apply(pairing{"Add"}, y, channels[1])
	})
}
