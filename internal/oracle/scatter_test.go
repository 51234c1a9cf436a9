package oracle

import (
	"math"
	"reflect"
	"testing"

	"github.com/x448/float16"
)

func TestAddGather(t *testing.T) {
	add := Floats[float64]().Add
	t.Run("Gather sums duplicates", func(t *testing.T) {
		got, bad := AddGather(New[float64](3), f64([]float64{1, 2, 3}, 3), idx([]int64{0, 0, 2}, 3), 0, 0, Policy{}, add)
		check(t, got, bad, f64([]float64{3, 0, 3}, 3))
	})
	t.Run("Gather, inner axis, starts from dst", func(t *testing.T) {
		got, bad := AddGather(counting(0.0, 2, 3), counting(10.0, 2, 2), idx([]int64{2, -1}, 2), 1, 0, Policy{}, add)
		check(t, got, bad, f64([]float64{0, 1, 2 + 10 + 11, 3, 4, 5 + 12 + 13}, 2, 3))
	})
	t.Run("Gather, batch, zero-filled updates are dropped", func(t *testing.T) {
		got, bad := AddGather(New[float64](2, 3), counting(1.0, 2, 2), idx([]int64{2, 3, -4, 0}, 2, 2), 1, 1, Policy{ZeroFill: true}, add)
		check(t, got, bad, f64([]float64{0, 0, 1, 4, 0, 0}, 2, 3))
	})
	t.Run("GatherElements", func(t *testing.T) {
		got, bad := AddGatherElements(New[float64](2, 3), counting(1.0, 2, 2), idx([]int64{1, 1, 0, -1}, 2, 2), 1, Policy{}, add)
		check(t, got, bad, f64([]float64{0, 3, 0, 3, 0, 4}, 2, 3))
	})
	t.Run("GatherND", func(t *testing.T) {
		got, bad := AddGatherND(New[float64](2, 3), counting(1.0, 3), idx([]int64{1, 2, 0, 0, 1, -1}, 3, 2), 0, Policy{}, add)
		check(t, got, bad, f64([]float64{2, 0, 0, 0, 0, 4}, 2, 3))
	})
	t.Run("the first update first", func(t *testing.T) {
		// 2^24 + 1 + 1 stays 2^24 in float32, 1 + 1 + 2^24 does not.
		for _, c := range []struct {
			updates []float32
			want    float32
		}{
			{[]float32{1 << 24, 1, 1}, 1 << 24},
			{[]float32{1, 1, 1 << 24}, 1<<24 + 2},
		} {
			got, bad := AddGather(New[float32](1), From(c.updates, 3), idx([]int64{0, 0, 0}, 3), 0, 0, Policy{}, Floats[float32]().Add)
			check(t, got, bad, From([]float32{c.want}, 1))
		}
	})
	t.Run("bad index", func(t *testing.T) {
		_, bad := AddGatherND(New[float64](2, 3), counting(1.0, 1), idx([]int64{1, 3}, 1, 2), 0, Policy{}, add)
		if want := (&BadIndex{[]int{0, 1}, 3, 1, 3}); !reflect.DeepEqual(bad, want) {
			t.Errorf("got %v, want %v", bad, want)
		}
	})
}

func TestScatterElements(t *testing.T) {
	ovData, ovUpdates := f64([]float64{2, 3, 4, 6}, 4), f64([]float64{10, 20, 30, 40, 70, 60}, 6)
	ovIndices := idx([]int64{1, 0, 0, -2, -1, 2}, 6)
	inf := math.Inf(1)
	for _, c := range []struct {
		name    string
		data    Array[float64]
		indices Array[int64]
		updates Array[float64]
		axis    int
		rule    Rule
		want    Array[float64]
	}{
		{"ONNX axis 0", New[float64](3, 3), idx([]int64{1, 0, 2, 0, 2, 1}, 2, 3), f64([]float64{1, 1.1, 1.2, 2, 2.1, 2.2}, 2, 3), 0, Rule{},
			f64([]float64{2, 1.1, 0, 1, 0, 2.2, 0, 2.1, 1.2}, 3, 3)},
		{"ONNX axis 1", counting(1.0, 1, 5), idx([]int64{1, 3}, 1, 2), f64([]float64{1.1, 2.1}, 1, 2), 1, Rule{}, f64([]float64{1, 1.1, 3, 2.1, 5}, 1, 5)},
		{"ONNX add", counting(1.0, 1, 5), idx([]int64{1, 1}, 1, 2), f64([]float64{1.1, 2.1}, 1, 2), 1, Rule{Reduction: Add}, f64([]float64{1, 5.2, 3, 4, 5}, 1, 5)},
		{"OpenVINO sum", ovData, ovIndices, ovUpdates, 0, Rule{Reduction: Add}, f64([]float64{52, 13, 104, 76}, 4)},
		{"OpenVINO sum, no init", ovData, ovIndices, ovUpdates, 0, Rule{Reduction: Add, NoInit: true}, f64([]float64{50, 10, 100, 70}, 4)},
		{"none, last wins", f64([]float64{1, 2}, 2), idx([]int64{0, 0}, 2), f64([]float64{5, 7}, 2), 0, Rule{NoInit: true}, f64([]float64{7, 2}, 2)},
		{"sub", f64([]float64{1, 2}, 2), idx([]int64{0, 0}, 2), f64([]float64{5, 7}, 2), 0, Rule{Reduction: Sub}, f64([]float64{-11, 2}, 2)},
		{"sub, no init", f64([]float64{1, 2}, 2), idx([]int64{0, 0}, 2), f64([]float64{5, 7}, 2), 0, Rule{Reduction: Sub, NoInit: true}, f64([]float64{-12, 2}, 2)},
		{"mul, no init, untouched kept", f64([]float64{0, 2}, 2), idx([]int64{0, 0}, 2), f64([]float64{5, 7}, 2), 0, Rule{Reduction: Mul, NoInit: true}, f64([]float64{35, 2}, 2)},
		{"max, only -Inf, no init", f64([]float64{1, 2}, 2), idx([]int64{1}, 1), f64([]float64{-inf}, 1), 0, Rule{Reduction: Max, NoInit: true}, f64([]float64{1, -inf}, 2)},
		{"min, NaN wins either way", f64([]float64{math.NaN(), 2}, 2), idx([]int64{0, 1, 1}, 3), f64([]float64{1, math.NaN(), 1}, 3), 0, Rule{Reduction: Min},
			f64([]float64{math.NaN(), math.NaN()}, 2)},
		{"mean", f64([]float64{2, 3}, 2), idx([]int64{0, 0}, 2), f64([]float64{4, 9}, 2), 0, Rule{Reduction: Mean}, f64([]float64{5, 3}, 2)},
		{"mean, no init", f64([]float64{2, 3}, 2), idx([]int64{0, 0}, 2), f64([]float64{4, 9}, 2), 0, Rule{Reduction: Mean, NoInit: true}, f64([]float64{6.5, 3}, 2)},
		{"no indices", counting(1.0, 2, 3), idx(nil, 2, 0), f64(nil, 2, 0), 1, Rule{Reduction: Mul}, counting(1.0, 2, 3)},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, bad := ScatterElements(c.data, c.indices, c.updates, c.axis, c.rule, Floats[float64]())
			check(t, got, bad, c.want)
		})
	}
	t.Run("-1 when not allowed", func(t *testing.T) {
		_, bad := ScatterElements(counting(1.0, 3), idx([]int64{0, -1}, 2), counting(1.0, 2), 0, Rule{NonNegative: true}, Floats[float64]())
		if want := (&BadIndex{[]int{1}, -1, 0, 3}); !reflect.DeepEqual(bad, want) {
			t.Errorf("got %v, want %v", bad, want)
		}
	})
}

func TestScatterND(t *testing.T) {
	for _, c := range []struct {
		name    string
		data    Array[int32]
		indices Array[int64]
		updates Array[int32]
		rule    Rule
		want    Array[int32]
	}{
		{"ONNX elements", counting[int32](1, 8), idx([]int64{4, 3, 1, 7}, 4, 1), counting[int32](9, 4), Rule{}, From([]int32{1, 11, 3, 10, 9, 6, 7, 12}, 8)},
		{"rows, last wins", counting[int32](1, 3, 2), idx([]int64{2, 0, -1}, 3, 1), counting[int32](10, 3, 2), Rule{}, From([]int32{12, 13, 3, 4, 14, 15}, 3, 2)},
		{"rows, mul", counting[int32](1, 3, 2), idx([]int64{2, 0, -1}, 3, 1), counting[int32](1, 3, 2), Rule{Reduction: Mul},
			From([]int32{1 * 3, 2 * 4, 3, 4, 5 * 1 * 5, 6 * 2 * 6}, 3, 2)},
		{"two tuples of length 0, the last wins", counting[int32](1, 2, 2), idx(nil, 2, 0), counting[int32](10, 2, 2, 2), Rule{}, From([]int32{14, 15, 16, 17}, 2, 2)},
		{"two tuples of length 0, sub", counting[int32](1, 2, 2), idx(nil, 2, 0), counting[int32](10, 2, 2, 2), Rule{Reduction: Sub}, From([]int32{1 - 24, 2 - 26, 3 - 28, 4 - 30}, 2, 2)},
		{"elements of a cube, sub", counting[int32](0, 2, 2, 2), idx([]int64{1, 0, 1, 0, 1, 1}, 2, 3), From([]int32{2, 5}, 2), Rule{Reduction: Sub},
			From([]int32{0, 1, 2, -2, 4, 3, 6, 7}, 2, 2, 2)},
		{"one tuple, scalar update, max", counting[int32](0, 2, 2), idx([]int64{1, 0}, 2), From([]int32{9}), Rule{Reduction: Max}, From([]int32{0, 1, 9, 3}, 2, 2)},
		{"integers wrap", From([]int32{math.MaxInt32, 0}, 2), idx([]int64{0}, 1, 1), From([]int32{1}, 1), Rule{Reduction: Add}, From([]int32{math.MinInt32, 0}, 2)},
		{"no tuples", counting[int32](1, 3, 2), idx(nil, 0, 1), From([]int32(nil), 0, 2), Rule{}, counting[int32](1, 3, 2)},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, bad := ScatterND(c.data, c.indices, c.updates, c.rule, Integers[int32]())
			check(t, got, bad, c.want)
		})
	}
}

func TestScatterUpdate(t *testing.T) {
	words := func(w ...string) []string { return w }
	for _, c := range []struct {
		name    string
		data    Array[string]
		indices Array[int64]
		updates Array[string]
		axis    int
		want    Array[string]
	}{
		{"columns", From(words("a", "b", "c", "d", "e", "f"), 2, 3), idx([]int64{2, 0}, 2), From(words("1", "2", "3", "4"), 2, 2), 1,
			From(words("2", "b", "1", "4", "e", "3"), 2, 3)},
		{"last wins, in rank 2", From(words("a", "b", "c"), 3), idx([]int64{1, -1, 1, 2}, 2, 2), From(words("1", "2", "3", "4"), 2, 2), 0,
			From(words("a", "3", "4"), 3)},
		{"scalar index takes a slice", From(words("a", "b", "c", "d"), 2, 2), idx([]int64{1}), From(words("1", "2"), 2), 0, From(words("a", "b", "1", "2"), 2, 2)},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, bad := ScatterUpdate(c.data, c.indices, c.updates, c.axis, Rule{}, Arith[string]{})
			check(t, got, bad, c.want)
		})
	}
}

func TestIntegerMean(t *testing.T) {
	t.Run("toward minus infinity", func(t *testing.T) {
		got, bad := ScatterElements(From([]int32{-3, 5}, 2), idx([]int64{0, 0}, 2), From([]int32{-4, -4}, 2), 0, Rule{Reduction: Mean}, Integers[int32]())
		check(t, got, bad, From([]int32{-4, 5}, 2))
	})
	for _, c := range []struct {
		name      string
		got, want any
	}{
		{"int8 does not overflow", Integers[int8]().Mean([]int8{127, 127, 126}), int8(126)},
		{"int64 beyond 64 bits", Integers[int64]().Mean([]int64{math.MaxInt64, math.MaxInt64, math.MaxInt64 - 1}), int64(math.MaxInt64 - 1)},
		{"least int64", Integers[int64]().Mean([]int64{math.MinInt64, math.MinInt64, math.MinInt64 + 1}), int64(math.MinInt64)},
		{"uint64 is not signed", Integers[uint64]().Mean([]uint64{math.MaxUint64, math.MaxUint64, 1}), uint64(math.MaxUint64 / 3 * 2)},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.got != c.want {
				t.Errorf("got %v, want %v", c.got, c.want)
			}
		})
	}
}

func TestBools(t *testing.T) {
	data := From([]bool{false, false, true, true}, 4)
	updates := From([]bool{false, true, false, true}, 4)
	indices := idx([]int64{0, 1, 2, 3}, 4)
	for reduction, want := range map[Reduction][]bool{
		None: {false, true, false, true},
		Add:  {false, true, true, true},
		Sub:  {false, true, true, false},
		Mul:  {false, false, false, true},
		Min:  {false, false, false, true},
		Max:  {false, true, true, true},
	} {
		t.Run(reduction.String(), func(t *testing.T) {
			got, bad := ScatterElements(data, indices, updates, 0, Rule{Reduction: reduction}, Bools())
			check(t, got, bad, From(want, 4))
		})
	}
}

// TestHalves shows that each operation is rounded to nearest even: at 2048 the float16 numbers lie 2 apart, so adding 1 twice
// changes nothing, where a sum kept in float32 would reach 2050.
func TestHalves(t *testing.T) {
	half := Halves(float16.Float16.Float32, float16.Fromfloat32)
	h := func(values ...float32) []float16.Float16 {
		out := make([]float16.Float16, len(values))
		for i, v := range values {
			out[i] = float16.Fromfloat32(v)
		}
		return out
	}
	for _, c := range []struct {
		name     string
		rule     Rule
		expected float32
	}{
		{"add", Rule{Reduction: Add}, 2048},
		{"add, no init", Rule{Reduction: Add, NoInit: true}, 2},
		{"mean", Rule{Reduction: Mean}, 682.5}, // 2048/3 = 682.67, and float16 numbers lie 1/2 apart there
		{"max", Rule{Reduction: Max}, 2048},
		{"min", Rule{Reduction: Min}, 1},
		{"mul, no init", Rule{Reduction: Mul, NoInit: true}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, bad := ScatterElements(From(h(2048, 5), 2), idx([]int64{0, 0}, 2), From(h(1, 1), 2), 0, c.rule, half)
			check(t, got, bad, From(h(c.expected, 5), 2))
		})
	}
}

func TestComplex(t *testing.T) {
	data, updates := From([]complex128{1 + 1i, 2}, 2), From([]complex128{2i, 3}, 2)
	indices := idx([]int64{0, 0}, 2)
	for reduction, want := range map[Reduction]complex128{None: 3, Add: 4 + 3i, Sub: -2 - 1i, Mul: -6 + 6i, Mean: complex(4.0/3, 1)} {
		t.Run(reduction.String(), func(t *testing.T) {
			got, bad := ScatterElements(data, indices, updates, 0, Rule{Reduction: reduction}, Complexes[complex128]())
			check(t, got, bad, From([]complex128{want, 2}, 2))
		})
	}
}
