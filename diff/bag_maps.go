package diff

import (
	"fmt"
	"slices"

	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/graph"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/gather/shapes"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A sum of weighted rows is linear in the table and in the weights. Its derivatives
// are three maps, each of which has the other two for gradients: the bag itself, of
// a tangent of the table or of the weights; the gradient of the table; and that of
// the weights. A mean and SqrtN are linear in the table alone: the gradient of their weights
// depends on the weights, too, and is not differentiated.

// bagTableVJP makes the gradient of a table, an operator of the gradient of the
// result and of the bag's operands but the table, which Max has, too.
type bagTableVJP struct{ bagMap }

func (b bagMap) applyTableVJP(grad *G.Node, rest ...*G.Node) (*G.Node, error) {
	op := &bagTableVJP{b}
	// With the table among its operands it has all of the bag's.
	arguments, instead := b.params.Op.Arguments()[:len(rest)], []string(nil)
	if op.first() == 1 {
		arguments, instead = b.params.Op.Arguments()[1:len(rest)+1], []string{b.name}
	}
	nodes := append([]*G.Node{grad}, rest...)
	op.Operator = graph.New(graph.Description{
		Name:     fmt.Sprintf("BagGradTable into %v of %v", op.table, op.params),
		Operands: graph.OperandsOf(append([]string{"grad"}, arguments...), nodes...),
		Result:   graph.Operand{Rank: len(op.table), Dtype: op.dtype},
		Shape: func(in ...tensor.Shape) (tensor.Shape, error) {
			if op.first() == 2 && !slices.Equal(in[1], op.table) {
				return nil, fault.Errorf(shapes.ErrShape, "BagGradTable: the table %v must have the shape %v", fault.Shape(in[1]), fault.Shape(op.table))
			}
			return op.table.Clone(), op.fits("BagGradTable", in[0], in[op.first():])
		},
		Run: func(dst *tensor.Dense, in []tensor.Tensor) (*tensor.Dense, error) {
			dst, err := zeros(op, dst, op.params, op.table, op.dtype)
			if err != nil {
				return nil, err
			}
			return dst, core.AddBag(op.params, dst, in[0], op.in(in))
		},
		Unnamed: 1,
		Instead: instead,
	})
	return graph.Apply(op, nodes...)
}

// first is the place of the bag's first operand behind the table.
func (op *bagTableVJP) first() int {
	if op.params.Reduction == plan.Max {
		return 2
	}
	return 1
}

// in are the inputs of the bag.
func (op *bagTableVJP) in(in []tensor.Tensor) core.BagInputs {
	if op.first() == 2 {
		return op.inputs(in[1], in[2:])
	}
	return op.inputs(nil, in[1:])
}

// fits checks the shape of the gradient of the result.
func (b *bagMap) fits(caller string, grad tensor.Shape, rest []tensor.Shape) error {
	want, err := b.shape(rest)
	if err != nil {
		return err
	}
	if !slices.Equal(grad, want) {
		return fault.Errorf(shapes.ErrShape, "%s: grad %v must have the shape %v of the result of %v%s",
			caller, fault.Shape(grad), fault.Shape(want), b.params, fault.ScalarHint(grad, want))
	}
	return nil
}

// DiffWRT is true for what the operator depends on.
func (op *bagTableVJP) DiffWRT(n int) []bool {
	wrt := make([]bool, op.Arity())
	wrt[0] = graph.Differentiable(op, 0)
	if op.first() == 2 {
		wrt[1] = wrt[0]
	}
	if w := op.weights(len(wrt), len(wrt)-op.first()); w >= 0 {
		wrt[w] = wrt[0]
	}
	return wrt
}

func (op *bagTableVJP) checkSecond() error {
	if op.params.Reduction == plan.Max {
		return errors.Errorf("%v: the gradient of max has no gradient here: it jumps where rows tie", fault.Operator(op))
	}
	return nil
}

// SymDiff gives the gradient of grad, the bag of the gradient, and that of weights.
func (op *bagTableVJP) SymDiff(inputs G.Nodes, _, grad *G.Node) (G.Nodes, error) {
	if err := op.checkSecond(); err != nil {
		return nil, err
	}
	if err := graph.CheckSymDiff(op, inputs, grad); err != nil {
		return nil, err
	}
	gradients := make(G.Nodes, len(inputs))
	b := op.bagMap
	b.Operator = graph.Operator{}
	var err error
	if gradients[0], err = b.applyJVP(grad, inputs[1:]...); err != nil {
		return nil, err
	}
	if w := op.weights(len(inputs), len(inputs)-1); w >= 0 {
		gradients[w], err = op.withoutDefault().applyWeightsVJP(inputs[0], append(G.Nodes{grad}, inputs[1:]...)...)
	}
	return gradients, err
}

// DoDiff adds to the gradients what SymDiff makes of them.
func (op *bagTableVJP) DoDiff(_ G.ExecutionContext, inputs G.Nodes, output *G.Node) error {
	if err := op.checkSecond(); err != nil {
		return err
	}
	if !graph.Differentiable(op, 0) {
		return nil
	}
	return graph.Backward(op, inputs, output, func(grad *tensor.Dense, in []tensor.Tensor) error {
		b := op.inputs(grad, in[1:])
		reduced, err := core.Bag(&op.params, nil, &b)
		if err == nil {
			err = graph.Accumulate(inputs[0], graph.Value(reduced))
		}
		if err != nil || b.Weights == nil {
			return err
		}
		return addBagWeights(op.params, inputs[len(inputs)-1], in[0], b)
	})
}

// bagWeightsVJP makes the gradient of weights, an operator of the gradient of the
// result and of the bag's operands but the weights of a sum.
type bagWeightsVJP struct{ bagMap }

// applyWeightsVJP takes the bag's operands, with the weights.
func (b bagMap) applyWeightsVJP(grad *G.Node, inputs ...*G.Node) (*G.Node, error) {
	if b.params.Reduction == plan.Add {
		inputs = inputs[:len(inputs)-1]
	}
	op := &bagWeightsVJP{b.withoutDefault()}
	nodes := append([]*G.Node{grad}, inputs...)
	op.Operator = graph.New(graph.Description{
		Name:     fmt.Sprintf("BagGradWeights of %v", op.params),
		Operands: graph.OperandsOf(append([]string{"grad"}, b.params.Op.Arguments()[:len(inputs)]...), nodes...),
		Result:   graph.Operand{Rank: inputs[1].Dims(), Dtype: op.dtype},
		Shape: func(in ...tensor.Shape) (tensor.Shape, error) {
			if !slices.Equal(in[1], op.table) {
				return nil, fault.Errorf(shapes.ErrShape, "BagGradWeights: the table %v must have the shape %v", fault.Shape(in[1]), fault.Shape(op.table))
			}
			return in[2].Clone(), op.fits("BagGradWeights", in[0], in[2:])
		},
		Run: func(dst *tensor.Dense, in []tensor.Tensor) (*tensor.Dense, error) {
			return core.BagWeights(op.params, dst, in[0], op.inputs(in[1], in[2:]))
		},
		Unnamed: 1,
	})
	return graph.Apply(op, nodes...)
}

// DiffWRT is true for grad, the table, and the weights that it depends on.
func (op *bagWeightsVJP) DiffWRT(int) []bool {
	wrt := make([]bool, op.Arity())
	wrt[0] = graph.Differentiable(op, 0)
	wrt[1] = wrt[0]
	if op.params.Reduction != plan.Add {
		wrt[len(wrt)-1] = wrt[0]
	}
	return wrt
}

func (op *bagWeightsVJP) checkSecond() error {
	if op.params.Reduction != plan.Add {
		return errors.Errorf("%v: the gradient of the weights of a %v has no gradient here, only that of add", fault.Operator(op), op.params.Reduction)
	}
	return nil
}

// SymDiff gives the gradients of grad and of the table: the bag, and the gradient of
// its table, whose weights are the gradient.
func (op *bagWeightsVJP) SymDiff(inputs G.Nodes, _, grad *G.Node) (G.Nodes, error) {
	if err := op.checkSecond(); err != nil {
		return nil, err
	}
	if err := graph.CheckSymDiff(op, inputs, grad); err != nil {
		return nil, err
	}
	rest := append(slices.Clone(inputs[2:]), grad)
	b := op.withoutDefault()
	reduced, err := b.applyJVP(inputs[1], rest...)
	if err != nil {
		return nil, err
	}
	gradients := make(G.Nodes, len(inputs))
	gradients[0] = reduced
	gradients[1], err = b.applyTableVJP(inputs[0], rest...)
	return gradients, err
}

// DoDiff adds to the gradients what SymDiff makes of them.
func (op *bagWeightsVJP) DoDiff(_ G.ExecutionContext, inputs G.Nodes, output *G.Node) error {
	if err := op.checkSecond(); err != nil {
		return err
	}
	if !graph.Differentiable(op, 0) {
		return nil
	}
	return graph.Backward(op, inputs, output, func(grad *tensor.Dense, in []tensor.Tensor) error {
		b := op.inputs(in[1], in[2:])
		b.Weights = grad
		reduced, err := core.Bag(&op.params, nil, &b)
		if err == nil {
			err = graph.Accumulate(inputs[0], graph.Value(reduced))
		}
		if err != nil {
			return err
		}
		return addBag(op.params, inputs[1], in[0], b)
	})
}

var (
	_ G.SDOp = (*bagTableVJP)(nil)
	_ G.ADOp = (*bagTableVJP)(nil)
	_ G.SDOp = (*bagWeightsVJP)(nil)
	_ G.ADOp = (*bagWeightsVJP)(nil)
)
