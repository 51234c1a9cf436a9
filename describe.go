package gather

import (
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/graph"
	"gorgonia.org/gather/internal/plan"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// describe is the description of an operator whose inputs are nodes and whose result run computes. It
// resolves the options, and refuses what can be known to be wrong before the graph runs.
func describe(
	name plan.Op, axis, numSegments int, nodes []*G.Node, opts []Option,
	run func(p plan.Params, dst *tensor.Dense, in []tensor.Tensor) (*tensor.Dense, error),
) (p plan.Params, d graph.Description, err error) {
	if p, err = plan.ForGraph(name, axis, opts...); err != nil {
		return p, d, err
	}
	p.NumSegments = numSegments
	operands, err := graph.Operands(name.String(), name.Arguments()[:len(nodes)], nodes...)
	if err != nil {
		return p, d, err
	}
	if err := graph.NamedIndices(name, nodes); err != nil {
		return p, d, err
	}
	in, dtypes := make([]tensor.Shape, len(nodes)), make([]tensor.Dtype, len(nodes))
	for i, n := range nodes {
		in[i], dtypes[i] = n.Shape(), n.Dtype()
	}
	shape, err := p.Shape(in...)
	if err != nil {
		return p, d, err
	}
	p.Normalize(len(in[0]), len(in[1]))
	return p, graph.Description{
		Name:     p.String(),
		Operands: operands,
		Result:   graph.Operand{Rank: len(shape), Dtype: dtypes[0]},
		Shape:    p.Shape,
		Run:      func(dst *tensor.Dense, in []tensor.Tensor) (*tensor.Dense, error) { return run(p, dst, in) },
	}, core.CheckDtypes(&p, dtypes...)
}
