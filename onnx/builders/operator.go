package builders

import (
	"fmt"
	"slices"

	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/elem"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/graph"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A function is what an operator computes. It holds no state, and its text tells
// it from every other function.
type function interface {
	fmt.Stringer
	// result is the dtype and shape of the result, or what is wrong with the
	// operands.
	result(in []operand) (operand, error)
	// run writes the result to out, which holds zeros. Everything is packed.
	run(out *tensor.Dense, in []*tensor.Dense) error
	// gradients are the gradients of the operands, nil for those that have none.
	// The operands and the result are floats.
	gradients(in []operand, out operand) []*term
}

// An operand is what is known of an input or a result when a graph is built.
// Graphs of Gorgonia have fixed shapes.
type operand struct {
	dtype tensor.Dtype
	shape tensor.Shape
}

// graph is what Gorgonia is told of it.
func (o operand) graph() graph.Operand { return graph.Operand{Rank: len(o.shape), Dtype: o.dtype} }

// An operator is a function in a graph. It copies what it needs to know of its
// operands, so that graphs may share it.
type operator struct {
	graph.Operator
	function function
	in       []operand
	out      operand
}

func newOperator(f function, in []operand, out operand) *operator {
	return namedOperator(f, f.String(), in, out)
}

// namedOperator is newOperator where the function's text is known already.
func namedOperator(f function, name string, in []operand, out operand) *operator {
	op := &operator{function: f, in: in, out: out}
	d := graph.Description{
		Name:   name,
		Result: out.graph(),
		Detail: fmt.Sprint("onnx/builders ", in, " ", out),
		Shape:  op.shape,
		Run:    op.run,
	}
	for _, o := range in {
		d.Operands = append(d.Operands, o.graph())
	}
	op.Operator = graph.New(d)
	return op
}

// apply adds the function of the nodes to their graph.
func apply(f function, nodes ...*G.Node) (*G.Node, error) {
	name := f.String()
	if err := graph.Nodes(name, arguments(len(nodes)), nodes...); err != nil {
		return nil, err
	}
	in := make([]operand, 0, len(nodes))
	for _, n := range nodes {
		// A copy: Gorgonia gives shapes back to a pool.
		in = append(in, operand{n.Dtype(), n.Shape().Clone()})
	}
	out, err := checkedResult(f, in)
	if err != nil {
		return nil, err
	}
	return graph.Apply(namedOperator(f, name, in, out), nodes...)
}

// arguments are what errors call the inputs.
func arguments(n int) []string {
	if n <= len(fewArguments) {
		return fewArguments[:n]
	}
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprint("input ", i)
	}
	return list
}

var fewArguments = []string{"input 0", "input 1", "input 2", "input 3"}

// checkedResult is the function's result, if its elements can be counted.
func checkedResult(f function, in []operand) (operand, error) {
	out, err := f.result(in)
	if err == nil {
		_, err = size(out.shape)
	}
	if err != nil {
		return out, errors.WithMessage(err, f.String())
	}
	return out, nil
}

// shape is the result's shape: a graph's shapes are fixed.
func (op *operator) shape(in ...tensor.Shape) (tensor.Shape, error) {
	for i, s := range in {
		if !slices.Equal(s, op.in[i].shape) {
			return nil, fault.Errorf(dense.ErrShape, "%v: input %d has shape %v, not %v", op, i, s, op.in[i].shape)
		}
	}
	return op.out.shape.Clone(), nil
}

// run computes the result, always as a new tensor.
func (op *operator) run(_ *tensor.Dense, inputs []tensor.Tensor) (*tensor.Dense, error) {
	in, err := tensors(op, inputs)
	if err != nil {
		return nil, err
	}
	return write(op.function, op.out, in)
}

// tensors are the values of the operands.
func tensors[T G.Value](op *operator, values []T) ([]*tensor.Dense, error) {
	if len(values) != len(op.in) {
		return nil, errors.Errorf("%v: %d inputs, %d are needed", op, len(values), len(op.in))
	}
	in := make([]*tensor.Dense, len(values))
	for i, v := range values {
		var err error
		if in[i], err = packed(v); err != nil {
			return nil, errors.WithMessagef(err, "%v: input %d", op, i)
		}
		if in[i].Dtype() != op.in[i].dtype || !slices.Equal(in[i].Shape(), op.in[i].shape) {
			return nil, fault.Errorf(dense.ErrShape, "%v: input %d is %v %v, not %v %v",
				op, i, in[i].Dtype(), in[i].Shape(), op.in[i].dtype, op.in[i].shape)
		}
	}
	return in, nil
}

// compute runs a function on packed tensors.
func compute(f function, in []*tensor.Dense) (*tensor.Dense, error) {
	operands := make([]operand, len(in))
	for i, t := range in {
		operands[i] = operand{t.Dtype(), t.Shape()}
	}
	o, err := checkedResult(f, operands)
	if err != nil {
		return nil, err
	}
	return write(f, o, in)
}

// write makes the result of a function, if the machine has the memory.
func write(f function, o operand, in []*tensor.Dense) (*tensor.Dense, error) {
	if err := core.Fits(f.String(), "a result", o.shape, o.dtype); err != nil {
		return nil, err
	}
	out := newTensor(o)
	if err := f.run(out, in); err != nil {
		return out, errors.WithMessage(err, f.String())
	}
	return out, nil
}

// DiffWRT is true for floats that the result depends on smoothly.
func (op *operator) DiffWRT(int) []bool {
	wrt := make([]bool, len(op.in))
	for i, t := range op.terms() {
		wrt[i] = t != nil
	}
	return wrt
}

// terms are the gradients of the operands, nil for those that have none.
func (op *operator) terms() []*term {
	terms := make([]*term, len(op.in))
	switch {
	case isFloat(op.out.dtype):
		terms = op.function.gradients(op.in, op.out)
	case elem.IsDifferentiable(op.out.dtype):
		// Without gradients they would be left out of a sum in silence.
		for i := range terms {
			terms[i] = refuse(fmt.Sprintf("gradients of %v are not supported", typeName(op.out.dtype)))
		}
	}
	for i, o := range op.in {
		if !elem.IsDifferentiable(o.dtype) {
			terms[i] = nil
		}
	}
	return terms
}

// SymDiff adds the gradients to the graph.
func (op *operator) SymDiff(inputs G.Nodes, output, grad *G.Node) (G.Nodes, error) {
	if len(inputs) != len(op.in) {
		return nil, errors.Errorf("%v: %d inputs, %d are needed", op, len(inputs), len(op.in))
	}
	if slices.Contains(inputs, nil) || output == nil || grad == nil {
		return nil, errors.Errorf("%v: a nil node", op)
	}
	e := evaluation[*G.Node]{inputs, output, grad, func(f function, args []*G.Node) (*G.Node, error) { return apply(f, args...) }, map[*term]*G.Node{}}
	gradients := make(G.Nodes, len(inputs))
	for i, t := range op.terms() {
		if t == nil {
			continue
		}
		var err error
		if gradients[i], err = e.of(t); err != nil {
			return nil, errors.WithMessagef(err, "%v: gradient of input %d", op, i)
		}
	}
	return gradients, nil
}

// DoDiff adds the gradients to those that the inputs hold.
func (op *operator) DoDiff(_ G.ExecutionContext, inputs G.Nodes, output *G.Node) error {
	return graph.Explain(op, op.accumulate(inputs, output))
}

func (op *operator) accumulate(inputs G.Nodes, output *G.Node) error {
	if slices.Contains(inputs, nil) || output == nil {
		return errors.Errorf("%v: a nil node", op)
	}
	terms := op.terms()
	in, err := tensors(op, graph.Values(inputs))
	if err != nil {
		return err
	}
	out, err := packed(output.Value())
	if err != nil {
		return errors.WithMessagef(err, "%v: output", op)
	}
	held, write, err := graph.Gradient(output, op.out.shape)
	if err != nil {
		return err
	}
	defer write()
	grad, err := packed(held)
	if err != nil {
		return errors.WithMessagef(err, "%v: gradient", op)
	}
	e := evaluation[*tensor.Dense]{in, out, grad, compute, map[*term]*tensor.Dense{}}
	for i, t := range terms {
		if t == nil {
			continue
		}
		d, err := e.of(t)
		if err != nil {
			return errors.WithMessagef(err, "%v: gradient of input %d", op, i)
		}
		if err := graph.Accumulate(inputs[i], graph.Value(d)); err != nil {
			return err
		}
	}
	return nil
}

var (
	_ G.SDOp = (*operator)(nil)
	_ G.ADOp = (*operator)(nil)
)
