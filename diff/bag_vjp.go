package diff

import (
	"fmt"

	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/graph"
	"gorgonia.org/gather/internal/plan"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// BagGradTable is the gradient of an operator of bags with respect to its table, or
// to the data of a SegmentMax. op is the operator of the bag's node, inputs are its
// inputs, and grad, of the shape of its result, is the gradient of that.
//
// With g the gradient of the result of the bag of a position p, w the weight of p,
// or 1, and sums over the positions of the bag that are not skipped, the row
// indices[p] gets
//
//	reduction   of each position p
//	add         w · g
//	mean        w · g / Σ w
//	sqrtn       w · g / √Σ w²
//	max         g/T where the row has the greatest value of its bag, else 0
//
// element by element, where T is the number of positions of the bag whose rows have
// the greatest value; NaN equals NaN. The g of an empty bag goes to the default row.
// Sums are in row-major order of the positions. Complex weights are conjugated.
//
// It is linear in grad, and has gradients of any order with respect to it; with respect to
// the weights those of add have any order, those of mean and sqrtn one. That of max also depends on the table, is not continuous where terms tie, and has
// no gradient: it is an error. Integers have only the gradient of add; other
// dtypes are ErrDtype of package gather. The other errors are those of the bag.
func BagGradTable(op G.Op, grad *G.Node, inputs ...*G.Node) (*G.Node, error) {
	p, err := bagOf("BagGradTable", op, grad, inputs)
	if err != nil {
		return nil, err
	}
	if err := core.CheckBagGradient("BagGradTable", &p, inputs[0].Dtype()); err != nil {
		return nil, err
	}
	b := bagOn(p, inputs[0])
	if p.Reduction == plan.Max {
		return b.applyTableVJP(grad, inputs...)
	}
	return b.applyTableVJP(grad, inputs[1:]...)
}

// BagGradWeights is the gradient of an operator of bags with respect to its weights. With
// g the gradient of the result y of the bag of a position p, T = table[indices[p]], and w the
// weight of p, p gets, summed over the elements of a row,
//
//	reduction   of each position p
//	add         T · g
//	mean        (T - y) · g / W              with W = Σ w
//	sqrtn       T · g / √Q - w · y · g / Q   with Q = Σ w²
//
// It is 0 for a position that is in no bag or is skipped, and where W or Q is 0.
// inputs are those of the bag's node, and the result has the shape of indices.
// Complex rows are conjugated.
//
// That of add is linear in grad and in the table, and has gradients of any order with respect
// to them. Those of mean and sqrtn have no gradient here: it is an error.
func BagGradWeights(op G.Op, grad *G.Node, inputs ...*G.Node) (*G.Node, error) {
	p, err := bagOf("BagGradWeights", op, grad, inputs)
	if err != nil {
		return nil, err
	}
	names := p.Op.Arguments()
	if !p.Op.Weighted() || len(inputs) < len(names) {
		return nil, fault.Errorf(plan.ErrOption, "BagGradWeights: %v has no weights", p)
	}
	return bagOn(p, inputs[0]).applyWeightsVJP(grad, inputs...)
}

// AddBagTo is the backward pass of an operator of bags on LispMachine: it adds the
// gradients of the table and of weights to those that inputs hold.
func AddBagTo(op Operator, inputs G.Nodes, output *G.Node) error {
	p, ok := paramsOf(op)
	if !ok || !p.Op.Bags() {
		return notBag("AddBagTo", op)
	}
	return graph.Backward(op, inputs, output, func(grad *tensor.Dense, in []tensor.Tensor) error {
		b := core.BagInputsOf(p.Op, in)
		if err := addBag(p, inputs[0], grad, b); err != nil || b.Weights == nil {
			return err
		}
		return addBagWeights(p, inputs[len(inputs)-1], grad, b)
	})
}

// addBag adds the gradient of the table to that of a node.
func addBag(p plan.Params, table *G.Node, grad tensor.Tensor, in core.BagInputs) error {
	dst, write, err := graph.Gradient(table, table.Value().Shape())
	if err != nil {
		return err
	}
	defer write()
	return core.AddBag(p, dst, grad, in)
}

// addBagWeights adds the gradient of weights to that of a node.
func addBagWeights(p plan.Params, weights *G.Node, grad tensor.Tensor, in core.BagInputs) error {
	made, err := core.BagWeights(p, nil, grad, in)
	if err != nil {
		return err
	}
	return graph.Accumulate(weights, graph.Value(made))
}

// bagOf is what an operator of bags does whose inputs are given.
func bagOf(caller string, op G.Op, grad *G.Node, inputs []*G.Node) (plan.Params, error) {
	p, ok := paramsOf(op)
	if !ok || !p.Op.Bags() {
		return p, notBag(caller, op)
	}
	if len(inputs) != op.Arity() {
		return p, errors.Errorf("%s: %d inputs, %v has %d", caller, len(inputs), p, op.Arity())
	}
	arguments := append([]string{"grad"}, p.Op.Arguments()[:len(inputs)]...)
	if err := graph.Nodes(caller, arguments, append([]*G.Node{grad}, inputs...)...); err != nil {
		return p, err
	}
	return p, graph.NamedIndices(p.Op, inputs)
}

func notBag(caller string, op G.Op) error {
	return errors.Errorf("%s: op is %s, the operator of bags is needed", caller, fault.Cut(fmt.Sprint(op)))
}

// bagMap is one of the linear maps that a bag and its gradients are. They share what
// the bag does, and the shape and name of its table.
type bagMap struct {
	graph.Operator
	params plan.Params
	table  tensor.Shape
	dtype  tensor.Dtype
	name   string
}

func bagOn(p plan.Params, table *G.Node) bagMap {
	return bagMap{params: p, table: table.Shape().Clone(), dtype: table.Dtype(), name: table.Name()}
}

// withoutDefault is the same bag without a default row, which has no weight.
func (b bagMap) withoutDefault() bagMap {
	b.Operator = graph.Operator{}
	b.params = b.params.WithoutDefault()
	return b
}

// weights is the place of weights among operands, of which so many belong to the
// bag behind its table, or -1.
func (b *bagMap) weights(operands, rest int) int {
	if b.params.Op.Weighted() && rest == len(b.params.Op.Arguments())-1 {
		return operands - 1
	}
	return -1
}

// shape is that of the bag's result, for its operands behind the table.
func (b *bagMap) shape(rest []tensor.Shape) (tensor.Shape, error) {
	return b.params.Shape(append([]tensor.Shape{b.table}, rest...)...)
}

// inputs are those of the bag, for its operands behind the table.
func (b *bagMap) inputs(table tensor.Tensor, rest []tensor.Tensor) core.BagInputs {
	return core.BagInputsOf(b.params.Op, append([]tensor.Tensor{table}, rest...))
}
