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
	for _, c := range []struct {
		shape   tensor.Shape
		strides []int
		indices int
		times   int // how often data is read over
		want    bool
	}{
		{tensor.Shape{5, 3, 2}, []int{12, 4, 1}, 40, 1, true},  // runs of 8 bytes
		{tensor.Shape{5, 3, 4}, []int{24, 8, 1}, 40, 1, false}, // of 16
		{tensor.Shape{5, 3, 4}, []int{24, 8, 1}, 40, 2, true},
		{tensor.Shape{5, 3, 4}, []int{24, 4, 1}, 40, 9, false}, // rows are contiguous
		{tensor.Shape{5, 1, 4, 1}, []int{24, 9, 1, 7}, 40, 9, false},
		{tensor.Shape{5, 3, 4}, []int{1, 5, 15}, 40, 1, true}, // elements lie apart
		{tensor.Shape{5, 3, 2}, []int{12, 4, 1}, 40, 0, false},
		{tensor.Shape{1024, 2048}, []int{1, 1024}, 9, 1, true}, // 8 MB, the rows of neighbouring indices in one cache line
		{tensor.Shape{1024, 2048}, []int{1, 1024}, 8, 1, false},
		{tensor.Shape{64, 512, 64}, []int{16, 1024, 1 << 19}, 40, 1, false}, // in lines of their own
		{tensor.Shape{64, 512, 64}, []int{15, 1024, 1 << 19}, 40, 1, true},
		{tensor.Shape{64, 512, 64}, []int{16, 1024, 1 << 19}, 40, 2, true},
		{tensor.Shape{64, 256, 64}, []int{16, 1024, 1 << 18}, 40, 1, true},       // 4 MB
		{tensor.Shape{4096, 4096}, []int{1, 4096}, 40, 1, true},                  // 64 MB
		{tensor.Shape{4096, 4097}, []int{1, 4096}, 40, 1, false},                 // more
		{tensor.Shape{1024, 1024, 1}, []int{1, 1024, 1 << 20}, 1 << 22, 4, true}, // rows of 1024
	} {
		v := view{dtype: tensor.Float32, width: 4, shape: c.shape, strides: c.strides, size: c.shape.TotalSize()}
		x := &indices{view: view{shape: tensor.Shape{c.indices}, size: c.indices}}
		if got := v.packsFirst(&plan.Params{Op: plan.Gather}, x, c.times*v.size+1); got != c.want {
			t.Errorf("%v with strides %v, %d indices, read %d times: %t", c.shape, c.strides, c.indices, c.times, got)
		}
	}
}

// TestPacksTuplesFirst has elements that tuples address, and those of a last axis that one index for all lines does.
func TestPacksTuplesFirst(t *testing.T) {
	v := view{dtype: tensor.Float32, width: 4, shape: tensor.Shape{1024, 1024}, strides: []int{1, 1024}, size: 1 << 20}
	n := 2 << 20
	tuples := &indices{view: view{shape: tensor.Shape{n, 2}, size: 2 * n}}
	if !v.packsFirst(&plan.Params{Op: plan.GatherND}, tuples, n) || v.packsFirst(&plan.Params{Op: plan.GatherND}, tuples, n-1) {
		t.Error("tuples: data is not packed for twice as many, or for fewer")
	}
	if v.packsFirst(&plan.Params{Op: plan.Gather, Axis: 1}, &indices{view: view{shape: tensor.Shape{2048}, size: 2048}}, n) {
		t.Error("Gather of columns: data is packed")
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
