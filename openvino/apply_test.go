package openvino

import (
	"math"
	"testing"

	"github.com/pkg/errors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// gradients runs a layer and returns the gradients of its data and updates for
// the cost sum(weights * result), by TapeMachine's or by LispMachine's rules.
func gradients(t *testing.T, l Layer, lisp bool, weights *tensor.Dense, inputs ...*tensor.Dense) []any {
	t.Helper()
	g := gorgonia.NewGraph()
	names := []string{"data", "indices", "updates"}
	var nodes, wrt gorgonia.Nodes
	for i, in := range inputs {
		n := input(g, names[i], in)
		nodes = append(nodes, n)
		if in.Dtype() == tensor.Float64 {
			wrt = append(wrt, n)
		}
	}
	out, err := Apply(l, nodes...)
	require.NoError(t, err)
	require.Equal(t, weights.Shape(), out.Shape())
	product, err := gorgonia.HadamardProd(out, input(g, "weights", weights))
	require.NoError(t, err)
	cost, err := gorgonia.Sum(product)
	require.NoError(t, err)
	var machine gorgonia.VM
	if lisp {
		machine = gorgonia.NewLispMachine(g)
	} else {
		_, err := gorgonia.Grad(cost, wrt...)
		require.NoError(t, err)
		machine = gorgonia.NewTapeMachine(g, gorgonia.BindDualValues(wrt...))
	}
	defer machine.Close()
	require.NoError(t, machine.RunAll())
	var values []any
	for _, n := range wrt {
		v, err := n.Grad()
		require.NoError(t, err)
		values = append(values, v.Data())
	}
	return values
}

func f64(values ...float64) []float64 { return values }

func TestGradients(t *testing.T) {
	for _, c := range []struct {
		name    string
		layer   Layer
		weights *tensor.Dense
		inputs  []*tensor.Dense
		want    []any
	}{
		{
			// (2, 3) batches of one index each: the result is (6), not (2, 3).
			"GatherND-5 with fused batch dims", layer("GatherND-5", "batch_dims", "2"),
			of(f64(1, 2, 3, 4, 5, 6), 6),
			[]*tensor.Dense{of(make([]float64, 12), 2, 3, 2), of(i64(1, 0, 1, 1, 0, 0), 2, 3, 1)},
			[]any{f64(0, 1, 2, 0, 0, 3, 0, 4, 5, 0, 6, 0)},
		}, {
			"Gather-8 drops what it filled with zeros", layer("Gather-8").on(0),
			of(f64(1, 2, 4, 8), 4),
			[]*tensor.Dense{of(f64(1, 2, 3), 3), of(i64(-1, 3, 2, -4), 4)},
			[]any{f64(0, 0, 5)},
		}, {
			"Gather-7 drops negative indices too", layer("Gather-7").on(0),
			of(f64(1, 2, 4), 3),
			[]*tensor.Dense{of(f64(1, 2, 3), 3), of(i64(-1, 2, 2), 3)},
			[]any{f64(0, 0, 6)},
		}, {
			"ScatterNDUpdate-15 with one element for a scalar update", layer("ScatterNDUpdate-15", "reduction", "prod"),
			of(f64(1, 2, 3, 4, 5, 6), 2, 3),
			[]*tensor.Dense{of(f64(1, 2, 3, 4, 5, 6), 2, 3), of(i64(1, -1), 2), of(f64(7), 1, 1)},
			[]any{f64(1, 2, 3, 4, 5, 42), f64(36)},
		}, {
			"ScatterElementsUpdate-12 mean without data", layer("ScatterElementsUpdate-12", "reduction", "mean", "use_init_val", "false").on(-1),
			of(f64(1, 2, 3), 3),
			[]*tensor.Dense{of(f64(1, 2, 3), 3), of(i64(1, 1), 2), of(f64(7, 9), 2)},
			[]any{f64(1, 0, 3), f64(1, 1)},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, gradients(t, c.layer, false, c.weights, c.inputs...))
		})
		t.Run(c.name+" on LispMachine", func(t *testing.T) {
			assert.Equal(t, c.want, gradients(t, c.layer, true, c.weights, c.inputs...))
		})
	}
}

func TestOutputShape(t *testing.T) {
	with := func(l Layer, inputs ...[]int) Layer {
		l.Inputs = inputs
		return l
	}
	for _, c := range []struct {
		name  string
		layer Layer
		want  tensor.Shape
		cause error
	}{
		{"a port for the axis", with(layer("Gather-8").on(-1), []int{2, 3}, []int{5, 7}, []int{}), tensor.Shape{2, 5, 7}, nil},
		{"no port for the axis", with(layer("Gather-8").on(0), []int{2, 3}, []int{5, 7}), tensor.Shape{5, 7, 3}, nil},
		{"one element for a scalar update", with(layer("ScatterNDUpdate-3"), []int{2, 3}, []int{2}, []int{1}), tensor.Shape{2, 3}, nil},
		{"a scalar", with(layer("GatherND-8"), []int{2, 3}, []int{2}), tensor.Shape{}, nil},
		{"axis not known", with(layer("Gather-8"), []int{2, 3}, []int{5, 7}, []int{}), nil, dense.ErrAxis},
		{"axis out of range", with(layer("ScatterUpdate-3").on(2), []int{2, 3}, []int{5}, []int{2, 5}), nil, dense.ErrAxis},
		{"axis port of two", with(layer("Gather-8").on(0), []int{2, 3}, []int{5, 7}, []int{2}), nil, dense.ErrShape},
		{"no ports", layer("GatherND-8"), nil, dense.ErrShape},
		{"open dim", with(layer("GatherND-8"), []int{-1, 3}, []int{1, 2}), nil, dense.ErrShape},
		{"more elements than an int can count", with(layer("GatherND-8"), []int{2, math.MaxInt}, []int{3, 1}), nil, dense.ErrShape},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.layer.OutputShape()
			if c.cause != nil {
				assert.ErrorIs(t, err, c.cause)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.want, got)
		})
	}
	t.Run("another shape at the output port", func(t *testing.T) {
		l := with(layer("GatherND-5", "batch_dims", "2"), []int{2, 3, 4}, []int{2, 3, 5, 1})
		l.Outputs = [][]int{{2, 3, 5}} // what GatherND-8 would give
		_, err := l.OutputShape()
		assert.ErrorIs(t, err, dense.ErrShape)
		assert.ErrorContains(t, err, "(6, 5)")
	})
}

func TestVersionAndRelease(t *testing.T) {
	data, indices := iota32(3), of(i64(0), 1)
	for _, version := range []string{"", "8", "opset", "opset0", "opset-1", "opset+8", "opset08", "opset 8", "Opset8", "opset18", "opset99999999999999999999", "experimental", "extension"} {
		t.Run("version "+version, func(t *testing.T) {
			_, err := both(t, Layer{Type: "GatherND", Version: version}, data, indices)
			assert.ErrorIs(t, err, dense.ErrOption)
			assert.ErrorContains(t, err, "opset17")
		})
	}
	for _, release := range []string{"2025", "2025.", ".3", "2025.x", "2025.3.", "2025.3.1.0", "-2025.3", "v2025.3", "2025.+3", " 2025.3"} {
		t.Run("release "+release, func(t *testing.T) {
			l := layer("GatherND-8")
			l.Release = release
			_, err := both(t, l, data, indices)
			assert.ErrorIs(t, err, dense.ErrOption)
			assert.ErrorContains(t, err, "2025.3")
		})
	}
	for _, name := range []string{"", "gather", "Scatter", "Convolution"} {
		t.Run("type "+name, func(t *testing.T) {
			_, err := both(t, Layer{Type: name, Version: "opset8"}, data, indices)
			assert.ErrorIs(t, err, dense.ErrOption)
			var e *VersionError
			assert.False(t, errors.As(err, &e))
			assert.ErrorContains(t, err, "GatherND")
		})
	}
}
