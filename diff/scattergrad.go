package diff

import (
	"fmt"
	"hash"

	"github.com/chewxy/hm"
	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/graph"
	"gorgonia.org/gather/internal/plan"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Scatter is the operator of a node that ScatterElements, ScatterND or
// ScatterUpdate of package gather has made, as node.Op() returns it.
type Scatter interface {
	G.Op
	// Params says what the operator does.
	Params() plan.Params
}

// ScatterGradData is the gradient of a scatter with respect to its data.
func ScatterGradData(op G.Op, grad, data, indices, updates *G.Node) (*G.Node, error) {
	return applyScatterGrad("ScatterGradData", ofData, op, grad, data, indices, updates)
}

// ScatterGradUpdates is the gradient of a scatter with respect to its updates.
func ScatterGradUpdates(op G.Op, grad, data, indices, updates *G.Node) (*G.Node, error) {
	return applyScatterGrad("ScatterGradUpdates", ofUpdates, op, grad, data, indices, updates)
}

// part says which of a scatter's derivatives an operator is.
type part uint8

const (
	ofData part = iota
	ofUpdates
)

// String is the name of the public function that makes the operator.
func (p part) String() string { return [...]string{"ScatterGradData", "ScatterGradUpdates"}[p] }

func applyScatterGrad(name string, p part, op G.Op, grad, data, indices, updates *G.Node) (*G.Node, error) {
	f, ok := op.(Scatter)
	if !ok {
		return nil, errors.Errorf("%s: op is %v, the operator of a scatter is needed", name, op)
	}
	if err := graph.Nodes(name, []string{"grad", "data", "indices", "updates"}, grad, data, indices, updates); err != nil {
		return nil, err
	}
	return G.ApplyOp(&scatterGradOp{
		params:  f.Params(),
		part:    p,
		grad:    graph.OperandOf(grad),
		data:    graph.OperandOf(data),
		indices: graph.OperandOf(indices),
		updates: graph.OperandOf(updates),
	}, grad, data, indices, updates)
}

// scatterGradOp is a gradient of a scatter, an operator of (grad, data, indices,
// updates).
type scatterGradOp struct {
	graph.Pure
	params                       plan.Params
	part                         part
	grad, data, indices, updates graph.Operand
}

// Arity is 4: grad, data, indices and updates.
func (op *scatterGradOp) Arity() int { return 4 }

// Type is grad → data → indices → updates → data or updates.
func (op *scatterGradOp) Type() hm.Type {
	out := op.data
	if op.part == ofUpdates {
		out = op.updates
	}
	return hm.NewFnType(op.grad.Type(), op.data.Type(), op.indices.Type(), op.updates.Type(), out.Type())
}

// InferShape is the shape of data or of updates.
func (op *scatterGradOp) InferShape(in ...G.DimSizer) (tensor.Shape, error) {
	s, err := graph.Shapes(op, in)
	if err != nil {
		return nil, err
	}
	if _, err := op.params.Shape(s[1:]...); err != nil {
		return nil, err
	}
	if op.part == ofUpdates {
		return s[3].Clone(), nil
	}
	return s[1].Clone(), nil
}

// Do runs the operator.
func (op *scatterGradOp) Do(inputs ...G.Value) (G.Value, error) {
	var in graph.Inputs
	defer in.Release()
	t, err := in.Read(op, inputs)
	if err != nil {
		return nil, err
	}
	run := core.ScatterGradData
	if op.part == ofUpdates {
		run = core.ScatterGradUpdates
	}
	out, err := run(op.params, nil, t[0], t[1], t[2], t[3])
	if err != nil {
		return nil, err
	}
	return graph.Value(out), nil
}

// AddScatterTo is the backward pass of a scatter on LispMachine: it adds the
// gradients of data and of updates to those that inputs[0] and inputs[2] hold.
func AddScatterTo(op Scatter, inputs G.Nodes, output *G.Node) error {
	grad, release, err := graph.Gradient(output, output.Value().Shape())
	if err != nil {
		return err
	}
	defer release()
	var in graph.Inputs
	defer in.Release()
	t, err := in.Read(op, graph.Values(inputs))
	if err != nil {
		return err
	}
	data, err := core.ScatterGradData(op.Params(), nil, grad, t[0], t[1], t[2])
	if err != nil {
		return err
	}
	updates, err := core.ScatterGradUpdates(op.Params(), nil, grad, t[0], t[1], t[2])
	if err != nil {
		return err
	}
	if err := graph.Accumulate(inputs[0], data); err != nil {
		return err
	}
	return graph.Accumulate(inputs[2], graph.Value(updates))
}

// WriteHash writes every field.
func (op *scatterGradOp) WriteHash(h hash.Hash) {
	graph.WriteHash(h, fmt.Sprint(op, " ", op.grad, " ", op.data, " ", op.indices, " ", op.updates))
}

// Hashcode hashes every field.
func (op *scatterGradOp) Hashcode() uint32 { return graph.Hashcode(op) }

// String is the name of the function that makes the operator, and the scatter.
func (op *scatterGradOp) String() string { return fmt.Sprintf("%v of %v", op.part, op.params) }

var _ G.Op = (*scatterGradOp)(nil)
