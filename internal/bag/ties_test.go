package bag

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gorgonia.org/gather/internal/memtest"
	"gorgonia.org/gather/internal/num"
)

func TestWinners(t *testing.T) {
	winnersCase[float32](t, num.Float32)
	winnersCase[float64](t, num.Float64)
}

// winnersCase compares winners and their shares with a plain search: of ties, of NaN,
// of rows that are left out, of bags of all forms.
func winnersCase[T float32 | float64](t *testing.T, kind num.Kind) {
	rng := rand.New(rand.NewPCG(5, uint64(kind)))
	var w Winners // one for all: what it keeps must not be seen
	for _, inner := range []int{0, 1, 3, 7, 8, 9, 16, 63, 64, 65, 200} {
		for range 20 {
			rows, bags, n := 1+rng.IntN(6), rng.IntN(6), rng.IntN(40)
			table := make([]T, rows*inner)
			for i := range table {
				if table[i] = T(rng.IntN(3)); rng.IntN(20) == 0 {
					table[i] = T(math.NaN())
				}
			}
			idx := make([]int64, n)
			for i := range idx {
				idx[i] = int64(rng.IntN(rows+1)) - 1 // -1: left out
			}
			first := make([]int64, bags)
			for b := range first {
				first[b] = int64(rng.IntN(n + 1))
				if b > 0 {
					first[b] = max(first[b], first[b-1])
				}
			}
			grad := make([]T, bags*inner)
			for i := range grad {
				grad[i] = T(rng.NormFloat64())
			}
			bag := Description{
				Kind: kind, Reduction: num.Max, Table: num.Bytes(table), Rows: rows, Inner: inner, Idx: num.Bytes(idx),
				NonNegative: true, SkipBad: true, Borders: Borders{Bags: bags, Offsets: num.Bytes(first)}, Default: -1,
			}
			if n == 0 {
				bag.Idx = []byte{}
			}
			if bags == 0 {
				bag.Offsets, bag.PerBag = nil, 0
			}
			out, shares := make([]T, bags*inner), make([]T, n*inner)
			name := fmt.Sprintf("%d bags of %d positions, %d columns", bags, n, inner)
			memtest.OnThreads(t, func(t *testing.T) {
				bag.Reduce(num.Bytes(out))
				w.Size(n, bags, inner)
				bag.FindWinners(&w, num.Bytes(out))
				w.Share(kind, &bag.Borders, n, inner, num.Bytes(shares), num.Bytes(grad))
				for b := range bags {
					end := n
					if b+1 < bags {
						end = int(first[b+1])
					}
					for c := range inner {
						wins := func(p int) bool {
							if idx[p] < 0 {
								return false
							}
							x, most := table[int(idx[p])*inner+c], out[b*inner+c]
							return x == most || x != x && most != most
						}
						count := 0
						for p := int(first[b]); p < end; p++ {
							if wins(p) {
								count++
							}
						}
						for p := int(first[b]); p < end; p++ {
							var want T
							if wins(p) {
								want = grad[b*inner+c] / T(count)
							}
							if got := shares[p*inner+c]; got != want {
								t.Fatalf("%s: position %d has %v of column %d, want %v", name, p, got, c, want)
							}
						}
					}
				}
			})
		}
	}
}
