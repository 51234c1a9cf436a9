package openvino

import (
	"fmt"
	"testing"

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
		t.Run(fmt.Sprint(c.layer.Type, c.inputs[1].Shape()), func(t *testing.T) {
			operation(c.layer).Constants(t, len(operators[c.layer.Type].parameters), c.inputs...)
		})
	}
}
