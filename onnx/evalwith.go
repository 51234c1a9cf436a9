package onnx

import (
	"math"
	"slices"

	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// EvalWith computes a node with a builder on plain tensors; the caller needs no graph.
// It is [Eval] for the operators of package onnx/builders and for your own [Builder].
// An optional input that is left out is nil, and so is an output that the builder does
// not return.
//
// Inputs may have any layout that the builder's operators take. They are not changed,
// and no output shares memory with them. Errors are those of the builder; a panic in it,
// or in one of its operators, is an error, too.
func EvalWith(b Builder, n Node, inputs ...tensor.Tensor) ([]*tensor.Dense, error) {
	if b == nil {
		return nil, errors.New("onnx: EvalWith of a nil Builder")
	}
	given, err := describeInputs(n, inputs)
	if err != nil {
		return nil, err
	}
	p := makePlan(b, n, given, inputs, slices.Repeat([]bool{true}, len(inputs)), make([]bool, len(inputs)), MaxBytes{math.MaxInt64})
	if p.err != nil {
		return nil, p.err
	}
	return p.run(inputs)
}

// packedCopy is a row-major copy of a tensor that is not empty. A gather of all rows in
// their order copies every dtype and layout, and strings in sight of the garbage
// collector, as Clone does not.
func packedCopy(d *tensor.Dense) (*tensor.Dense, error) {
	if len(d.Shape()) > 0 {
		rows := tensor.New(tensor.WithShape(d.Shape()[0]), tensor.WithBacking(tensor.Range(tensor.Int, 0, d.Shape()[0])))
		return dense.Gather(d, rows, 0)
	}
	if d.Dtype() == tensor.String {
		return tensor.New(tensor.WithShape(), tensor.WithBacking([]string{d.Strings()[0]})), nil
	}
	return d.Clone().(*tensor.Dense), nil
}

// computed are the values of nodes that have been computed. Parts of a Split may all
// be made of one node.
type computed map[*gorgonia.Node]gorgonia.Value

// of is the value of a node whose inputs have theirs.
func (c computed) of(n *gorgonia.Node) (gorgonia.Value, error) {
	if n.Op() == nil {
		return n.Value(), nil
	}
	if v, ok := c[n]; ok {
		return v, nil
	}
	var in []gorgonia.Value
	for children := n.Graph().From(n.ID()); children.Next(); {
		v, err := c.of(children.Node().(*gorgonia.Node))
		if err != nil {
			return nil, err
		}
		in = append(in, v)
	}
	v, err := do(n, in)
	if err == nil {
		c[n] = v
	}
	return v, err
}

// do computes a node. A panic of its operator, which may be a user's, is an error.
func do(n *gorgonia.Node, in []gorgonia.Value) (v gorgonia.Value, err error) {
	defer func() {
		if r := recover(); r != nil {
			v, err = nil, errors.Errorf("its operator panicked: %v", r)
		}
	}()
	return n.Op().Do(in...)
}
