package openvino

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestAxisInput gives the axis in every way it may come, in the graph and
// without.
func TestAxisInput(t *testing.T) {
	data, indices := iota32(2, 3, 4), of(i64(1, 0), 2)
	for _, c := range []struct {
		name  string
		axis  *tensor.Dense
		cause error
	}{
		{"scalar", of(i64(1)), nil},
		{"one element", of(i64(1), 1), nil},
		{"negative", of([]int8{-2}, 1), nil},
		{"int", of([]int{1}), nil},
		{"u64", of([]uint64{1}, 1), nil},
		{"two elements", of(i64(1, 1), 2), dense.ErrShape},
		{"no element", of([]int64{}, 0), dense.ErrShape},
		{"matrix", of(i64(1), 1, 1), dense.ErrShape},
		{"float", of(f32(1)), dense.ErrDtype},
		{"past the rank", of(i64(3)), dense.ErrAxis},
		{"beyond any int", of([]uint64{math.MaxUint64}), dense.ErrAxis},
		{"below any rank", of(i64(math.MinInt64)), dense.ErrAxis},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := both(t, layer("Gather-8"), data, indices, c.axis)
			if c.cause != nil {
				assert.ErrorIs(t, err, c.cause)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tensor.Shape{2, 2, 4}, got.Shape())
			assert.Equal(t, float32(4), got.Data().([]float32)[0])
		})
	}
	t.Run("known, and one input less", func(t *testing.T) {
		got, err := both(t, layer("Gather-8").on(2), data, indices)
		require.NoError(t, err)
		assert.Equal(t, tensor.Shape{2, 3, 2}, got.Shape())
	})
	t.Run("known and given alike", func(t *testing.T) {
		_, err := both(t, layer("Gather-8").on(1), data, indices, of(i64(1)))
		assert.NoError(t, err)
	})
	t.Run("known and given otherwise", func(t *testing.T) {
		_, err := both(t, layer("Gather-8").on(1), data, indices, of(i64(0)))
		assert.ErrorIs(t, err, dense.ErrAxis)
	})
	t.Run("neither known nor given", func(t *testing.T) {
		_, err := both(t, layer("Gather-8"), data, indices)
		assert.ErrorIs(t, err, dense.ErrAxis)
	})
}

func TestAxisNodes(t *testing.T) {
	g := gorgonia.NewGraph()
	data, indices := input(g, "data", iota32(2, 3, 4)), input(g, "indices", of(i64(1, 0), 2))
	t.Run("a Gorgonia constant", func(t *testing.T) {
		out, err := Apply(layer("Gather-8"), data, indices, gorgonia.NewConstant(2))
		require.NoError(t, err)
		assert.Equal(t, tensor.Shape{2, 3, 2}, out.Shape())
	})
	t.Run("a node without a value yet", func(t *testing.T) {
		axis := gorgonia.NewScalar(g, tensor.Int64, gorgonia.WithName("the axis"))
		_, err := Apply(layer("Gather-8"), data, indices, axis)
		require.ErrorIs(t, err, dense.ErrAxis)
		assert.ErrorContains(t, err, `the axis node "the axis"`)
	})
	t.Run("nil", func(t *testing.T) {
		_, err := Apply(layer("Gather-8"), data, indices, nil)
		assert.ErrorIs(t, err, dense.ErrAxis)
	})
}

// TestPorts holds inputs and result to the shapes of the layer's ports.
func TestPorts(t *testing.T) {
	for _, c := range []struct {
		name            string
		inputs, outputs [][]int
		fits            bool
	}{
		{"none", nil, nil, true},
		{"all", [][]int{{3, 4}, {2}, {}}, [][]int{{3, 2}}, true},
		{"none for the axis", [][]int{{3, 4}, {2}}, nil, true},
		{"open dims", [][]int{{-1, 4}, {-1}, {1}}, [][]int{{3, -1}}, true},
		{"other data", [][]int{{4, 3}, {2}, {}}, nil, false},
		{"other rank of indices", [][]int{{3, 4}, {2, 1}, {}}, nil, false},
		{"one port", [][]int{{3, 4}}, nil, false},
		{"four ports", [][]int{{3, 4}, {2}, {}, {}}, nil, false},
		{"other result", nil, [][]int{{2, 4}}, false},
		{"two results", nil, [][]int{{3, 2}, {3, 2}}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := layer("Gather-8")
			l.Inputs, l.Outputs = c.inputs, c.outputs
			_, err := both(t, l, iota32(3, 4), of(i64(3, 0), 2), of(i64(1)))
			if c.fits {
				assert.NoError(t, err)
				return
			}
			assert.ErrorIs(t, err, dense.ErrShape)
		})
	}
}

// TestInputs has inputs that are no inputs.
func TestInputs(t *testing.T) {
	data, indices := iota32(3), of(i64(0), 1)
	l := layer("GatherND-8")
	t.Run("too few", func(t *testing.T) {
		_, err := both(t, l, data)
		assert.ErrorIs(t, err, dense.ErrShape)
	})
	t.Run("too many", func(t *testing.T) {
		_, err := both(t, l, data, indices, indices)
		assert.ErrorIs(t, err, dense.ErrShape)
	})
	t.Run("nil tensors", func(t *testing.T) {
		var none *tensor.Dense
		for _, in := range []tensor.Tensor{nil, none} {
			_, err := Eval(l, data, in)
			assert.Error(t, err)
			_, err = Eval(layer("Gather-8"), data, indices, in)
			assert.Error(t, err)
		}
	})
	g := gorgonia.NewGraph()
	node := input(g, "data", data)
	t.Run("nil nodes", func(t *testing.T) {
		_, err := Apply(l, nil, node)
		assert.Error(t, err)
		_, err = Apply(l, node, nil)
		assert.Error(t, err)
	})
	t.Run("nodes of two graphs", func(t *testing.T) {
		_, err := Apply(l, node, input(gorgonia.NewGraph(), "indices", indices))
		assert.Error(t, err)
	})
	t.Run("node without a shape", func(t *testing.T) {
		_, err := Apply(l, node, gorgonia.NewTensor(g, tensor.Int64, 2, gorgonia.WithName("shapeless")))
		assert.Error(t, err)
	})
	t.Run("a sparse tensor", func(t *testing.T) {
		sparse := tensor.CSRFromCoord(tensor.Shape{2, 2}, []int{0, 1}, []int{1, 0}, f64(1, 2))
		_, err := Eval(l, sparse, of(i64(0), 1, 1))
		assert.ErrorIs(t, err, dense.ErrLayout)
	})
}
