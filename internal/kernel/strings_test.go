package kernel

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/turns"
)

// stringCase is a call on strings: a form, and what one index or tuple addresses.
type stringCase struct {
	name                   string
	form                   form
	batch, outer, n, inner int
	axes                   []Axis
	gap                    int // byLoops: elements between two lines of data
}

// Each is large enough for two goroutines, or too small for one more.
var stringCases = []stringCase{
	{name: "single", form: byTuples, batch: 1, outer: 1, n: 20000, inner: 1, axes: []Axis{{700, 1}}},
	{name: "single, in batches", form: byTuples, batch: 9, outer: 3, n: 901, inner: 1, axes: []Axis{{70, 1}}},
	{name: "rows", form: byTuples, batch: 1, outer: 2, n: 5000, inner: 3, axes: []Axis{{300, 3}}},
	{name: "rows of many", form: byTuples, batch: 1, outer: 1, n: 3000, inner: 19, axes: []Axis{{90, 19}}},
	{name: "single, by pairs", form: byTuples, batch: 1, outer: 1, n: 20000, inner: 1, axes: []Axis{{30, 7}, {7, 1}}},
	{name: "rows, by fours", form: byTuples, batch: 3, outer: 1, n: 3000, inner: 2, axes: []Axis{{5, 48}, {3, 16}, {4, 4}, {2, 2}}},
	{name: "one", form: byTuples, batch: 1, outer: 1, n: 1, inner: 1, axes: []Axis{{3, 1}}},
	{name: "lines", form: byElements, batch: 70, outer: 1, n: 700, inner: 1, axes: []Axis{{90, 1}}},
	{name: "short lines", form: byElements, batch: 9000, outer: 1, n: 3, inner: 1, axes: []Axis{{5, 1}}},
	{name: "columns", form: byElements, batch: 2, outer: 1, n: 30, inner: 600, axes: []Axis{{11, 600}}},
	{name: "few columns", form: byElements, batch: 50, outer: 1, n: 90, inner: 7, axes: []Axis{{11, 7}}},
	{name: "nothing to gather", form: byElements, batch: 4, outer: 1, n: 90, inner: 7, axes: []Axis{{0, 7}}},
	{name: "nothing to gather on lines", form: byElements, batch: 4, outer: 1, n: 90, inner: 1, axes: []Axis{{0, 1}}},
	{name: "lines with gaps", form: byLoops, batch: 70, outer: 1, n: 700, inner: 1, axes: []Axis{{90, 1}}, gap: 40},
	{name: "columns with gaps", form: byLoops, batch: 1, outer: 1, n: 50, inner: 600, axes: []Axis{{11, 640}}, gap: 40},
	{name: "nothing to gather, with gaps", form: byLoops, batch: 4, outer: 1, n: 90, inner: 1, axes: []Axis{{0, 1}}, gap: 1},
}

// span is how long a block of data is, and blockStride how far it is to the next.
func (s stringCase) span() (span, blockStride int) {
	span = s.inner
	for _, a := range s.axes {
		if a.Size == 0 {
			return 0, s.gap
		}
		span += (a.Size - 1) * a.Stride
	}
	return span, span + s.gap
}

// eachPick calls do for each string of the items, with the place of what it belongs to
// in data, or -1 if it is a bad index, and that of its first bad component then.
func (s stringCase) eachPick(idx []int64, do func(item, datum, bad int)) {
	_, blockStride := s.span()
	k := len(s.axes)
	for item := range s.batch * s.outer * s.n * s.inner {
		row, column := item/s.inner, item%s.inner
		block, t := row/s.n, row%s.n
		tuple := (block/s.outer*s.n + t) * k
		if s.form != byTuples {
			tuple = item
		}
		datum, bad := block*blockStride+column, -1
		for i, a := range s.axes {
			j := int(idx[tuple+i])
			if j < 0 {
				j += a.Size
			}
			if j < 0 || j >= a.Size {
				datum, bad = -1, tuple+i
				break
			}
			datum += j * a.Stride
		}
		do(item, datum, bad)
	}
}

// call is the call on strings and indices, of which the narrow ones are used if there
// are any.
func (s stringCase) call(data, items []string, idx []int64, narrow []int32) *testCall {
	c := newCall()
	c.form, c.Batch, c.Outer, c.N, c.Inner = s.form, s.batch, s.outer, s.n, s.inner
	c.Data, c.Items, c.Idx = num.Bytes(data), num.Bytes(items), num.Bytes(idx)
	if narrow != nil {
		c.Idx, c.Idx32 = num.Bytes(narrow), true
	}
	c.Axes = append(c.Axes, s.axes...)
	span, blockStride := s.span()
	if c.Span = span; s.form == byLoops {
		c.add(Loop{s.batch, s.n * s.inner, blockStride, s.n * s.inner})
		c.add(Loop{s.n, s.inner, 0, s.inner})
		c.add(Loop{s.inner, 1, 1, 1})
	}
	return c
}

// TestStrings runs gathers and scatters of strings in one goroutine and in some, with
// and without bad indices, and does the same here one by one.
func TestStrings(t *testing.T) {
	defer par.UseCores(4)()
	for number, s := range stringCases {
		for _, threads := range []int{1, 4} {
			for i, narrow := range []bool{false, true} {
				for _, bad := range []int{0, 3} {
					if !turns.Case(2, number+threads/4+i+bad) {
						continue
					}
					t.Run(fmt.Sprintf("%s, %d threads, int32 %v, %d bad", s.name, threads, narrow, bad), func(t *testing.T) {
						defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
						s.run(t, narrow, bad)
					})
				}
			}
		}
	}
}

func (s stringCase) run(t *testing.T, narrow bool, bad int) {
	rng := rand.New(rand.NewPCG(uint64(len(s.name)), uint64(bad)))
	tuples := s.batch * s.n
	if s.form != byTuples {
		tuples *= s.inner
	}
	idx := make([]int64, tuples*len(s.axes))
	for i := range idx {
		if size := s.axes[i%len(s.axes)].Size; size > 0 {
			idx[i] = int64(rng.IntN(2*size) - size)
		}
	}
	for i := range bad {
		idx[(len(idx)-1)*(i+1)/(bad+1)] = 1 << 30
	}
	var idx32 []int32
	if narrow {
		for _, v := range idx {
			idx32 = append(idx32, int32(v))
		}
	}
	span, blockStride := s.span()
	data := words("data", max(0, (s.batch*s.outer-1)*blockStride+span))
	items := words("items", s.batch*s.outer*s.n*s.inner)

	for _, fill := range []bool{false, true} {
		want, wantBad := make([]string, len(items)), -1
		s.eachPick(idx, func(item, datum, bad int) {
			switch {
			case bad < 0:
				want[item] = data[datum]
			case !fill && (wantBad < 0 || bad < wantBad):
				wantBad = bad
			}
		})
		got := words("old", len(items))
		c := s.call(data, got, idx, idx32)
		c.SkipBad = fill
		at := c.gather(0)
		c.Put()
		if at != wantBad {
			t.Fatalf("gather, fill %v: the first bad index is at %d, want %d", fill, at, wantBad)
		}
		if wantBad < 0 && !slices.Equal(got, want) {
			t.Fatalf("gather, fill %v: wrong strings", fill)
		}
	}

	want, wantBad := slices.Clone(data), -1
	s.eachPick(idx, func(item, datum, bad int) {
		switch {
		case bad < 0:
			want[datum] = items[item]
		case wantBad < 0 || bad < wantBad:
			wantBad = bad
		}
	})
	got := slices.Clone(data)
	c := s.call(got, items, idx, idx32)
	at := c.scatter(0)
	c.Put()
	if at != wantBad {
		t.Fatalf("scatter: the first bad index is at %d, want %d", at, wantBad)
	}
	if wantBad < 0 && !slices.Equal(got, want) {
		t.Fatal("scatter: wrong strings")
	}
}

// words are n different strings, in memory of their own.
func words(prefix string, n int) []string {
	all := madeWords[prefix]
	for i := len(all); i < n; i++ {
		all = append(all, fmt.Sprint(prefix, " ", i))
	}
	madeWords[prefix] = all
	return slices.Clone(all[:n])
}

var madeWords = map[string][]string{}
