package embedding_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
	"gorgonia.org/gather/embedding"
	"gorgonia.org/tensor"
)

// BenchmarkFileStep is a step of Adagrad of 4096 ids from all over a million rows of
// 64 float32, 256 MB and as much of what Adagrad remembers: in memory, in files that
// are cached, just after Sync, and in files of which nothing is in memory.
func BenchmarkFileStep(b *testing.B) {
	const rows, dim, ids = 1_000_000, 64, 4096
	rng := rand.New(rand.NewPCG(1, 2))
	picked := make([]int64, ids)
	at := tensor.New(tensor.WithBacking(picked))
	grads := tensor.New(tensor.WithShape(ids, dim), tensor.WithBacking(make([]float32, ids*dim)))
	for i := range grads.Float32s() {
		grads.Float32s()[i] = rng.Float32() - 0.5
	}
	newOptimizer := func() embedding.Optimizer {
		o, err := embedding.NewAdagrad()
		fatal(b, err)
		return o
	}
	step := func(b *testing.B, o embedding.Optimizer, table *embedding.Table) {
		for i := range picked {
			picked[i] = rng.Int64N(rows)
		}
		b.StartTimer()
		fatal(b, o.Update(table, at, grads))
		b.StopTimer()
	}
	warm := func(b *testing.B, table *embedding.Table) embedding.Optimizer {
		o := newOptimizer()
		for range 5 * rows / ids { // but for e⁻⁵ of them every row has been stepped
			step(b, o, table)
		}
		return o
	}

	b.Run("memory", func(b *testing.B) {
		b.StopTimer()
		table, err := embedding.Make(tensor.Float32, rows, dim, embedding.Normal(1, 0, 1))
		fatal(b, err)
		defer table.Close()
		o := warm(b, table)
		b.ResetTimer()
		for range b.N {
			step(b, o, table)
		}
	})
	folder := b.TempDir()
	path := filepath.Join(folder, "items.npy")
	table, err := embedding.Create(path, tensor.Float32, rows, dim, embedding.Normal(1, 0, 1))
	fatal(b, err)
	o := warm(b, table)
	b.Run("cached", func(b *testing.B) {
		b.StopTimer()
		warm := 2 * rows / ids // pages that Sync has made read-only
		for range warm {
			step(b, o, table)
		}
		b.ResetTimer()
		for range b.N {
			step(b, o, table)
		}
	})
	b.Run("after-sync", func(b *testing.B) {
		b.StopTimer()
		for range b.N {
			fatal(b, table.Sync())
			step(b, o, table)
		}
	})
	fatal(b, table.Close())
	b.Run("cold", func(b *testing.B) {
		b.StopTimer()
		for range b.N {
			for _, name := range []string{path, filepath.Join(path+".adagrad", "s.npy")} {
				forget(b, name)
			}
			table, err := embedding.Open(path)
			fatal(b, err)
			step(b, newOptimizer(), table)
			fatal(b, table.Close())
		}
	})
}

// forget takes a file out of memory.
func forget(b *testing.B, path string) {
	f, err := os.Open(path)
	fatal(b, err)
	defer f.Close()
	fatal(b, unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED))
}

func fatal(b testing.TB, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}
