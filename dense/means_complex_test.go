package dense_test

import (
	"math"
	"math/cmplx"
	"testing"

	"gorgonia.org/gather/dense"
	"gorgonia.org/tensor"
)

// TestMeansOfInfiniteParts: a mean divides each part of a complex number by the count. Go's division of two complex numbers
// makes NaN of the part beside one that is infinite.
func TestMeansOfInfiniteParts(t *testing.T) {
	x, inf := complex(math.Inf(1), 3), complex(math.Inf(1), 0)
	row := func(x complex128) *tensor.Dense { return values(dims{1, 1}, x) }
	one, mean := values(dims{1}, int64(0)), dense.WithReduction(dense.Mean)
	two := values(dims{2, 1}, x, 5)
	check := func(what string, got *tensor.Dense, err error, want complex128) {
		t.Helper()
		if err != nil {
			t.Errorf("%s: %v", what, err)
		} else if got := packed[complex128](got)[0]; got != want || cmplx.IsNaN(got) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	out, err := dense.SegmentMean(row(x), one, 1)
	check("SegmentMean", out, err, x)
	out, err = dense.SegmentMean(two, values(dims{2}, int64(0), 0), 1)
	check("SegmentMean of two", out, err, inf+1.5i)
	out, err = dense.EmbeddingBagOffsets(row(x), one, one, nil, mean)
	check("EmbeddingBagOffsets", out, err, x)
	out, err = dense.EmbeddingBagPacked(row(x), values(dims{1, 1}, int64(0)), nil, mean)
	check("EmbeddingBagPacked", out, err, x)
	out, err = dense.ScatterElements(row(2), values(dims{1, 1}, int64(0)), row(x), 0, mean)
	check("ScatterElements", out, err, inf+1.5i)
	dst := row(0)
	err = dense.AddEmbeddingBagOffsets(dst, row(x), nil, values(dims{0}, []int64{}...), one, nil, mean, dense.WithDefaultIndex(0))
	check("AddEmbeddingBagOffsets of an empty bag", dst, err, x)
}
