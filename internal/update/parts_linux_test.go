package update

import (
	"math/rand/v2"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
)

// hugeMemory is n bytes in huge pages, if the system grants them.
func hugeMemory(b *testing.B, n int) []byte {
	const hugePage = 2 << 20
	mem, err := syscall.Mmap(-1, 0, n+2*hugePage, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = syscall.Munmap(mem) })
	from := -int(uintptr(unsafe.Pointer(&mem[0]))) & (hugePage - 1)
	_ = syscall.Madvise(mem[from:from+n], 14) // MADV_HUGEPAGE
	clear(mem)
	return mem[from:][:n]
}

// BenchmarkUpdateParts says what of a step on 4096 rows of a million goes where, in
// microseconds: to write the positions down, to find those with the same row, to sum
// their gradients, and to sum them again and change the rows. Sixteen sets of ids take turns, or the same
// one comes again and again and its rows stay in the cache.
func BenchmarkUpdateParts(b *testing.B) {
	const n, inner, rows, sets = 4096, 64, 1_000_000, 16
	table, first, second := hugeMemory(b, rows*inner*4), hugeMemory(b, rows*inner*4), hugeMemory(b, rows*inner*4)
	grads := make([]float32, n*inner)
	for i := range grads {
		grads[i] = float32(i%1009)/1009 + 0.5
	}
	rng := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(rng, 1.1, 1, rows-1)
	var uniform, unequal [sets][]int64
	for i := range uniform {
		for range n {
			uniform[i] = append(uniform[i], int64(rng.IntN(rows)))
			unequal[i] = append(unequal[i], int64(zipf.Uint64()*7_368_787%rows))
		}
	}
	for o, name := range []string{"SGD", "Adagrad", "RowWiseAdagrad", "Adam"} {
		for _, c := range []struct {
			name   string
			ids    *[sets][]int64
			cached bool
		}{{"uniform", &uniform, false}, {"cached", &uniform, true}, {"Zipf", &unequal, false}} {
			b.Run(name+"/"+c.name, func(b *testing.B) {
				var step Step
				u := Description{
					Kind: num.Float32, Optimizer: Optimizer(o), Table: table, First: first, Second: second, Rows: rows, Inner: inner,
					Rate: 0.1, Eps: 1e-10, Scale: 1, Beta1: 0.9, Beta2: 0.999, Sources: []Source{{Grad: num.Bytes(grads)}},
				}
				var best [5]time.Duration
				for i := range best {
					best[i] = 1 << 62
				}
				for b.Loop() {
					var sum [5]time.Duration
					for _, rows := range c.ids {
						if c.cached {
							rows = c.ids[0]
						}
						u.Sources[0].Rows = rows
						start := time.Now()
						step.begin(&u)
						g := &step.groups[0]
						collect[float32](&step, g, 0)
						collected := time.Now()
						g.link()
						g.locate(&step)
						linked := time.Now()
						for r := 0; r < len(g.first); r += simd.OffsetsAtOnce {
							sumRows[float32](&step, g, r, min(simd.OffsetsAtOnce, len(g.first)-r), simd.Active().Bags[num.Float32])
						}
						summed := time.Now()
						step.grouped = true
						runGroup[float32](&step, g, 0)
						end := time.Now()
						for j, d := range []time.Duration{collected.Sub(start), linked.Sub(collected), summed.Sub(linked), end.Sub(summed), end.Sub(start)} {
							sum[j] += d
						}
					}
					for j := range best {
						best[j] = min(best[j], sum[j])
					}
				}
				for j, what := range []string{"collect", "link", "sum", "sum-and-change", "all"} {
					b.ReportMetric(best[j].Seconds()*1e6/sets, what+"-µs")
				}
			})
		}
	}
}
