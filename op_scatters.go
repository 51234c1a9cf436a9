package gather

import (
	"slices"

	"gorgonia.org/gather/diff"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/graph"
	"gorgonia.org/gather/internal/plan"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// scatterOp is ScatterElements, ScatterND or ScatterUpdate, an operator of
// (data, indices, updates).
type scatterOp struct {
	graph.Operator
	params plan.Params
}

func applyScatter(name plan.Op, data, indices, updates *G.Node, axis int, opts []Option) (*G.Node, error) {
	nodes := []*G.Node{data, indices, updates}
	p, d, err := describe(name, axis, 0, nodes, opts, func(p plan.Params, dst *tensor.Dense, in []tensor.Tensor) (*tensor.Dense, error) {
		if dst != nil && tensor.Tensor(dst) == in[0] {
			// An operator of a graph does not change its inputs.
			return nil, fault.Errorf(ErrLayout, "%v: the preallocated value is data itself", p)
		}
		return core.Scatter(&p, dst, in[0], in[1], in[2])
	})
	if err != nil {
		return nil, err
	}
	return graph.Apply(&scatterOp{graph.New(d), p}, nodes...)
}

// Params says what the operator does.
func (op *scatterOp) Params() plan.Params { return op.params }

// DiffWRT is true for data and updates, unless they are integers or strings, and
// false for indices.
func (op *scatterOp) DiffWRT(int) []bool {
	return []bool{graph.Differentiable(op, 0), false, graph.Differentiable(op, 2)}
}

// SymDiff gives the gradients of data and of updates.
func (op *scatterOp) SymDiff(inputs G.Nodes, _, grad *G.Node) (G.Nodes, error) {
	if err := graph.CheckSymDiff(op, inputs, grad); err != nil {
		return nil, err
	}
	data, err := op.gradData(inputs, grad)
	if err != nil {
		return nil, err
	}
	if p, of := core.UpdatesFromData(op.params); of {
		op, grad = &scatterOp{params: p}, data
	}
	updates, err := diff.ScatterGradUpdates(op, grad, inputs[0], inputs[1], inputs[2])
	return G.Nodes{data, nil, updates}, err
}

// gradData gives the gradient of data: of a sum with the old values that of the
// result itself, with no copy of it. A machine keeps the gradients of input nodes until
// its run ends; that of another node it lets an operator overwrite which has the
// result's gradient, too, as the addition of another node to the result does.
func (op *scatterOp) gradData(inputs G.Nodes, grad *G.Node) (*G.Node, error) {
	data := inputs[0]
	if core.VJPData.Identity(op.params) && data.Op() == nil && grad.Graph() != nil &&
		grad.Type().Eq(data.Type()) && slices.Equal(grad.Shape(), data.Shape()) {
		return grad, nil
	}
	return diff.ScatterGradData(op, grad, data, inputs[1], inputs[2])
}

// DoDiff adds the gradients of data and of updates to theirs, in place.
func (op *scatterOp) DoDiff(_ G.ExecutionContext, inputs G.Nodes, output *G.Node) error {
	if !graph.Differentiable(op, 0) {
		return nil
	}
	return diff.AddScatterTo(op, inputs, output)
}

var (
	_ G.SDOp        = (*scatterOp)(nil)
	_ G.ADOp        = (*scatterOp)(nil)
	_ diff.Operator = (*scatterOp)(nil)
)
