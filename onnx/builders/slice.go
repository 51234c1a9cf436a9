package builders

import (
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/onnx"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Slice takes every steps-th element from starts up to ends, which does not
// belong to it, along each of the axes; 0 up to the number of starts unless axes
// are given. Negative starts and ends count from the end of their axis, and what
// lies beyond it is taken for the end; a negative step goes backward. All of
// them are inputs from opset 10 on, which must be known when the graph is built.
func Slice(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("Slice", n, inputs, func(c *call) (*G.Node, error) {
		lists, err := c.sliceLists()
		if err != nil {
			return nil, err
		}
		starts, ends, axes, steps := lists[0], lists[1], lists[2], lists[3]
		for i, name := range sliceNames {
			if len(lists[i]) != len(starts) {
				return nil, fault.Errorf(dense.ErrShape, "%d %s and %d starts", len(lists[i]), name, len(starts))
			}
		}
		if _, err := c.axes(axes, c.rank()); err != nil {
			return nil, err
		}
		shape := c.shape(0)
		p := places{part: append(tensor.Shape{}, shape...), whole: shape.Clone(), steps: rowMajor(shape)}
		for i, axis := range axes {
			if axis < 0 {
				axis += c.rank()
			}
			if steps[i] == 0 {
				return nil, fault.Errorf(dense.ErrOption, "steps[%d] is 0", i)
			}
			first, n := slice(starts[i], ends[i], steps[i], shape[axis])
			if n > 0 {
				p.offset += first * p.steps[axis]
			}
			p.part[axis] = n
			if n > 1 {
				p.steps[axis] *= steps[i]
			}
		}
		return c.apply(copying{p}, c.inputs[0])
	})
}

var sliceNames = [...]string{"starts", "ends", "axes", "steps"}

// sliceLists are starts, ends, axes and steps, the last two with their defaults.
func (c *call) sliceLists() ([4][]int, error) {
	var lists [4][]int
	for i, name := range sliceNames {
		var given bool
		var err error
		if c.version.since < 10 {
			lists[i], given, err = c.integers(name)
		} else {
			lists[i], given, err = c.static(i+1, name)
		}
		switch {
		case err != nil:
			return lists, err
		case given:
		case i < 2:
			return lists, fault.Errorf(dense.ErrOption, "no %s", name)
		default:
			for d := range lists[0] {
				lists[i] = append(lists[i], []int{2: d, 3: 1}[i])
			}
		}
	}
	return lists, nil
}

// slice is the first element of a slice along an axis, and how many it has.
func slice(start, end, step, size int) (first, n int) {
	if start < 0 {
		start += size
	}
	if end < 0 {
		end += size
	}
	if step > 0 {
		start, end = min(max(start, 0), size), min(max(end, 0), size)
		if end <= start {
			return 0, 0
		}
		return start, (end-start-1)/step + 1
	}
	start, end = min(max(start, -1), size-1), min(max(end, -1), size-1)
	if start <= end {
		return 0, 0
	}
	return start, (start-end-1)/-step + 1
}

// Split cuts data into as many parts along an axis as the node has outputs, of
// which those without a name are nil: of the sizes in split, or of equal ones, the
// last of which is smaller where opset 18 allows that. split is an input from opset
// 13 on, which must be known when the graph is built. Opsets from 2 on.
func Split(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return buildAll("Split", n, inputs, func(c *call) ([]*G.Node, error) { return c.split() })
}

// maxPinned is how many parts check the sizes that they were built with, which are
// as many. Of more parts, a copy of the data does it for all of them.
const maxPinned = 64

func (c *call) split() ([]*G.Node, error) {
	axis, err := c.integer("axis", 0)
	if err != nil {
		return nil, err
	}
	if axis, err = c.axis(axis, c.rank()); err != nil {
		return nil, err
	}
	shape := c.shape(0).Clone()
	sizes, err := c.splitSizes(shape[axis])
	if err != nil {
		return nil, err
	}
	outputs := c.node.Outputs
	if err := c.checkOutputs(len(sizes)); err != nil {
		return nil, err
	}
	data := c.inputs[0]
	if len(sizes) > maxPinned && len(c.pins) > 0 {
		if data, err = c.apply(copying{reshaped(shape, shape)}, data); err != nil {
			return nil, err
		}
		c.pins = nil
	}
	parts := make([]*G.Node, len(sizes))
	start := 0
	for i, n := range sizes {
		if len(outputs) > 0 && outputs[i] == "" {
			start += n
			continue
		}
		part, err := c.apply(copying{sliced(shape, axis, start, n)}, data)
		if err != nil {
			return nil, err
		}
		parts[i] = part
		start += n
	}
	return parts, nil
}

// splitSizes are the sizes of the parts of an axis.
func (c *call) splitSizes(size int) ([]int, error) {
	sizes, given, err := c.integers("split")
	if c.version.since >= 13 {
		sizes, given, err = c.static(1, "split")
	}
	if err != nil {
		return nil, err
	}
	if given {
		return checkedSizes(sizes, size)
	}
	parts, err := c.integer("num_outputs", len(c.node.Outputs))
	if err != nil {
		return nil, err
	}
	if parts < 1 || parts > max(size, 1) {
		return nil, fault.Errorf(dense.ErrShape, "%d parts of an axis of size %d", parts, size)
	}
	if err := c.checkOutputs(parts); err != nil {
		return nil, err
	}
	each := (size + parts - 1) / parts
	last := size - each*(parts-1)
	if last < 0 || last != each && c.version.since < 18 {
		return nil, fault.Errorf(dense.ErrShape, "an axis of size %d has no %d equal parts", size, parts)
	}
	for range parts - 1 {
		sizes = append(sizes, each)
	}
	return append(sizes, last), nil
}

// maxParts is how many parts of an axis there may be: a list of their sizes is made, however few elements they have.
const maxParts = 1 << 20

func checkParts(parts int) error {
	if parts > maxParts {
		return fault.Errorf(dense.ErrShape, "%d parts of an axis, at most %d are allowed", parts, maxParts)
	}
	return nil
}

// checkOutputs refuses another number of parts than there are outputs, if those are named.
func (c *call) checkOutputs(parts int) error {
	if n := len(c.node.Outputs); n > 0 && n != parts {
		return fault.Errorf(dense.ErrShape, "%d parts for %d outputs", parts, n)
	}
	return checkParts(parts)
}

// checkedSizes are sizes of parts, if they make an axis of that size.
func checkedSizes(sizes []int, size int) ([]int, error) {
	sum := 0
	for _, n := range sizes {
		if n < 0 || n > size {
			return nil, fault.Errorf(dense.ErrShape, "split %v of an axis of size %d", listed(sizes), size)
		}
		sum += n
	}
	if sum != size {
		return nil, fault.Errorf(dense.ErrShape, "split %v sums to %d, the axis has size %d", listed(sizes), sum, size)
	}
	return sizes, nil
}
