package openvino

import (
	"math"
	"strconv"
	"testing"

	"github.com/pkg/errors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// fiveRows is the table of the operators' pages.
func fiveRows() *tensor.Dense {
	return of(f32(-0.2, -0.6, -0.1, -0.4, -1.9, -1.8, -1, 1.5, 0.8, -0.7), 5, 2)
}

// TestPublishedBags computes the examples of the operators' pages, whose numbers are
// rounded there.
func TestPublishedBags(t *testing.T) {
	list, half := of(i64(0, 2, 3, 4), 4), of(f32(0.5, 0.5, 0.5, 0.5), 4)
	offsets, ids, zero := of(i64(0, 2, 2), 3), of(i64(0, 0, 2, 2), 4), of(i64(0))
	matrix, halves := of(i64(0, 2, 1, 2, 3, 4), 3, 2), of(f32(0.5, 0.5, 0.5, 0.5, 0.5, 0.5), 3, 2)
	for _, c := range []struct {
		layer  Layer
		inputs []*tensor.Dense
		want   []float64
	}{
		{layer("EmbeddingBagOffsetsSum-3"), []*tensor.Dense{fiveRows(), list, offsets, zero, half}, []float64{-1.05, -1.2, -0.2, -0.6, -0.1, 0.4}},
		{layer("EmbeddingBagOffsets-15", "reduction", "sum"), []*tensor.Dense{fiveRows(), list, offsets, zero, half}, []float64{-1.05, -1.2, -0.2, -0.6, -0.1, 0.4}},
		{layer("EmbeddingBagOffsets-15", "reduction", "mean"), []*tensor.Dense{fiveRows(), list, offsets, zero}, []float64{-1.05, -1.2, -0.2, -0.6, -0.1, 0.4}},
		{layer("EmbeddingBagPackedSum-3"), []*tensor.Dense{fiveRows(), matrix, halves}, []float64{-1.05, -1.2, -1, -1.1, -0.1, 0.4}},
		{layer("EmbeddingBagPacked-15", "reduction", "mean"), []*tensor.Dense{fiveRows(), matrix}, []float64{-1.05, -1.2, -1, -1.1, -0.1, 0.4}},
		{layer("EmbeddingSegmentsSum-3"), []*tensor.Dense{fiveRows(), list, ids, of(i64(3)), zero, half}, []float64{-1.05, -1.2, -0.2, -0.6, -0.1, 0.4}},
	} {
		got, err := both(t, c.layer, c.inputs...)
		require.NoError(t, err)
		for i, x := range got.Float32s() {
			assert.InDelta(t, c.want[i], x, 1e-6, "%s%s", c.layer.Type, c.layer.Version)
		}
	}
	// The page's segment ids; it prints no numbers.
	data := of(f32(1, 2, 3, 4, 5, 6, 7, 8), 8)
	segments := of(i64(0, 0, 0, 1, 1, 3, 5, 5), 8)
	for mode, empty := range map[string]float32{"ZERO": 0, "LOWEST": -math.MaxFloat32} {
		got, err := both(t, layer("SegmentMax-16", "fill_mode", mode), data, segments)
		require.NoError(t, err)
		assert.Equal(t, f32(3, 5, empty, 6, empty, 8), got.Float32s())
		got, err = both(t, layer("SegmentMax-16", "fill_mode", mode), data, segments, of(i32(3)))
		require.NoError(t, err)
		assert.Equal(t, f32(3, 5, empty), got.Float32s(), "ids from num_segments on are left out")
	}
}

// TestBagRules has what the versions of bags refuse, and what errors say.
func TestBagRules(t *testing.T) {
	list, offsets, none := of(i64(0, 2, 3, 4), 4), of(i64(0, 2, 2), 3), of(i64(-1))
	weights := of(f32(1, 2, 3, 4), 4)
	segment := func(n *tensor.Dense, more ...*tensor.Dense) []*tensor.Dense {
		return append([]*tensor.Dense{fiveRows(), list, of(i64(0, 0, 2, 2), 4), n}, more...)
	}
	for _, c := range []struct {
		name   string
		layer  Layer
		inputs []*tensor.Dense
		is     error
		text   string
	}{
		{"a mean with weights", layer("EmbeddingBagOffsets-15", "reduction", "mean"), []*tensor.Dense{fiveRows(), list, offsets, none, weights}, dense.ErrOption, `reduction "mean" with per_sample_weights`},
		{"a mean with weights, packed", layer("EmbeddingBagPacked-15", "reduction", "mean"), []*tensor.Dense{fiveRows(), of(i64(0, 1), 1, 2), of(f32(1, 2), 1, 2)}, dense.ErrOption, `reduction "mean" with per_sample_weights`},
		{"a reduction of version 3", layer("EmbeddingBagOffsetsSum-3", "reduction", "sum"), []*tensor.Dense{fiveRows(), list, offsets}, dense.ErrOption, `attribute "reduction"`},
		{"max", layer("EmbeddingBagPacked-15", "reduction", "max"), []*tensor.Dense{fiveRows(), of(i64(0, 1), 1, 2)}, dense.ErrOption, `"max"`},
		{"opset 14", layer("EmbeddingBagOffsets-14"), []*tensor.Dense{fiveRows(), list, offsets}, nil, "opset15"},
		{"two index types", layer("EmbeddingBagOffsetsSum-3"), []*tensor.Dense{fiveRows(), list, of(i32(0, 2), 2)}, dense.ErrDtype, "offsets of type i32, indices are of type i64"},
		{"a default below -1", layer("EmbeddingBagOffsetsSum-3"), []*tensor.Dense{fiveRows(), list, offsets, of(i64(-2))}, dense.ErrOption, "WithDefaultIndex(-2)"},
		{"segments, default -1", layer("EmbeddingSegmentsSum-3"), segment(of(i64(3)), none), dense.ErrOption, "WithDefaultIndex(-1)"},
		{"no fill_mode", layer("SegmentMax-16"), []*tensor.Dense{fiveRows(), of(i64(0, 0, 1, 1, 2), 5)}, dense.ErrOption, "fill_mode"},
		{"two inputs", layer("EmbeddingBagOffsetsSum-3"), []*tensor.Dense{fiveRows(), list}, dense.ErrShape, "2 inputs, 3 to 5 are needed"},
		{"a negative number of segments", layer("EmbeddingSegmentsSum-3"), segment(of(i64(-3))), dense.ErrShape, "-3"},
		{"two numbers of segments", layer("EmbeddingSegmentsSum-3"), segment(of(i64(3, 4), 2)), dense.ErrShape, "num_segments has shape (2)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := both(t, c.layer, c.inputs...)
			require.Error(t, err)
			if c.is != nil {
				assert.ErrorIs(t, err, c.is)
			}
			assert.ErrorContains(t, err, c.text)
		})
	}
	var bad *dense.IndexError
	_, err := both(t, layer("EmbeddingBagOffsetsSum-3"), fiveRows(), of(i64(0, 5), 2), of(i64(0), 1))
	assert.True(t, errors.As(err, &bad), err)
	_, err = both(t, layer("EmbeddingSegmentsSum-3"), segment(of(i64(2)))...)
	require.True(t, errors.As(err, &bad), err)
	assert.Equal(t, "segmentIDs", bad.Argument)
	for _, count := range [][]*tensor.Dense{nil, {of(i64(1))}, {of(i64(3))}} {
		_, err = both(t, layer("SegmentMax-16", "fill_mode", "LOWEST"), append([]*tensor.Dense{fiveRows(), of(i64(-1, 0, 0, 1, 2), 5)}, count...)...)
		require.True(t, errors.As(err, &bad), "a negative id: %v", err)
		assert.Equal(t, []any{"segmentIDs", int64(-1), []int{0}}, []any{bad.Argument, bad.Index, bad.Position})
	}
	_, err = Eval(layer("EmbeddingBagPackedSum-3"), fiveRows(), of(i64(-1), 1, 1))
	var version *VersionError
	assert.True(t, errors.As(err, &version), err)
}

// TestNumSegments has the number of segments in each place where it can be.
func TestNumSegments(t *testing.T) {
	data, ids := fiveRows(), of(i64(0, 0, 1, 1, 2), 5)
	l := layer("SegmentMax-16", "fill_mode", "ZERO")
	l.Inputs = [][]int{{5, 2}, {5}}
	_, err := l.OutputShape()
	assert.ErrorIs(t, err, dense.ErrOption, "it is not known")
	four, five := 4, 5
	l.NumSegments = &four
	out, err := l.OutputShape()
	require.NoError(t, err)
	assert.Equal(t, tensor.Shape{4, 2}, out)
	got, err := both(t, l, data, ids)
	require.NoError(t, err)
	assert.Equal(t, tensor.Shape{4, 2}, got.Shape())
	l.Inputs = nil
	l.NumSegments = &five
	_, err = Eval(l, data, ids, of(i64(4)))
	assert.ErrorContains(t, err, "the input num_segments is 4, Layer.NumSegments is 5")

	// An input that asks for more than there is, and one that Layer.NumSegments bounds.
	l.NumSegments = nil
	many := int64(1) << 28
	if strconv.IntSize == 64 {
		many = 1 << 50
		_, err = Eval(l, data, ids, of(i64(many)))
		assert.ErrorIs(t, err, dense.ErrShape, "num_segments")
		_, err = Eval(l, data, of(i64(0, 0, 1, 1, many), 5))
		assert.ErrorIs(t, err, dense.ErrShape, "the greatest id")
	}
	l.NumSegments = &four
	_, err = Eval(l, data, ids, of(i64(many)))
	assert.ErrorIs(t, err, dense.ErrOption)
	got, err = Eval(l, data, of(i64(0, 0, 1, 1, many), 5))
	require.NoError(t, err)
	assert.Equal(t, tensor.Shape{4, 2}, got.Shape())

	// A graph whose segment ids are not known yet.
	g := gorgonia.NewGraph()
	node := func(name string, dt tensor.Dtype, shape ...int) *gorgonia.Node {
		return gorgonia.NewTensor(g, dt, len(shape), gorgonia.WithShape(shape...), gorgonia.WithName(name))
	}
	l.NumSegments = nil
	_, err = Apply(l, node("data", tensor.Float32, 5, 2), node("ids", tensor.Int64, 5))
	assert.ErrorIs(t, err, dense.ErrOption)
	_, err = Apply(layer("EmbeddingSegmentsSum-3"), node("table", tensor.Float32, 5, 2), node("list", tensor.Int64, 5), node("ids2", tensor.Int64, 5),
		gorgonia.NewScalar(g, tensor.Int64, gorgonia.WithName("n")))
	assert.ErrorContains(t, err, "the value of num_segments is not known yet")
}
