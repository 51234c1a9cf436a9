package diff

import (
	"fmt"
	"hash"

	"github.com/chewxy/hm"
	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/elem"
	"gorgonia.org/gather/internal/graph"
	"gorgonia.org/gather/internal/kernel"
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
	if !ok || !f.Params().Op.Gathers() {
		return nil, errors.Errorf("ScatterAdd: op is %v, the operator of a gather is needed", op)
	}
	if err := graph.Nodes("ScatterAdd", []string{"updates", "indices"}, updates, indices); err != nil {
		return nil, err
	}
	return G.ApplyOp(&scatterAddOp{
		gather:  f,
		shape:   data.Clone(),
		updates: graph.OperandOf(updates),
		indices: graph.OperandOf(indices),
	}, updates, indices)
}

// scatterAddOp is the adjoint of a gather, an operator of (updates, indices).
type scatterAddOp struct {
	graph.Pure
	gather           Gather
	shape            tensor.Shape // of the gather's data
	updates, indices graph.Operand
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
		return nil, errors.Wrapf(shapes.ErrShape, "ScatterAdd: updates %v must have the shape %v of the result of %v", s[0], want, p)
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
	if dst == nil {
		dst = tensor.NewDense(op.updates.Dtype, op.shape.Clone())
	} else if err := op.clear(dst); err != nil {
		return nil, err
	}
	return dst, core.AddGather(op.gather.Params(), dst, in[0], in[1])
}

// clear makes zeros of a preallocated value.
func (op *scatterAddOp) clear(dst *tensor.Dense) error {
	if !shapes.Equal(dst.Shape(), op.shape) {
		return errors.Wrapf(shapes.ErrShape, "%v: the preallocated value does not have the shape %v", op, op.shape)
	}
	if dst.Dtype() != op.updates.Dtype {
		return errors.Wrapf(elem.ErrDtype, "%v: the preallocated value has dtype %v, the result %v", op, elem.Name(dst.Dtype()), elem.Name(op.updates.Dtype))
	}
	mem := dst.Uint8s()
	if len(mem) != op.shape.TotalSize()*int(dst.Dtype().Size()) {
		return errors.Wrapf(core.ErrLayout, "%v: the preallocated value is a view into a larger tensor", op)
	}
	kernel.Clear(mem)
	return nil
}

// AddTo is the backward pass of a gather on LispMachine: it adds the gradient
// that the output holds to the one that data, inputs[0], holds. It works in
// place, and allocates no dense gradient of its own.
func AddTo(op Gather, inputs G.Nodes, output *G.Node) error {
	return withGradient(op, inputs, output, func(updates *tensor.Dense, in []tensor.Tensor) error {
		dst, write, err := graph.Gradient(inputs[0], in[0].Shape())
		if err != nil {
			return err
		}
		defer write()
		return core.AddGather(op.Params(), dst, updates, in[1])
	})
}

// DiffWRT is true for updates, unless they are integers, and false for indices.
func (op *scatterAddOp) DiffWRT(int) []bool {
	return []bool{elem.IsDifferentiable(op.updates.Dtype), false}
}

// SymDiff gives the gradient of updates, the gather of the gradient.
func (op *scatterAddOp) SymDiff(inputs G.Nodes, _, grad *G.Node) (G.Nodes, error) {
	updates, err := G.ApplyOp(op.gather, grad, inputs[1])
	return G.Nodes{updates, nil}, err
}

// DoDiff adds the gather of the output's gradient to the gradient of updates.
func (op *scatterAddOp) DoDiff(_ G.ExecutionContext, inputs G.Nodes, output *G.Node) error {
	if !elem.IsDifferentiable(op.updates.Dtype) {
		return nil
	}
	in := graph.Values(inputs)
	grad, _, err := graph.Gradient(output, op.shape)
	if err != nil {
		return err
	}
	gathered, err := op.gather.Do(grad, in[1])
	if err != nil {
		return err
	}
	return graph.Accumulate(inputs[0], gathered)
}

// WriteHash writes every field.
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
