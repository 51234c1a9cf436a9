package diff

import (
	"fmt"
	"hash"
	"slices"

	"github.com/chewxy/hm"
	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/elem"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/graph"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/gather/shapes"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Gather is the operator of a node that Gather, GatherElements or GatherND of
// package gather has made, as node.Op() returns it.
type Gather interface {
	G.Op
	// Params says what the operator does.
	Params() plan.Params
}

// ScatterAdd applies the adjoint of a gather to updates:
//
//	out = zeros(data);  out[t(p)] += updates[p]  for every position p
//
// where t(p) is the place in data that the gather reads for position p. The
// argument op is the operator of the gather's node, updates have the shape and
// dtype of its result, indices are its indices, and data is the shape of its
// data. Updates of one target are added in row-major order of the indices. What
// the gather fills with zeros adds nothing.
//
// The updates may be of any integer, float or complex dtype, the 16-bit floats
// among them. The errors are those of the gather, and ErrDtype of package
// gather for values that cannot be added.
func ScatterAdd(op G.Op, updates, indices *G.Node, data tensor.Shape) (*G.Node, error) {
	f, ok := op.(Gather)
	if p, has := paramsOf(op); !ok || !has || !p.Op.Gathers() {
		return nil, errors.Errorf("ScatterAdd: op is %s, the operator of a gather is needed", fault.Cut(fmt.Sprint(op)))
	}
	if err := graph.Nodes("ScatterAdd", []string{"updates", "indices"}, updates, indices); err != nil {
		return nil, err
	}
	if err := graph.Named("ScatterAdd", "indices", indices); err != nil {
		return nil, err
	}
	return graph.Apply(&scatterAddOp{
		gather:  f,
		shape:   data.Clone(),
		updates: graph.OperandOf(updates),
		indices: graph.OperandOf(indices),
	}, updates, indices)
}

// scatterAddOp is the adjoint of a gather, an operator of (updates, indices).
type scatterAddOp struct {
	graph.Pure
	graph.Names
	gather           Gather
	shape            tensor.Shape // of the gather's data
	updates, indices graph.Operand
}

// paramsOf is what an operator of package gather does. There is nothing for other
// operators, and for a nil pointer in the interface.
func paramsOf(op G.Op) (p plan.Params, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	if op, is := op.(Gather); is {
		return op.Params(), true
	}
	return p, false
}

// Operands are the names of the gather's data and of the indices.
func (op *scatterAddOp) Operands() []string {
	names := slices.Clone(op.Names.Operands())
	if len(names) > 0 {
		names[0] = graph.DataName(op.gather)
	}
	return names
}

// Arity is 2: updates and indices.
func (op *scatterAddOp) Arity() int { return 2 }

// Type is updates → indices → data.
func (op *scatterAddOp) Type() hm.Type {
	data := graph.Operand{Rank: len(op.shape), Dtype: op.updates.Dtype}
	return hm.NewFnType(op.updates.Type(), op.indices.Type(), data.Type())
}

// InferShape is the shape of data, if updates have that of the gather's result.
func (op *scatterAddOp) InferShape(in ...G.DimSizer) (tensor.Shape, error) {
	s, err := graph.Shapes(op, in)
	if err != nil {
		return nil, err
	}
	p := op.gather.Params()
	want, err := p.Shape(op.shape, s[1])
	if err != nil {
		return nil, err
	}
	if !shapes.Equal(s[0], want) {
		return nil, fault.Errorf(shapes.ErrShape, "ScatterAdd: updates %v must have the shape %v of the result of %v%s",
			fault.Shape(s[0]), fault.Shape(want), p, fault.ScalarHint(s[0], want))
	}
	return op.shape.Clone(), nil
}

// Do makes zeros and adds the updates.
func (op *scatterAddOp) Do(inputs ...G.Value) (G.Value, error) { return graph.Do(op, inputs, op.run) }

// UsePreallocDo is Do, into zeros written over prealloc.
func (op *scatterAddOp) UsePreallocDo(prealloc G.Value, inputs ...G.Value) (G.Value, error) {
	return graph.UsePreallocDo(op, prealloc, inputs, op.run)
}

func (op *scatterAddOp) run(dst *tensor.Dense, in []tensor.Tensor) (*tensor.Dense, error) {
	p := op.gather.Params()
	if dst == nil {
		var err error
		if dst, err = core.NewZeros(p, op.shape, op.updates.Dtype); err != nil {
			return nil, err
		}
	} else if err := op.clear(dst); err != nil {
		return nil, err
	}
	return dst, core.AddGather(p, dst, in[0], in[1])
}

// clear makes zeros of a preallocated value.
func (op *scatterAddOp) clear(dst *tensor.Dense) error {
	if !shapes.Equal(dst.Shape(), op.shape) {
		return fault.Errorf(shapes.ErrShape, "%v: the preallocated value does not have the shape %v", fault.Operator(op), fault.Shape(op.shape))
	}
	if dst.Dtype() != op.updates.Dtype {
		return fault.Errorf(elem.ErrDtype, "%v: the preallocated value has dtype %v, the result %v", fault.Operator(op), elem.Name(dst.Dtype()), elem.Name(op.updates.Dtype))
	}
	mem := dst.Uint8s()
	if len(mem) != op.shape.TotalSize()*int(dst.Dtype().Size()) {
		return fault.Errorf(core.ErrLayout, "%v: the preallocated value is a view into a larger tensor", fault.Operator(op))
	}
	clear(mem)
	return nil
}

// AddTo is the backward pass of a gather on LispMachine: it adds the gradient
// that the output holds to the one that data, inputs[0], holds. It works in
// place, and allocates no dense gradient of its own.
func AddTo(op Gather, inputs G.Nodes, output *G.Node) error {
	p, ok := paramsOf(op)
	if !ok || !p.Op.Gathers() {
		return errors.Errorf("AddTo: op is %s, the operator of a gather is needed", fault.Cut(fmt.Sprint(op)))
	}
	return graph.Backward(op, inputs, output, func(updates *tensor.Dense, in []tensor.Tensor) error {
		dst, write, err := graph.Gradient(inputs[0], in[0].Shape())
		if err != nil {
			return err
		}
		defer write()
		return core.AddGather(p, dst, updates, in[1])
	})
}

// DiffWRT is true for updates, unless they are integers, and false for indices.
func (op *scatterAddOp) DiffWRT(int) []bool {
	return []bool{elem.IsDifferentiable(op.updates.Dtype), false}
}

// SymDiff gives the gradient of updates, the gather of the gradient.
func (op *scatterAddOp) SymDiff(inputs G.Nodes, _, grad *G.Node) (G.Nodes, error) {
	if err := graph.CheckSymDiff(op, inputs, grad); err != nil {
		return nil, err
	}
	updates, err := graph.ApplyAgain(op.gather, grad, inputs[1])
	return G.Nodes{updates, nil}, err
}

// DoDiff adds the gather of the output's gradient to the gradient of updates.
func (op *scatterAddOp) DoDiff(_ G.ExecutionContext, inputs G.Nodes, output *G.Node) error {
	if !elem.IsDifferentiable(op.updates.Dtype) {
		return nil
	}
	return graph.Backward(op, inputs, output, func(grad *tensor.Dense, in []tensor.Tensor) error {
		gathered, err := core.Gather(op.gather.Params(), nil, grad, in[1])
		if err != nil {
			return err
		}
		return graph.Accumulate(inputs[0], graph.Value(gathered))
	})
}

// WriteHash writes every field but the names of operands.
func (op *scatterAddOp) WriteHash(h hash.Hash) {
	graph.WriteHash(h, fmt.Sprint(op, " ", op.updates, " ", op.indices))
}

// Hashcode hashes every field.
func (op *scatterAddOp) Hashcode() uint32 { return graph.Hashcode(op) }

// String is "ScatterAdd into (…), adjoint of …".
func (op *scatterAddOp) String() string {
	return fmt.Sprintf("ScatterAdd into %v, adjoint of %v", op.shape, op.gather)
}

var (
	_ G.Op              = (*scatterAddOp)(nil)
	_ G.SDOp            = (*scatterAddOp)(nil)
	_ G.ADOp            = (*scatterAddOp)(nil)
	_ G.UsePreallocDoer = (*scatterAddOp)(nil)
)
