// Package graph holds what all graph operators of this module share: the
// constant answers to Gorgonia, node types, and the way between Gorgonia's
// values and tensors.
package graph

import (
	"fmt"
	"hash"
	"hash/fnv"

	"github.com/chewxy/hm"
	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/fault"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Pure is embedded by operators that only compute their result from their
// inputs: they write to no input and call nothing outside Go.
type Pure struct{}

// ReturnsPtr is true: the result is a value of its own.
func (Pure) ReturnsPtr() bool { return true }

// CallsExtern is false. If it were true, machines would preallocate results,
// which fails for empty tensors, for some scalars, and for strings.
func (Pure) CallsExtern() bool { return false }

// OverwritesInput is -1: none.
func (Pure) OverwritesInput() int { return -1 }

// Hashcode hashes what an operator writes of itself.
func Hashcode(op G.Op) uint32 {
	h := fnv.New32a()
	op.WriteHash(h)
	return h.Sum32()
}

// WriteHash writes all that tells operators apart: machines run operators of
// equal hash and inputs once only. The text must hold every field but the names of
// operands, which serve errors alone.
func WriteHash(h hash.Hash, text string) {
	if h != nil {
		fmt.Fprint(h, "gorgonia.org/gather ", text)
	}
}

// Operand is what an operator knows of an input when it is built.
type Operand struct {
	Rank  int
	Dtype tensor.Dtype
}

// OperandOf describes a node.
func OperandOf(n *G.Node) Operand { return Operand{n.Dims(), n.Dtype()} }

// Type is the type of such a node: a tensor's, or the bare element type of a
// scalar.
func (o Operand) Type() hm.Type {
	if o.Rank == 0 {
		return o.Dtype
	}
	return G.TensorType{Dims: o.Rank, Of: o.Dtype}
}

// String is the dtype and the rank.
func (o Operand) String() string { return fmt.Sprintf("%v/%d", o.Dtype, o.Rank) }

// Shapes takes the shapes out of what Gorgonia hands to InferShape.
func Shapes(op G.Op, in []G.DimSizer) ([]tensor.Shape, error) {
	if len(in) != op.Arity() {
		return nil, errors.Errorf("%v: %d inputs, %d are needed", fault.Operator(op), len(in), op.Arity())
	}
	return G.DimSizersToShapes(in)
}
