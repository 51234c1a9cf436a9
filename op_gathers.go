package gather

import (
	"gorgonia.org/gather/diff"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/graph"
	"gorgonia.org/gather/internal/plan"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// gatherOp is Gather, GatherElements or GatherND, an operator of (data, indices).
type gatherOp struct {
	graph.Operator
	params plan.Params
}

// applyGather builds the node. It resolves the options first, and refuses what
// can be known to be wrong before the graph runs.
func applyGather(name plan.Op, data, indices *G.Node, axis int, opts []Option) (*G.Node, error) {
	p, err := plan.ForGraph(name, axis, opts...)
	if err != nil {
		return nil, err
	}
	operands, err := graph.Operands(name.String(), []string{"data", "indices"}, data, indices)
	if err != nil {
		return nil, err
	}
	if err := graph.Named(name.String(), "indices", indices); err != nil {
		return nil, err
	}
	shape, err := p.Shape(data.Shape(), indices.Shape())
	if err != nil {
		return nil, err
	}
	if err := core.CheckDtypes(&p, data.Dtype(), indices.Dtype()); err != nil {
		return nil, err
	}
	p.Normalize(data.Dims(), indices.Dims())
	op := &gatherOp{params: p, Operator: graph.New(graph.Description{
		Name:     p.String(),
		Operands: operands,
		Result:   graph.Operand{Rank: len(shape), Dtype: data.Dtype()},
		Shape:    p.Shape,
		Run: func(dst *tensor.Dense, in []tensor.Tensor) (*tensor.Dense, error) {
			p := p
			return core.Gather(&p, dst, in[0], in[1])
		},
	})}
	return graph.Apply(op, data, indices)
}

// Params says what the operator does.
func (op *gatherOp) Params() plan.Params { return op.params }

// DiffWRT is true for data, unless it is integers or strings, and false for
// indices.
func (op *gatherOp) DiffWRT(int) []bool { return []bool{graph.Differentiable(op, 0), false} }

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
	if !graph.Differentiable(op, 0) {
		return nil
	}
	return diff.AddTo(op, inputs, output)
}

var (
	_ G.SDOp        = (*gatherOp)(nil)
	_ G.ADOp        = (*gatherOp)(nil)
	_ diff.Operator = (*gatherOp)(nil)
)
