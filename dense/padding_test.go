package dense_test

import (
	"errors"
	"math"
	"math/rand"
	"slices"
	"testing"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/oracle"
	"gorgonia.org/gather/internal/race"
	"gorgonia.org/tensor"
)

// TestPaddingEdges has what random calls seldom have.
func TestPaddingEdges(t *testing.T) {
	table := upTo(1, 3)
	for _, c := range []struct {
		name    string
		indices *tensor.Dense
		opts    []dense.Option
		want    []float64
	}{
		{"the last row has another index", index(-1, 2, -2), []dense.Option{dense.WithPadding(-1)}, []float64{0, 3, 2}},
		{"without the option -1 is the last row", index(-1, 3), zeroFill, []float64{3, 0}},
		{"-1 among indices that are not negative", index(-1, 2), []dense.Option{dense.WithPadding(-1), dense.WithNonNegativeIndices()}, []float64{0, 3}},
		{"beside indices that are clamped", index(7, 9, -9), []dense.Option{dense.WithPadding(7), dense.WithOutOfRange(dense.Clamp)}, []float64{0, 3, 1}},
		{"int8 has no 300, which is 44 there", values(dims{2}, int8(2), int8(0)), []dense.Option{dense.WithPadding(300)}, []float64{3, 1}},
		{"uint8 has no -1", values(dims{2}, uint8(2), uint8(255)), append([]dense.Option{dense.WithPadding(-1)}, zeroFill...), []float64{3, 0}},
		{"the greatest int64 among uint64", values(dims{3}, uint64(math.MaxInt64), uint64(1), uint64(0)), []dense.Option{dense.WithPadding(math.MaxInt64)}, []float64{0, 2, 1}},
		{"a larger uint64 is clamped", values(dims{2}, uint64(math.MaxInt64), uint64(math.MaxUint64)),
			[]dense.Option{dense.WithPadding(math.MaxInt64), dense.WithOutOfRange(dense.Clamp)}, []float64{0, 3}},
		{"the later option", index(1, 2), []dense.Option{dense.WithPadding(1), dense.WithPadding(2)}, []float64{2, 0}},
		{"the least int64", index(math.MinInt64, 1), []dense.Option{dense.WithPadding(math.MinInt64)}, []float64{0, 2}},
		{"a scalar", values(dims{}, int64(-1)), []dense.Option{dense.WithPadding(-1)}, []float64{0}},
	} {
		got, err := dense.Gather(table, c.indices, 0, c.opts...)
		if err != nil || !slices.Equal(packed[float64](got), c.want) {
			t.Errorf("%s: got %v, %v, want %v", c.name, got, err, c.want)
		}
	}
	var bad *dense.IndexError
	beyond := values(dims{1}, uint64(math.MaxInt64)+1) // is not the padding, though no int64 is closer to it
	if _, err := dense.Gather(table, beyond, 0, dense.WithPadding(math.MaxInt64)); !errors.As(err, &bad) {
		t.Errorf("a uint64 above the padding: error %v, want an IndexError", err)
	}
	if _, err := dense.EmbeddingBagPacked(table, values(dims{1, 1}, uint64(math.MaxUint64)), nil, dense.WithPadding(math.MaxInt64)); !errors.As(err, &bad) {
		t.Errorf("a uint64 above the padding in a bag: error %v, want an IndexError", err)
	}
}

// TestPaddingInPlace has a bad index behind padding: data stays as it was. With good ones a
// target of padding alone keeps its value.
func TestPaddingInPlace(t *testing.T) {
	padding := dense.WithPadding(-1)
	for r := dense.None; r <= dense.Mean; r++ {
		data, updates := upTo(1, 3, 2), upTo(10, 3, 2)
		opts := []dense.Option{dense.WithReduction(r), dense.WithInitValue(false), padding, dense.WithReuse(data)}
		var bad *dense.IndexError
		_, err := dense.ScatterND(data, values(dims{3, 1}, int64(-1), 0, 5), updates, opts...)
		if !errors.As(err, &bad) || !slices.Equal(bad.Position, []int{2, 0}) || bad.Index != 5 || bad.NonNegative {
			t.Errorf("%v: error %v, want one about index 5", r, err)
		}
		if got := data.Float64s(); !slices.Equal(got, []float64{1, 2, 3, 4, 5, 6}) {
			t.Errorf("%v: a bad index has changed data to %v", r, got)
		}
		if _, err := dense.ScatterND(data, values(dims{3, 1}, int64(-1), 0, -1), updates, opts...); err != nil {
			t.Error(err)
		}
		want := []float64{12, 13, 3, 4, 5, 6}
		if r == dense.Sub {
			want[0], want[1] = -12, -13
		}
		if got := data.Float64s(); !slices.Equal(got, want) {
			t.Errorf("%v: got %v, want %v", r, got, want)
		}
	}
}

// TestPaddingOfBags has bags of padding alone, means, default rows and segment ids.
func TestPaddingOfBags(t *testing.T) {
	table, padding := upTo(1, 3), dense.WithPadding(1)
	indices, offsets := index(1, 1, 0, 1, 2), index(0, 2, 5)
	for _, c := range []struct {
		name string
		run  func() (*tensor.Dense, error)
		want []float64
	}{
		{"a mean", func() (*tensor.Dense, error) {
			return dense.EmbeddingBagOffsets(table, indices, offsets, nil, padding, dense.WithReduction(dense.Mean))
		}, []float64{0, 2, 0}},
		{"a default row", func() (*tensor.Dense, error) {
			return dense.EmbeddingBagOffsets(table, indices, offsets, nil, padding, dense.WithDefaultIndex(2))
		}, []float64{3, 4, 3}},
		{"-1 is no default row, and may be the padding", func() (*tensor.Dense, error) {
			return dense.EmbeddingBagOffsets(table, index(-1, 2), index(0, 1), nil, dense.WithPadding(-1), dense.WithDefaultIndex(-1))
		}, []float64{0, 3}},
		{"segment ids are no indices of the table", func() (*tensor.Dense, error) {
			return dense.EmbeddingSegments(table, indices, index(0, 0, 1, 1, 1), nil, 2, padding)
		}, []float64{0, 4}},
		{"segments", func() (*tensor.Dense, error) {
			return dense.SegmentMean(upTo(1, 5), index(0, 9, 0, -1, 2), 3, dense.WithPadding(9), dense.WithOutOfRange(dense.Skip))
		}, nil}, // -1 behind 0 is out of order
		{"segments in any place", func() (*tensor.Dense, error) {
			return dense.SegmentMean(upTo(1, 5), index(0, 9, 0, 9, 2), 3, dense.WithPadding(9))
		}, []float64{2, 0, 5}},
		{"a segment that is the padding", func() (*tensor.Dense, error) {
			return dense.SegmentSum(upTo(1, 3), index(0, 1, 2), 3, padding, dense.WithEmptySegment(-7))
		}, []float64{1, -7, 3}},
	} {
		got, err := c.run()
		if c.want == nil {
			if !errors.Is(err, dense.ErrShape) {
				t.Errorf("%s: error %v, want ErrShape", c.name, err)
			}
		} else if err != nil || !slices.Equal(packed[float64](got), c.want) {
			t.Errorf("%s: got %v, %v, want %v", c.name, got, err, c.want)
		}
	}
}

// paddedCalls are large calls of each family into given tensors: each gives all that it has
// written.
func paddedCalls() map[string]func() (*tensor.Dense, error) {
	const rows, n, columns = 1000, 40000, 8
	rng := rand.New(rand.NewSource(3))
	table, wide := tensor.New(tensor.WithShape(rows, columns), tensor.Of(tensor.Float32)), tensor.New(tensor.WithShape(n, columns), tensor.Of(tensor.Float32))
	for _, d := range []*tensor.Dense{table, wide} {
		for i := range d.Float32s() {
			d.Float32s()[i] = float32(rng.NormFloat64())
		}
	}
	list, ids, offsets := make([]int64, n), make([]int32, n), make([]int64, rows)
	for i := range list {
		list[i], ids[i] = int64(rng.Intn(rows)), int32(i*rows/n)
		if rng.Intn(5) == 0 {
			list[i], ids[i] = -1, -1
		}
	}
	for i := range offsets {
		offsets[i] = int64(i * n / rows)
	}
	indices, segments, firsts := tensor.New(tensor.WithBacking(list)), tensor.New(tensor.WithBacking(ids)), tensor.New(tensor.WithBacking(offsets))
	padding, reuse := dense.WithPadding(-1), dense.WithReuse(tensor.New(tensor.WithShape(rows, columns), tensor.Of(tensor.Float32)))
	picked, dst := dense.WithReuse(tensor.New(tensor.WithShape(n, columns), tensor.Of(tensor.Float32))), tensor.New(tensor.WithShape(rows, columns), tensor.Of(tensor.Float32))
	add := dense.WithReduction(dense.Add)
	return map[string]func() (*tensor.Dense, error){
		"Gather": func() (*tensor.Dense, error) { return dense.Gather(table, indices, 0, padding, picked) },
		"Gather clamped": func() (*tensor.Dense, error) {
			return dense.Gather(table, indices, 0, padding, picked, dense.WithOutOfRange(dense.Clamp))
		},
		"ScatterUpdate": func() (*tensor.Dense, error) {
			return dense.ScatterUpdate(table, indices, wide, 0, add, padding, reuse)
		},
		"AddGather": func() (*tensor.Dense, error) {
			dst.Zero()
			return dst, dense.AddGather(dst, wide, indices, 0, padding)
		},
		"EmbeddingBagOffsets": func() (*tensor.Dense, error) {
			return dense.EmbeddingBagOffsets(table, indices, firsts, nil, padding, reuse)
		},
		"SegmentSum":     func() (*tensor.Dense, error) { return dense.SegmentSum(wide, segments, rows, padding, reuse) },
		"SegmentMax":     func() (*tensor.Dense, error) { return dense.SegmentMax(wide, segments, rows, padding, reuse) },
		"SegmentSoftmax": func() (*tensor.Dense, error) { return dense.SegmentSoftmax(wide, segments, rows, padding, picked) },
	}
}

// TestPaddingOnThreads compares the bits of large calls for any number of threads.
func TestPaddingOnThreads(t *testing.T) {
	for name, run := range paddedCalls() {
		var want []byte
		onThreads(t, func(t *testing.T) {
			got, err := run()
			switch {
			case err != nil:
				t.Error(name, err)
			case want == nil:
				want = slices.Clone(got.Uint8s())
			case !slices.Equal(got.Uint8s(), want):
				t.Errorf("%s: other bits than on one thread", name)
			}
		})
	}
}

// TestPaddingAllocatesNothing runs calls into given tensors.
func TestPaddingAllocatesNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("pools lose values under the race detector")
	}
	for name, run := range paddedCalls() {
		if name == "SegmentSoftmax" {
			continue // it copies the rows that are left
		}
		var err error
		if n := testing.AllocsPerRun(20, func() { _, err = run() }); n >= 1 || err != nil {
			t.Errorf("%s: %v allocations a run, error %v", name, n, err)
		}
	}
}

// TestSoftmaxBesidePadding has all ids of up to five rows that are in two segments, skipped or the
// padding: of some no row is left, or one.
func TestSoftmaxBesidePadding(t *testing.T) {
	padding := oracle.Padding{Padded: true, ID: 7}
	for n := range 6 {
		for which := range 1 << (2 * n) {
			var ids []int64
			for i := range n {
				ids = append(ids, []int64{-1, 0, 1, padding.ID}[which>>(2*i)&3])
			}
			if !slices.IsSorted(slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { return id == padding.ID })) {
				continue
			}
			data := upTo(1, n, 1)
			got, err := dense.SegmentSoftmax(data, index(ids...), 2, dense.WithPadding(padding.ID), dense.WithOutOfRange(dense.Skip))
			if err != nil {
				t.Fatalf("%v: %v", ids, err)
			}
			want := oracle.SegmentSoftmax(oracle.From(packed[float64](data), n, 1), padding.Kept(ids), 2)
			for i, y := range packed[float64](got) {
				if !(math.Abs(y-want.Data[i]) <= 1e-14) {
					t.Fatalf("%v: %v, want %v", ids, got, want.Data)
				}
			}
		}
	}
}
