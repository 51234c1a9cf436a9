package elem_test

import (
	"bytes"
	"math"
	"testing"

	"gorgonia.org/gather/internal/elem"
	"gorgonia.org/gather/internal/num"
)

// TestFromFloat has the numbers at the edges of kinds, and those just beyond.
func TestFromFloat(t *testing.T) {
	for _, c := range []struct {
		kind num.Kind
		x    float64
		want []byte // nil: the kind does not have it
	}{
		{num.Int8, -128, []byte{0x80}},
		{num.Int8, 128, nil},
		{num.Uint8, 255, []byte{0xff}},
		{num.Uint8, -1, nil},
		{num.Uint8, 0.5, nil},
		{num.Int64, math.MinInt64, num.Bytes([]int64{math.MinInt64})},
		{num.Int64, 1 << 63, nil},
		{num.Uint64, 1 << 63, num.Bytes([]uint64{1 << 63})},
		{num.Uint64, 1 << 64, nil},
		{num.Int32, math.NaN(), nil},
		{num.Int32, math.Inf(-1), nil},
		{num.Float16, 1, num.Bytes([]uint16{0x3c00})},
		{num.BFloat16, 1 + 1.0/256, num.Bytes([]uint16{0x3f80})}, // between two, to the even one
		{num.BFloat16, 1 + 3.0/256, num.Bytes([]uint16{0x3f82})},
		{num.BFloat16, math.Inf(1), num.Bytes([]uint16{0x7f80})},
		{num.Float32, -2.5, num.Bytes([]float32{-2.5})},
		{num.Complex64, 2, num.Bytes([]complex64{2})},
		{num.Bool, 1, nil},
	} {
		got, ok := elem.FromFloat(c.kind, c.x)
		if ok != (c.want != nil) || ok && !bytes.Equal(got, c.want) {
			t.Errorf("kind %v, %v: got %v, %v, want %v", c.kind, c.x, got, ok, c.want)
		}
	}
}
