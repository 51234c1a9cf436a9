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

func applyGather(name plan.Op, data, indices *G.Node, axis int, opts []Option) (*G.Node, error) {
	p, d, err := describe(name, axis, 0, []*G.Node{data, indices}, opts, func(p plan.Params, dst *tensor.Dense, in []tensor.Tensor) (*tensor.Dense, error) {
		return core.Gather(&p, dst, in[0], in[1])
	})
	if err != nil {
		return nil, err
	}
	return graph.Apply(&gatherOp{graph.New(d), p}, data, indices)
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
