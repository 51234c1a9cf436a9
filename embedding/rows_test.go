package embedding_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"gorgonia.org/gather/embedding"
	"gorgonia.org/gather/internal/turns"
	"gorgonia.org/tensor"
)

// TestRowsOfAnyLength holds updates of rows from one number to more than a loop
// takes at once against the plain formulas: few rows, so that most ids are
// duplicates, and by several threads.
func TestRowsOfAnyLength(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	for i, dim := range []int{1, 3, 7, 17, 255, 1000, 70001} {
		for _, rows := range []int{1, 2, 11} {
			updateRows[float32](t, uint64(i), rows, dim)
			updateRows[float64](t, uint64(i), rows, dim)
		}
	}
}

func updateRows[T float32 | float64](t *testing.T, seed uint64, rows, dim int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, uint64(rows)))
	for number := range 4 {
		if !turns.Case(2, number) {
			continue
		}
		rule, o, err := drawRule(rng)
		ok(t, err)
		weights := draw[T](rng, rows*dim)
		tr := &trainee[T]{plain: newPlainTable(weights, rows, dim, T(rule.at))}
		tr.table, err = embedding.New(tensor.New(tensor.WithShape(rows, dim), tensor.WithBacking(weights)))
		ok(t, err)
		for range 2 {
			ids := make([]int32, 2+rng.IntN(max(3, min(500, 40000/dim))))
			grads := draw[T](rng, len(ids)*dim)
			var gradients []plainGradient[T]
			for p := range ids {
				row := rng.IntN(rows)
				ids[p] = int32(row)
				gradients = append(gradients, plainGradient[T]{row, grads[p*dim:][:dim]})
			}
			plainStep(rule, []*plainTable[T]{tr.plain}, [][]plainGradient[T]{gradients})
			ok(t, o.Update(tr.table, vector(ids...), tensor.New(tensor.WithShape(len(ids), dim), tensor.WithBacking(grads))))
		}
		compare(t, fmt.Sprintf("(%d, %d) of %T, %v", rows, dim, weights[0], rule), tr, o, rule.name == "RowWiseAdagrad")
	}
}
