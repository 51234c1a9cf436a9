package kernel

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
	"gorgonia.org/gather/internal/turns"
)

// TestRowsSet overwrites rows of all sizes up to some vectors, and of more than one
// call into assembly may write, by tuples and not: the last writer wins.
func TestRowsSet(t *testing.T) {
	sizes := []int{simd.RowBytesAtOnce + 17, 2*simd.RowBytesAtOnce + 64}
	for row := 1; row <= 200; row++ {
		if row <= 70 || turns.Case(3, row) {
			sizes = append(sizes, row)
		}
	}
	for _, i := range simd.Implementations {
		var rowsSet, farSet atomic.Bool
		watch := watched(i, func(loop string, n, bytes int) {
			switch loop {
			case "setRow":
				rowsSet.Store(true)
			case "setOffset":
				farSet.Store(true)
			}
			if n > simd.ItemsAtOnce || bytes > simd.RowBytesAtOnce {
				t.Errorf("%s: %s: %d rows, %d bytes at once", i.Name, loop, n, bytes)
			}
		})
		func() {
			defer simd.Use(watch)()
			for _, row := range sizes {
				for _, k := range []int{1, 2} {
					rng := rand.New(rand.NewPCG(17, uint64(row)))
					rows, n := 2*k, 5
					if row < simd.RowBytesAtOnce {
						rows, n = 37*k, simd.OffsetsAtOnce+40
					}
					data, updates := newGuarded(rows*row, row%7), newGuarded(n*row, row%5)
					drawBytes(rng, updates.mem)
					idx := make([]int64, n*k)
					for j := range idx {
						size := rows / k
						if k == 2 && j%2 == 1 {
							size = 2
						}
						idx[j] = int64(rng.IntN(2*size) - size)
					}
					want := bytes.Clone(data.mem)
					c := newCall()
					for t := range n {
						at := (int(idx[t*k]) + rows/k) % (rows / k)
						if k == 2 {
							at = 2*at + (int(idx[2*t+1])+2)%2
						}
						copy(want[at*row:], updates.mem[t*row:][:row])
					}
					c.Data, c.Items, c.Idx = data.mem, updates.mem, num.Bytes(idx)
					c.Batch, c.Outer, c.N, c.Inner, c.Span = 1, 1, n, row, rows*row
					c.Axes = append(c.Axes, Axis{Size: rows / k, Stride: k * row})
					if k == 2 {
						c.Axes = append(c.Axes, Axis{Size: 2, Stride: row})
					}
					width := 1
					if simd.IsWord(row) { // elements by tuples, too
						width = row
						c.Inner, c.Span = 1, rows
						for a := range c.Axes {
							c.Axes[a].Stride /= row
						}
					}
					what := fmt.Sprintf("%s, %d bytes, tuples of %d", i.Name, row, k)
					if bad := c.scatter(width); bad >= 0 || !bytes.Equal(data.mem, want) {
						t.Errorf("%s: wrong values, bad index %d", what, bad)
					}
					c.Put()
					data.check(t, what)
				}
			}
		}()
		if !rowsSet.Load() || !farSet.Load() {
			t.Errorf("%s: loops were not used", i.Name)
		}
	}
}
