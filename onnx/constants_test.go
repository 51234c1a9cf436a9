package onnx

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Any operand may be a gorgonia.NewConstant, as long as one is in a graph.
func TestConstantOperands(t *testing.T) {
	square := of(iota32(9), 3, 3)
	for _, c := range []struct {
		node   Node
		inputs []*tensor.Dense
	}{
		{Node{OpType: "Gather", Opset: 13, Attributes: set{"axis": int64(1)}}, []*tensor.Dense{square, of(i64(2, 0), 2)}},
		{Node{OpType: "Gather", Opset: 13}, []*tensor.Dense{square, of(i64(1))}},
		{Node{OpType: "GatherElements", Opset: 13}, []*tensor.Dense{square, of(i64(2, 0, 1), 1, 3)}},
		{Node{OpType: "GatherND", Opset: 13}, []*tensor.Dense{square, of(i64(2, 0), 1, 2)}},
		{Node{OpType: "Scatter", Opset: 9}, []*tensor.Dense{square, of(i64(2, 0, 1), 1, 3), of(f32(10, 20, 30), 1, 3)}},
		{Node{OpType: "ScatterElements", Opset: 18, Attributes: set{"reduction": "add"}}, []*tensor.Dense{square, of(i64(2, 0, 1), 1, 3), of(f32(10, 20, 30), 1, 3)}},
		{Node{OpType: "ScatterND", Opset: 18}, []*tensor.Dense{square, of(i64(2, 0), 2), of(f32(10))}},
		{Node{OpType: "TensorScatter", Opset: 24, Attributes: set{"axis": int64(1)}}, []*tensor.Dense{square, of(negated(3), 3, 1), of(i64(2, 0, 1), 3)}},
		{Node{OpType: "TensorScatter", Opset: 24, Attributes: set{"axis": int64(1)}}, []*tensor.Dense{square, of(negated(3), 3, 1)}},
	} {
		t.Run(fmt.Sprintf("%s of %d, indices %v", c.node.OpType, len(c.inputs), c.inputs[1].Shape()), func(t *testing.T) {
			operation(c.node).Constants(t, len(c.inputs), c.inputs...)
		})
	}
}

// TensorScatter has the rules of the other operators for nodes.
func TestTensorScatterNodes(t *testing.T) {
	n := Node{OpType: "TensorScatter", Opset: 24, Attributes: set{"axis": int64(1)}}
	g := gorgonia.NewGraph()
	node := func(g *gorgonia.ExprGraph, name string, v *tensor.Dense) *gorgonia.Node {
		return gorgonia.NodeFromAny(g, v, gorgonia.WithName(name))
	}
	cache, update := node(g, "cache", of(iota32(9), 3, 3)), node(g, "update", of(negated(3), 3, 1))
	_, err := Apply(n, cache, update, gorgonia.NewVector(g, tensor.Int64, gorgonia.WithShape(3)))
	assert.ErrorContains(t, err, "write_indices are an input node without a name")
	_, err = Apply(n, cache, update, node(gorgonia.NewGraph(), "at", of(i64(0, 0, 0), 3)))
	assert.ErrorContains(t, err, "past_cache cache and write_indices at are of different graphs")
	_, err = Apply(n, gorgonia.NewConstant(of(iota32(9), 3, 3)), gorgonia.NewConstant(of(negated(3), 3, 1)))
	assert.ErrorContains(t, err, "constants without a graph")
	_, err = Apply(n, cache, gorgonia.NewConstant(of(negated(3), 1, 3)))
	assert.ErrorIs(t, err, dense.ErrShape)
	assert.Len(t, g.AllNodes(), 3, "no constant may be left behind")
}
