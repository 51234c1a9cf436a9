package builders

import (
	"fmt"
	"slices"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/onnx"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// SplitToSequence cuts data into parts along an axis, for [SequenceAt] alone: of
// the sizes in split, of one size if split is a scalar, the last one smaller where
// that does not divide the axis, or, without it, of size 1, whose axis keepdims
// tells to keep. split must be known when the graph is built. Opsets from 11 on.
//
// The result stands for the sequence. It is the whole of data, and remembers the
// parts.
func SplitToSequence(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("SplitToSequence", n, inputs, func(c *call) (*G.Node, error) {
		axis, err := c.integer("axis", 0)
		if err != nil {
			return nil, err
		}
		if axis, err = c.axis(axis, c.rank()); err != nil {
			return nil, err
		}
		f := sequence{shape: c.shape(0).Clone(), axis: axis}
		list, given, err := c.static(1, "split")
		if err != nil {
			return nil, err
		}
		size := f.shape[axis]
		switch {
		case !given:
			keep, err := c.boolean("keepdims", true)
			if err != nil {
				return nil, err
			}
			f.squeezed = !keep
			if err := checkParts(size); err != nil {
				return nil, err
			}
			f.sizes = slices.Repeat([]int{1}, size)
		case len(c.shape(1)) == 1:
			f.sizes, err = checkedSizes(list, size)
			if err != nil {
				return nil, err
			}
		case list[0] < 1:
			return nil, fault.Errorf(dense.ErrShape, "split is %d, at least 1 is allowed", list[0])
		default:
			if err := checkParts(size / list[0]); err != nil {
				return nil, err
			}
			for start := 0; start < size; start += list[0] {
				f.sizes = append(f.sizes, min(list[0], size-start))
			}
		}
		return c.apply(f, c.inputs[0])
	})
}

// SequenceAt is a part of what [SplitToSequence] made. position, which counts from
// the end if it is negative, must be known when the graph is built. Opsets from 11
// on.
func SequenceAt(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("SequenceAt", n, inputs, func(c *call) (*G.Node, error) {
		f, ok := sequenceOf(c.inputs[0])
		if !ok {
			return nil, fault.Errorf(dense.ErrOption, "input 0 is no sequence that SplitToSequence made, others are not supported")
		}
		position, _, err := c.staticOne("position")
		if err != nil {
			return nil, err
		}
		if position < -len(f.sizes) || position >= len(f.sizes) {
			return nil, fault.Errorf(dense.ErrOption, "position %d of a sequence of %d parts", position, len(f.sizes))
		}
		if position < 0 {
			position += len(f.sizes)
		}
		start := 0
		for _, n := range f.sizes[:position] {
			start += n
		}
		p := sliced(f.shape, f.axis, start, f.sizes[position])
		if f.squeezed {
			p.part, p.steps = slices.Delete(p.part, f.axis, f.axis+1), slices.Delete(p.steps, f.axis, f.axis+1)
		}
		return c.apply(copying{p}, c.inputs[0])
	})
}

// sequence is a copy that remembers how it is to be cut.
type sequence struct {
	shape    tensor.Shape
	axis     int
	sizes    []int
	squeezed bool // the parts are without the axis
}

// sequenceOf is what a node of SplitToSequence remembers.
func sequenceOf(n *G.Node) (f sequence, ok bool) {
	op, ok := n.Op().(*operator)
	if !ok {
		return f, false
	}
	inner := op.function
	if p, isPinned := inner.(pinned); isPinned {
		inner = p.function
	}
	f, ok = inner.(sequence)
	return f, ok
}

func (f sequence) String() string {
	return fmt.Sprintf("SplitToSequence %v on axis %d of %v, squeezed %v", f.sizes, f.axis, f.shape, f.squeezed)
}

func (f sequence) result(in []operand) (operand, error) { return in[0], nil }

func (f sequence) run(out *tensor.Dense, in []*tensor.Dense) error {
	reshaped(f.shape, f.shape).move(in[0], out, true)
	return nil
}

func (f sequence) gradients([]operand, operand) []*term {
	return []*term{of(copying{reshaped(f.shape, f.shape)}, grad())}
}
