package graph

import (
	"hash"
	"hash/fnv"
	"io"
	"slices"

	"github.com/chewxy/hm"
	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/fault"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Description is what Gorgonia wants to know of an operator, its gradient apart.
type Description struct {
	// Name is the operator with all its settings. String prints it.
	Name string
	// Operands are the inputs, and Result is what it makes of them.
	Operands []Operand
	Result   Operand
	// Detail tells the operator from others of the same name, operands and result,
	// for the hash. Most have none.
	Detail string
	// Shape gives the result's shape, or says what is wrong with the inputs' shapes.
	// It gets as many as there are operands.
	Shape func(in ...tensor.Shape) (tensor.Shape, error)
	// Run computes the result.
	Run Runner
	// The errors of an operator that is a part of another one, such as its gradient,
	// name the operands of that one. Unnamed is the number of operands at the front
	// that the other one does not have, and Instead are names in their place.
	Unnamed int
	Instead []string
}

// A Runner runs an operator on its inputs as tensors. It writes to dst and returns
// it, or it returns a new tensor, which it must do if dst is nil.
type Runner func(dst *tensor.Dense, in []tensor.Tensor) (*tensor.Dense, error)

// Operator is embedded by operators of graphs. What they say alike follows here from
// data that they hand over; what differs, the gradients, is in none of its methods,
// so that nobody inherits it by mistake. Graphs may share it: it does not change
// after Apply, except that it may learn its place in a model.
type Operator struct {
	description Description
	text        string            // all that tells it from other operators
	salt        uint32            // tells it from nodes that are another operator's and have its hash
	names       []string          // of the operands, for errors
	place       func(error) error // nil outside of a model
}

// New makes the part of an operator that its description tells.
func New(d Description) Operator {
	text := "gorgonia.org/gather " + d.Name + " ["
	for _, o := range d.Operands {
		text += o.String() + " "
	}
	return Operator{description: d, text: text + "] " + d.Result.String() + " " + d.Detail}
}

// common finds it in an operator that embeds it.
func (op *Operator) common() *Operator { return op }

type operator interface {
	G.Op
	common() *Operator
}

// Arity is the number of operands.
func (op *Operator) Arity() int { return len(op.description.Operands) }

// Type is operand → … → result.
func (op *Operator) Type() hm.Type {
	var types []hm.Type
	for _, o := range op.description.Operands {
		types = append(types, o.Type())
	}
	return hm.NewFnType(append(types, op.description.Result.Type())...)
}

// InferShape is the shape of the result.
func (op *Operator) InferShape(in ...G.DimSizer) (tensor.Shape, error) {
	if len(in) != op.Arity() {
		return nil, errors.Errorf("%v: %d inputs, %d are needed", fault.Operator(op), len(in), op.Arity())
	}
	shapes, err := G.DimSizersToShapes(in)
	if err != nil {
		return nil, err
	}
	return op.description.Shape(shapes...)
}

// ReturnsPtr is true: the result is a value of its own.
func (op *Operator) ReturnsPtr() bool { return true }

// CallsExtern is false. If it were true, machines would preallocate results,
// which fails for empty tensors, for some scalars, and for strings.
func (op *Operator) CallsExtern() bool { return false }

// OverwritesInput is -1: no input is written to.
func (op *Operator) OverwritesInput() int { return -1 }

// WriteHash writes all that tells operators apart: machines run operators of
// equal hash and inputs once only. The names of operands serve errors alone.
func (op *Operator) WriteHash(h hash.Hash) {
	if h != nil {
		io.WriteString(h, op.text+op.suffix())
	}
}

// Hashcode hashes what WriteHash writes.
func (op *Operator) Hashcode() uint32 {
	h := fnv.New32a()
	op.WriteHash(h)
	return h.Sum32()
}

// String is the operator's name with its settings.
func (op *Operator) String() string { return op.description.Name }

// Operands are the names by which errors call the operands. Where Gorgonia makes
// one node of two equal operators it keeps the first one's names, and their operands
// are the same nodes.
func (op *Operator) Operands() []string { return op.names }

// setOperands is called by Apply.
func (op *Operator) setOperands(nodes []*G.Node) {
	d := &op.description
	op.names = slices.Clone(d.Instead)
	for _, n := range nodes[d.Unnamed:] {
		op.names = append(op.names, n.Name())
	}
}

var _ interface {
	G.Op
	G.UsePreallocDoer
} = (*Operator)(nil)
