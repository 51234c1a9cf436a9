package gather

import (
	"fmt"
	"hash"

	"github.com/chewxy/hm"
	"gorgonia.org/gather/diff"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/elem"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/graph"
	"gorgonia.org/gather/internal/plan"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// scatterOp is ScatterElements, ScatterND or ScatterUpdate, an operator of
// (data, indices, updates). It holds no state, so that graphs may share it;
// names of operands serve errors alone.
type scatterOp struct {
	graph.Pure
	graph.Names
	params                 plan.Params
	data, indices, updates graph.Operand
}

// applyScatter builds the node. It resolves the options first, and refuses what
// can be known to be wrong before the graph runs.
func applyScatter(name plan.Op, data, indices, updates *G.Node, axis int, opts []Option) (*G.Node, error) {
	p, err := plan.ForGraph(name, axis, opts...)
	if err != nil {
		return nil, err
	}
	if err := graph.Nodes(name.String(), []string{"data", "indices", "updates"}, data, indices, updates); err != nil {
		return nil, err
	}
	if err := graph.Named(name.String(), "indices", indices); err != nil {
		return nil, err
	}
	if _, err := p.Shape(data.Shape(), indices.Shape(), updates.Shape()); err != nil {
		return nil, err
	}
	op := &scatterOp{
		params:  p.Normal(data.Dims(), indices.Dims()),
		data:    graph.OperandOf(data),
		indices: graph.OperandOf(indices),
		updates: graph.OperandOf(updates),
	}
	if err := core.CheckDtypes(&p, op.data.Dtype, op.indices.Dtype, op.updates.Dtype); err != nil {
		return nil, err
	}
	return graph.Apply(op, data, indices, updates)
}

// Params says what the operator does.
func (op *scatterOp) Params() plan.Params { return op.params }

// Arity is 3: data, indices and updates.
func (op *scatterOp) Arity() int { return 3 }

// Type is data → indices → updates → data.
func (op *scatterOp) Type() hm.Type {
	return hm.NewFnType(op.data.Type(), op.indices.Type(), op.updates.Type(), op.data.Type())
}

// InferShape is the shape function of package shapes.
func (op *scatterOp) InferShape(in ...G.DimSizer) (tensor.Shape, error) {
	s, err := graph.Shapes(op, in)
	if err != nil {
		return nil, err
	}
	return op.params.Shape(s...)
}

// Do runs the operator.
func (op *scatterOp) Do(inputs ...G.Value) (G.Value, error) { return graph.Do(op, inputs, op.run) }

// UsePreallocDo is Do, into a value of data's dtype and shape.
func (op *scatterOp) UsePreallocDo(prealloc G.Value, inputs ...G.Value) (G.Value, error) {
	return graph.UsePreallocDo(op, prealloc, inputs, op.run)
}

func (op *scatterOp) run(dst *tensor.Dense, in []tensor.Tensor) (*tensor.Dense, error) {
	if dst != nil && tensor.Tensor(dst) == in[0] {
		// An operator of a graph does not change its inputs.
		return nil, fault.Errorf(ErrLayout, "%v: the preallocated value is data itself", op)
	}
	return core.Scatter(op.params, dst, in[0], in[1], in[2])
}

// DiffWRT is true for data and updates, unless they are integers or strings, and
// false for indices.
func (op *scatterOp) DiffWRT(int) []bool {
	is := elem.IsDifferentiable(op.data.Dtype)
	return []bool{is, false, is}
}

// SymDiff gives the gradients of data and of updates.
func (op *scatterOp) SymDiff(inputs G.Nodes, _, grad *G.Node) (G.Nodes, error) {
	if err := graph.CheckSymDiff(op, inputs, grad); err != nil {
		return nil, err
	}
	data, err := diff.ScatterGradData(op, grad, inputs[0], inputs[1], inputs[2])
	if err != nil {
		return nil, err
	}
	updates, err := diff.ScatterGradUpdates(op, grad, inputs[0], inputs[1], inputs[2])
	return G.Nodes{data, nil, updates}, err
}

// DoDiff adds the gradients of data and of updates to theirs, in place.
func (op *scatterOp) DoDiff(_ G.ExecutionContext, inputs G.Nodes, output *G.Node) error {
	if !elem.IsDifferentiable(op.data.Dtype) {
		return nil
	}
	return diff.AddScatterTo(op, inputs, output)
}

// WriteHash writes every field but the names of operands.
func (op *scatterOp) WriteHash(h hash.Hash) {
	graph.WriteHash(h, fmt.Sprint(op, " ", op.data, " ", op.indices, " ", op.updates))
}

// Hashcode hashes every field.
func (op *scatterOp) Hashcode() uint32 { return graph.Hashcode(op) }

// String is the operator's name with its axis and the settings that are not at
// their default.
func (op *scatterOp) String() string { return op.params.String() }

var (
	_ G.Op              = (*scatterOp)(nil)
	_ G.SDOp            = (*scatterOp)(nil)
	_ G.ADOp            = (*scatterOp)(nil)
	_ G.UsePreallocDoer = (*scatterOp)(nil)
	_ diff.Scatter      = (*scatterOp)(nil)
)
