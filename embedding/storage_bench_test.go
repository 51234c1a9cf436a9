package embedding_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/embedding"
	"gorgonia.org/tensor"
)

// BenchmarkStorage looks up 4096 bags of 32 rows, and 131072 rows, of a million rows of 64
// numbers.
func BenchmarkStorage(b *testing.B) {
	const rows, dim, bags, perBag = 1_000_000, 64, 4096, 32
	from := must(embedding.Make(tensor.Float32, rows, dim, embedding.Normal(1, 0, 1)))
	rng := rand.New(rand.NewPCG(1, 1))
	ids := make([]int64, bags*perBag)
	for i := range ids {
		ids[i] = rng.Int64N(rows)
	}
	packed := tensor.New(tensor.WithShape(bags, perBag), tensor.WithBacking(ids))
	out := tensor.New(tensor.WithShape(bags, dim), tensor.Of(tensor.Float32))
	all := tensor.New(tensor.WithShape(bags, perBag, dim), tensor.Of(tensor.Float32))
	for _, s := range []embedding.Storage{embedding.Float32, embedding.Float16, embedding.BFloat16, embedding.Int8, embedding.Int4} {
		table := must(from.Quantize(s))
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("%v/bags/%d", s, threads), func(b *testing.B) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
				for b.Loop() {
					must(table.Bags(packed, nil, nil, embedding.Sum, dense.WithReuse(out)))
				}
			})
			b.Run(fmt.Sprintf("%v/rows/%d", s, threads), func(b *testing.B) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
				for b.Loop() {
					must(table.Rows(packed, dense.WithReuse(all)))
				}
			})
		}
		check(table.Close())
	}
}
