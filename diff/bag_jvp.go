package diff

import (
	"fmt"
	"slices"

	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/graph"
	"gorgonia.org/gather/shapes"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// bagJVP is the bag of a tangent of the table, or of the table with a tangent of the
// weights: an operator of the bag's operands.
type bagJVP struct{ bagMap }

func (b bagMap) applyJVP(table *G.Node, rest ...*G.Node) (*G.Node, error) {
	op := &bagJVP{b}
	nodes := append([]*G.Node{table}, rest...)
	operands := graph.OperandsOf(b.params.Op.Arguments()[:len(nodes)], nodes...)
	op.Operator = graph.New(graph.Description{
		Name:     fmt.Sprintf("Bag of a tangent of %v", op.params),
		Operands: operands,
		Result:   graph.Operand{Rank: len(op.table), Dtype: op.dtype},
		Shape: func(in ...tensor.Shape) (tensor.Shape, error) {
			if !slices.Equal(in[0], op.table) {
				return nil, fault.Errorf(shapes.ErrShape, "%v: the tangent %v must have the shape %v of the table", op.params, fault.Shape(in[0]), fault.Shape(op.table))
			}
			return op.shape(in[1:])
		},
		Run: func(dst *tensor.Dense, in []tensor.Tensor) (*tensor.Dense, error) {
			inputs := core.BagInputsOf(op.params.Op, in)
			return core.Bag(&op.params, dst, &inputs)
		},
		Unnamed: 1,
		Instead: []string{b.name},
	})
	return graph.Apply(op, nodes...)
}

// DiffWRT is true for the tangent and for weights.
func (op *bagJVP) DiffWRT(int) []bool {
	wrt := make([]bool, op.Arity())
	wrt[0] = graph.Differentiable(op, 0)
	if w := op.weights(len(wrt), len(wrt)-1); w >= 0 {
		wrt[w] = wrt[0]
	}
	return wrt
}

// SymDiff gives the gradients of the tangent and of weights.
func (op *bagJVP) SymDiff(inputs G.Nodes, _, grad *G.Node) (G.Nodes, error) {
	if err := graph.CheckSymDiff(op, inputs, grad); err != nil {
		return nil, err
	}
	b := op.bagMap
	b.Operator = graph.Operator{}
	gradients := make(G.Nodes, len(inputs))
	var err error
	if gradients[0], err = b.applyTableVJP(grad, inputs[1:]...); err != nil {
		return nil, err
	}
	if w := op.weights(len(inputs), len(inputs)-1); w >= 0 {
		gradients[w], err = b.applyWeightsVJP(grad, inputs...)
	}
	return gradients, err
}

// DoDiff adds to the gradients what SymDiff makes of them.
func (op *bagJVP) DoDiff(_ G.ExecutionContext, inputs G.Nodes, output *G.Node) error {
	if !graph.Differentiable(op, 0) {
		return nil
	}
	return graph.Backward(op, inputs, output, func(grad *tensor.Dense, in []tensor.Tensor) error {
		b := core.BagInputsOf(op.params.Op, in)
		if err := addBag(op.params, inputs[0], grad, b); err != nil || b.Weights == nil {
			return err
		}
		return addBagWeights(op.params, inputs[len(inputs)-1], grad, b)
	})
}

var (
	_ G.SDOp = (*bagJVP)(nil)
	_ G.ADOp = (*bagJVP)(nil)
)
