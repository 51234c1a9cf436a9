package kernel

import (
	"bytes"
	"sync/atomic"
	"testing"
)

// TestOneIndexABlock picks one row of each of more blocks than are resolved at
// a time, as "the probability of the right class" does.
func TestOneIndexABlock(t *testing.T) {
	const blocks, size = 3*resolved + 7, 5
	eachImplementation(t, func(t *testing.T, _ *Implementation, _ *atomic.Int64) {
		for _, row := range []int{1, 2, 3, 4, 8, 12, 16, 40, 64, 100} {
			data := make([]byte, blocks*size*row)
			for i := range data {
				data[i] = byte(i * 7 / 3)
			}
			idx := make([]int64, blocks)
			want := make([]byte, 0, blocks*row)
			const bad = 2*resolved + 3
			for b := range idx {
				idx[b] = int64(b*b%(2*size) - size)
				j := (int(idx[b]) + size) % size
				if b == bad {
					idx[b] = size
					want = append(want, make([]byte, row)...)
					continue
				}
				want = append(want, data[(b*size+j)*row:][:row]...)
			}
			items := newGuarded(blocks*row, 1)
			run := func(fill bool) int {
				c := Get()
				defer c.Put()
				c.Data, c.Items, c.Idx, c.Fill = data, items.mem, Bytes(idx), fill
				c.Batch, c.Outer, c.N, c.Inner, c.Span = blocks, 1, 1, row, size*row
				c.Axes = append(c.Axes, Axis{Size: size, Stride: row})
				return c.GatherBlock(1)
			}
			if got := run(false); got != bad {
				t.Errorf("row of %d bytes: the first bad index is at %d, got %d", row, bad, got)
			}
			if got := run(true); got >= 0 || !bytes.Equal(items.mem, want) {
				t.Errorf("row of %d bytes: the rows are wrong, bad index %d", row, got)
			}
			items.check(t, "items")
		}
	})
}
