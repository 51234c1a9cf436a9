package diff

import (
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/elem"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/graph"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// ScatterGradData is the gradient of a scatter with respect to its data. op is
// the operator of the scatter's node; data, indices and updates are its inputs,
// and grad, of the shape of data, is the gradient of its result.
//
// With x an element of data, w its updates, N the number of terms that make up
// the result y there, and g the gradient of y:
//
//	reduction   dL/dx                    without the initial value
//	none        0                        0
//	add, sub    g                        0
//	mul         g · ∏ w                  0
//	min, max    g/T if x = y, else 0     0
//	mean        g/N                      0
//
// An element without updates has the gradient g. T is the number of terms, x
// and w, that equal y; NaN equals NaN, -0 equals 0. Of complex numbers the
// factors are conjugated, which is PyTorch's convention.
//
// It is linear in grad, and has a gradient there; that of mul has gradients with
// respect to data and updates, too, but third derivatives are an error. So is any
// gradient of that of min and max, which is not continuous where terms tie. Indices have
// none.
//
// The result has the shape of data. The dtype must be a float, complex or 16-bit
// float, else the error is ErrDtype of package gather; the others are those of
// the scatter.
func ScatterGradData(op G.Op, grad, data, indices, updates *G.Node) (*G.Node, error) {
	return scatterGrad(core.VJPData, op, grad, data, indices, updates)
}

// ScatterGradUpdates is the gradient of a scatter with respect to its updates.
// With w an update, and all else as for [ScatterGradData]:
//
//	reduction   dL/dw                        without the initial value
//	none        g for the last w, else 0     the same
//	add         g                            the same
//	sub         -g                           the same
//	mul         g · x · ∏ other w            g · ∏ other w
//	min, max    g/T if w = y, else 0         the same, x does not count in T
//	mean        g/N                          the same, x does not count in N
//
// The last w is that of several updates of one element which comes last in
// row-major order of the indices. The products are computed without a division, and so
// are exact for factors of 0, too.
//
// The result has the shape of updates.
func ScatterGradUpdates(op G.Op, grad, data, indices, updates *G.Node) (*G.Node, error) {
	return scatterGrad(core.VJPUpdates, op, grad, data, indices, updates)
}

func scatterGrad(vjp core.ScatterMap, op G.Op, grad, data, indices, updates *G.Node) (*G.Node, error) {
	name := mapNames[vjp]
	p, err := scatterOf(name, op)
	if err != nil {
		return nil, err
	}
	if err := graph.Nodes(name, append([]string{"grad"}, p.Op.Arguments()...), grad, data, indices, updates); err != nil {
		return nil, err
	}
	if err := graph.Named(name, "indices", indices); err != nil {
		return nil, err
	}
	if dt := data.Dtype(); !elem.IsDifferentiable(dt) {
		return nil, fault.Errorf(elem.ErrDtype, "%s: data has dtype %v, allowed are floats and complex numbers", name, elem.Name(dt))
	}
	return applyVJP(vjp, p, grad, data, indices, updates)
}

// AddScatterTo is the backward pass of a scatter on LispMachine: it adds the
// gradients of data and of updates to those that inputs[0] and inputs[2] hold.
func AddScatterTo(op Operator, inputs G.Nodes, output *G.Node) error {
	p, err := scatterOf("AddScatterTo", op)
	if err != nil {
		return err
	}
	return graph.Backward(op, inputs, output, func(grad *tensor.Dense, in []tensor.Tensor) error {
		data := grad
		if !core.VJPData.Identity(p) {
			if data, err = core.VJPData.Apply(p, nil, grad, in[0], in[1], in[2]); err != nil {
				return err
			}
		}
		ofUpdates := p
		if by, of := core.UpdatesFromData(p); of {
			ofUpdates, grad = by, data
		}
		updates, err := core.VJPUpdates.Apply(ofUpdates, nil, grad, in[0], in[1], in[2])
		if err != nil {
			return err
		}
		return graph.AccumulateAll(inputs, []tensor.Tensor{data, nil, updates})
	})
}
