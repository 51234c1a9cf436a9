package gather

import (
	"gorgonia.org/gather/diff"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/graph"
	"gorgonia.org/gather/internal/plan"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// bagOp is an operator that reduces bags of rows, of (table, indices, offsets,
// weights) or what the operator has of them.
type bagOp struct {
	graph.Operator
	params   plan.Params
	weighted bool // the last operand is weights
}

// applyBag builds the node. Weights, the last of the nodes where the operator has
// them, may be nil.
func applyBag(name plan.Op, numSegments int, nodes []*G.Node, opts []Option) (*G.Node, error) {
	weighted := name.Weighted() && nodes[len(nodes)-1] != nil
	if name.Weighted() && !weighted {
		nodes = nodes[:len(nodes)-1]
	}
	p, d, err := describe(name, 0, numSegments, nodes, opts, runBag)
	if err != nil {
		return nil, err
	}
	return graph.Apply(&bagOp{graph.New(d), p, weighted}, nodes...)
}

func runBag(p plan.Params, dst *tensor.Dense, in []tensor.Tensor) (*tensor.Dense, error) {
	inputs := core.BagInputsOf(p.Op, in)
	return core.Bag(&p, dst, &inputs)
}

// Params says what the operator does.
func (op *bagOp) Params() plan.Params { return op.params }

// DiffWRT is true for the table and for weights, unless they are integers, and false
// for indices and what says where bags begin.
func (op *bagOp) DiffWRT(int) []bool {
	wrt := make([]bool, op.Arity())
	wrt[0] = graph.Differentiable(op, 0)
	if op.weighted {
		wrt[len(wrt)-1] = wrt[0]
	}
	return wrt
}

// SymDiff gives the gradients of the table and of weights.
func (op *bagOp) SymDiff(inputs G.Nodes, _, grad *G.Node) (G.Nodes, error) {
	if err := graph.CheckSymDiff(op, inputs, grad); err != nil {
		return nil, err
	}
	gradients := make(G.Nodes, len(inputs))
	var err error
	if gradients[0], err = diff.BagGradTable(op, grad, inputs...); err != nil {
		return nil, err
	}
	if op.weighted {
		gradients[len(inputs)-1], err = diff.BagGradWeights(op, grad, inputs...)
	}
	return gradients, err
}

// DoDiff adds the gradients of the table and of weights to theirs, in place.
func (op *bagOp) DoDiff(_ G.ExecutionContext, inputs G.Nodes, output *G.Node) error {
	if !graph.Differentiable(op, 0) {
		return nil
	}
	return diff.AddBagTo(op, inputs, output)
}

var (
	_ G.SDOp        = (*bagOp)(nil)
	_ G.ADOp        = (*bagOp)(nil)
	_ diff.Operator = (*bagOp)(nil)
)
