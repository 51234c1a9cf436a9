package builders

import (
	"cmp"
	"fmt"
	"math"
	"math/rand"
	"slices"
	"testing"

	"gorgonia.org/gather/onnx"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// firstOf are the k largest of each line along an axis, or the smallest, and their
// places.
func firstOf(a array, k, axis int, smallest bool) (values, places array) {
	shape := slices.Clone(a.shape)
	shape[axis] = k
	ranked := func(c []int) []int {
		order := make([]int, a.shape[axis])
		for i := range order {
			order[i] = i
		}
		at := func(i int) float64 { d := slices.Clone(c); d[axis] = i; return a.at(d...) }
		slices.SortStableFunc(order, func(i, j int) int {
			if smallest {
				return compareNaNLast(at(i), at(j))
			}
			return compareNaNLast(at(j), at(i))
		})
		return order
	}
	values = made(shape, func(c []int) float64 { d := slices.Clone(c); d[axis] = ranked(c)[c[axis]]; return a.at(d...) })
	return values, made(shape, func(c []int) float64 { return float64(ranked(c)[c[axis]]) })
}

// compareNaNLast has NaN as the largest number.
func compareNaNLast(x, y float64) int {
	switch {
	case x != x && y != y:
		return 0
	case x != x:
		return 1
	case y != y:
		return -1
	}
	return cmp.Compare(x, y)
}

func topKChecks() []check {
	var list []check
	for _, c := range []struct {
		opset, axis, k int
		shape          []int
		attrs          map[string]any
	}{
		{1, 1, 2, []int{2, 3}, map[string]any{"k": int64(2)}},
		{10, -1, 3, []int{2, 4}, nil},
		{11, 0, 2, []int{4, 3}, map[string]any{"axis": int64(0)}},
		{11, 1, 1, []int{2, 4, 3}, map[string]any{"axis": int64(1), "largest": int64(0)}},
		{11, -3, 4, []int{4, 1, 3}, map[string]any{"axis": int64(-3), "sorted": int64(0)}},
		{24, 0, 5, []int{7}, map[string]any{"largest": int64(0)}},
	} {
		axis := (c.axis + len(c.shape)) % len(c.shape)
		_, smallest := c.attrs["largest"]
		k := check{op: "TopK", opset: c.opset, attrs: c.attrs, shapes: [][]int{c.shape}, among: []string{"values", "indices"}, at: shuffled,
			want: func(in []array) array { values, _ := firstOf(in[0], c.k, axis, smallest); return values }}
		if c.opset > 1 {
			k.lists = [][]int64{{int64(c.k)}}
		}
		list = append(list, k)
	}
	return list
}

// TestTopKPlaces compares places and values of numbers of which many are equal, and of
// NaN, in all sizes of k.
func TestTopKPlaces(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for range 300 {
		shape := []int{1 + rng.Intn(3), 1 + rng.Intn(12), 1 + rng.Intn(3)}
		axis := rng.Intn(3)
		k, smallest := rng.Intn(shape[axis]+1), rng.Intn(2) == 1
		a := made(shape, func([]int) float64 {
			if rng.Intn(8) == 0 {
				return math.NaN()
			}
			return float64(rng.Intn(5))
		})
		largest := int64(1)
		if smallest {
			largest = 0
		}
		n := onnx.Node{OpType: "TopK", Opset: 11, Attributes: attributes{"axis": int64(axis), "largest": largest}}
		out, err := onnx.EvalWith(TopK, n, value(slices.Clone(a.values), shape...), value([]int64{int64(k)}, 1))
		if err != nil {
			t.Fatal(err)
		}
		values, places := firstOf(a, k, axis, smallest)
		if k == 0 {
			if count(out[0].Shape()) != 0 || count(out[1].Shape()) != 0 {
				t.Fatalf("k 0: %v %v", out[0].Shape(), out[1].Shape())
			}
			continue
		}
		for i, v := range values.values {
			if got := elements[float64](out[0])[i]; got != v && (got == got || v == v) || float64(elements[int64](out[1])[i]) != places.values[i] {
				t.Fatalf("%v, axis %d, k %d, smallest %v: got %v at %v, want %v at %v", a, axis, k, smallest, out[0], out[1], values, places)
			}
		}
	}
}

// TestTopKTypes takes every number, and returns only what the node asks for.
func TestTopKTypes(t *testing.T) {
	for dt := range rankings {
		x := newTensor(operand{dt, tensor.Shape{3}})
		if err := (casting{dt}).run(x, []*tensor.Dense{value([]int64{1, 3, 2}, 3)}); err != nil {
			t.Fatal(err)
		}
		g := G.NewGraph()
		node := given{dt, []int{3}, nil}.node(g, "x")
		for _, outputs := range [][]string{{"", "i"}, {"v"}, {"v", ""}, nil} {
			out, err := TopK(onnx.Node{Opset: 24, Outputs: outputs}, node, listNode(g, fmt.Sprint(outputs), []int64{2}))
			if err != nil || (out[0] == nil) != (len(outputs) > 0 && outputs[0] == "") {
				t.Fatalf("%v %v: %v, %v", dt, outputs, out, err)
			}
		}
		got, err := onnx.EvalWith(TopK, onnx.Node{Opset: 24}, x, value([]int64{2}, 1))
		if err != nil || fmt.Sprint(got[0].Data()) != "[3 2]" || fmt.Sprint(got[1].Data()) != "[1 2]" {
			t.Errorf("%v: %v, %v", dt, got, err)
		}
	}
}
