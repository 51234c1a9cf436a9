package bag

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
)

// BenchmarkScatter sums segments of float32 in memory and in registers, for the constants
// of scatter.go: rows of some bytes, of which segments have so many on average.
func BenchmarkScatter(b *testing.B) {
	defer par.UseCores(1)()
	const n = 200000
	rng := rand.New(rand.NewPCG(1, 2))
	for _, bytes := range []int{16, 32, 64, 128, 256} {
		for _, positions := range []int{1, 2, 4, 8, 16, 32} {
			ids := make([]int64, n)
			for i := range ids {
				ids[i] = rng.Int64N(n / int64(positions))
			}
			slices.Sort(ids)
			d := Description{
				Kind: num.Float32, Reduction: num.Add, Table: make([]byte, n*bytes), Rows: n, Inner: bytes / 4, Default: -1,
				Borders: Borders{Bags: n / positions, Segments: num.Bytes(ids)},
			}
			out := make([]byte, d.Bags*bytes)
			for _, scatter := range []bool{true, false} {
				r := job{out: out, buf: new(buffer), reduction: reduction{scatter: scatter}}
				r.read(&d)
				b.Run(fmt.Sprintf("bytes=%d/positions=%d/scatter=%v", bytes, positions, scatter), func(b *testing.B) {
					for range b.N {
						r.reduce(r.buf, interval{0, r.Bags}, interval{0, r.row})
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/row")
				})
			}
		}
	}
}
