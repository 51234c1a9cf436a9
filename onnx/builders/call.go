package builders

import (
	"fmt"
	"math"
	"slices"

	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/opset"
	"gorgonia.org/gather/onnx"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A call is a node whose version is known, and whose attributes, number of
// inputs and type that version allows.
type call struct {
	op      string
	node    onnx.Node
	version version
	inputs  []*G.Node

	pins   []pin // what static has read
	pinned []*G.Node
}

// build is what every builder is made of: the rules of the operator's version,
// and then one result.
func build(op string, n onnx.Node, inputs []*G.Node, result func(c *call) (*G.Node, error)) ([]*G.Node, error) {
	return buildAll(op, n, inputs, func(c *call) ([]*G.Node, error) {
		out, err := result(c)
		return []*G.Node{out}, err
	})
}

// buildAll is build for an operator with several results, of which those that
// the node gives no name may be nil.
func buildAll(op string, n onnx.Node, inputs []*G.Node, results func(c *call) ([]*G.Node, error)) ([]*G.Node, error) {
	c, err := newCall(op, n, inputs)
	if err != nil {
		return nil, err
	}
	out, err := results(c)
	if err != nil {
		return nil, c.named(err)
	}
	return out, nil
}

// wants tells whether the node has a use for a result besides the first.
func (c *call) wants(i int) bool { return i < len(c.node.Outputs) && c.node.Outputs[i] != "" }

// named is an error with the operator and its version in front, which those
// about versions have already.
func (c *call) named(err error) error {
	var bad *onnx.VersionError
	if errors.As(err, &bad) {
		return err
	}
	return errors.WithMessage(err, c.String())
}

func newCall(op string, n onnx.Node, inputs []*G.Node) (*call, error) {
	rows := versions[op]
	if n.Opset < rows[0].since {
		return nil, fault.Errorf(dense.ErrOption, "%s: opset %d is not supported, opsets from %d on are", op, n.Opset, rows[0].since)
	}
	c := &call{op: op, node: n, inputs: inputs}
	for _, v := range rows {
		if v.since <= n.Opset {
			c.version = v
		}
	}
	c.version.max = max(c.version.min, c.version.max)
	for name := range n.Attributes {
		if !slices.Contains(c.version.attributes, name) {
			return nil, c.notAllowed(fmt.Sprintf("attribute %q", name), func(v version) bool { return slices.Contains(v.attributes, name) })
		}
	}
	// Optional inputs at the end may be left out in either way.
	for len(c.inputs) > c.version.max && c.inputs[len(c.inputs)-1] == nil {
		c.inputs = c.inputs[:len(c.inputs)-1]
	}
	if given := len(c.inputs); given < c.version.min || given > c.version.max {
		return nil, fault.Errorf(dense.ErrShape, "%v: %d inputs, %s allowed", c, given, c.version.count())
	}
	for i, in := range c.inputs {
		if in == nil && (i < c.version.min || c.version.max == anyNumber) {
			return nil, fault.Errorf(dense.ErrShape, "%v: input %d is left out", c, i)
		}
		d, err := opset.DescribeNode(in)
		if err == nil {
			_, err = size(d.Shape)
		}
		if err != nil {
			return nil, errors.WithMessagef(err, "%v: input %d", c, i)
		}
		if in != nil && op != "SequenceAt" {
			if _, ok := sequenceOf(in); ok {
				return nil, fault.Errorf(dense.ErrOption, "%v: input %d is a sequence, which only SequenceAt takes", c, i)
			}
		}
	}
	if dt := c.inputs[0].Dtype(); !c.version.types.Has(dt) {
		return nil, c.notAllowed(fmt.Sprintf("input 0 of type %v", typeName(dt)), func(v version) bool { return v.types.Has(dt) })
	}
	return c, nil
}

// String is the operator with its version: Softmax-13.
func (c *call) String() string { return fmt.Sprintf("%s-%d", c.op, c.version.since) }

// count reads like: 1 to 2 are.
func (v version) count() string {
	switch {
	case v.max == anyNumber:
		return fmt.Sprintf("at least %d are", v.min)
	case v.max > v.min:
		return fmt.Sprintf("%d to %d are", v.min, v.max)
	case v.min == 1:
		return "1 is"
	}
	return fmt.Sprintf("%d are", v.min)
}

// notAllowed is the error about what, which the version lacks, and says from
// which opset on another version has it, or until which one had it.
func (c *call) notAllowed(what string, allows func(version) bool) error {
	e := &onnx.VersionError{Op: c.op, Opset: c.node.Opset, Version: c.version.since, What: what}
	for _, v := range versions[c.op] {
		switch {
		case v.since < c.version.since && allows(v):
			return fault.Errorf(dense.ErrOption, "%v: %s is not allowed in opset %d, it was before opset %d", c, what, c.node.Opset, c.version.since)
		case v.since > c.version.since && allows(v):
			e.Since = v.since
			return errors.WithStack(e)
		}
	}
	return errors.WithStack(e)
}

// input is an input's node, nil if it is left out.
func (c *call) input(i int) *G.Node {
	if i < len(c.inputs) {
		return c.inputs[i]
	}
	return nil
}

// shape is an input's shape.
func (c *call) shape(i int) tensor.Shape { return c.inputs[i].Shape() }

// rank is the rank of the first input.
func (c *call) rank() int { return len(c.shape(0)) }

// static are the integers of an input that shapes a result, which must be known
// when the graph is built: those of an initializer, say. given is false if the
// input is left out.
func (c *call) static(i int, what string) (list []int, given bool, err error) {
	n := c.input(i)
	if n == nil {
		return nil, false, nil
	}
	switch dt := n.Dtype(); {
	case dt == tensor.Int64 || c.op == "OneHot" && numeric.Has(dt):
	case !slices.Contains(narrow, c.op):
		return nil, true, fault.Errorf(dense.ErrDtype, "%s of type %v, int64 is allowed", what, typeName(dt))
	case dt != tensor.Int32:
		return nil, true, fault.Errorf(dense.ErrDtype, "%s of type %v, int32 and int64 are allowed", what, typeName(dt))
	}
	v := known(n)
	if v == nil {
		return nil, true, errors.Errorf("%s, %s, must be known when the graph is built: an initializer, a Constant, or what follows from shapes",
			what, fault.Name(n.Name()))
	}
	if len(v.Shape()) > 1 || len(v.Shape()) == 0 && !slices.Contains(single, what) {
		return nil, true, fault.Errorf(dense.ErrShape, "%s of shape %v, a list is allowed", what, v.Shape())
	}
	if err := checkLength(what, count(v.Shape())); err != nil {
		return nil, true, err
	}
	list = integersOf(v)
	c.pins, c.pinned = append(c.pins, pin{what, list}), append(c.pinned, n)
	return list, true, nil
}

// narrow are the operators whose integers may be int32, and single the inputs
// that may be scalars.
var (
	narrow = []string{"Slice", "CumSum", "SplitToSequence", "SequenceAt", "Pad"}
	single = []string{"axes", "axis", "k", "position", "split", "depth"}
)

// staticOne is static for the second input, of one element.
func (c *call) staticOne(what string) (value int, given bool, err error) {
	list, given, err := c.static(1, what)
	if err == nil && given && len(list) != 1 {
		err = fault.Errorf(dense.ErrShape, "%s has %d elements, one is allowed", what, len(list))
	}
	if err != nil || !given {
		return 0, given, err
	}
	return list[0], true, nil
}

// apply adds a function of the nodes to their graph, and of the inputs whose
// values it was made with.
func (c *call) apply(f function, nodes ...*G.Node) (*G.Node, error) {
	if len(c.pins) == 0 {
		return apply(f, nodes...)
	}
	return apply(pinned{f, len(nodes), c.pins}, slices.Concat(nodes, c.pinned)...)
}

// known is the value of a node that stands for one, nil if there is none yet.
func known(n *G.Node) *tensor.Dense {
	_, constant := n.Op().(interface{ Value() G.Value })
	if n.Op() != nil && !constant || n.Value() == nil {
		return nil
	}
	d, err := packed(n.Value())
	if err != nil {
		return nil
	}
	return d
}

// bounded is an integer as an int, also where that has 32 bits: what is beyond
// any shape stays so.
func bounded(n int64) int { return int(min(max(n, -math.MaxInt), math.MaxInt)) }

// axis counts a negative axis from the end. Squeeze, Unsqueeze and Flatten allow
// none before opset 11; where a text is silent, ONNX Runtime takes them.
func (c *call) axis(axis, rank int) (int, error) {
	low := -rank
	if c.version.since < 11 && (c.op == "Squeeze" || c.op == "Unsqueeze") {
		low = 0
	}
	switch {
	case rank == 0:
		return 0, fault.Errorf(dense.ErrAxis, "axis %d is no axis of a scalar", axis)
	case axis < low || axis >= rank:
		return 0, fault.Errorf(dense.ErrAxis, "axis %d is not in [%d, %d]", axis, low, rank-1)
	}
	if axis < 0 {
		axis += rank
	}
	return axis, nil
}

// axes does so for a list, and tells which axes are in it.
func (c *call) axes(list []int, rank int) ([]bool, error) {
	in := make([]bool, rank)
	for _, a := range list {
		a, err := c.axis(a, rank)
		if err != nil {
			return nil, err
		}
		if in[a] {
			return nil, fault.Errorf(dense.ErrAxis, "axes %v name axis %d twice", list, a)
		}
		in[a] = true
	}
	return in, nil
}
