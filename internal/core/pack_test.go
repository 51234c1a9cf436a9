package core

import (
	"testing"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/tensor"
)

// TestDistinct: data in which elements are one place in memory is not packed to be
// scattered to.
func TestDistinct(t *testing.T) {
	for _, c := range []struct {
		name    string
		shape   tensor.Shape
		strides []int
		want    bool
	}{
		{"transposed", tensor.Shape{3, 5}, []int{1, 3}, true},
		{"with gaps", tensor.Shape{3, 5}, []int{11, 2}, true},
		{"one row for all", tensor.Shape{3, 5}, []int{0, 1}, false},
		{"a sliding window", tensor.Shape{3, 5}, []int{1, 1}, false},
		{"rows that overlap", tensor.Shape{3, 5}, []int{4, 1}, false},
		{"a dim of 1", tensor.Shape{1, 5}, []int{0, 1}, true},
		{"in three dims", tensor.Shape{2, 3, 4}, []int{1, 8, 2}, true},
	} {
		v := view{shape: c.shape, strides: c.strides}
		if got := v.distinct(); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestStridesOfZero copies one element to another, both as many as a shape has.
func TestStridesOfZero(t *testing.T) {
	for _, shape := range []tensor.Shape{{30}, {20, 30}, {4, 5, 6}} {
		to, from := num.Bytes([]float32{1}), num.Bytes([]float32{2})
		v := view{dtype: tensor.Float32, width: 4, shape: shape, strides: make([]int, len(shape)), size: shape.TotalSize()}
		dst, src := v, v
		dst.mem, src.mem = to, from
		copyView(&dst, &src)
		if got := num.As[float32](to)[0]; got != 2 {
			t.Errorf("%v: %v", shape, got)
		}
	}
}
