package kernel

import (
	"bytes"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
	"gorgonia.org/gather/internal/turns"
)

// A longCall is a call that goes in pieces, on data that counts its elements.
type longCall struct {
	name           string
	loop           string // of the implementation, that must be used; "" for Go's copy
	batch, outer   int
	size, n, inner int
	k              int // the length of a tuple, 1 if 0
	elements, add  bool
}

// Each is longer than one call into assembly may be, most by a part of one.
var longCalls = []longCall{
	{name: "items", loop: "copyItem", size: 1000, n: 3*simd.ItemsAtOnce + 5, inner: 1},
	{name: "items of whole pieces", loop: "copyItem", size: 1000, n: 2 * simd.ItemsAtOnce, inner: 1},
	{name: "items in blocks", loop: "copyItem", size: 50, batch: 3, n: simd.ItemsAtOnce + 77, inner: 1},
	{name: "items in many short blocks", loop: "copyItem", size: 50, batch: simd.ItemsAtOnce, n: 33, inner: 1},
	{name: "one item a block", loop: "copyItem", size: 3, batch: 3*simd.ItemsAtOnce + 1, n: 1, inner: 1},
	{name: "elements on lines", loop: "copyItem", size: 7, n: 5, inner: 2*simd.ItemsAtOnce + 3, elements: true},
	{name: "elements on short lines", loop: "copyItem", size: 7, n: simd.ItemsAtOnce, inner: 3, elements: true},
	{name: "few elements of far blocks", loop: "copyItem", size: 4096, batch: 206, n: 20, inner: 1, elements: true},
	{name: "sums of few elements of far blocks", loop: "combineItem", size: 4096, batch: 206, n: 20, inner: 1, elements: true, add: true},
	{name: "sums of items", loop: "combineItem", size: 1000, n: 3*simd.ItemsAtOnce + 5, inner: 1, add: true},
	{name: "sums of one item a block", loop: "combineItem", size: 3, batch: 3*simd.ItemsAtOnce + 1, n: 1, inner: 1, elements: true, add: true},
	{name: "sums of elements on lines", loop: "combineItem", size: 7, n: 5, inner: 2*simd.ItemsAtOnce + 3, elements: true, add: true},
	{name: "columns", loop: "copyItem", size: 40, outer: 21, n: 3*simd.OffsetsAtOnce + 5, inner: 1},
	{name: "many rows", loop: "", size: 50, n: 300, inner: 1500},
	{name: "long rows", loop: "", size: 2, n: 3, inner: simd.RowBytesAtOnce/2 + 3},
	{name: "rows that end just behind a piece", loop: "", size: 2, n: 3, inner: simd.RowBytesAtOnce/4 + 1},
	{name: "rows in blocks", loop: "", size: 2, batch: 3, n: 1, inner: simd.RowBytesAtOnce/2 + 3},
	{name: "rows of less than a page", loop: "copyRow", size: 50, n: 700, inner: 900},
	{name: "rows by tuples", loop: "", size: 2, k: 2, n: 3, inner: simd.RowBytesAtOnce/4 + 17},
	{name: "elements by tuples", loop: "copyOffset", size: 30, k: 2, n: 3 * simd.ItemsAtOnce, inner: 1},
	{name: "sums of many rows", loop: "combineRow", size: 50, n: 300, inner: 1500, add: true},
	{name: "sums of long rows", loop: "combineRow", size: 2, n: 3, inner: simd.RowBytesAtOnce/2 + 3, add: true},
	{name: "sums of elements by tuples", loop: "combineOffset", size: 30, k: 2, n: 3 * simd.ItemsAtOnce, inner: 1, add: true},
}

// TestPieces shows that no call into assembly is longer than it may be, and that
// the pieces are the whole.
func TestPieces(t *testing.T) {
	for number, i := range simd.Implementations {
		t.Run(i.Name, func(t *testing.T) {
			calls := map[string]*atomic.Int64{}
			for _, loop := range []string{"copyRow", "copyOffset", "combineOffset", "combineRow", "copyItem", "combineItem"} {
				calls[loop] = new(atomic.Int64)
			}
			defer simd.Use(watched(i, func(loop string, n, bytes int) {
				calls[loop].Add(1)
				if n > simd.ItemsAtOnce || bytes > simd.RowBytesAtOnce {
					t.Errorf("%s: %d rows or items, %d bytes at once", loop, n, bytes)
				}
			}))()
			for j, l := range longCalls {
				if !turns.Case(2, number+j) {
					continue
				}
				if l.loop != "" {
					calls[l.loop].Store(0)
				}
				l.test(t, good, false)
				l.test(t, lastBad, false)
				l.test(t, middleBad, true)
				if l.loop != "" && calls[l.loop].Load() == 0 {
					t.Errorf("%s: the loop was not used", l.name)
				}
			}
		})
	}
}

func (l longCall) normal() longCall {
	l.batch, l.outer, l.k = max(1, l.batch), max(1, l.outer), max(1, l.k)
	return l
}

// indices are random ones, in range.
func (l longCall) indices() []int32 {
	rng := rand.New(rand.NewPCG(13, 14))
	n := l.batch * l.n * l.k
	if l.elements {
		n *= l.inner
	}
	idx := make([]int32, n)
	for i := range idx {
		idx[i] = int32(rng.IntN(2*l.size) - l.size)
	}
	return idx
}

// call is the call on memory that fits it.
func (l longCall) call(data, items []byte, idx []int32, fill bool) *testCall {
	c := newCall()
	c.Data, c.Items, c.Idx, c.Idx32, c.SkipBad = data, items, num.Bytes(idx), true, fill
	c.Batch, c.Outer, c.N, c.Inner, c.Span = l.batch, l.outer, l.n, l.inner, l.inner
	for range l.k {
		for i := range c.Axes {
			c.Axes[i].Stride *= l.size
		}
		c.Axes = append(c.Axes, Axis{Size: l.size, Stride: l.inner})
		c.Span *= l.size
	}
	return c
}

func (l longCall) run(c *testCall) int {
	if l.elements {
		c.form = byElements
	}
	if l.add {
		return c.reduce(num.Float32, num.Add)
	}
	return c.gather(4)
}

// Which index is out of range.
const (
	good = iota
	lastBad
	middleBad
)

func (l longCall) test(t *testing.T, which int, fill bool) {
	t.Helper()
	l = l.normal()
	idx := l.indices()
	bad := [...]int{-1, len(idx) - 1, len(idx) / 2}[which]
	if bad >= 0 {
		idx[bad] = int32(l.size)
	}
	span := l.inner
	for range l.k {
		span *= l.size
	}
	data := newGuarded(4*l.batch*l.outer*span, 4)
	items := newGuarded(4*l.batch*l.outer*l.n*l.inner, 4)
	for i := range num.As[float32](data.mem) {
		num.As[float32](data.mem)[i] = float32(i % 1021)
	}
	for i := range num.As[float32](items.mem) {
		num.As[float32](items.mem)[i] = float32(i % 777)
	}
	var wantData, wantItems []byte
	defined := bad < 0 || fill // what is written before a bad index is found is not
	if defined {
		wantData, wantItems = bytes.Clone(data.mem), bytes.Clone(items.mem)
		l.naive(num.As[float32](wantData), num.As[float32](wantItems), idx)
	}
	c := l.call(data.mem, items.mem, idx, fill)
	place := l.run(c)
	c.Put()
	data.check(t, l.name)
	items.check(t, l.name)
	if !defined {
		if place != bad {
			t.Errorf("%s: bad index at %d, want %d", l.name, place, bad)
		}
		return
	}
	if place >= 0 || !bytes.Equal(data.mem, wantData) || !bytes.Equal(items.mem, wantItems) {
		t.Errorf("%s: wrong values, bad index %d", l.name, place)
	}
}

// naive is the call, element by element. What has no good index is filled with
// zeros, or adds nothing.
func (l longCall) naive(data, items []float32, idx []int32) {
	span := len(data) / (l.batch * l.outer)
	for i := range items {
		column, tuple := i%l.inner, i/l.inner
		block := tuple / l.n
		tuple = block/l.outer*l.n + tuple%l.n
		if l.elements {
			tuple = tuple*l.inner + column
		}
		at, good := 0, true
		for _, j := range idx[tuple*l.k:][:l.k] {
			switch {
			case int(j) >= l.size:
				good = false
			case j < 0:
				j += int32(l.size)
			}
			at = at*l.size + int(j)
		}
		switch {
		case l.add && good:
			data[block*span+at*l.inner+column] += items[i]
		case l.add:
		case good:
			items[i] = data[block*span+at*l.inner+column]
		default:
			items[i] = 0
		}
	}
}

// TestFillWithoutData fills more items than go at once where the axis is empty.
func TestFillWithoutData(t *testing.T) {
	items := bytes.Repeat([]byte{canary}, 4*(2*simd.ItemsAtOnce+9))
	c := longCall{size: 0, n: 2*simd.ItemsAtOnce + 9, inner: 1}.normal().call(nil, items, make([]int32, 2*simd.ItemsAtOnce+9), true)
	defer c.Put()
	if bad := c.gather(4); bad >= 0 || !bytes.Equal(items, make([]byte, len(items))) {
		t.Errorf("bad index %d, or not filled", bad)
	}
}
