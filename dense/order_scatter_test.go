package dense_test

import (
	"fmt"
	"slices"
	"testing"

	"gorgonia.org/gather/dense"
	"gorgonia.org/tensor"
)

// TestOrderOfOneTarget has updates that all go to one target, or to one for each of some rows, in runs with a gap between them: more of
// them than are combined at a time. Each is combined after the one before it.
func TestOrderOfOneTarget(t *testing.T) {
	for reduction, combine := range map[dense.Reduction]func(a, b float32) float32{
		dense.Add: func(a, b float32) float32 { return a + b },
		dense.Sub: func(a, b float32) float32 { return a - b },
		dense.Mul: func(a, b float32) float32 { return a * b },
	} {
		for _, rows := range []int{1, 3} {
			for _, n := range []int{20, 300, 1500} {
				for columns := 1; columns <= 5; columns++ {
					name := fmt.Sprintf("reduction %v, %d rows, runs of %d, %d columns", reduction, rows, n, columns)
					testOrderOfOneTarget(t, name, reduction, combine, rows, n, columns)
				}
			}
		}
	}
}

func testOrderOfOneTarget(t *testing.T, name string, reduction dense.Reduction, combine func(a, b float32) float32, rows, n, columns int) {
	t.Helper()
	const runs = 3
	pitch := n + 7 // of the runs
	mem := make([]float32, rows*runs*pitch*columns)
	for i := range mem {
		mem[i] = 1 + float32(i*7919%1009)/(1<<20)
	}
	updates := bent(tensor.New(tensor.WithShape(len(mem)), tensor.WithBacking(mem)),
		[]int{rows, runs, n, columns}, []int{runs * pitch * columns, pitch * columns, columns, 1})
	start := slices.Repeat([]float32{1}, rows*columns)
	want := slices.Clone(start)
	for r := range rows {
		for u := range runs * n {
			for c := range columns {
				target := &want[r*columns+c]
				*target = combine(*target, mem[((r*runs+u/n)*pitch+u%n)*columns+c])
			}
		}
	}
	data := tensor.New(tensor.WithShape(rows, 1, columns), tensor.WithBacking(start))
	got, err := dense.ScatterUpdate(data, tensor.New(tensor.WithShape(runs, n), tensor.Of(tensor.Int64)), updates, 1, dense.WithReduction(reduction))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Data().([]float32), want) {
		t.Errorf("%s: got %v, want %v", name, got, want)
	}
}
