package onnxruntime

import (
	"fmt"
	"slices"
	"testing"

	"github.com/pkg/errors"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gather/onnx"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// scalars are the dtypes of which Gorgonia has scalar values.
var scalars = []DType{Float, Double, Int32, Int64, Uint8, Bool}

// inGraph says whether Gorgonia can hold a case's inputs.
func inGraph(c *Case) bool {
	return !slices.ContainsFunc(c.Inputs, func(in *Value) bool {
		return len(in.Shape) == 0 && !slices.Contains(scalars, in.DType)
	})
}

// apply runs a case as a graph on a TapeMachine.
func apply(c *Case) Outcome {
	g := G.NewGraph()
	inputs := make([]*G.Node, 0, len(c.Inputs))
	for i, in := range c.Inputs {
		d := in.Dense(c.layout(i))
		if len(in.Shape) == 0 {
			inputs = append(inputs, G.NewScalar(g, d.Dtype(), G.WithName(inputName(i)), G.WithValue(d.ScalarValue())))
			continue
		}
		inputs = append(inputs, G.NewTensor(g, d.Dtype(), d.Dims(), G.WithShape(in.Shape...), G.WithName(inputName(i)), G.WithValue(d)))
	}
	y, err := onnx.Apply(onnx.Node{OpType: c.OpType, Opset: c.Opset, Attributes: c.Attributes}, inputs...)
	if err != nil {
		return Outcome{Err: err}
	}
	var out G.Value
	G.Read(y, &out)
	m := G.NewTapeMachine(g)
	defer m.Close()
	if err := m.RunAll(); err != nil {
		return Outcome{Err: errors.Wrap(err, "running the graph")}
	}
	if !y.Shape().Eq(out.Shape()) {
		return Outcome{Err: errors.Errorf("the node has the shape %v, its value %v", y.Shape(), out.Shape())}
	}
	d, ok := out.(*tensor.Dense)
	if !ok {
		d = tensor.New(tensor.FromScalar(out.Data()))
	}
	v, err := fromDense(d)
	return Outcome{Value: v, Err: err}
}

// TestGraph compares Apply with Eval, which TestDifferential compares with ONNX Runtime: a graph has to give the same
// tensor or an error too. It needs no ONNX Runtime.
func TestGraph(t *testing.T) {
	compared, refused := 0, 0
	for i := range *cases / 5 {
		c := NewCase(*seed, 5*i)
		if !inGraph(c) {
			continue
		}
		ours, graph := eval(c), apply(c)
		if (ours.Err == nil) != (graph.Err == nil) {
			t.Errorf("seed %d case %d: %v: as a graph %v, without %v", c.Seed, c.Number, c, graph, ours)
			continue
		}
		if ours.Err != nil {
			refused++
			continue
		}
		compared++
		require.Empty(t, compare(graph.Value, ours.Value), fmt.Sprintf("seed %d case %d: %v", c.Seed, c.Number, c))
	}
	t.Logf("%d cases gave the same tensor, %d an error both ways", compared, refused)
	require.Greater(t, compared, refused)
}
