package dense_test

import (
	"fmt"
	"slices"
	"testing"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/cases"
	"gorgonia.org/gather/internal/oracle"
	"gorgonia.org/tensor"
)

// TestScatterWhole updates the whole of data by tuples of length 0, with data large
// enough for several goroutines. What it must give is what a vector of data gets
// from indices that are all 0, in each reduction, to a new tensor and in place.
func TestScatterWhole(t *testing.T) {
	const rows, columns, tuples, period = 300, 1000, 5, 7 * 13 // of the values
	x, w := make([]float32, rows*columns), make([]float32, tuples*rows*columns)
	for i := range x {
		x[i] = float32(i%13) - 4
	}
	for i := range w {
		w[i] = float32(i%7) - 3
	}
	for _, r := range cases.Reductions {
		for _, init := range []bool{true, false} {
			t.Run(fmt.Sprintf("%v, init %v", r, init), func(t *testing.T) {
				data, updates := values([]int{rows, columns}, x...), values([]int{tuples, rows, columns}, w...)
				opts := []dense.Option{dense.WithReduction(dense.Reduction(r)), dense.WithInitValue(init)}
				want := make([]float32, len(x))
				for j := range want {
					if j >= period {
						want[j] = want[j-period]
						continue
					}
					var terms []float32
					for tuple := range tuples {
						terms = append(terms, w[tuple*len(x)+j])
					}
					out, _ := oracle.ScatterElements(oracle.From(x[j:j+1], 1), oracle.New[int64](tuples), oracle.From(terms, tuples), 0,
						oracle.Rule{Reduction: r, NoInit: !init}, oracle.Floats[float32]())
					want[j] = out.Data[0]
				}
				got, err := dense.ScatterND(data, none(tuples, 0), updates, opts...)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(got.Float32s(), want) || !slices.Equal(data.Float32s(), x) {
					t.Error("another result, or data has changed")
				}
				if got, err = dense.ScatterND(data, none(tuples, 0), updates, append(opts, dense.WithReuse(data))...); err != nil || got != data {
					t.Fatalf("in place: %v, %v", got, err)
				}
				if !slices.Equal(data.Float32s(), want) {
					t.Error("another result in place")
				}
			})
		}
	}
}

// TestGatherWhole is no operator: GatherND refuses tuples of length 0.
func TestGatherWhole(t *testing.T) {
	for name, run := range map[string]func() (*tensor.Dense, error){
		"GatherND": func() (*tensor.Dense, error) { return dense.GatherND(upTo(1, 2, 3), none(2, 0)) },
		"AddGatherND": func() (*tensor.Dense, error) {
			return nil, dense.AddGatherND(upTo(1, 2, 3), upTo(1, 2, 2, 3), none(2, 0))
		},
	} {
		if got, err := run(); err == nil {
			t.Errorf("%s: no error, but %v", name, got)
		}
	}
}
