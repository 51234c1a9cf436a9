package core

import (
	"testing"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/plan"
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

// TestPacksFirst pins which data is packed: short rows that are read many times, unless they are contiguous.
func TestPacksFirst(t *testing.T) {
	x := &indices{view: view{shape: tensor.Shape{40}, size: 40}}
	for _, c := range []struct {
		shape   tensor.Shape
		strides []int
		times   int // how often data is read over
		want    bool
	}{
		{tensor.Shape{5, 3, 2}, []int{12, 4, 1}, 1, true},  // runs of 8 bytes
		{tensor.Shape{5, 3, 4}, []int{24, 8, 1}, 1, false}, // of 16
		{tensor.Shape{5, 3, 4}, []int{24, 8, 1}, 2, true},
		{tensor.Shape{5, 3, 4}, []int{24, 4, 1}, 9, false}, // rows are contiguous
		{tensor.Shape{5, 1, 4, 1}, []int{24, 9, 1, 7}, 9, false},
		{tensor.Shape{5, 3, 4}, []int{1, 5, 15}, 1, true}, // elements lie apart
		{tensor.Shape{5, 3, 2}, []int{12, 4, 1}, 0, false},
	} {
		v := view{dtype: tensor.Float32, width: 4, shape: c.shape, strides: c.strides, size: c.shape.TotalSize()}
		if got := v.packsFirst(&plan.Params{Op: plan.Gather}, x, c.times*v.size+1); got != c.want {
			t.Errorf("%v with strides %v, read %d times: %t", c.shape, c.strides, c.times, got)
		}
	}
}

// TestPacksElementsFirst pins it where each element has an index of its own.
func TestPacksElementsFirst(t *testing.T) {
	for _, c := range []struct {
		rows, columns, axis, elements int // of float32 in column-major order
		want                          bool
	}{
		{1024, 1024, 0, 1 << 20, false}, // a column is contiguous as it is
		{1024, 1024, 0, 2 << 20, true},
		{1024, 1024, 1, 1 << 20, true},
		{1024, 1024, 1, 1<<20 - 1, false},
		{300, 400, 1, 120000, false}, // 480 kB
		{300, 400, 1, 240000, true},
		{100, 100, 1, 20000, false},       // 40 kB
		{3000, 1000, 1, 3000000, false},   // 12 MB
		{2048, 1024, 1, 2048 << 10, true}, // 8 MB, in few sets
		{2048, 1024, 0, 2048 << 10, false},
		{10, 30000, 1, 600000, false}, // columns of 40 bytes
	} {
		v := view{dtype: tensor.Float32, width: 4, shape: tensor.Shape{c.rows, c.columns}, strides: []int{1, c.rows}, size: c.rows * c.columns}
		x := &indices{view: view{shape: tensor.Shape{c.elements}, size: c.elements}}
		if got := v.packsFirst(&plan.Params{Op: plan.GatherElements, Axis: c.axis}, x, c.elements); got != c.want {
			t.Errorf("%d elements along axis %d of (%d, %d): %t", c.elements, c.axis, c.rows, c.columns, got)
		}
	}
}
