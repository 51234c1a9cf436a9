package nn

import (
	"fmt"

	"gorgonia.org/gather"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/graph"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A LossOption changes how [CrossEntropy] and [NLL] work.
type LossOption struct{ set func(*lossSettings) }

type lossSettings struct {
	core.Loss
	weights *G.Node
}

// WithClassWeights gives each class a weight, by which the losses of its examples are
// multiplied: a vector of as many floats as there are classes, of the scores' dtype. The
// mean is divided by the weights of the examples' classes. Weights have no gradient.
func WithClassWeights(weights *G.Node) LossOption {
	return LossOption{func(s *lossSettings) { s.weights = weights }}
}

// WithIgnored leaves the examples of a class out: their loss is 0, no mean counts them, and
// the gradient of their scores is 0. It need not be one of the classes that have scores;
// PyTorch's ignore_index is -100 unless given, here there is none.
func WithIgnored(class int64) LossOption {
	return LossOption{func(s *lossSettings) { s.Ignores, s.Ignored = true, class }}
}

// WithSmoothing takes the share epsilon of each example for evenly distributed over all classes,
// as label_smoothing does in PyTorch. It is from 0 to 1, for [CrossEntropy] alone.
func WithSmoothing(epsilon float64) LossOption {
	return LossOption{func(s *lossSettings) { s.Smoothing = epsilon }}
}

// WithReduction makes one loss of those of the examples: [gather.Mean], which is the default,
// or [gather.Add], their sum; [gather.None] keeps them, in the shape of classes.
func WithReduction(r gather.Reduction) LossOption {
	return LossOption{func(s *lossSettings) { s.Reduction = r }}
}

// CrossEntropy is the loss of a classifier: the negative logarithm of the probability that
// the softmax of the scores gives the right class of each example,
//
//	loss[b] = -log(exp(scores[b, classes[b]]) / Σ exp(scores[b, c]))    over all classes c
//
// and the mean of these. scores are (B, C) or (B, C, d…), float32 or float64, without a
// softmax; classes are (B) or (B, d…), of any integer dtype, from 0 to C-1. With weights w
// ([WithClassWeights]), smoothing ε ([WithSmoothing]) and the softmax p, the loss of an
// example of class t is
//
//	(1-ε)·w[t]·(-log p[t]) - ε/C·Σ w[c]·log p[c]
//
// and the mean is the sum divided by Σ w[t] over all examples that count, NaN if there are
// none. [WithIgnored] names a class whose examples do not count, [WithReduction] asks for the
// sum or for each loss. These are the values of PyTorch's cross_entropy.
//
// It neither overflows nor loses digits for scores of ±10000. A right class of score -Inf has
// the loss +Inf, and a finite gradient. Only the scores have a gradient, which cannot be
// differentiated again.
//
// Errors: when the graph is built those of package gather ([gather.ErrShape] and so on);
// when it runs a [*gather.IndexError] for a class out of range. Negative classes do not count
// from the end.
func CrossEntropy(scores, classes *G.Node, opts ...LossOption) (*G.Node, error) {
	return lossOf(core.Loss{Op: "CrossEntropy"}, scores, classes, opts)
}

// NLL is [CrossEntropy] of what is a logarithm of probabilities already, such as the result of
// [LogSoftmax]: the negative of that of the right class. It has no smoothing.
func NLL(logProbs, classes *G.Node, opts ...LossOption) (*G.Node, error) {
	return lossOf(core.Loss{Op: "NLL", LogProbs: true}, logProbs, classes, opts)
}

func lossOf(l core.Loss, scores, classes *G.Node, opts []LossOption) (*G.Node, error) {
	s := lossSettings{Loss: l}
	s.Reduction = gather.Mean
	for _, o := range opts {
		if o.set != nil {
			o.set(&s)
		}
	}
	if err := s.Check(); err != nil {
		return nil, err
	}
	nodes := []*G.Node{scores, classes}
	if s.weights != nil {
		nodes = append(nodes, s.weights)
	}
	op, err := newLoss(s.Loss, nodes)
	if err != nil {
		return nil, err
	}
	return graph.Apply(op, nodes...)
}

// lossOp is an operator of (scores, classes) or (scores, classes, weights).
type lossOp struct {
	graph.Operator
	loss core.Loss
}

func newLoss(l core.Loss, nodes []*G.Node) (*lossOp, error) {
	arguments := l.Arguments()[:len(nodes)]
	operands, err := graph.Operands(l.Op, arguments, nodes...)
	if err != nil {
		return nil, err
	}
	if err := graph.Named(l.Op, arguments[1], nodes[1]); err != nil {
		return nil, err
	}
	var dtypes []tensor.Dtype
	var shapes []tensor.Shape
	for _, n := range nodes {
		dtypes, shapes = append(dtypes, n.Dtype()), append(shapes, n.Shape())
	}
	if err := l.CheckDtypes(dtypes...); err != nil {
		return nil, err
	}
	shape, err := l.Shape(shapes...)
	if err != nil {
		return nil, err
	}
	op := &lossOp{loss: l}
	op.Operator = graph.New(graph.Description{
		Name:     nameOf(l),
		Operands: operands,
		Result:   graph.Operand{Rank: len(shape), Dtype: dtypes[0]},
		Shape:    l.Shape,
		Run: func(dst *tensor.Dense, in []tensor.Tensor) (*tensor.Dense, error) {
			return l.Forward(dst, in...)
		},
	})
	return op, nil
}

// nameOf is the operator with all its settings, which tell it from others.
func nameOf(l core.Loss) string {
	name := fmt.Sprintf("%s{reduction: %v", l.Op, l.Reduction)
	if l.Ignores {
		name += fmt.Sprintf(", ignored: %d", l.Ignored)
	}
	if l.Smoothing != 0 {
		name += fmt.Sprintf(", smoothing: %v", l.Smoothing)
	}
	return name + "}"
}

// DiffWRT is true for the scores alone.
func (op *lossOp) DiffWRT(int) []bool { return onlyFirst(op.Arity()) }

func onlyFirst(arity int) []bool {
	wrt := make([]bool, arity)
	wrt[0] = true
	return wrt
}

// SymDiff gives the gradient of the scores.
func (op *lossOp) SymDiff(inputs G.Nodes, _, grad *G.Node) (G.Nodes, error) {
	if err := graph.CheckSymDiff(op, inputs, grad); err != nil {
		return nil, err
	}
	gradients := make(G.Nodes, len(inputs))
	var err error
	gradients[0], err = lossGradient(op, grad, inputs)
	return gradients, err
}

// DoDiff adds the gradient of the scores to their own.
func (op *lossOp) DoDiff(_ G.ExecutionContext, inputs G.Nodes, output *G.Node) error {
	return graph.Backward(op, inputs, output, func(grad *tensor.Dense, in []tensor.Tensor) error {
		d, err := op.loss.Gradient(nil, grad, in...)
		if err != nil {
			return err
		}
		return graph.AccumulateAll(inputs[:1], []tensor.Tensor{d})
	})
}

var (
	_ G.SDOp = (*lossOp)(nil)
	_ G.ADOp = (*lossOp)(nil)
)
