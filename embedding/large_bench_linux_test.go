package embedding_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/embedding"
	"gorgonia.org/tensor"
)

// The environment variables that ask for BenchmarkLargeTable: the file of its table, which
// is made if there is none, and then of so many GiB. It stays there.
const (
	largeFile = "EMBEDDING_BENCH_LARGE"
	largeGiB  = "EMBEDDING_BENCH_LARGE_GIB"
)

// BenchmarkLargeTable is a step of SGD and a lookup, of 4096 ids, from a large table of
// rows of 64 float32 in a process of 1 GiB of memory: of ids by Zipf's law, one batch after
// the other; from all over the table with none of it in memory; and of the same ids again
// and again. By a table in a file, and by a table of New on the same file, mapped with
// MADV_RANDOM, which reads page by page. Metrics are medians, in milliseconds.
func BenchmarkLargeTable(b *testing.B) {
	const dim, n = 64, 4096
	path := os.Getenv(largeFile)
	if path == "" {
		b.Skipf("%s is the file of the table, %s its size if it is to be made", largeFile, largeGiB)
	}
	table, err := embedding.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		gib, err := strconv.Atoi(os.Getenv(largeGiB))
		fatal(b, err)
		start := time.Now()
		table, err = embedding.Create(path, tensor.Float32, gib<<30/(4*dim), dim, embedding.FromRows(beyondRow))
		fatal(b, err)
		b.Logf("Create: %v", time.Since(start))
		fatal(b, table.Close())
		return
	}
	fatal(b, err)
	defer table.Close()
	limitMemory(b)
	rows := table.Shape()[0]
	mapped, err := table.Weights()
	fatal(b, err)
	weights := mapRows(b, path, rows, dim)
	byPage, err := embedding.New(weights)
	fatal(b, err)
	sgd, err := embedding.NewSGD()
	fatal(b, err)

	ids := make([]int64, n)
	at := tensor.New(tensor.WithBacking(ids))
	grads := tensor.New(tensor.WithShape(n, dim), tensor.WithBacking(slices.Repeat([]float32{0.25, -0.5}, n*dim/2)))
	found := tensor.New(tensor.Of(tensor.Float32), tensor.WithShape(n, dim))
	rng := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(rng, 1.05, 1, uint64(rows-1))
	uniform := func() {
		for i := range ids {
			ids[i] = rng.Int64N(int64(rows))
		}
	}
	for _, load := range []struct {
		name   string
		before int // calls before those that are measured, for each of them
		begin  func(first bool)
	}{
		{"zipf", 2, func(bool) {
			for i := range ids { // neighbours in rank are none in the file
				ids[i] = int64(zipf.Uint64() * 2654435761 % uint64(rows))
			}
		}},
		{"cold", 1, func(bool) {
			uniform()
			evict(b, []string{path}, []*tensor.Dense{mapped, weights})
		}},
		{"warm", 1, func(first bool) {
			if first {
				uniform()
			}
		}},
	} {
		for _, call := range []struct {
			name string
			call func(t *embedding.Table) error
		}{
			{"Update", func(t *embedding.Table) error { return sgd.Update(t, at, grads) }},
			{"Rows", func(t *embedding.Table) error {
				_, err := t.Rows(at, dense.WithReuse(found))
				return err
			}},
		} {
			b.Run(fmt.Sprintf("%s/%s", call.name, load.name), func(b *testing.B) {
				var medians [2]float64
				for which, t := range []*embedding.Table{table, byPage} {
					evict(b, []string{path}, []*tensor.Dense{mapped, weights})
					var took []float64
					for k := range (load.before + 1) * b.N {
						load.begin(k == 0)
						start := time.Now()
						fatal(b, call.call(t))
						took = append(took, time.Since(start).Seconds()*1e3)
					}
					took = took[load.before*b.N:]
					slices.Sort(took)
					medians[which] = took[len(took)/2]
				}
				b.ReportMetric(medians[0], "ms/asked")
				b.ReportMetric(medians[1], "ms/by-page")
				b.ReportMetric(medians[1]/medians[0], "by-page/asked")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
