package opset

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/tensor"
)

func TestBudget(t *testing.T) {
	for _, limit := range []int64{0, -1, math.MinInt64} {
		_, err := NewBudget(limit)
		assert.ErrorContains(t, err, "the least is 1")
	}
	b, err := NewBudget(100)
	require.NoError(t, err)
	assert.EqualValues(t, 100, b.Limit())
	what := func() string { return "float (3, 4)" }
	assert.NoError(t, b.Take(60, what))
	err = b.Take(41, what)
	assert.ErrorIs(t, err, ErrMaxBytes)
	assert.EqualError(t, err, "float (3, 4) takes 41 bytes, WithMaxBytes allows 100, of which 60 are taken")
	assert.ErrorIs(t, b.Take(math.MaxUint64, what), ErrMaxBytes, "the sum wraps")
	assert.NoError(t, b.Take(40, what), "what was refused is not counted")
	assert.NoError(t, b.Take(0, what))
	assert.ErrorIs(t, b.Take(1, what), ErrMaxBytes)

	most, err := NewBudget(math.MaxInt64)
	require.NoError(t, err)
	assert.ErrorContains(t, most.Take(math.MaxUint64, what), "float (3, 4) takes 2^64 or more bytes")
}

func TestTensorBytes(t *testing.T) {
	const large = math.MaxInt
	for _, c := range []struct {
		dt    tensor.Dtype
		shape []int
		want  uint64
	}{
		{tensor.Float32, nil, 4},
		{tensor.Float32, []int{3, 5, 7}, 420},
		{tensor.Complex128, []int{2}, 32},
		{tensor.Bool, []int{2, 3}, 6},
		{tensor.Float64, []int{0, large, large}, 0},
		{tensor.Float64, []int{large, large, 0}, 0},
		{tensor.Float64, []int{large, large, large}, math.MaxUint64},
		{tensor.Float64, []int{large, 4}, math.MaxUint64},
		{tensor.Float64, []int{large, large, 1}, math.MaxUint64},
		{tensor.Uint8, []int{large}, large},
		{tensor.Dtype{}, []int{3}, 0},
	} {
		if c.want == math.MaxUint64 && math.MaxInt < math.MaxInt64 {
			c.shape = append(c.shape, c.shape...) // with 32 bits
		}
		assert.Equal(t, c.want, TensorBytes(c.dt, c.shape), "%v %v", c.dt, c.shape)
	}
}
