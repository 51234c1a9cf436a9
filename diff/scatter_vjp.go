package diff

import (
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/graph"
	"gorgonia.org/gather/internal/plan"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// scatterVJP makes the gradient of data, or that of updates, of the cotangent of a
// scatter's result. It is an operator of (cotangent, data, indices, updates).
type scatterVJP struct{ scatterMap }

func applyVJP(vjp core.ScatterMap, p plan.Params, cotangent, data, indices, updates *G.Node) (*G.Node, error) {
	op := &scatterVJP{newScatterMap(vjp, p, data, indices, updates)}
	return graph.Apply(op, cotangent, data, indices, updates)
}

// DiffWRT is true for what the operator depends on.
func (op *scatterVJP) DiffWRT(int) []bool { return op.wrt() }

// SymDiff gives the gradient of the cotangent, which is the JVP of grad, and those
// of data and updates, second derivatives of the scatter for the tangent grad.
func (op *scatterVJP) SymDiff(inputs G.Nodes, _, grad *G.Node) (G.Nodes, error) {
	if err := op.checkSecond(); err != nil {
		return nil, err
	}
	if err := graph.CheckSymDiff(op, inputs, grad); err != nil {
		return nil, err
	}
	cotangent, data, indices, updates := inputs[0], inputs[1], inputs[2], inputs[3]
	jvp, err := applyJVP(transposed[op.is], op.params, grad, data, indices, updates)
	if err != nil {
		return nil, err
	}
	return op.hvpNodes(jvp, grad, cotangent, data, indices, updates)
}

// DoDiff adds to the gradients what SymDiff makes of them.
func (op *scatterVJP) DoDiff(_ G.ExecutionContext, inputs G.Nodes, output *G.Node) error {
	if err := op.checkSecond(); err != nil {
		return err
	}
	return graph.Backward(op, inputs, output, func(grad *tensor.Dense, in []tensor.Tensor) error {
		cotangent, scatter := in[0], in[1:]
		jvp, err := op.transpose(grad, scatter)
		if err != nil {
			return err
		}
		gradients, err := op.hvpTensors(jvp, grad, cotangent, scatter)
		if err != nil {
			return err
		}
		return graph.AccumulateAll(inputs, gradients)
	})
}

var (
	_ G.SDOp = (*scatterVJP)(nil)
	_ G.ADOp = (*scatterVJP)(nil)
)
