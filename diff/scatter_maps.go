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

// scatterMap is what scatterVJP and scatterJVP have in common, the operators of a
// scatter's first derivative. Each is a linear map of its first operand, a cotangent
// or a tangent; it depends on data, indices and updates, the other three.
type scatterMap struct {
	graph.Operator
	is     core.ScatterMap
	params plan.Params // of the scatter
}

// newScatterMap makes a map for the operands of a scatter.
func newScatterMap(is core.ScatterMap, p plan.Params, data, indices, updates *G.Node) scatterMap {
	d := describe(fmt.Sprintf("%s of %v", mapNames[is], p), is, p, data, indices, updates)
	return scatterMap{graph.New(d), is, p}
}

// mapNames are the functions that make the maps. The JVPs are only made as
// gradients of the VJPs.
var mapNames = [...]string{
	core.VJPData: "ScatterGradData", core.VJPUpdates: "ScatterGradUpdates",
	core.JVPData: "ScatterTangentData", core.JVPUpdates: "ScatterTangentUpdates",
}

// transposed is the map that carries cotangents where this one carries tangents, or
// the other way round.
var transposed = [...]core.ScatterMap{
	core.VJPData: core.JVPData, core.VJPUpdates: core.JVPUpdates,
	core.JVPData: core.VJPData, core.JVPUpdates: core.VJPUpdates,
}

// describe describes a map, an operator of tangents and cotangents, the leading operands,
// and of the operands of a scatter. Its errors name those of the scatter.
func describe(name string, is core.ScatterMap, p plan.Params, data, indices, updates *G.Node) graph.Description {
	scatter := graph.OperandsOf(p.Op.Arguments(), data, indices, updates)
	leads := is.Leads()
	n := len(leads)
	operands := make([]graph.Operand, n, n+len(scatter))
	for i, l := range leads {
		operands[i] = scatter[place(l.OfUpdates)]
		operands[i].Argument = l.Argument
	}
	result := place(is.ToUpdates())
	return graph.Description{
		Name:     name,
		Operands: append(operands, scatter...),
		Result:   scatter[result],
		Unnamed:  n,
		Shape: func(in ...tensor.Shape) (tensor.Shape, error) {
			scatter := in[n:]
			if _, err := p.Shape(scatter...); err != nil {
				return nil, err
			}
			for i, l := range leads {
				if got, want := in[i], scatter[place(l.OfUpdates)]; !slices.Equal(got, want) {
					return nil, fault.Errorf(shapes.ErrShape, "%s: %s %v must have the shape %v%s",
						name, l.Argument, fault.Shape(got), fault.Shape(want), fault.ScalarHint(got, want))
				}
			}
			return scatter[result].Clone(), nil
		},
		Run: func(dst *tensor.Dense, in []tensor.Tensor) (*tensor.Dense, error) { return is.Apply(p, dst, in...) },
	}
}

// place is where data or updates are among the operands of a scatter.
func place(updates bool) int {
	if updates {
		return 2
	}
	return 0
}

// wrt is true for what the map depends on: its first operand and, for some
// reductions, the values of data and of updates.
func (op *scatterMap) wrt() []bool {
	data, updates := op.dependsOn()
	return []bool{true, data, false, updates}
}

// ofData tells whether the derivative is one with respect to data.
func (op *scatterMap) ofData() bool { return op.is == core.VJPData || op.is == core.JVPData }

// dependsOn tells whether the map depends on the values of data and of updates.
func (op *scatterMap) dependsOn() (data, updates bool) {
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

// checkSecond refuses to make gradients that do not exist.
func (op *scatterMap) checkSecond() error {
	if data, updates := op.dependsOn(); data || updates {
		return core.CheckHVP(op.params)
	}
	return nil
}

// transpose applies the transposed map to tensors.
func (op *scatterMap) transpose(in tensor.Tensor, scatter []tensor.Tensor) (tensor.Tensor, error) {
	return transposed[op.is].Apply(op.params, nil, in, scatter[0], scatter[1], scatter[2])
}
