package dense_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"gorgonia.org/gather/dense"
	"gorgonia.org/tensor"
)

// TestSkipLeavesOut: NaN in updates that are skipped comes nowhere, no target that only
// they have is touched, and a mean does not count them, in place and elsewhere.
func TestSkipLeavesOut(t *testing.T) {
	nan := math.NaN()
	skip := dense.WithOutOfRange(dense.Skip)
	for _, c := range []struct {
		name             string
		indices, updates *tensor.Dense
		opts             []dense.Option
		want             []float64
	}{
		{"none", index(3, 1, math.MinInt64, 1), values(dims{4, 2}, nan, nan, 10, 20, nan, nan, 30, 40), nil, []float64{1, 2, 30, 40, 5, 6}},
		{"none, all of them", index(3, 3, -4, 99), values(dims{4, 2}, nan, nan, nan, nan, nan, nan, nan, nan), nil, []float64{1, 2, 3, 4, 5, 6}},
		{"mean", index(3, 1, -4, 1), values(dims{4, 2}, nan, nan, 6, 8, nan, nan, 3, 3),
			[]dense.Option{dense.WithReduction(dense.Mean)}, []float64{1, 2, 4, 5, 5, 6}},
		{"max without the old value", index(3, 1, -4, 1), values(dims{4, 2}, nan, nan, -6, -8, nan, nan, -3, -9),
			[]dense.Option{dense.WithReduction(dense.Max), dense.WithInitValue(false)}, []float64{1, 2, -3, -8, 5, 6}},
		{"mul", index(3, 1, -4, 1), values(dims{4, 2}, nan, nan, 2, 3, nan, nan, 2, 3),
			[]dense.Option{dense.WithReduction(dense.Mul)}, []float64{1, 2, 12, 36, 5, 6}},
		{"negatives are out of range", index(-1, 1, -2, 1), values(dims{4, 2}, nan, nan, 2, 3, nan, nan, 2, 3),
			[]dense.Option{dense.WithReduction(dense.Add), dense.WithNonNegativeIndices()}, []float64{1, 2, 7, 10, 5, 6}},
	} {
		tuples := c.indices.Clone().(*tensor.Dense)
		if err := tuples.Reshape(4, 1); err != nil {
			t.Fatal(err)
		}
		wide := make([]int64, 8)
		for i := range wide {
			wide[i] = c.indices.Int64s()[i/2]
		}
		for name, run := range map[string]func(data *tensor.Dense, opts ...dense.Option) (*tensor.Dense, error){
			"ScatterUpdate": func(data *tensor.Dense, opts ...dense.Option) (*tensor.Dense, error) {
				return dense.ScatterUpdate(data, c.indices, c.updates, 0, opts...)
			},
			"ScatterND": func(data *tensor.Dense, opts ...dense.Option) (*tensor.Dense, error) {
				return dense.ScatterND(data, tuples, c.updates, opts...)
			},
			"ScatterElements": func(data *tensor.Dense, opts ...dense.Option) (*tensor.Dense, error) {
				return dense.ScatterElements(data, values(dims{4, 2}, wide...), c.updates, 0, opts...)
			},
		} {
			for _, inPlace := range []bool{false, true} {
				t.Run(fmt.Sprint(c.name, " ", name, " in place=", inPlace), func(t *testing.T) {
					data, opts := upTo(1, 3, 2), append([]dense.Option{skip}, c.opts...)
					if inPlace {
						opts = append(opts, dense.WithReuse(data))
					}
					got, err := run(data, opts...)
					if err != nil {
						t.Fatal(err)
					}
					if err := difference(packed[float64](got), c.want); err != nil {
						t.Error(err)
					}
				})
			}
		}
	}
}

// TestSkipsWholeTuples has one bad index in each tuple that is left out.
func TestSkipsWholeTuples(t *testing.T) {
	got, err := dense.ScatterND(upTo(1, 2, 2), values(dims{4, 2}, int64(0), 2, 1, 1, -3, 0, 1, 0), upTo(10, 4), dense.WithOutOfRange(dense.Skip))
	if err != nil {
		t.Fatal(err)
	}
	if err := difference(packed[float64](got), []float64{1, 2, 13, 11}); err != nil {
		t.Error(err)
	}
}

// TestClamp takes indices far out of range, also where int32 has no room to count from
// the end, and axes that have nothing to take.
func TestClamp(t *testing.T) {
	clamp := dense.WithOutOfRange(dense.Clamp)
	for name, indices := range map[string]*tensor.Dense{
		"int64":  index(math.MinInt64, -4, -3, 0, 2, 3, math.MaxInt64),
		"int32":  values(dims{7}, int32(math.MinInt32), -4, -3, 0, 2, 3, math.MaxInt32),
		"int8":   values(dims{7}, int8(-128), -4, -3, 0, 2, 3, 127),
		"uint64": values(dims{7}, uint64(0), 0, 0, 0, 2, 3, math.MaxUint64),
	} {
		got, err := dense.Gather(upTo(1, 3), indices, 0, clamp)
		if err != nil {
			t.Fatal(name, err)
		}
		if err := difference(packed[float64](got), []float64{1, 1, 1, 1, 3, 3, 3}); err != nil {
			t.Error(name, err)
		}
		dst := upTo(0, 3)
		if err := dense.AddGather(dst, values(dims{7}, 1.0, 1, 1, 1, 1, 1, 1), indices, 0, clamp); err != nil {
			t.Fatal(name, err)
		}
		if err := difference(packed[float64](dst), []float64{4, 1, 5}); err != nil {
			t.Error(name, err)
		}
	}
	var bad *dense.IndexError
	if _, err := dense.Gather(empty(2, 0), index(5), 1, clamp); !errors.As(err, &bad) || bad.Index != 5 || bad.Size != 0 || bad.Axis != 1 {
		t.Errorf("error %v, want an IndexError of an axis of size 0", err)
	}
	if err := dense.AddGather(empty(2, 0), upTo(1, 2, 1), index(5), 1, clamp); !errors.As(err, &bad) {
		t.Errorf("error %v, want an IndexError of an axis of size 0", err)
	}
	if _, err := dense.Gather(empty(2, 0), none(0), 1, clamp); err != nil {
		t.Error(err)
	}
}
