package diff

import (
	"fmt"
	"slices"

	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/graph"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/gather/shapes"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// ScatterAdd applies the adjoint of a gather to updates:
//
//	out = zeros(data);  out[t(p)] += updates[p]  for every position p
//
// where t(p) is the position in data that the gather reads for position p. The
// argument op is the operator of the gather's node, updates have the shape and
// dtype of its result, indices are its indices, and data is the shape of its
// data. Updates of one target are added in row-major order of the indices. What
// the gather fills with zeros adds nothing.
//
// The updates may be of any integer, float or complex dtype, the 16-bit floats
// among them. The errors are those of the gather, and ErrDtype of package
// gather for values that cannot be added.
func ScatterAdd(op G.Op, updates, indices *G.Node, data tensor.Shape) (*G.Node, error) {
	p, err := gatherOf("ScatterAdd", op)
	if err != nil {
		return nil, err
	}
	operands, err := graph.Operands("ScatterAdd", []string{"updates", "indices"}, updates, indices)
	if err != nil {
		return nil, err
	}
	if err := graph.Named("ScatterAdd", "indices", indices); err != nil {
		return nil, err
	}
	vjp := &gatherVJP{gather: op, params: p, data: data.Clone(), dtype: updates.Dtype()}
	vjp.Operator = graph.New(graph.Description{
		Name:     fmt.Sprintf("ScatterAdd into %v, adjoint of %v", vjp.data, op),
		Operands: operands,
		Result:   graph.Operand{Rank: len(data), Dtype: vjp.dtype},
		Shape:    vjp.shape,
		Run:      vjp.run,
		Unnamed:  1,
		Instead:  []string{graph.DataName(op)},
	})
	return graph.Apply(vjp, updates, indices)
}

// gatherVJP is the adjoint of a gather, an operator of (updates, indices). The
// updates are the cotangent of the gather's result.
type gatherVJP struct {
	graph.Operator
	gather G.Op
	params plan.Params  // of the gather
	data   tensor.Shape // of the gather's data
	dtype  tensor.Dtype // of the updates and the result
}

// shape is that of data, if updates have that of the gather's result.
func (op *gatherVJP) shape(in ...tensor.Shape) (tensor.Shape, error) {
	want, err := op.params.Shape(op.data, in[1])
	if err != nil {
		return nil, err
	}
	if !slices.Equal(in[0], want) {
		return nil, fault.Errorf(shapes.ErrShape, "ScatterAdd: updates %v must have the shape %v of the result of %v%s",
			fault.Shape(in[0]), fault.Shape(want), op.params, fault.ScalarHint(in[0], want))
	}
	return op.data.Clone(), nil
}

// run makes zeros, or writes them over dst, and adds the updates.
func (op *gatherVJP) run(dst *tensor.Dense, in []tensor.Tensor) (*tensor.Dense, error) {
	dst, err := zeros(op, dst, op.params, op.data, op.dtype)
	if err != nil {
		return nil, err
	}
	return dst, core.AddGather(op.params, dst, in[0], in[1])
}

// AddTo is the backward pass of a gather on LispMachine: it adds the gradient
// that the output holds to the one that data, inputs[0], holds. It works in
// place, and allocates no dense gradient of its own.
func AddTo(op Operator, inputs G.Nodes, output *G.Node) error {
	p, err := gatherOf("AddTo", op)
	if err != nil {
		return err
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
func (op *gatherVJP) DiffWRT(int) []bool { return []bool{graph.Differentiable(op, 0), false} }

// SymDiff gives the gradient of updates, the gather of the gradient.
func (op *gatherVJP) SymDiff(inputs G.Nodes, _, grad *G.Node) (G.Nodes, error) {
	if err := graph.CheckSymDiff(op, inputs, grad); err != nil {
		return nil, err
	}
	updates, err := graph.ApplyAgain(op.gather, grad, inputs[1])
	return G.Nodes{updates, nil}, err
}

// DoDiff adds the gather of the output's gradient to the gradient of updates.
func (op *gatherVJP) DoDiff(_ G.ExecutionContext, inputs G.Nodes, output *G.Node) error {
	if !graph.Differentiable(op, 0) {
		return nil
	}
	return graph.Backward(op, inputs, output, func(grad *tensor.Dense, in []tensor.Tensor) error {
		p := op.params
		gathered, err := core.Gather(&p, nil, grad, in[1])
		if err != nil {
			return err
		}
		return graph.Accumulate(inputs[0], graph.Value(gathered))
	})
}

var (
	_ G.SDOp = (*gatherVJP)(nil)
	_ G.ADOp = (*gatherVJP)(nil)
)
