package nn

import (
	"slices"

	"github.com/pkg/errors"
	"gorgonia.org/gather"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/graph"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// lossGradientOp is the gradient of the scores of a loss: an operator of its gradient and of
// its operands.
type lossGradientOp struct{ graph.Operator }

func lossGradient(op *lossOp, grad *G.Node, inputs G.Nodes) (*G.Node, error) {
	l := op.loss
	nodes := append(G.Nodes{grad}, inputs...)
	arguments := append([]string{"grad"}, l.Arguments()[:len(inputs)]...)
	return graph.Apply(&lossGradientOp{graph.New(graph.Description{
		Name:     "gradient of " + nameOf(l),
		Operands: graph.OperandsOf(arguments, nodes...),
		Result:   graph.OperandOf(inputs[0]),
		Shape: func(in ...tensor.Shape) (tensor.Shape, error) {
			shape, err := l.Shape(in[1:]...)
			if err != nil {
				return nil, err
			}
			if !slices.Equal(in[0], shape) {
				return nil, fault.Errorf(gather.ErrShape, "gradient of %s: grad has shape %v, the loss has %v", l.Op, fault.Shape(in[0]), fault.Shape(shape))
			}
			return in[1].Clone(), nil
		},
		Run: func(dst *tensor.Dense, in []tensor.Tensor) (*tensor.Dense, error) {
			return l.Gradient(dst, in[0], in[1:]...)
		},
		Unnamed: 1,
	})}, nodes...)
}

// DiffWRT is true for what the gradient depends on smoothly: to leave it out would give a
// second derivative that is wrong without an error.
func (op *lossGradientOp) DiffWRT(int) []bool {
	wrt := onlyFirst(op.Arity())
	wrt[1] = true
	return wrt
}

// SymDiff refuses the second derivative.
func (op *lossGradientOp) SymDiff(G.Nodes, *G.Node, *G.Node) (G.Nodes, error) {
	return nil, op.refuse()
}

// DoDiff refuses it, too.
func (op *lossGradientOp) DoDiff(G.ExecutionContext, G.Nodes, *G.Node) error { return op.refuse() }

func (op *lossGradientOp) refuse() error {
	return errors.Errorf("%v: the second derivative of a loss is not supported", fault.Operator(op))
}

var (
	_ G.SDOp = (*lossGradientOp)(nil)
	_ G.ADOp = (*lossGradientOp)(nil)
)
