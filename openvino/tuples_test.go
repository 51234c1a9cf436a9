package openvino

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gather/dense"
	"gorgonia.org/tensor"
)

// The text bounds the length of ScatterNDUpdate's tuples from above alone: each
// tuple of length 0 names the whole of data.
func TestTuplesOfLengthZero(t *testing.T) {
	data, empty := of(f32(1, 2, 3, 4), 2, 2), func(shape ...int) *tensor.Dense { return of(i64(), shape...) }
	twice := of(f32(10, 20, 30, 40, 50, 60, 70, 80), 2, 2, 2)
	for _, c := range []struct {
		name    string
		layer   Layer
		indices *tensor.Dense
		updates *tensor.Dense
		want    []float32
	}{
		{"3, one tuple", layer("ScatterNDUpdate-3"), empty(0), of(f32(10, 20, 30, 40), 2, 2), f32(10, 20, 30, 40)},
		{"3, the last of two", layer("ScatterNDUpdate-3"), empty(2, 0), twice, f32(50, 60, 70, 80)},
		{"15, sum", layer("ScatterNDUpdate-15", "reduction", "sum"), empty(2, 0), twice, f32(61, 82, 103, 124)},
		{"15, sub", layer("ScatterNDUpdate-15", "reduction", "sub"), empty(2, 0), twice, f32(-59, -78, -97, -116)},
		{"15, prod", layer("ScatterNDUpdate-15", "reduction", "prod"), empty(2, 0), twice, f32(500, 2400, 6300, 12800)},
		{"15, min", layer("ScatterNDUpdate-15", "reduction", "min"), empty(2, 0), twice, f32(1, 2, 3, 4)},
		{"15, max", layer("ScatterNDUpdate-15", "reduction", "max"), empty(2, 0), twice, f32(50, 60, 70, 80)},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := both(t, c.layer, data, c.indices, c.updates)
			require.NoError(t, err)
			assert.Equal(t, c.want, got.Float32s())
		})
	}
	for _, version := range []string{"GatherND-5", "GatherND-8"} {
		_, err := both(t, layer(version), data, empty(2, 0))
		assert.ErrorIs(t, err, dense.ErrShape)
	}
}
