package dense_test

import (
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/layout"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/tensor"
)

// TestFewRowsOfTablesInLayouts has bags of a few rows of tables so large that in other layouts no more than those are packed,
// or nothing where the rows are contiguous, and compares with packed tables: results, and the gradients of table and weights.
func TestFewRowsOfTablesInLayouts(t *testing.T) {
	shape, rng := []int{900, 2, 3}, rand.New(rand.NewPCG(11, 12))
	numbers := func(n int) []float32 {
		all := make([]float32, n)
		for i := range all {
			all[i] = float32(rng.NormFloat64())
		}
		return all
	}
	const n, bags = 40, 7
	start, weights, grads := numbers(900*6), tensor.New(tensor.WithShape(n), tensor.WithBacking(numbers(n))), tensor.New(tensor.WithShape(bags, 2, 3), tensor.WithBacking(numbers(bags*6)))
	places := make([]int64, n)
	for i := range places {
		places[i] = int64(rng.IntN(2*900) - 900)
	}
	places[0], places[9], places[10] = 700, places[8], 17
	for i := range 6 { // of a row that has a position, which is in no bag
		start[700*6+i] = float32(math.Copysign(0, -1))
	}
	offsets := tensor.New(tensor.WithShape(bags), tensor.WithBacking([]int64{1, 3, 3, 20, 21, 30, 39}))
	outOfRange := append([]int64(nil), places...)
	outOfRange[4], outOfRange[20] = 900, -901
	for _, c := range []struct {
		name    string
		indices []int64
		fails   bool
		opts    []dense.Option
	}{
		{"in range", places, false, nil},
		{"Reject", outOfRange, true, nil},
		{"ZeroFill", outOfRange, false, []dense.Option{dense.WithOutOfRange(dense.ZeroFill)}},
		{"padding", places, false, []dense.Option{dense.WithPadding(17)}},
		{"a default row", places, false, []dense.Option{dense.WithDefaultIndex(5)}},
		{"none", nil, false, nil},
	} {
		x := tensor.New(tensor.WithShape(n), tensor.WithBacking(c.indices))
		begin := offsets
		if c.indices == nil {
			x, begin = tensor.New(tensor.WithShape(0), tensor.Of(tensor.Int64)), tensor.New(tensor.WithShape(bags), tensor.Of(tensor.Int64))
		}
		for _, reduction := range []dense.Reduction{dense.Add, dense.Mean, dense.Max} {
			opts := append(c.opts, dense.WithReduction(reduction))
			forward := func(table *tensor.Dense) (*tensor.Dense, error) {
				return dense.EmbeddingBagOffsets(table, x, begin, nil, opts...)
			}
			gradient := func(dst, table *tensor.Dense) error {
				return dense.AddEmbeddingBagOffsets(dst, grads, table, x, begin, nil, opts...)
			}
			packed := layout.Lay(layout.RowMajor, start, -1, shape...)
			want, err := forward(packed.Dense)
			if (err != nil) != c.fails {
				t.Fatalf("%s, %v: %v", c.name, reduction, err)
			}
			changed := layout.Lay(layout.RowMajor, start, -1, shape...)
			if err := gradient(changed.Dense, packed.Dense); (err != nil) != c.fails {
				t.Fatalf("gradient, %s, %v: %v", c.name, reduction, err)
			}
			for _, l := range layout.All {
				table := layout.Lay(l, start, -1, shape...)
				got, failed := forward(table.Dense)
				switch {
				case (err == nil) != (failed == nil) || err != nil && err.Error() != failed.Error():
					t.Errorf("%v, %s, %v: %v, want %v", l, c.name, reduction, failed, err)
				case err == nil && !layout.Identical(got.Float32s(), want.Float32s()):
					t.Errorf("%v, %s, %v: other results than of a packed table", l, c.name, reduction)
				}
				for _, of := range []struct {
					dst   layout.Layout
					table *tensor.Dense
				}{{l, table.Dense}, {l, packed.Dense}, {layout.RowMajor, table.Dense}} {
					dst := layout.Lay(of.dst, start, -1, shape...)
					_ = gradient(dst.Dense, of.table) // as the results fail, or not
					if !layout.Identical(dst.Values(), changed.Values()) {
						t.Errorf("dst %v, table %v, %s, %v: another gradient than of a packed table", of.dst, l, c.name, reduction)
					}
					if err := dst.Stray(); err != nil {
						t.Errorf("%v, %s, %v: written beside dst: %v", of.dst, c.name, reduction, err)
					}
				}
				if err := table.Touched(); err != nil {
					t.Errorf("%v, %s, %v: the table: %v", l, c.name, reduction, err)
				}
			}
		}
	}
	p := plan.Params{Op: plan.EmbeddingBagOffsets, Settings: plan.Settings{Reduction: plan.Add}}
	ofWeights := func(table *tensor.Dense) []float32 {
		x := tensor.New(tensor.WithShape(n), tensor.WithBacking(places))
		got, err := core.BagWeights(p, nil, grads, core.BagInputs{Table: table, Indices: x, Borders: offsets, Weights: weights})
		if err != nil {
			t.Fatal(err)
		}
		return got.Float32s()
	}
	want := ofWeights(layout.Lay(layout.RowMajor, start, -1, shape...).Dense)
	for _, l := range layout.All {
		if !layout.Identical(ofWeights(layout.Lay(l, start, -1, shape...).Dense), want) {
			t.Errorf("%v: another gradient of the weights than of a packed table", l)
		}
	}
}

// TestSignsOfZeroStay: the gradient of bags leaves a row alone whose only position is in no bag, in any layout.
func TestSignsOfZeroStay(t *testing.T) {
	const rows, inner = 80, 60
	negative := math.Copysign(0, -1)
	for _, pitch := range []int{inner, inner + 1} {
		table := make([]complex64, rows*pitch)
		table[3*pitch] = complex(float32(negative), float32(negative))
		dst := bent(tensor.New(tensor.WithShape(len(table)), tensor.WithBacking(table)), []int{rows, inner}, []int{pitch, 1})
		grad := tensor.New(tensor.WithShape(1, inner), tensor.Of(tensor.Complex64))
		if err := dense.AddEmbeddingBagOffsets(dst, grad, nil, values(dims{2}, int64(3), 7), values(dims{1}, int64(1)), nil); err != nil {
			t.Fatal(err)
		}
		if x := table[3*pitch]; !math.Signbit(float64(real(x))) || !math.Signbit(float64(imag(x))) {
			t.Errorf("rows %d apart: (-0, -0) became %v", pitch, x)
		}
	}
}

// TestScratchOfFewRows: three positions of a transposed table of 64 MB take memory for three rows, not for the table, and so
// does their gradient.
func TestScratchOfFewRows(t *testing.T) {
	const rows, inner = 1 << 18, 64
	table := bent(tensor.New(tensor.WithShape(rows*inner), tensor.Of(tensor.Float32)), []int{rows, inner}, []int{1, rows})
	runtime.GC()
	runtime.GC() // which empty pools
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	x, offsets := values(dims{3}, int64(5), 1000, -1), values(dims{1}, int64(0))
	out, err := dense.EmbeddingBagOffsets(table, x, offsets, nil)
	if err == nil {
		err = dense.AddEmbeddingBagOffsets(table, out, nil, x, offsets, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 1 {
		t.Errorf("%d MB allocated", mb)
	}
}
