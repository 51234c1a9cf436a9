package embedding_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gorgonia.org/gather/embedding"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// BenchmarkStep looks 4096 rows of 64 numbers up, and changes them: sixteen sets of
// ids take turns, lest the rows stay in the cache.
func BenchmarkStep(b *testing.B) {
	const n, dim = 4096, 64
	for _, rows := range []int{1e4, 1e6} {
		rng := rand.New(rand.NewPCG(1, 2))
		ids := make([]*tensor.Dense, 16)
		for i := range ids {
			all := make([]int64, n)
			for j := range all {
				all[j] = int64(rng.IntN(rows))
			}
			ids[i] = vector(all...)
		}
		grads := tensor.New(tensor.WithShape(n, dim), tensor.WithBacking(tensor.Range(tensor.Float32, 0, n*dim)))
		for name, make := range map[string]func(...embedding.Option) (embedding.Optimizer, error){
			"none": nil, "SGD": embedding.NewSGD, "Adagrad": embedding.NewAdagrad, "RowWiseAdagrad": embedding.NewRowWiseAdagrad, "Adam": embedding.NewAdam,
		} {
			b.Run(fmt.Sprintf("%s/rows=%d", name, rows), func(b *testing.B) {
				table := must(embedding.Make(tensor.Float32, rows, dim, embedding.Zeros()))
				defer func() { check(table.Close()) }()
				lookup := must(table.Lookup(G.NewGraph(), "ids", n))
				var o embedding.Optimizer
				if make != nil {
					o = must(make())
				}
				step := func(i int) {
					check(lookup.Set(ids[i%len(ids)]))
					if o != nil {
						check(o.Update(table, ids[i%len(ids)], grads))
					}
				}
				for i := range ids {
					step(i)
				}
				b.SetBytes(n * dim * 4)
				b.ReportAllocs()
				b.ResetTimer()
				for i := range b.N {
					step(i)
				}
			})
		}
	}
}
