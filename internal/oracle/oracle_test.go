package oracle

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"
)

func TestCoordinates(t *testing.T) {
	for _, c := range []struct {
		name  string
		shape []int
		want  [][]int
	}{
		{"scalar has one", nil, [][]int{{}}},
		{"last axis fastest", []int{2, 3}, [][]int{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}}},
		{"axis of size one", []int{1, 2, 1}, [][]int{{0, 0, 0}, {0, 1, 0}}},
		{"empty axis", []int{3, 0, 2}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := slices.Collect(Coordinates(c.shape)); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestAtChecksEachAxis(t *testing.T) {
	a := From([]int{0, 1, 2, 3, 4, 5}, 2, 3)
	if got := a.At(1, 2); got != 5 {
		t.Errorf("At(1, 2) = %d", got)
	}
	for _, outside := range [][]int{{0, 3}, {0, -1}, {2, 0}, {1}, {0, 0, 0}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("At%v of shape (2, 3) did not panic", outside)
				}
			}()
			a.At(outside...)
		}()
	}
}

// check compares a result with its expected shape and values, NaN equal to NaN.
func check[T any](t *testing.T, got Array[T], bad *BadIndex, want Array[T]) {
	t.Helper()
	if bad != nil {
		t.Fatalf("unexpected bad index: %v", bad)
	}
	if !slices.Equal(got.Shape, want.Shape) {
		t.Fatalf("shape %v, want %v", got.Shape, want.Shape)
	}
	// Printing makes NaN equal to itself.
	if g, w := fmt.Sprint(got.Data), fmt.Sprint(want.Data); g != w {
		t.Errorf("got %v, want %v", g, w)
	}
}

// counting returns the values from, from+1, … in the given shape.
func counting[T Integer | Float](from T, shape ...int) Array[T] {
	a := New[T](shape...)
	for i := range a.Data {
		a.Data[i] = from + T(i)
	}
	return a
}

func idx(values []int64, shape ...int) Array[int64] { return From(values, shape...) }

func f64(values []float64, shape ...int) Array[float64] { return From(values, shape...) }

func TestGather(t *testing.T) {
	for _, c := range []struct {
		name            string
		data            Array[float64]
		indices         Array[int64]
		axis, batchDims int
		policy          Policy
		want            Array[float64]
	}{
		{"ONNX axis 0", f64([]float64{1, 1.2, 2.3, 3.4, 4.5, 5.7}, 3, 2), idx([]int64{0, 1, 1, 2}, 2, 2), 0, 0, Policy{},
			f64([]float64{1, 1.2, 2.3, 3.4, 2.3, 3.4, 4.5, 5.7}, 2, 2, 2)},
		{"ONNX axis 1", f64([]float64{1, 1.2, 1.9, 2.3, 3.4, 3.9, 4.5, 5.7, 5.9}, 3, 3), idx([]int64{0, 2}, 1, 2), 1, 0, Policy{},
			f64([]float64{1, 1.9, 2.3, 3.9, 4.5, 5.9}, 3, 1, 2)},
		{"ONNX negative indices", counting(0.0, 10), idx([]int64{0, -9, -10}, 3), 0, 0, Policy{}, f64([]float64{0, 1, 0}, 3)},
		{"negative axis, inner and outer", counting(0.0, 2, 3, 2), idx([]int64{2, 2, 0}, 3), -2, 0, Policy{},
			f64([]float64{4, 5, 4, 5, 0, 1, 10, 11, 10, 11, 6, 7}, 2, 3, 2)},
		{"scalar index drops the axis", counting(0.0, 2, 5), idx([]int64{3}), 1, 0, Policy{}, f64([]float64{3, 8}, 2)},
		{"scalar result", counting(0.0, 4), idx([]int64{-1}), 0, 0, Policy{}, f64([]float64{3})},
		{"no indices", counting(0.0, 2, 5), idx(nil, 2, 0), 1, 0, Policy{}, f64(nil, 2, 2, 0)},
		{"OpenVINO batch_dims 1", counting(1.0, 2, 5), idx([]int64{0, 0, 4, 4, 0, 0}, 2, 3), 1, 1, Policy{},
			f64([]float64{1, 1, 5, 10, 6, 6}, 2, 3)},
		{"OpenVINO batch_dims 2", counting(1.0, 2, 2, 5), idx([]int64{0, 0, 4, 4, 0, 0, 1, 2, 4, 4, 3, 2}, 2, 2, 3), 2, 2, Policy{},
			f64([]float64{1, 1, 5, 10, 6, 6, 12, 13, 15, 20, 19, 18}, 2, 2, 3)},
		{"batch_dims less than axis", counting(0.0, 2, 2, 3), idx([]int64{2, 0}, 2, 1), 2, 1, Policy{},
			f64([]float64{2, 5, 6, 9}, 2, 2, 1)},
		{"batch_dims counted from indices", counting(1.0, 2, 5), idx([]int64{0, 0, 4, 4, 0, 0}, 2, 3), 1, -1, Policy{},
			f64([]float64{1, 1, 5, 10, 6, 6}, 2, 3)},
		{"batch_dims equal to the rank of indices", counting(0.0, 2, 3), idx([]int64{2, 0}, 2), 1, 1, Policy{}, f64([]float64{2, 3}, 2)},
		{"OpenVINO zeros outside", counting(1.0, 5), idx([]int64{3, 10, -20}, 3), 0, 0, Policy{ZeroFill: true}, f64([]float64{4, 0, 0}, 3)},
		{"negative zero-filled", counting(1.0, 5), idx([]int64{3, -1}, 2), 0, 0, Policy{ZeroFill: true, NonNegative: true}, f64([]float64{4, 0}, 2)},
		{"axis of size 0, zero-filled", f64(nil, 0, 2), idx([]int64{0}, 1), 0, 0, Policy{ZeroFill: true}, f64([]float64{0, 0}, 1, 2)},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, bad := Gather(c.data, c.indices, c.axis, c.batchDims, c.policy)
			check(t, got, bad, c.want)
		})
	}
}

func TestGatherElements(t *testing.T) {
	for _, c := range []struct {
		name    string
		data    Array[float64]
		indices Array[int64]
		axis    int
		policy  Policy
		want    Array[float64]
	}{
		{"ONNX axis 1", counting(1.0, 2, 2), idx([]int64{0, 0, 1, 0}, 2, 2), 1, Policy{}, f64([]float64{1, 1, 4, 3}, 2, 2)},
		{"ONNX axis 0", counting(1.0, 3, 3), idx([]int64{1, 2, 0, 2, 0, 0}, 2, 3), 0, Policy{}, f64([]float64{4, 8, 3, 7, 2, 3}, 2, 3)},
		{"ONNX negative", counting(1.0, 3, 3), idx([]int64{-1, -2, 0, -2, 0, 0}, 2, 3), 0, Policy{}, f64([]float64{7, 5, 3, 4, 2, 3}, 2, 3)},
		{"more indices than the axis is long", counting(1.0, 2, 2), idx([]int64{1, 0, 1, 0, 0, 1}, 2, 3), -1, Policy{}, f64([]float64{2, 1, 2, 3, 3, 4}, 2, 3)},
		{"fewer rows than data", counting(1.0, 3, 3), idx([]int64{2, 1}, 1, 2), 1, Policy{}, f64([]float64{3, 2}, 1, 2)},
		{"zeros outside", counting(1.0, 3), idx([]int64{3, -4, 1}, 3), 0, Policy{ZeroFill: true}, f64([]float64{0, 0, 2}, 3)},
		{"no indices", counting(1.0, 3, 3), idx(nil, 0, 3), 0, Policy{}, f64(nil, 0, 3)},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, bad := GatherElements(c.data, c.indices, c.axis, c.policy)
			check(t, got, bad, c.want)
		})
	}
}

func TestGatherND(t *testing.T) {
	for _, c := range []struct {
		name      string
		data      Array[float64]
		indices   Array[int64]
		batchDims int
		policy    Policy
		want      Array[float64]
	}{
		{"ONNX 1: elements", counting(0.0, 2, 2), idx([]int64{0, 0, 1, 1}, 2, 2), 0, Policy{}, f64([]float64{0, 3}, 2)},
		{"ONNX 2: rows", counting(0.0, 2, 2), idx([]int64{1, 0}, 2, 1), 0, Policy{}, f64([]float64{2, 3, 0, 1}, 2, 2)},
		{"ONNX 3: rows of a cube", counting(0.0, 2, 2, 2), idx([]int64{0, 1, 1, 0}, 2, 2), 0, Policy{}, f64([]float64{2, 3, 4, 5}, 2, 2)},
		{"ONNX 4: higher rank", counting(0.0, 2, 2, 2), idx([]int64{0, 1, 1, 0}, 2, 1, 2), 0, Policy{}, f64([]float64{2, 3, 4, 5}, 2, 1, 2)},
		{"ONNX 5: batch_dims 1", counting(0.0, 2, 2, 2), idx([]int64{1, 0}, 2, 1), 1, Policy{}, f64([]float64{2, 3, 4, 5}, 2, 2)},
		{"batch_dims 2, not fused", counting(0.0, 2, 3, 4), idx([]int64{0, 1, 2, 3, -1, -2}, 2, 3, 1, 1), 2, Policy{},
			f64([]float64{0, 5, 10, 15, 19, 22}, 2, 3, 1)},
		{"one tuple, scalar result", counting(0.0, 2, 3, 4), idx([]int64{1, -1, 0}, 3), 0, Policy{}, f64([]float64{20})},
		{"no tuples", counting(0.0, 2, 3, 4), idx(nil, 0, 2), 0, Policy{}, f64(nil, 0, 4)},
		{"one bad component drops the tuple", counting(1.0, 2, 3), idx([]int64{0, 3, 2, 0, 1, 1}, 3, 2), 0, Policy{ZeroFill: true},
			f64([]float64{0, 0, 5}, 3)},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, bad := GatherND(c.data, c.indices, c.batchDims, c.policy)
			check(t, got, bad, c.want)
		})
	}
}

func TestBadIndex(t *testing.T) {
	gather := func(data []int, indices Array[int64], axis, batchDims int, policy Policy) *BadIndex {
		_, bad := Gather(New[bool](data...), indices, axis, batchDims, policy)
		return bad
	}
	elements := func(data []int, indices Array[int64], axis int, policy Policy) *BadIndex {
		_, bad := GatherElements(New[bool](data...), indices, axis, policy)
		return bad
	}
	tuples := func(data []int, indices Array[int64], batchDims int, policy Policy) *BadIndex {
		_, bad := GatherND(New[bool](data...), indices, batchDims, policy)
		return bad
	}
	for _, c := range []struct {
		name      string
		got, want *BadIndex
	}{
		{"first of two in row-major order", gather([]int{3, 2}, idx([]int64{0, -4, 3, 0}, 2, 2), 0, 0, Policy{}), &BadIndex{[]int{0, 1}, -4, 0, 3}},
		{"in range of a neighbouring row only", gather([]int{3, 2}, idx([]int64{1, 2}, 2), -1, 0, Policy{}), &BadIndex{[]int{1}, 2, 1, 2}},
		{"scalar index", gather([]int{3}, idx([]int64{3}), 0, 0, Policy{}), &BadIndex{[]int{}, 3, 0, 3}},
		{"no sign flip at the least int64", gather([]int{3}, idx([]int64{math.MinInt64}, 1), 0, 0, Policy{}), &BadIndex{[]int{0}, math.MinInt64, 0, 3}},
		{"greatest int64", gather([]int{3}, idx([]int64{math.MaxInt64}, 1), 0, 0, Policy{}), &BadIndex{[]int{0}, math.MaxInt64, 0, 3}},
		{"-1 when not allowed", gather([]int{3}, idx([]int64{2, -1}, 2), 0, 0, Policy{NonNegative: true}), &BadIndex{[]int{1}, -1, 0, 3}},
		{"axis of size 0", gather([]int{0, 3}, idx([]int64{0}, 1), 0, 0, Policy{}), &BadIndex{[]int{0}, 0, 0, 0}},
		{"nothing would be read", gather([]int{0, 3}, idx([]int64{3}, 1), 1, 0, Policy{}), &BadIndex{[]int{0}, 3, 1, 3}},
		{"batch position", gather([]int{2, 3}, idx([]int64{0, 1, 0, 3}, 2, 2), 1, 1, Policy{}), &BadIndex{[]int{1, 1}, 3, 1, 3}},
		{"elements", elements([]int{3, 4}, idx([]int64{3, 4}, 1, 2), 1, Policy{}), &BadIndex{[]int{0, 1}, 4, 1, 4}},
		{"second component, its own axis", tuples([]int{4, 3}, idx([]int64{3, 2, 2, 3}, 2, 2), 0, Policy{}), &BadIndex{[]int{1, 1}, 3, 1, 3}},
		{"component behind the batch axes", tuples([]int{2, 3, 4}, idx([]int64{0, 0, 2, -5}, 2, 2), 1, Policy{}), &BadIndex{[]int{1, 1}, -5, 2, 4}},
		{"all good", tuples([]int{2, 3, 4}, idx([]int64{2, -4, -3, 3}, 2, 2), 1, Policy{}), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !reflect.DeepEqual(c.got, c.want) {
				t.Errorf("got %v, want %v", c.got, c.want)
			}
		})
	}
}

func TestGatherTree(t *testing.T) {
	for _, c := range []struct {
		name                       string
		stepIDs, parentIDs, maxLen Array[int64]
		endToken                   int64
		want                       Array[int64]
	}{
		{"parents behind the length are not followed",
			idx([]int64{1, 2, 3, 4, 5, 6, 7, 8, 9, -1, -1, -1}, 4, 1, 3),
			idx([]int64{0, 0, 0, 0, 1, 1, 2, 1, 2, -1, -1, -1}, 4, 1, 3), idx([]int64{3}, 1), 10,
			idx([]int64{2, 2, 2, 6, 5, 6, 7, 8, 9, 10, 10, 10}, 4, 1, 3)},
		{"everything behind the first end token becomes it",
			idx([]int64{1, 2, 9, 4, 5, 6}, 3, 1, 2), idx([]int64{0, 0, 0, 1, 0, 1}, 3, 1, 2), idx([]int64{7}, 1), 9,
			idx([]int64{1, 2, 9, 4, 9, 6}, 3, 1, 2)},
		{"each batch has its length, one of them none",
			idx([]int64{1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 14}, 2, 3, 2), idx([]int64{7, 7, 7, 7, 7, 7, 1, 0, 1, 1, 8, 8}, 2, 3, 2),
			idx([]int64{2, 1, 0}, 3), 9,
			idx([]int64{2, 1, 3, 4, 9, 9, 7, 8, 9, 9, 9, 9}, 2, 3, 2)},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, bad := GatherTree(c.stepIDs, c.parentIDs, c.maxLen, c.endToken)
			check(t, got, bad, c.want)
		})
	}
	t.Run("parent outside the beams", func(t *testing.T) {
		_, bad := GatherTree(counting[float32](0, 2, 1, 2), From([]float32{0, 0, 1, 2}, 2, 1, 2), From([]float32{2}, 1), 9)
		if want := (&BadIndex{[]int{1, 0, 1}, 2, 2, 2}); !reflect.DeepEqual(bad, want) {
			t.Errorf("got %v, want %v", bad, want)
		}
	})
}

// TestPadding has a tuple that is left out though its other index is out of range, and a
// target that has padding alone.
func TestPadding(t *testing.T) {
	padding := Padding{Padded: true, ID: -1}
	data := From([]int64{1, 2, 3, 4, 5, 6}, 2, 3)
	got, bad := GatherND(data, From([]int64{1, 2, 9, -1, -1, 0, -2, -3}, 4, 2), 0, Policy{Padding: padding})
	if bad != nil || fmt.Sprint(got.Data) != "[6 0 0 1]" {
		t.Errorf("GatherND: %v, %v", got.Data, bad)
	}
	if _, bad = GatherND(data, From([]int64{-1, 0, 1, 3}, 2, 2), 0, Policy{Padding: padding}); bad == nil || fmt.Sprint(bad.Position) != "[1 1]" {
		t.Errorf("GatherND: %v, want a bad index", bad)
	}
	rule := Rule{Reduction: Mean, NoInit: true, Padding: padding}
	changed, bad := ScatterUpdate(From([]int64{1, 2, 3}, 3), From([]int64{-1, 0, -1, 0}, 4), From([]int64{7, 10, 7, 20}, 4), 0, rule, Integers[int64]())
	if bad != nil || fmt.Sprint(changed.Data) != "[15 2 3]" {
		t.Errorf("ScatterUpdate: %v, %v", changed.Data, bad)
	}
	if kept := padding.Kept([]int64{0, -1, 2}); fmt.Sprint(kept, Padding{}.Kept(kept)) != "[0 -1 2] [0 -1 2]" {
		t.Errorf("ids %v", kept)
	}
}
