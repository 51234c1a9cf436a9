package builders

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gorgonia.org/gather/onnx"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestPlainProducts multiplies what BLAS does not: integers, and floats among which
// one is not finite. All dims differ, and either operand may be transposed.
func TestPlainProducts(t *testing.T) {
	const m, k, n = 2, 3, 5
	for _, transA := range []int64{0, 1} {
		for _, transB := range []int64{0, 1} {
			a, b := make([]int64, m*k), make([]int64, k*n)
			want := make([]int64, m*n)
			for i := range m {
				for l := range k {
					x := int64(1 + i*k + l)
					a[[]int{i*k + l, l*m + i}[transA]] = x
					for j := range n {
						y := int64(3 - 2*l + 7*j)
						b[[]int{l*n + j, j*k + l}[transB]] = y
						want[i*n+j] += x * y
					}
				}
			}
			shapeA, shapeB := [][]int{{m, k}, {k, m}}[transA], [][]int{{k, n}, {n, k}}[transB]
			attrs := attributes{"transA": transA, "transB": transB}
			got, err := runOp("Gemm", 11, attrs, value(a, shapeA...), value(b, shapeB...))
			if err != nil || !slices.Equal(got.Int64s(), want) {
				t.Errorf("%v: got %v, %v; want %v", attrs, got, err, want)
			}
			// NaN in row 1 of A, and in column 3 of B.
			fa, fb := fromInts[float64](a), fromInts[float64](b)
			fa[[]int{1*k + 2, 2*m + 1}[transA]] = math.NaN()
			fb[[]int{0*n + 3, 3*k + 0}[transB]] = math.Inf(1)
			got, err = runOp("Gemm", 11, attrs, value(fa, shapeA...), value(fb, shapeB...))
			if err != nil {
				t.Fatal(err)
			}
			for at, x := range got.Float64s() {
				switch i, j := at/n, at%n; {
				case i == 1:
					if x == x {
						t.Errorf("%v: row 1, column %d is %v, not NaN", attrs, j, x)
					}
				case j == 3:
					if !math.IsInf(x, 1) {
						t.Errorf("%v: row %d, column 3 is %v, not infinite", attrs, i, x)
					}
				case x != float64(want[at]):
					t.Errorf("%v: row %d, column %d is %v, want %d", attrs, i, j, x, want[at])
				}
			}
		}
	}
	got, err := runOp("MatMul", 13, nil, value([]int32{1, 2, 3, 4, 5, 6}, 2, 3), value(fromInts[int32](tensor.Range(tensor.Int64, 0, 15).([]int64)), 3, 5))
	if want := []int32{40, 46, 52, 58, 64, 85, 100, 115, 130, 145}; err != nil || !slices.Equal(got.Int32s(), want) {
		t.Errorf("MatMul of int32: got %v, %v; want %v", got, err, want)
	}
}

func fromInts[T int32 | float64](list []int64) []T {
	var out []T
	for _, x := range list {
		out = append(out, T(x))
	}
	return out
}

// TestWhereBroadcasts has each of the operands be the one with the most axes.
func TestWhereBroadcasts(t *testing.T) {
	small := func() *tensor.Dense { return value([]float64{1}, 1) }
	for _, c := range []struct {
		name string
		in   []*tensor.Dense
		want []float64
	}{
		{"the condition", []*tensor.Dense{value([]bool{true, false, true}, 3, 1), small(), value([]float64{2}, 1)}, []float64{1, 2, 1}},
		{"X", []*tensor.Dense{value([]bool{true}, 1), value([]float64{5, 6, 7}, 3, 1), small()}, []float64{5, 6, 7}},
		{"Y", []*tensor.Dense{value([]bool{false}, 1), small(), value([]float64{5, 6, 7}, 3, 1)}, []float64{5, 6, 7}},
	} {
		got, err := runOp("Where", 9, nil, c.in...)
		if err != nil || !slices.Equal(got.Shape(), []int{3, 1}) || !slices.Equal(got.Float64s(), c.want) {
			t.Errorf("%s: got %v, %v; want %v", c.name, got, err, c.want)
		}
	}
}

// TestConcatOfMany joins more tensors than one operator does, in their order.
func TestConcatOfMany(t *testing.T) {
	for _, count := range []int{maxJoined, maxJoined + 1, 3*maxJoined + 2} {
		var in []*tensor.Dense
		var want []int64
		for i := range int64(count) {
			in, want = append(in, value([]int64{i, -i}, 2)), append(want, i, -i)
		}
		got, err := runOp("Concat", 13, attributes{"axis": int64(0)}, in...)
		if err != nil || !slices.Equal(got.Int64s(), want) {
			t.Errorf("%d: got %v, %v", count, got, err)
		}
	}
}

// TestSplitIntoMany checks the sizes that a Split of many parts was built with in
// every run, as it does those of few.
func TestSplitIntoMany(t *testing.T) {
	for _, count := range []int{2, maxPinned, maxPinned + 1, 200} {
		g := G.NewGraph()
		list, values, outputs := make([]int64, count), make([]float64, count), make([]string, count)
		for i := range list {
			list[i], values[i], outputs[i] = 1, float64(i), fmt.Sprint("part ", i)
		}
		x := G.NewVector(g, tensor.Float64, G.WithShape(count), G.WithName("x"), G.WithValue(value(values, count)))
		sizes := listNode(g, "sizes", list)
		parts, err := Split(onnx.Node{OpType: "Split", Opset: 13, Outputs: outputs}, x, sizes)
		if err != nil || len(parts) != count {
			t.Fatalf("%d parts, %v", len(parts), err)
		}
		if operands := g.From(parts[0].ID()).Len(); count > maxPinned && operands != 1 {
			t.Errorf("each of %d parts checks as many sizes", count)
		}
		machine := G.NewTapeMachine(g)
		if err := machine.RunAll(); err != nil {
			t.Fatal(err)
		}
		for i, part := range parts {
			if part.Value().Data().([]float64)[0] != values[i] {
				t.Fatalf("part %d of %d is %v", i, count, part.Value())
			}
		}
		machine.Reset()
		list[0], list[1] = 2, 0
		if err := machine.RunAll(); err == nil {
			t.Errorf("%d parts: other sizes were taken", count)
		}
		machine.Close()
	}
}
