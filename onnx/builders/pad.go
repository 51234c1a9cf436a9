package builders

import (
	"math"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/onnx"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Pad adds elements at the ends of axes: pads are those at the beginnings, and
// behind them those at the ends; negative ones take elements away. mode is
// "constant", with a value that is 0 unless given, "reflect" at the outermost
// element, "edge" for that element itself, or, from opset 19 on, "wrap" for those
// of the other end. pads are an input from opset 11 on and axes, which are all
// unless given, from opset 18 on; both must be known when the graph is built.
// Opsets from 2 on.
func Pad(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("Pad", n, inputs, func(c *call) (*G.Node, error) {
		modes := []string{"constant", "reflect", "edge"}
		if c.version.since >= 19 {
			modes = append(modes, "wrap")
		}
		mode, err := c.text("mode", "constant", modes...)
		if err != nil {
			return nil, err
		}
		begin, end, err := c.pads()
		if err != nil {
			return nil, err
		}
		x, err := c.cropped(begin, end)
		if err != nil {
			return nil, err
		}
		if mode != "constant" {
			for axis := range begin {
				if x, err = extended(x, mode, axis, begin[axis], end[axis]); err != nil {
					return nil, err
				}
			}
			return x, nil
		}
		whole := x.Shape().Clone()
		for axis := range whole {
			if begin[axis] > maxWindow || end[axis] > maxWindow {
				return nil, fault.Errorf(dense.ErrShape, "pads %d and %d of axis %d, at most %d are allowed", begin[axis], end[axis], axis, maxWindow)
			}
			whole[axis] += begin[axis] + end[axis]
		}
		f := padding{places: within(x.Shape().Clone(), whole, begin)}
		if c.version.since < 11 {
			value, err := c.real("value", 0)
			if err != nil || value != 0 || math.Signbit(value) {
				return nil, orOption(err, "value is %v, 0 is allowed before opset 11", value)
			}
		} else if value := c.input(2); value != nil {
			return apply(f, x, value)
		}
		return apply(f, x)
	})
}

// pads are how many elements are added at the beginning and the end of each axis.
func (c *call) pads() (begin, end []int, err error) {
	var list, axes []int
	if c.version.since < 11 {
		list, _, err = c.integers("pads")
	} else {
		list, _, err = c.static(1, "pads")
	}
	if err != nil {
		return nil, nil, err
	}
	given := false
	if c.version.max > 3 {
		if axes, given, err = c.static(3, "axes"); err != nil {
			return nil, nil, err
		}
		if _, err := c.axes(axes, c.rank()); err != nil {
			return nil, nil, err
		}
	}
	if !given {
		for axis := range c.rank() {
			axes = append(axes, axis)
		}
	}
	if len(list) != 2*len(axes) {
		return nil, nil, fault.Errorf(dense.ErrShape, "%d pads for %d axes, two for each are allowed", len(list), len(axes))
	}
	begin, end = make([]int, c.rank()), make([]int, c.rank())
	for i, axis := range axes {
		if axis < 0 {
			axis += c.rank()
		}
		begin[axis], end[axis] = list[i], list[i+len(axes)]
	}
	return begin, end, nil
}

// cropped takes away what negative pads say, and makes them zeros. It is a copy
// in any case: the first operator behind the pads is what holds them fast.
func (c *call) cropped(begin, end []int) (*G.Node, error) {
	shape := c.shape(0).Clone()
	part, start := shape.Clone(), make([]int, len(shape))
	for axis, n := range shape {
		for _, p := range []*int{&begin[axis], &end[axis]} {
			if *p >= 0 {
				continue
			}
			if *p < -part[axis] {
				return nil, fault.Errorf(dense.ErrShape, "pad %d of axis %d, which has %d elements", *p, axis, n)
			}
			part[axis] += *p
			if p == &begin[axis] {
				start[axis] = -*p
			}
			*p = 0
		}
	}
	return c.apply(copying{within(part, shape, start)}, c.inputs[0])
}

// extended adds elements of an axis at its ends.
func extended(x *G.Node, mode string, axis, begin, end int) (*G.Node, error) {
	if begin == 0 && end == 0 {
		return x, nil
	}
	shape := x.Shape().Clone()
	n := shape[axis]
	most := map[string]int{"reflect": n - 1, "edge": maxWindow, "wrap": n}[mode]
	if n == 0 {
		most = 0
	}
	if max(begin, end) > max(most, 0) {
		return nil, fault.Errorf(dense.ErrShape, "%s pads %d and %d of axis %d, which has %d elements", mode, begin, end, axis, n)
	}
	var before, behind places
	switch mode {
	case "reflect":
		before, behind = ranged(shape, axis, begin, begin, -1), ranged(shape, axis, n-2, end, -1)
	case "edge":
		before, behind = ranged(shape, axis, 0, begin, 0), ranged(shape, axis, n-1, end, 0)
	default:
		before, behind = ranged(shape, axis, n-begin, begin, 1), ranged(shape, axis, 0, end, 1)
	}
	var parts []*G.Node
	for _, p := range []places{before, ranged(shape, axis, 0, n, 1), behind} {
		if p.part[axis] == 0 && n > 0 {
			continue
		}
		part, err := apply(copying{p}, x)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	return apply(joining{axis}, parts...)
}

// ranged are the places of n elements of an axis from first on, step by step.
func ranged(from tensor.Shape, axis, first, n, step int) places {
	p := places{part: from.Clone(), whole: from, steps: rowMajor(from)}
	p.part[axis] = n
	if count(p.part) > 0 {
		p.offset = first * p.steps[axis]
	}
	p.steps[axis] *= step
	return p
}

// Tile repeats data along each axis as often as repeats says, which must be known
// when the graph is built. Opsets from 6 on.
func Tile(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("Tile", n, inputs, func(c *call) (*G.Node, error) {
		repeats, _, err := c.static(1, "repeats")
		if err != nil {
			return nil, err
		}
		shape := c.shape(0).Clone()
		if len(repeats) != len(shape) {
			return nil, fault.Errorf(dense.ErrShape, "%d repeats for data of shape %v", len(repeats), shape)
		}
		// Each axis is a pair: which repeat, and which element.
		p := places{whole: shape}
		var tiled tensor.Shape
		steps := rowMajor(shape)
		for axis, r := range repeats {
			if r < 0 || r > maxWindow {
				return nil, fault.Errorf(dense.ErrShape, "repeats[%d] is %d, 0 to %d are allowed", axis, r, maxWindow)
			}
			p.part, p.steps = append(p.part, r, shape[axis]), append(p.steps, 0, steps[axis])
			tiled = append(tiled, r*shape[axis])
		}
		y, err := c.apply(copying{p}, c.inputs[0])
		if err != nil {
			return nil, err
		}
		return reshape(y, tiled)
	})
}
