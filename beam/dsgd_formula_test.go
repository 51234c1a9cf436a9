package gatherbeam

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFormula holds the trainer against the formulas of DSGD, written as they stand:
// the same operations, each rounded, in the same order.
func TestFormula(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for k := range 100 {
		c := &DSGD{LearnRate: 0.1, L2: 0.03, Mean: 0.7, Batch: rng.IntN(6), Biases: k%2 == 0, Rule: []Rule{SGD, Adagrad, ""}[k%3]}
		if c.Rule == Adagrad {
			c.InitialAccumulator, c.Eps = 0.01, 1e-6
		}
		t.Run(fmt.Sprint(k), func(t *testing.T) {
			formula[float32](t, c, rng)
			formula[float64](t, c, rng)
		})
	}
}

func formula[T float32 | float64](t *testing.T, c *DSGD, rng *rand.Rand) {
	dim, rows := 2+rng.IntN(9), 5
	var table [2][]T
	for s := range table {
		table[s] = make([]T, rows*dim)
		for i := range table[s] {
			table[s][i] = T(rng.NormFloat64())
		}
	}
	var ratings []float32
	for range 17 {
		ratings = append(ratings, float32(rng.IntN(rows-2)), float32(rng.IntN(rows-1)), float32(rng.NormFloat64()))
	}
	p := pair{ratings: ratings, order: c.order(3, 1, 2, 17), userStart: 2, itemStart: 1}
	trainer, err := newTrainer(c, dim, slices.Clone(table[0]), slices.Clone(table[1]), nil, nil)
	require.NoError(t, err)
	require.NoError(t, trainer.train(p))

	var sums [2][]T
	for s := range sums {
		sums[s] = make([]T, rows*dim)
		for i := range sums[s] {
			sums[s][i] = T(c.InitialAccumulator)
		}
	}
	for first := 0; first < 17; first += max(c.Batch, 1) {
		var grads [2]map[int][]T // of a row
		grads[0], grads[1] = map[int][]T{}, map[int][]T{}
		for _, k := range p.order[first:min(first+max(c.Batch, 1), 17)] {
			row := [2]int{2 + int(ratings[3*k]), 1 + int(ratings[3*k+1])}
			u, i := table[0][row[0]*dim:][:dim], table[1][row[1]*dim:][:dim]
			e := said(c, u, i) - T(ratings[3*k+2])
			for s, own := range [2][]T{u, i} {
				other := [2][]T{i, u}[s]
				g := make([]T, dim)
				for column := range g {
					product := T(e * other[column])
					if c.Biases && column == dim-1 {
						product = e
					}
					g[column] = product + T(T(c.L2)*own[column])
				}
				if grads[s][row[s]] == nil {
					grads[s][row[s]] = g
					continue
				}
				for column := range g {
					grads[s][row[s]][column] += g[column]
				}
			}
		}
		for s := range grads {
			for row, g := range grads[s] {
				for column, x := range g {
					w, sum := &table[s][row*dim+column], &sums[s][row*dim+column]
					if c.Rule == Adagrad {
						*sum += T(x * x)
						*w -= T(T(c.LearnRate)*x) / (T(math.Sqrt(float64(*sum))) + T(c.Eps))
					} else {
						*w -= T(T(c.LearnRate) * x)
					}
				}
			}
		}
	}
	for s, got := range [2][]T{trainer.users.rows, trainer.items.rows} {
		assert.InDeltaSlice(t, table[s], got, 1e-5) // the rule's own order of operations is package embedding's
	}
}

// What is said is the formula, in whatever dim.
func TestSaid(t *testing.T) {
	for dim := 2; dim < 12; dim++ {
		user, item := make([]float64, dim), make([]float64, dim)
		sum := 10.0
		for c := range dim {
			user[c], item[c] = float64(c+1), float64(2*c-3)
			sum += user[c] * item[c]
		}
		assert.Equal(t, sum, said(&DSGD{Mean: 10}, user, item))
		last := dim - 1
		assert.Equal(t, sum-user[last]*item[last]+user[last]+item[last], said(&DSGD{Mean: 10, Biases: true}, user, item))
	}
}

// In a stratum no two pairs share a block, and over an epoch each pair comes once.
func TestStrata(t *testing.T) {
	c := DSGD{Seed: 9}
	for blocks := 1; blocks < 20; blocks++ {
		met := map[[2]int]bool{}
		for _, shift := range c.strata(4, blocks) {
			items := map[int]bool{}
			for u := range blocks {
				i := itemBlock(u, shift, blocks)
				assert.Equal(t, u, userBlock(i, shift, blocks))
				items[i], met[[2]int{u, i}] = true, true
			}
			assert.Len(t, items, blocks)
		}
		assert.Len(t, met, blocks*blocks)
	}
	assert.NotEqual(t, c.strata(1, 50), c.strata(2, 50))
	assert.Equal(t, c.strata(1, 50), c.strata(1, 50))
	assert.NotEqual(t, c.order(1, 2, 3, 50), c.order(1, 3, 2, 50))
	assert.NotEqual(t, c.order(1, 2, 3, 50), c.order(2, 2, 3, 50))
}

// What waits in files comes out as what stays in memory.
func TestRatingsWaitInFiles(t *testing.T) {
	ctx := t.Context()
	var tables [2]Table
	for k, most := range []int{1 << 20, 500} {
		g, err := NewGeneration(ctx, t.TempDir())
		require.NoError(t, err)
		f, err := g.Factors(ctx, Start{Dtype: numbers[0].dtype, Users: 11, Items: 7, Dim: 2, Blocks: 3})
		require.NoError(t, err)
		w, err := g.Ratings("ratings", f)
		require.NoError(t, err)
		w.most = most
		rng := rand.New(rand.NewPCG(1, 1))
		for range 1000 {
			require.NoError(t, w.Add(rng.Int64N(11), rng.Int64N(7), float32(rng.NormFloat64())))
		}
		assert.Equal(t, k == 1, w.folder != "")
		tables[k], err = w.Close(ctx)
		require.NoError(t, err)
		if k == 1 {
			assert.NoDirExists(t, w.folder)
		}
		assert.Error(t, w.Add(0, 0, 1))
		_, err = w.Close(ctx)
		assert.ErrorContains(t, err, "it is closed")
	}
	assert.Equal(t, int64(1000), tables[0].Rows())
	assert.Equal(t, tables[0].Shards, tables[1].Shards, "with their checksums")
	assert.Len(t, tables[0].Shards, 9)
}
