package onnx

import (
	"fmt"

	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/graph"
	"gorgonia.org/gather/internal/opset"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// writeTuples computes, when the graph runs, the index tuples with which a
// ScatterND does the work of a TensorScatter.
//
// Its input is write_indices. Where that is left out it is the update, of which
// only the shape counts: an operator must have an input, and zeros in the place of
// write_indices would be an input node of the graph that nobody has given.
type writeTuples struct{ graph.Operator }

// newWriteTuples returns the operator and the node to apply it to, of the nodes
// that a TensorScatter is applied to.
func newWriteTuples(w writes, nodes []*gorgonia.Node) (*writeTuples, *gorgonia.Node) {
	in := nodes[len(nodes)-1]
	d := describeTuples(w, len(nodes) == 3, graph.OperandOf(in))
	d.Unnamed = 1
	for _, n := range nodes {
		d.Instead = append(d.Instead, n.Name())
	}
	return &writeTuples{graph.New(d)}, in
}

// describeTuples describes the operator, for an input that is write_indices if they
// are given.
func describeTuples(w writes, given bool, in graph.Operand) graph.Description {
	shape := w.shape()
	return graph.Description{
		Name: fmt.Sprintf("TensorScatterTuples(update=%v, axis=%d, size=%d, circular=%t, given=%t, in=%v)",
			w.update, w.axis, w.size, w.circular, given, in.Type()),
		Operands: []graph.Operand{in},
		Result:   graph.Operand{Rank: len(shape), Dtype: tensor.Int64},
		// A graph's shapes are fixed.
		Shape: func(...tensor.Shape) (tensor.Shape, error) { return shape.Clone(), nil },
		Run: func(_ *tensor.Dense, in []tensor.Tensor) (*tensor.Dense, error) {
			if !given {
				return w.tuples(nil)
			}
			if err := w.checkIndices(in[0]); err != nil {
				return nil, err
			}
			return w.tuples(in[0])
		},
	}
}

// checkIndices wants write_indices to be those that the graph was built for.
func (w writes) checkIndices(at tensor.Tensor) error {
	d, err := opset.DescribeTensor(at)
	if err != nil {
		return errors.WithMessage(err, "TensorScatter: write_indices")
	}
	if len(d.Shape) != 1 || d.Shape[0] != w.update[0] || d.Dtype != tensor.Int64 {
		return errors.Errorf("TensorScatter: write_indices %s of type %s, int64 of shape (%d) is allowed",
			fault.Shape(d.Shape), dtypeName(d.Dtype), w.update[0])
	}
	return nil
}

// DiffWRT says that positions have no gradient. Without it Gorgonia would take
// a computed write_indices for a part of the graph that was cut off.
func (op *writeTuples) DiffWRT(int) []bool { return []bool{false} }

// SymDiff is an error: nothing may ask for it.
func (op *writeTuples) SymDiff(gorgonia.Nodes, *gorgonia.Node, *gorgonia.Node) (gorgonia.Nodes, error) {
	return nil, errors.New("TensorScatter: write_indices have no gradient")
}

var _ gorgonia.SDOp = (*writeTuples)(nil)
