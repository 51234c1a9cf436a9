package dense_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/layout"
	"gorgonia.org/tensor"
)

// TestLargeTransposed gathers more elements than data of 128 KiB and more has, and than data of short rows.
// Where rows follow the axis, data in other layouts are packed first: the result is that of packed data.
func TestLargeTransposed(t *testing.T) {
	for _, last := range []int{23, 2} {
		t.Run(fmt.Sprint(last), func(t *testing.T) { testLargeTransposed(t, last) })
	}
}

func testLargeTransposed(t *testing.T, last int) {
	shape := dims{50, 31, last}
	rng := rand.New(rand.NewPCG(5, 6))
	numbers := make([]float64, tensor.ProdInts(shape))
	for i := range numbers {
		numbers[i] = rng.Float64()
	}
	random := func(shape ...int) *tensor.Dense {
		v := make([]int64, tensor.ProdInts(shape))
		for i := range v {
			v[i] = int64(rng.IntN(2*23) - 23)
		}
		v[len(v)/2] = 50 // out of range of all axes
		return values(shape, v...)
	}
	near := values(shape, numbers...)
	for _, l := range []layout.Layout{layout.ColumnMajor, layout.Transposed, layout.InnerSliced, layout.EverySecond} {
		far := layout.Lay(l, numbers, -1, shape...)
		for name, gather := range map[string]func(data, dst *tensor.Dense, indices *tensor.Dense) error{
			"Gather axis 0": func(data, dst, indices *tensor.Dense) error {
				_, err := dense.Gather(data, indices, 0, dense.WithOutOfRange(dense.ZeroFill), dense.WithReuse(dst))
				return err
			},
			"Gather axis 1": func(data, dst, indices *tensor.Dense) error {
				_, err := dense.Gather(data, indices, 1, dense.WithOutOfRange(dense.ZeroFill), dense.WithReuse(dst))
				return err
			},
			"GatherND": func(data, dst, indices *tensor.Dense) error {
				_, err := dense.GatherND(data, indices, dense.WithOutOfRange(dense.ZeroFill), dense.WithReuse(dst))
				return err
			},
		} {
			indices, result := random(110), dims{110, 31, last}
			switch name {
			case "Gather axis 1":
				result = dims{50, 110, last}
			case "GatherND":
				indices, result = random(4000, 2), dims{4000, last}
			}
			want, got := tensor.New(tensor.WithShape(result...), tensor.Of(tensor.Float64)), tensor.New(tensor.WithShape(result...), tensor.Of(tensor.Float64))
			if err := gather(near, want, indices); err != nil {
				t.Fatal(err)
			}
			if err := gather(far.Dense, got, indices); err != nil {
				t.Fatal(err)
			}
			what := fmt.Sprintf("%s of %s data", name, l)
			if !layout.Identical(got.Float64s(), want.Float64s()) {
				t.Errorf("%s: another result than of packed data", what)
			}
			if err := far.Touched(); err != nil {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
}
