package gather

import (
	"fmt"
	"hash"

	"github.com/chewxy/hm"
	"gorgonia.org/gather/diff"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/elem"
	"gorgonia.org/gather/internal/graph"
	"gorgonia.org/gather/internal/plan"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// gatherOp is Gather, GatherElements or GatherND, an operator of (data,
// indices). It holds no state, so that graphs may share it;
// names of operands serve errors alone.
type gatherOp struct {
	graph.Pure
	graph.Names
	params                plan.Params
	data, indices, result graph.Operand
}

// applyGather builds the node. It resolves the options first, and refuses what
// can be known to be wrong before the graph runs.
func applyGather(name plan.Op, data, indices *G.Node, axis int, opts []Option) (*G.Node, error) {
	p, err := plan.ForGraph(name, axis, opts...)
	if err != nil {
		return nil, err
	}
	if err := graph.Nodes(name.String(), []string{"data", "indices"}, data, indices); err != nil {
		return nil, err
	}
	if err := graph.Named(name.String(), "indices", indices); err != nil {
		return nil, err
	}
	shape, err := p.Shape(data.Shape(), indices.Shape())
	if err != nil {
		return nil, err
	}
	op := &gatherOp{
		params:  p.Normal(data.Dims(), indices.Dims()),
		data:    graph.OperandOf(data),
		indices: graph.OperandOf(indices),
		result:  graph.Operand{Rank: len(shape), Dtype: data.Dtype()},
	}
	if err := core.CheckDtypes(&p, op.data.Dtype, op.indices.Dtype); err != nil {
		return nil, err
	}
	return graph.Apply(op, data, indices)
}

// Params says what the operator does.
func (op *gatherOp) Params() plan.Params { return op.params }

// Arity is 2: data and indices.
func (op *gatherOp) Arity() int { return 2 }

// Type is data → indices → result.
func (op *gatherOp) Type() hm.Type {
	return hm.NewFnType(op.data.Type(), op.indices.Type(), op.result.Type())
}

// InferShape is the shape function of package shapes.
func (op *gatherOp) InferShape(in ...G.DimSizer) (tensor.Shape, error) {
	s, err := graph.Shapes(op, in)
	if err != nil {
		return nil, err
	}
	return op.params.Shape(s...)
}

// Do runs the operator.
func (op *gatherOp) Do(inputs ...G.Value) (G.Value, error) {
	if scalar := graph.NewScalar(op.result); scalar != nil {
		return op.UsePreallocDo(scalar, inputs...)
	}
	return graph.Do(op, inputs, op.run)
}

// UsePreallocDo is Do, into a value of the result's dtype and shape.
func (op *gatherOp) UsePreallocDo(prealloc G.Value, inputs ...G.Value) (G.Value, error) {
	return graph.UsePreallocDo(op, prealloc, inputs, op.run)
}

func (op *gatherOp) run(dst *tensor.Dense, in []tensor.Tensor) (*tensor.Dense, error) {
	return core.Gather(op.params, dst, in[0], in[1])
}

// DiffWRT is true for data, unless it is integers or strings, and false for
// indices.
func (op *gatherOp) DiffWRT(int) []bool {
	return []bool{elem.IsDifferentiable(op.data.Dtype), false}
}

// SymDiff gives the gradient of data, the scatter-add of the gradient.
func (op *gatherOp) SymDiff(inputs G.Nodes, _, grad *G.Node) (G.Nodes, error) {
	if err := graph.CheckSymDiff(op, inputs, grad); err != nil {
		return nil, err
	}
	data, err := diff.ScatterAdd(op, grad, inputs[1], inputs[0].Shape())
	return G.Nodes{data, nil}, err
}

// DoDiff adds the output's gradient to that of data, in place.
func (op *gatherOp) DoDiff(_ G.ExecutionContext, inputs G.Nodes, output *G.Node) error {
	if !elem.IsDifferentiable(op.data.Dtype) {
		return nil
	}
	return diff.AddTo(op, inputs, output)
}

// WriteHash writes every field but the names of operands.
func (op *gatherOp) WriteHash(h hash.Hash) {
	graph.WriteHash(h, fmt.Sprint(op, " ", op.data, " ", op.indices, " ", op.result))
}

// Hashcode hashes every field.
func (op *gatherOp) Hashcode() uint32 { return graph.Hashcode(op) }

// String is the operator's name with its axis and the settings that are not at
// their default.
func (op *gatherOp) String() string { return op.params.String() }

var (
	_ G.Op              = (*gatherOp)(nil)
	_ G.SDOp            = (*gatherOp)(nil)
	_ G.ADOp            = (*gatherOp)(nil)
	_ G.UsePreallocDoer = (*gatherOp)(nil)
	_ diff.Gather       = (*gatherOp)(nil)
)
