package openvino

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Any operand may be a gorgonia.NewConstant, as long as one is in a graph. The
// axis is read when the graph is built.
func TestConstantOperands(t *testing.T) {
	square := of(f32(0, 1, 2, 3, 4, 5, 6, 7, 8), 3, 3)
	for _, c := range []struct {
		layer  Layer
		inputs []*tensor.Dense
	}{
		{layer("Gather-8"), []*tensor.Dense{square, of(i64(2, 0), 2), of(i64(1))}},
		{layer("GatherElements-6", "axis", "0"), []*tensor.Dense{square, of(i64(2, 0, 1), 1, 3)}},
		{layer("GatherND-8"), []*tensor.Dense{square, of(i64(2, 0), 1, 2)}},
		{layer("ScatterUpdate-3"), []*tensor.Dense{square, of(i64(2), 1), of(f32(10, 20, 30), 1, 3), of(i64(0), 1)}},
		{layer("ScatterElementsUpdate-12", "reduction", "sum"), []*tensor.Dense{square, of(i64(2, 0, 1), 1, 3), of(f32(10, 20, 30), 1, 3), of(i64(0))}},
		{layer("ScatterNDUpdate-15"), []*tensor.Dense{square, of(i64(2), 1, 1), of(f32(10, 20, 30), 1, 3)}},
		{layer("ScatterNDUpdate-15"), []*tensor.Dense{square, of(i64(2, 0), 2), of(f32(10), 1)}}, // one element for a scalar
	} {
		tensors := make([]tensor.Tensor, len(c.inputs))
		for i, in := range c.inputs {
			tensors[i] = in
		}
		want, err := Eval(c.layer, tensors...)
		require.NoError(t, err)
		for constants := 1; constants < 1<<len(c.inputs); constants++ {
			t.Run(fmt.Sprintf("%s, %b", c.layer.Type, constants), func(t *testing.T) {
				g := gorgonia.NewGraph()
				nodes := make([]*gorgonia.Node, len(c.inputs))
				for i, in := range c.inputs {
					// Without the axis, which is no operand of the graph.
					switch all := 1<<len(operators[c.layer.Type].parameters) - 1; {
					case constants&all == all && i == 0:
						nodes[i] = gorgonia.NewConstant(in, gorgonia.In(g))
					case constants>>i&1 == 1:
						nodes[i] = gorgonia.NewConstant(in)
					default:
						nodes[i] = gorgonia.NodeFromAny(g, in, gorgonia.WithName(fmt.Sprint("input ", i)))
					}
				}
				out, err := Apply(c.layer, nodes...)
				require.NoError(t, err)
				machine := gorgonia.NewTapeMachine(g)
				defer machine.Close()
				require.NoError(t, machine.RunAll())
				assert.Equal(t, want.Float32s(), out.Value().(*tensor.Dense).Float32s())
			})
		}
	}
}
