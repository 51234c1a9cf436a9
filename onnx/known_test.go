package onnx

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/opset"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// knownOf is the value of an operator for inputs that are known.
func knownOf(f knownOperator, attributes map[string]any, inputs ...*tensor.Dense) (*tensor.Dense, error) {
	bindings := make([]*binding, len(inputs))
	for i, in := range inputs {
		bindings[i] = &binding{known: in}
	}
	out, err := f(&opset.Call{}, Node{Attributes: attributes}, bindings)
	if err != nil {
		return nil, err
	}
	d := tensor.NewDense(out.dtype, out.shape)
	out.fill(d)
	return d, nil
}

func scalar(x any) *tensor.Dense { return tensor.New(tensor.FromScalar(x)) }

func TestRangeOfEachType(t *testing.T) {
	for _, c := range []struct{ start, limit, delta, want any }{
		{float32(1), float32(2.5), float32(0.5), []float32{1, 1.5, 2}},
		{2.0, -1.0, -1.5, []float64{2, 0.5}},
		{int16(3), int16(-3), int16(-2), []int16{3, 1, -1}},
		{int32(1), int32(4), int32(1), []int32{1, 2, 3}},
		{int64(math.MinInt64), int64(math.MaxInt64), int64(math.MaxInt64), []int64{math.MinInt64, -1, math.MaxInt64 - 1}},
	} {
		got, err := knownOf(rangeOf, nil, scalar(c.start), scalar(c.limit), scalar(c.delta))
		require.NoError(t, err)
		assert.Equal(t, c.want, got.Data())
	}
	for _, c := range []struct {
		start, limit, delta any
		text                string
		kind                error
	}{
		{float32(1), float32(1), float32(0), "delta is 0, another number is needed", dense.ErrOption}, // 0/0
		{1.0, math.Inf(1), 1.0, "from 1 to +Inf by 1 are +Inf elements, at most 2147483647 are allowed", dense.ErrOption},
		{int16(1), int16(2), int16(0), "delta is 0, another number is needed", dense.ErrOption},
		{float32(1), 2.0, float32(1), "limit of type double, start is of type float", dense.ErrDtype},
		{uint8(1), uint8(2), uint8(1), "a range of uint8 is not supported", dense.ErrDtype},
	} {
		_, err := knownOf(rangeOf, nil, scalar(c.start), scalar(c.limit), scalar(c.delta))
		assert.ErrorContains(t, err, c.text)
		assert.ErrorIs(t, err, c.kind)
	}
	g := gorgonia.NewGraph()
	atRun := &binding{name: "n", node: gorgonia.NewScalar(g, tensor.Int64, gorgonia.WithName("n"))}
	_, err := rangeOf(nil, Node{}, []*binding{atRun, atRun, atRun})
	assert.ErrorContains(t, err, `"n" must be known when the graph is built`)
}

func TestConstantOfShapeErrors(t *testing.T) {
	for _, c := range []struct {
		dims  *tensor.Dense
		value any // nil for none
		text  string
		kind  error
	}{
		{of(i64(1, 2, 3, 4), 2, 2), nil, "input of shape (2, 2), a list is allowed", dense.ErrShape},
		{of(make([]int64, maxRank+1), maxRank+1), nil, "dims, at most 64 are allowed", dense.ErrShape},
		{of(i64(2), 1), int64(1), "value must be a tensor of one element", dense.ErrOption},
		{of(i64(2), 1), of(f32(1, 2), 2), "value must be a tensor of one element", dense.ErrOption},
		{of(i64(2), 1), of([]string{"a"}, 1), "value of type string, numbers and bool are allowed", dense.ErrDtype},
	} {
		attributes := map[string]any{}
		if c.value != nil {
			attributes["value"] = c.value
		}
		_, err := knownOf(constantOfShape, attributes, c.dims)
		assert.ErrorContains(t, err, c.text)
		assert.ErrorIs(t, err, c.kind)
	}
	got, err := knownOf(constantOfShape, map[string]any{"value": scalar(2.5)}, of(i64(2, 0), 2))
	require.NoError(t, err)
	assert.Equal(t, tensor.Shape{2, 0}, got.Shape())
}
