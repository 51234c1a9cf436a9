package diff

import (
	"fmt"
	"hash"

	"github.com/chewxy/hm"
	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/graph"
	"gorgonia.org/gather/internal/plan"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// scatterSecond is a second derivative of a scatter that multiplies, an operator
// of (tangent, grad, data, indices, updates). It is the gradient, of data or of
// updates, of
//
//	Σ grad[j] · change[j]
//
// where change is that of the result for the tangent, a change of data or of
// updates.
type scatterSecond struct {
	graph.Pure
	graph.Names
	second                 core.HVP
	params                 plan.Params
	data, indices, updates graph.Operand
}

// applySecond makes a node of scatterSecond.
func applySecond(second core.HVP, p plan.Params, tangent, grad, data, indices, updates *G.Node) (*G.Node, error) {
	return graph.Apply(&scatterSecond{
		second:  second,
		params:  p,
		data:    graph.OperandOf(data),
		indices: graph.OperandOf(indices),
		updates: graph.OperandOf(updates),
	}, tangent, grad, data, indices, updates)
}

// Operands are the names of the scatter's own operands.
func (op *scatterSecond) Operands() []string {
	return op.Names.Operands()[min(2, len(op.Names.Operands())):]
}

// Arity is 5: a change, a gradient, data, indices and updates.
func (op *scatterSecond) Arity() int { return 5 }

// Type is tangent → data → data → indices → updates → result, where the tangent
// and the result are like data or like updates.
func (op *scatterSecond) Type() hm.Type {
	tangent, out := op.updates, op.updates
	switch op.second {
	case core.UpdatesByData:
		tangent = op.data
	case core.DataByUpdates:
		out = op.data
	}
	return hm.NewFnType(tangent.Type(), op.data.Type(), op.data.Type(), op.indices.Type(), op.updates.Type(), out.Type())
}

// InferShape is the shape of data or that of updates.
func (op *scatterSecond) InferShape(in ...G.DimSizer) (tensor.Shape, error) {
	s, err := graph.Shapes(op, in)
	if err != nil {
		return nil, err
	}
	if _, err := op.params.Shape(s[2:]...); err != nil {
		return nil, err
	}
	data, updates := s[2], s[4]
	if err := sameShape(op, s[1], data); err != nil {
		return nil, err
	}
	switch op.second {
	case core.UpdatesByData:
		return updates.Clone(), sameShape(op, s[0], data)
	case core.DataByUpdates:
		return data.Clone(), sameShape(op, s[0], updates)
	}
	return updates.Clone(), sameShape(op, s[0], updates)
}

// Do runs the operator.
func (op *scatterSecond) Do(inputs ...G.Value) (G.Value, error) {
	return graph.Do(op, inputs, op.run)
}

// UsePreallocDo is Do, into a value of the result's dtype and shape.
func (op *scatterSecond) UsePreallocDo(prealloc G.Value, inputs ...G.Value) (G.Value, error) {
	return graph.UsePreallocDo(op, prealloc, inputs, op.run)
}

func (op *scatterSecond) run(dst *tensor.Dense, in []tensor.Tensor) (*tensor.Dense, error) {
	return op.second.Apply(op.params, dst, in[0], in[1], in[2], in[3], in[4])
}

// DiffWRT is true but for indices: the operator depends on all else. There is no
// operator for its gradients, which SymDiff and DoDiff say.
func (op *scatterSecond) DiffWRT(int) []bool { return []bool{true, true, true, false, true} }

// SymDiff is an error.
func (op *scatterSecond) SymDiff(G.Nodes, *G.Node, *G.Node) (G.Nodes, error) { return nil, op.third() }

// DoDiff is an error.
func (op *scatterSecond) DoDiff(G.ExecutionContext, G.Nodes, *G.Node) error { return op.third() }

func (op *scatterSecond) third() error {
	return errors.Errorf("%v: this is the second derivative, and the third is not available", fault.Operator(op))
}

// WriteHash writes every field but the names of operands.
func (op *scatterSecond) WriteHash(h hash.Hash) {
	graph.WriteHash(h, fmt.Sprint(op, " ", op.data, " ", op.indices, " ", op.updates))
}

// Hashcode hashes every field.
func (op *scatterSecond) Hashcode() uint32 { return graph.Hashcode(op) }

// String says what it is the gradient of, what is changed, and the scatter.
func (op *scatterSecond) String() string {
	what := [...]string{"updates by data", "data by updates", "updates by updates"}
	return fmt.Sprintf("ScatterSecond of %s of %v", what[op.second], op.params)
}

var (
	_ G.Op              = (*scatterSecond)(nil)
	_ G.SDOp            = (*scatterSecond)(nil)
	_ G.ADOp            = (*scatterSecond)(nil)
	_ G.UsePreallocDoer = (*scatterSecond)(nil)
)
