package kernel

import (
	"bytes"
	"sync/atomic"
	"testing"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
)

// TestOneIndexABlock gathers one row of each of more blocks than are resolved at
// a time, as "the probability of the right class" does.
func TestOneIndexABlock(t *testing.T) {
	const blocks, size = 3*simd.OffsetsAtOnce + 7, 5
	eachImplementation(t, func(t *testing.T, _ *simd.Implementation, _ *atomic.Int64) {
		for _, row := range []int{1, 2, 3, 4, 8, 12, 16, 40, 64, 100} {
			data := make([]byte, blocks*size*row)
			for i := range data {
				data[i] = byte(i * 7 / 3)
			}
			idx := make([]int64, blocks)
			want := make([]byte, 0, blocks*row)
			const bad = 2*simd.OffsetsAtOnce + 3
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
				c := newCall()
				defer c.Put()
				c.Data, c.Items, c.Idx, c.SkipBad = data, items.mem, num.Bytes(idx), fill
				c.Batch, c.Outer, c.N, c.Inner, c.Span = blocks, 1, 1, row, size*row
				c.Axes = append(c.Axes, Axis{Size: size, Stride: row})
				return c.gather(1)
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

// TestAddOneItemABlock adds one item to each of more blocks than are resolved at
// a time.
func TestAddOneItemABlock(t *testing.T) {
	const blocks, size, bad = 2*simd.OffsetsAtOnce + 9, 5, simd.OffsetsAtOnce + 4
	eachImplementation(t, func(t *testing.T, _ *simd.Implementation, _ *atomic.Int64) {
		data, items := newGuarded(4*blocks*size, 4), newGuarded(4*blocks, 8)
		idx := make([]int32, blocks)
		want := make([]float32, blocks*size)
		for b := range idx {
			num.As[float32](items.mem)[b] = float32(b) + 0.5
			idx[b] = int32(b*b%(2*size) - size)
			if b == bad {
				idx[b] = -size - 1
				continue
			}
			want[b*size+(int(idx[b])+size)%size] = 100 + float32(b) + 0.5
		}
		for i := range want {
			num.As[float32](data.mem)[i] = 100
			if want[i] == 0 {
				want[i] = 100
			}
		}
		run := func(fill bool) int {
			c := newCall()
			defer c.Put()
			c.Data, c.Items, c.Idx, c.Idx32, c.SkipBad = data.mem, items.mem, num.Bytes(idx), true, fill
			c.Batch, c.Outer, c.N, c.Inner, c.Span = blocks, 1, 1, 1, size
			c.Axes = append(c.Axes, Axis{Size: size, Stride: 1})
			if !fill {
				return c.Check()
			}
			return c.reduce(num.Float32, num.Add)
		}
		if got := run(false); got != bad {
			t.Errorf("the bad index is at %d, got %d", bad, got)
		}
		if got := run(true); got >= 0 || !bytes.Equal(data.mem, num.Bytes(want)) {
			t.Errorf("the sums are wrong, bad index %d", got)
		}
		data.check(t, "data")
		items.check(t, "items")
	})
}
