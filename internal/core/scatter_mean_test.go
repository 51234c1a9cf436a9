package core_test

import (
	"math/rand"
	"testing"

	"gorgonia.org/gather/internal/adjoint"
	"gorgonia.org/gather/internal/cases"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/oracle"
	"gorgonia.org/tensor"
)

// TestScatterMeansInTiles compares means in tiles of every size, in every layout,
// with those in one tile.
func TestScatterMeansInTiles(t *testing.T) {
	rng := rand.New(rand.NewSource(6))
	for range 600 {
		s := randomSource(rng)
		c := randomScatter(s)
		c.Rule.Reduction = oracle.Mean
		x, w := integers(s, tensor.ProdInts(c.Data)), integers(s, tensor.ProdInts(c.Updates))
		meansAlike(t, s, c, float32s.all(x), float32s.all(w))
		meansAlike(t, s, c, complexes.all(x), complexes.all(w))
		meansAlike(t, s, c, bytesOf(x), bytesOf(w))
	}
}

func bytesOf(numbers []float64) []int8 {
	out := make([]int8, len(numbers))
	for i, f := range numbers {
		if f == f {
			out[i] = int8(60 * f) // sums of three are out of range
		}
	}
	return out
}

func meansAlike[T any](t *testing.T, s *cases.Source, c scatterCase, x, w []T) {
	var want []T
	for i := len(tileSizes) - 1; i >= 0; i-- {
		restore := adjoint.UseTiles(tileSizes[i])
		var junk T
		p := c.params()
		got, err := core.Scatter(&p, nil, laid(s, x, junk, c.Data...).Dense, c.indexTensor(), laid(s, w, junk, c.Updates...).Dense)
		restore()
		if err != nil {
			t.Fatalf("%v: %v", c, err)
		}
		if want == nil {
			want = read[T](got)
			continue
		}
		for j, v := range read[T](got) {
			if !same(v, want[j]) {
				t.Fatalf("%v, data %v, updates %v, tiles of %d bytes: element %d is %v, in one tile %v", c, x, w, tileSizes[i], j, v, want[j])
			}
		}
	}
}
