package embedding_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/embedding"
	"gorgonia.org/tensor"
)

// BenchmarkColdRows is a lookup of 4096 ids, and a step of Adagrad, from all over a
// table of 4 Mi rows of 64 float32, 1 GiB, of which a share of the rows is not in
// memory: by a table in a file, which asks for its pages, and in turns with it by a
// table of New on the same file, mapped with MADV_RANDOM, which reads page by page.
// Metrics are medians, in milliseconds.
func BenchmarkColdRows(b *testing.B) {
	const rows, dim, ids = 4 << 20, 64, 4096
	path := filepath.Join(b.TempDir(), "items.npy")
	table, err := embedding.Create(path, tensor.Float32, rows, dim, embedding.Uniform(1, 0.5, 1))
	fatal(b, err)
	defer table.Close()
	newAdagrad := func() embedding.Optimizer {
		o, err := embedding.NewAdagrad(embedding.WithInitialAccumulator(1))
		fatal(b, err)
		return o
	}
	picked := make([]int64, ids)
	at := tensor.New(tensor.WithBacking(picked))
	grads := tensor.New(tensor.WithShape(ids, dim), tensor.WithBacking(slices.Repeat([]float32{0.25, -0.5}, ids*dim/2)))
	asking, waiting := newAdagrad(), newAdagrad()
	fatal(b, asking.Update(table, at, grads))

	// The same rows and states without the table that asks.
	names := []string{path, filepath.Join(path+".adagrad", "s.npy")}
	weights, sums := mapRows(b, names[0], rows, dim), mapRows(b, names[1], rows, dim)
	byPage, err := embedding.New(weights)
	fatal(b, err)
	fatal(b, embedding.SetState(waiting, byPage, 1, map[string]*tensor.Dense{"s": sums}))
	mapped, err := table.Weights()
	fatal(b, err)
	memories := []*tensor.Dense{mapped, asking.State(table)["s"], weights, sums}

	found := tensor.New(tensor.Of(tensor.Float32), tensor.WithShape(ids, dim))
	lookUp := func(t *embedding.Table) func() error {
		return func() error {
			_, err := t.Rows(at, dense.WithReuse(found))
			return err
		}
	}
	update := func(o embedding.Optimizer, t *embedding.Table) func() error {
		return func() error { return o.Update(t, at, grads) }
	}
	for _, call := range []struct {
		name    string
		calls   [2]func() error
		touched [2][]*tensor.Dense
		change  float32 // of rows that are in memory: 0 reads them alone
	}{
		{"Rows", [2]func() error{lookUp(table), lookUp(byPage)}, [2][]*tensor.Dense{memories[:1], memories[2:3]}, 0},
		{"Update", [2]func() error{update(asking, table), update(waiting, byPage)}, [2][]*tensor.Dense{memories[:2], memories[2:]}, 1},
	} {
		for _, cold := range []float64{1, 0.1, 0.01} {
			b.Run(fmt.Sprintf("%s/%g%%", call.name, 100*cold), func(b *testing.B) {
				rng := rand.New(rand.NewPCG(1, uint64(1000*cold)))
				var took [2][]float64
				for round := range b.N + 10 { // in the first of which the table learns
					for i := range picked {
						picked[i] = rng.Int64N(rows)
					}
					for turn := range 2 {
						which := (round + turn) % 2
						if cold > 0 {
							evict(b, names, memories)
						}
						for i, m := range call.touched[which] {
							warm(b, names[i], m, picked[:ids-int(cold*ids)], call.change)
						}
						start := time.Now()
						fatal(b, call.calls[which]())
						if round >= 10 {
							took[which] = append(took[which], time.Since(start).Seconds()*1e3)
						}
					}
				}
				for i := range took {
					slices.Sort(took[i])
				}
				asked, byPage := took[0][b.N/2], took[1][b.N/2]
				b.ReportMetric(asked, "ms/asked")
				b.ReportMetric(byPage, "ms/by-page")
				b.ReportMetric(byPage/asked, "by-page/asked")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// mapRows maps a table's file once more, to be read page by page.
func mapRows(b *testing.B, path string, rows, dim int) *tensor.Dense {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	fatal(b, err)
	defer f.Close()
	mem, err := unix.Mmap(int(f.Fd()), 0, 4096+rows*dim*4, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	fatal(b, err)
	b.Cleanup(func() { fatal(b, unix.Munmap(mem)) })
	fatal(b, unix.Madvise(mem, unix.MADV_RANDOM))
	return tensor.New(tensor.WithShape(rows, dim), tensor.WithBacking(unsafe.Slice((*float32)(unsafe.Pointer(&mem[4096])), rows*dim)))
}

// BenchmarkWarmRows is a lookup and a step of Adagrad, of ids from all over a table of 1 Mi
// rows of 64 float32, 256 MiB, that is in a file and all in memory; and in turns with it
// those of a table of New on the same memory, which knows of no file. Metrics are medians,
// in microseconds.
func BenchmarkWarmRows(b *testing.B) {
	const rows, dim = 1 << 20, 64
	table, err := embedding.Create(filepath.Join(b.TempDir(), "items.npy"), tensor.Float32, rows, dim, embedding.Uniform(1, 0.5, 1))
	fatal(b, err)
	defer table.Close()
	weights, err := table.Weights()
	fatal(b, err)
	plain, err := embedding.New(weights)
	fatal(b, err)
	var adagrads [2]embedding.Optimizer
	for i := range adagrads {
		adagrads[i], err = embedding.NewAdagrad(embedding.WithInitialAccumulator(1))
		fatal(b, err)
	}
	one := func(n int) (ids, grads *tensor.Dense) {
		return vector(make([]int64, n)...), tensor.New(tensor.WithShape(n, dim), tensor.WithBacking(slices.Repeat([]float32{0.25, -0.5}, n*dim/2)))
	}
	ids, grads := one(1)
	fatal(b, adagrads[0].Update(table, ids, grads)) // makes the state
	states := adagrads[0].State(table)
	fatal(b, embedding.SetState(adagrads[1], plain, 1, states))
	for _, numbers := range [][]float32{weights.Float32s(), states["s"].Float32s()} {
		for i := range numbers {
			numbers[i]++
		}
	}
	rng := rand.New(rand.NewPCG(3, 1))
	for _, n := range []int{4096, 32768} {
		ids, grads := one(n)
		found := tensor.New(tensor.Of(tensor.Float32), tensor.WithShape(n, dim))
		tables := [2]*embedding.Table{table, plain}
		for _, c := range []struct {
			name string
			call func(which int) error
		}{
			{"Rows", func(which int) error {
				_, err := tables[which].Rows(ids, dense.WithReuse(found))
				return err
			}},
			{"Update", func(which int) error { return adagrads[which].Update(tables[which], ids, grads) }},
		} {
			b.Run(fmt.Sprintf("%s/%d", c.name, n), func(b *testing.B) {
				var took [2][]float64
				for round := range b.N + 50 { // in the first of which the table learns
					for turn := range 2 {
						for i := range ids.Int64s() {
							ids.Int64s()[i] = rng.Int64N(rows)
						}
						which := (round + turn) % 2
						start := time.Now()
						fatal(b, c.call(which))
						if d := time.Since(start); round >= 50 {
							took[which] = append(took[which], d.Seconds()*1e6)
						}
					}
				}
				for i := range took {
					slices.Sort(took[i])
				}
				inFile, inMemory := took[0][b.N/2], took[1][b.N/2]
				b.ReportMetric(inFile, "µs/file")
				b.ReportMetric(inMemory, "µs/memory")
				b.ReportMetric(inMemory/inFile, "memory/file")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// evict takes files and the memory of their rows out of memory, and checks it.
func evict(tb testing.TB, names []string, memories []*tensor.Dense) {
	tb.Helper()
	left := 1
	for range 10 { // a page may be in use by the system
		for _, m := range memories {
			fatal(tb, unix.Madvise(bytesOf(m), unix.MADV_DONTNEED))
		}
		for _, name := range names {
			f, err := os.Open(name)
			fatal(tb, err)
			fatal(tb, f.Sync())
			fatal(tb, unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED))
			fatal(tb, f.Close())
		}
		left = 0
		for _, m := range memories {
			left += count(resident(tb, bytesOf(m)))
		}
		if left == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	tb.Fatalf("%d pages are still in memory", left)
}

// warm has rows read, and changed if need be.
func warm(tb testing.TB, name string, m *tensor.Dense, rows []int64, change float32) {
	tb.Helper()
	f, err := os.Open(name)
	fatal(tb, err)
	defer f.Close()
	numbers, dim := m.Float32s(), m.Shape()[1]
	for _, row := range rows {
		fatal(tb, unix.Fadvise(int(f.Fd()), 4096+row*int64(dim)*4, int64(dim)*4, unix.FADV_WILLNEED))
	}
	sum := float32(0)
	for _, row := range rows {
		if change == 0 {
			sum += numbers[row*int64(dim)]
		} else {
			numbers[row*int64(dim)] += change
		}
	}
	if sum != sum {
		tb.Fatal("a row is NaN")
	}
}

func bytesOf(m *tensor.Dense) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&m.Float32s()[0])), 4*m.Size())
}

// resident tells of each page whether it is in memory.
func resident(tb testing.TB, mem []byte) (all []bool) {
	in := make([]byte, (len(mem)+4095)/4096)
	if _, _, err := unix.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(&mem[0])), uintptr(len(mem)), uintptr(unsafe.Pointer(&in[0]))); err != 0 {
		tb.Fatal(err)
	}
	for _, b := range in {
		all = append(all, b&1 != 0)
	}
	return all
}
