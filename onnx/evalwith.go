package onnx

import (
	"fmt"
	"slices"

	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/opset"
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
	g := gorgonia.NewGraph()
	nodes := make([]*gorgonia.Node, len(inputs))
	for i, t := range inputs {
		d, err := opset.DescribeTensor(t)
		if err != nil {
			return nil, errors.WithMessagef(err, "%s: input %d", n.OpType, i)
		}
		if !d.Given {
			continue
		}
		nodes[i] = inputNode(g, fmt.Sprint("input ", i), d.Dtype, d.Shape)
		if err := gorgonia.Let(nodes[i], t); err != nil {
			return nil, errors.Wrapf(err, "%s: input %d", n.OpType, i)
		}
	}
	out, err := guarded(b, n, nodes)
	if err != nil {
		return nil, err
	}
	return results(n.OpType, out)
}

// results are the values of outputs.
func results(op string, out []*gorgonia.Node) (list []*tensor.Dense, err error) {
	defer func() {
		if r := recover(); r != nil {
			list, err = nil, errors.Errorf("%s: its operator panicked: %v", op, r)
		}
	}()
	values := computed{}
	list = make([]*tensor.Dense, len(out))
	for i, node := range out {
		if node == nil {
			continue
		}
		d, err := opset.DescribeNode(node)
		if err != nil {
			return nil, errors.WithMessagef(err, "%s: output %d", op, i)
		}
		if err := core.Fits(op, "a result", d.Shape, d.Dtype); err != nil {
			return nil, err
		}
		v, err := values.of(node)
		if err != nil {
			return nil, err
		}
		if list[i], err = opset.AsDense(v); err != nil {
			return nil, errors.WithMessagef(err, "%s: output %d", op, i)
		}
		if node.Op() == nil && !slices.Contains(d.Shape, 0) { // an input handed through
			if list[i], err = packedCopy(list[i]); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
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
	v, err := n.Op().Do(in...)
	if err == nil {
		c[n] = v
	}
	return v, err
}
