package embedding_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

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

// copied is how many bytes a second copy moves on this machine, in pieces of 4 MiB as
// the library copies, the best of some rounds.
func copied() float64 {
	const piece, pieces = 4 << 20, 16
	from, to := make([]byte, piece*pieces), make([]byte, piece*pieces)
	for i := range from {
		from[i], to[i] = 1, 2 // what nobody has written to is one page of zeros, in the cache
	}
	best := 0.0
	for range 20 {
		start := time.Now()
		for at := 0; at < len(to); at += piece {
			copy(to[at:at+piece], from[at:at+piece])
		}
		best = max(best, float64(len(to))/time.Since(start).Seconds())
	}
	return best
}

// BenchmarkUpdate changes 4096 rows of 64 numbers of a million, by gradients at hand and
// without a lookup, and says beside it which part of the speed of copy that is: a row
// and what is remembered of it are read and written, as by a copy of them.
func BenchmarkUpdate(b *testing.B) {
	const n, dim, rows = 4096, 64, 1_000_000
	grads := tensor.New(tensor.WithShape(n, dim), tensor.WithBacking(tensor.Range(tensor.Float32, 0, n*dim)))
	rng := rand.New(rand.NewPCG(1, 2))
	ids := make([]*tensor.Dense, 16)
	touched := 0
	for i := range ids {
		all, distinct := make([]int64, n), map[int64]bool{}
		for j := range all {
			all[j] = int64(rng.IntN(rows))
			distinct[all[j]] = true
		}
		ids[i], touched = vector(all...), touched+len(distinct)
	}
	for _, c := range []struct {
		name    string
		make    func(...embedding.Option) (embedding.Optimizer, error)
		numbers int // that are read and written for each of a row
	}{{"SGD", embedding.NewSGD, 1}, {"Adagrad", embedding.NewAdagrad, 2}, {"RowWiseAdagrad", embedding.NewRowWiseAdagrad, 1}, {"Adam", embedding.NewAdam, 3}} {
		b.Run(c.name, func(b *testing.B) {
			table := must(embedding.Make(tensor.Float32, rows, dim, embedding.Zeros()))
			defer func() { check(table.Close()) }()
			o := must(c.make())
			for _, set := range ids {
				check(o.Update(table, set, grads))
			}
			limit := copied()
			best := time.Duration(1 << 62) // of the sets, one after the other
			for b.Loop() {
				start := time.Now()
				for _, set := range ids {
					check(o.Update(table, set, grads))
				}
				best = min(best, time.Since(start))
			}
			moved := float64(touched * dim * 4 * c.numbers)
			b.ReportMetric(best.Seconds()*1e6/float64(len(ids)), "µs/step")
			b.ReportMetric(100*moved/best.Seconds()/limit, "%-of-copy")
			b.ReportMetric(limit/1e9, "GB/s-copied")
		})
	}
}
