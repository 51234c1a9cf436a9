package diff

import (
	"fmt"
	"hash"

	"github.com/chewxy/hm"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/graph"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/gather/shapes"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// scatterDerivative is a derivative of a scatter, an operator of (v, data,
// indices, updates). It is linear in v, a gradient or a change.
type scatterDerivative struct {
	graph.Pure
	graph.Names
	derivative             core.ScatterMap
	params                 plan.Params
	data, indices, updates graph.Operand
}

// Operands are the names of the scatter's own operands.
func (op *scatterDerivative) Operands() []string {
	return op.Names.Operands()[min(1, len(op.Names.Operands())):]
}

// Arity is 4: a gradient or a change, data, indices and updates.
func (op *scatterDerivative) Arity() int { return 4 }

// Type is v → data → indices → updates → result, where v and the result are
// like data or like updates.
func (op *scatterDerivative) Type() hm.Type {
	v, out := op.data, op.data
	switch op.derivative {
	case core.VJPUpdates:
		out = op.updates
	case core.JVPUpdates:
		v = op.updates
	}
	return hm.NewFnType(v.Type(), op.data.Type(), op.indices.Type(), op.updates.Type(), out.Type())
}

// InferShape is the shape of data or that of updates.
func (op *scatterDerivative) InferShape(in ...G.DimSizer) (tensor.Shape, error) {
	s, err := graph.Shapes(op, in)
	if err != nil {
		return nil, err
	}
	if _, err := op.params.Shape(s[1:]...); err != nil {
		return nil, err
	}
	data, updates := s[1], s[3]
	switch op.derivative {
	case core.VJPUpdates:
		return updates.Clone(), sameShape(op, s[0], data)
	case core.JVPUpdates:
		return data.Clone(), sameShape(op, s[0], updates)
	}
	return data.Clone(), sameShape(op, s[0], data)
}

func sameShape(op G.Op, got, want tensor.Shape) error {
	if shapes.Equal(got, want) {
		return nil
	}
	return fault.Errorf(shapes.ErrShape, "%v: an input %v must have the shape %v%s", fault.Operator(op), fault.Shape(got), fault.Shape(want), fault.ScalarHint(got, want))
}

// Do runs the operator.
func (op *scatterDerivative) Do(inputs ...G.Value) (G.Value, error) {
	return graph.Do(op, inputs, op.run)
}

// UsePreallocDo is Do, into a value of the result's dtype and shape.
func (op *scatterDerivative) UsePreallocDo(prealloc G.Value, inputs ...G.Value) (G.Value, error) {
	return graph.UsePreallocDo(op, prealloc, inputs, op.run)
}

func (op *scatterDerivative) run(dst *tensor.Dense, in []tensor.Tensor) (*tensor.Dense, error) {
	return op.derivative.Apply(op.params, dst, in[0], in[1], in[2], in[3])
}

// DiffWRT is true for what the operator depends on: v and, for some reductions,
// the values of data and of updates.
func (op *scatterDerivative) DiffWRT(int) []bool {
	data, updates := op.dependsOn()
	return []bool{true, data, false, updates}
}

// ofData tells whether the derivative is one with respect to data.
func (op *scatterDerivative) ofData() bool {
	return op.derivative == core.VJPData || op.derivative == core.JVPData
}

// dependsOn tells whether the derivative depends on the values of data and of
// updates.
func (op *scatterDerivative) dependsOn() (data, updates bool) {
	if op.ofData() && op.params.NoInit {
		return false, false // it is 0 for all targets
	}
	switch op.params.Reduction {
	case plan.Mul: // linear in data: the derivative there does not depend on it
		return !op.ofData() && !op.params.NoInit, true
	case plan.Min, plan.Max:
		return true, true
	}
	return false, false
}

// SymDiff gives the gradient of v, which the adjoint makes, and those of data and
// updates, which are second derivatives of the scatter.
func (op *scatterDerivative) SymDiff(inputs G.Nodes, _, grad *G.Node) (G.Nodes, error) {
	if err := op.checkSecond(); err != nil {
		return nil, err
	}
	if err := graph.CheckSymDiff(op, inputs, grad); err != nil {
		return nil, err
	}
	v, data, indices, updates := inputs[0], inputs[1], inputs[2], inputs[3]
	out := make(G.Nodes, op.Arity())
	var err error
	if out[0], err = applyDerivative(op.adjoint(), op.params, grad, data, indices, updates); err != nil {
		return nil, err
	}
	tangent, g := changeAndGradient(op, v, grad)
	for _, second := range op.seconds() {
		if out[second.of], err = applySecond(second.HVP, op.params, tangent, g, data, indices, updates); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// DoDiff adds to the gradients what SymDiff makes of them.
func (op *scatterDerivative) DoDiff(_ G.ExecutionContext, inputs G.Nodes, output *G.Node) error {
	if err := op.checkSecond(); err != nil {
		return err
	}
	return graph.Backward(op, inputs, output, func(grad *tensor.Dense, in []tensor.Tensor) error {
		v, data, indices, updates := in[0], in[1], in[2], in[3]
		gradients := make([]*tensor.Dense, op.Arity())
		var err error
		if gradients[0], err = op.adjoint().Apply(op.params, nil, grad, data, indices, updates); err != nil {
			return err
		}
		tangent, g := changeAndGradient[tensor.Tensor](op, v, grad)
		for _, second := range op.seconds() {
			if gradients[second.of], err = second.HVP.Apply(op.params, nil, tangent, g, data, indices, updates); err != nil {
				return err
			}
		}
		return graph.AccumulateAll(inputs, gradients)
	})
}

// adjoint is the derivative that carries a gradient the other way.
func (op *scatterDerivative) adjoint() core.ScatterMap {
	return [...]core.ScatterMap{
		core.VJPData:    core.JVPData,
		core.VJPUpdates: core.JVPUpdates,
		core.JVPData:    core.VJPData,
		core.JVPUpdates: core.VJPUpdates,
	}[op.derivative]
}

// second is the second derivative that is the gradient of an input.
type second struct {
	core.HVP
	of int
}

// seconds are the gradients of data and of updates.
func (op *scatterDerivative) seconds() []second {
	const data, updates = 1, 3
	onData, onUpdates := op.dependsOn()
	switch {
	case op.ofData() && onUpdates:
		return []second{{core.UpdatesByData, updates}}
	case onData:
		return []second{{core.DataByUpdates, data}, {core.UpdatesByUpdates, updates}}
	case onUpdates:
		return []second{{core.UpdatesByUpdates, updates}}
	}
	return nil
}

// checkSecond refuses to make gradients that do not exist.
func (op *scatterDerivative) checkSecond() error {
	if data, updates := op.dependsOn(); data || updates {
		return core.CheckHVP(op.params)
	}
	return nil
}

// changeAndGradient orders the operator's input and the gradient of its output
// as a change of the scatter's input and a gradient of the scatter's output.
func changeAndGradient[T any](op *scatterDerivative, v, grad T) (T, T) {
	if op.derivative == core.JVPData || op.derivative == core.JVPUpdates {
		return v, grad
	}
	return grad, v
}

// WriteHash writes every field but the names of operands.
func (op *scatterDerivative) WriteHash(h hash.Hash) {
	graph.WriteHash(h, fmt.Sprint(op, " ", op.data, " ", op.indices, " ", op.updates))
}

// Hashcode hashes every field.
func (op *scatterDerivative) Hashcode() uint32 { return graph.Hashcode(op) }

// String is the name of the function that makes the operator, and the scatter.
func (op *scatterDerivative) String() string {
	return fmt.Sprintf("%s of %v", derivativeNames[op.derivative], op.params)
}

var (
	_ G.Op              = (*scatterDerivative)(nil)
	_ G.SDOp            = (*scatterDerivative)(nil)
	_ G.ADOp            = (*scatterDerivative)(nil)
	_ G.UsePreallocDoer = (*scatterDerivative)(nil)
)
