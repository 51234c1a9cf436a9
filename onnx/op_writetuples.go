package onnx

import (
	"fmt"
	"hash"
	"hash/fnv"

	"github.com/chewxy/hm"
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
// Its input is write_indices. Where that is left out it is the update, whose
// values it ignores: an operator must have an input, and a hidden input node
// with zeros would be one more value for the user to keep bound.
type writeTuples struct {
	graph.Names
	writes
	given bool    // the input is write_indices
	in    hm.Type // the input's type
	names []string
}

// newWriteTuples returns the operator and the node to apply it to, of the nodes
// that a TensorScatter is applied to.
func newWriteTuples(w writes, nodes []*gorgonia.Node) (*writeTuples, *gorgonia.Node) {
	in := nodes[len(nodes)-1]
	op := &writeTuples{writes: w, given: len(nodes) == 3, in: in.Type()}
	for _, n := range nodes {
		op.names = append(op.names, n.Name())
	}
	return op, in
}

// Operands are the names of the TensorScatter's operands, for errors.
func (op *writeTuples) Operands() []string { return op.names }

// Arity is 1.
func (op *writeTuples) Arity() int { return 1 }

// Type is that of a function from the input to a tensor of int64.
func (op *writeTuples) Type() hm.Type {
	return hm.NewFnType(op.in, gorgonia.TensorType{Dims: op.shape().Dims(), Of: tensor.Int64})
}

// InferShape needs nothing but the operator itself: a graph's shapes are fixed.
func (op *writeTuples) InferShape(...gorgonia.DimSizer) (tensor.Shape, error) { return op.shape(), nil }

// Do computes the tuples.
func (op *writeTuples) Do(inputs ...gorgonia.Value) (gorgonia.Value, error) {
	t, err := op.do(inputs)
	if err != nil {
		return nil, graph.Explain(op, err)
	}
	return t, nil
}

func (op *writeTuples) do(inputs []gorgonia.Value) (*tensor.Dense, error) {
	if len(inputs) != 1 {
		return nil, errors.Errorf("TensorScatter: %d inputs for the tuples, 1 is allowed", len(inputs))
	}
	if !op.given {
		return op.tuples(nil)
	}
	at, ok := inputs[0].(tensor.Tensor)
	if !ok {
		return nil, errors.Errorf("TensorScatter: write_indices are a %T, a tensor is needed", inputs[0])
	}
	d, err := opset.DescribeTensor(at)
	if err != nil {
		return nil, errors.WithMessage(err, "TensorScatter: write_indices")
	}
	if len(d.Shape) != 1 || d.Shape[0] != op.update[0] || d.Dtype != tensor.Int64 {
		return nil, errors.Errorf("TensorScatter: write_indices %s of type %s, int64 of shape (%d) is allowed",
			fault.Shape(d.Shape), dtypeName(d.Dtype), op.update[0])
	}
	return op.tuples(at)
}

// DiffWRT says that positions have no gradient. Without it Gorgonia would take
// a computed write_indices for a part of the graph that was cut off.
func (op *writeTuples) DiffWRT(int) []bool { return []bool{false} }

// SymDiff is an error: nothing may ask for it.
func (op *writeTuples) SymDiff(gorgonia.Nodes, *gorgonia.Node, *gorgonia.Node) (gorgonia.Nodes, error) {
	return nil, errors.New("TensorScatter: write_indices have no gradient")
}

// ReturnsPtr is true: the result is a tensor.
func (op *writeTuples) ReturnsPtr() bool { return true }

// CallsExtern is false.
func (op *writeTuples) CallsExtern() bool { return false }

// OverwritesInput says that no input is overwritten.
func (op *writeTuples) OverwritesInput() int { return -1 }

// WriteHash writes String, which prints every field.
func (op *writeTuples) WriteHash(h hash.Hash) { fmt.Fprint(h, op.String()) }

// Hashcode hashes String.
func (op *writeTuples) Hashcode() uint32 {
	h := fnv.New32a()
	op.WriteHash(h)
	return h.Sum32()
}

// String prints every field but the names, which serve errors alone.
func (op *writeTuples) String() string {
	return fmt.Sprintf("TensorScatterTuples(update=%v, axis=%d, size=%d, circular=%t, given=%t, in=%v)",
		op.update, op.axis, op.size, op.circular, op.given, op.in)
}

var _ gorgonia.SDOp = (*writeTuples)(nil)
