package simd_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gorgonia.org/gather/internal/memtest"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
)

// TestLongRows copies and sets rows that are more than go at once: all together, each, and by
// some bytes, which are left to a piece of its own that is not shorter than a vector.
func TestLongRows(t *testing.T) {
	const most = simd.RowBytesAtOnce
	for _, row := range []int{most/3 + 1, most + 1, most + 63, 2*most + 64} {
		n, rng := 4, rand.New(rand.NewPCG(28, uint64(row)))
		rows := min(3, 1+2*most/row)
		data, items := memtest.Copy(make([]byte, rows*row), rng), memtest.Copy(make([]byte, n*row), rng)
		for i := range data.Mem {
			data.Mem[i] = byte(i * 7919 >> 8)
		}
		offsets, places := make([]int64, n), []int64{2, 0, 3, 1}
		want := make([]byte, 0, n*row)
		for i := range offsets {
			offsets[i] = int64(i % rows * row)
			want = append(want, data.Mem[offsets[i]:][:row]...)
		}
		var bytesOf []int
		copies := simd.GatherLoop(func(data, items *byte, offsets *int64, n, bytes, step, distance int) {
			bytesOf = append(bytesOf, n*bytes, bytes)
			simd.Go.CopyRows(data, items, offsets, n, bytes, step, distance)
		})
		copies.Run(num.Pointer(data.Mem), num.Pointer(items.Mem), ahead(offsets), n, row, row, simd.Distance(row))
		what := fmt.Sprintf("rows of %d", row)
		if !bytes.Equal(items.Mem, want) || slices.Max(bytesOf) > most || slices.Min(bytesOf) < 64 {
			t.Errorf("%s: wrong copies, or of %v bytes at once", what, bytesOf)
		}
		bytesOf = nil
		set := simd.ScatterLoop(func(data, items *byte, offsets, places *int64, n, bytes, step, distance int) {
			bytesOf = append(bytesOf, n*bytes, bytes)
			simd.Go.SetRows(data, items, offsets, places, n, bytes, step, distance)
		})
		for i := range items.Mem {
			items.Mem[i] = byte(i * 104729 >> 8)
		}
		want = bytes.Clone(data.Mem)
		for i, at := range offsets {
			copy(want[at:][:row], items.Mem[int(places[i])*row:])
		}
		set.Run(num.Pointer(data.Mem), num.Pointer(items.Mem), ahead(offsets), ahead(places), n, row, row, simd.Distance(row))
		if !bytes.Equal(data.Mem, want) || slices.Max(bytesOf) > most || slices.Min(bytesOf) < 64 {
			t.Errorf("%s: wrong rows were set, or %v bytes at once", what, bytesOf)
		}
		data.Check(t, what)
		items.Check(t, what)
	}
}

// TestStringRows moves rows of one string and of several.
func TestStringRows(t *testing.T) {
	for _, length := range []int{1, 3} {
		data, items := make([]string, 4*length), make([]string, 3*(length+1))
		for i := range data {
			data[i] = fmt.Sprint("data ", i)
		}
		width := len(num.Bytes(data[:1]))
		offsets, places := []int64{int64(3 * length * width), 0, int64(3 * length * width)}, []int64{2, 0, 1}
		simd.CopyStringRows(num.Pointer(num.Bytes(data)), num.Pointer(num.Bytes(items)), ahead(offsets), 3, length*width, (length+1)*width, 0)
		for i, at := range offsets {
			if want := append(slices.Clone(data[int(at)/width:][:length]), ""); !slices.Equal(items[i*(length+1):][:length+1], want) {
				t.Errorf("row %d of %d strings is %q, want %q", i, length, items[i*(length+1):][:length+1], want)
			}
		}
		for i := range items {
			items[i] = fmt.Sprint("items ", i)
		}
		want := slices.Clone(data)
		for i, at := range offsets {
			copy(want[int(at)/width:][:length], items[int(places[i])*(length+1):])
		}
		simd.SetStringRows(num.Pointer(num.Bytes(data)), num.Pointer(num.Bytes(items)), ahead(offsets), ahead(places), 3, length*width, (length+1)*width, 0)
		if !slices.Equal(data, want) {
			t.Errorf("rows of %d: %q, want %q", length, data, want)
		}
	}
}
