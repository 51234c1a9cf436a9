package kernel

import (
	"bytes"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/turns"
)

// TestWalkInPlace spoils an index of walks in place, which must then change nothing, and
// nothing of the gaps in any case.
func TestWalkInPlace(t *testing.T) {
	defer par.UseCores(4)()
	for _, s := range []walkCase{
		{name: "lines", pick: []Loop{{70, 300, 130, 300}, {300, 1, 0, 1}}, axes: []Axis{{90, 1}}, data: 70 * 130, items: 70 * 300},
		{name: "one line", pick: []Loop{{30000, 1, 0, 1}}, axes: []Axis{{90, 1}}, data: 90, items: 30000},
		{name: "lines of two axes", pick: []Loop{{7, 3000, 1300, 3000}, {9, 300, 130, 300}, {300, 1, 0, 1}}, axes: []Axis{{90, 1}}, data: 7 * 1300, items: 7 * 3000},
		{name: "columns", pick: []Loop{{60, 600, 0, 600}, {600, 1, 1, 1}}, axes: []Axis{{50, 700}}, data: 50 * 700, items: 60 * 600},
		{name: "blocks", pick: []Loop{{90, 480, 700, 480}, {30, 16, 0, 16}, {16, 1, 1, 1}}, axes: []Axis{{20, 30}}, data: 90 * 700, items: 90 * 480},
		{name: "rows of the second axis", pick: []Loop{{9, 3200, 0, 3200}, {50, 64, 100, 64}, {64, 1, 1, 1}}, axes: []Axis{{8, 5000}}, data: 8 * 5000, items: 9 * 3200},
		{name: "an axis of one", pick: []Loop{{40, 600, 50, 600}, {20, 30, 1, 30}, {30, 1, 0, 1}}, axes: []Axis{{1, 1}}, data: 40 * 50, items: 40 * 600},
		{name: "data larger than indices", pick: []Loop{{70, 30, 130, 30}, {30, 1, 0, 1}}, axes: []Axis{{90, 1}}, data: 70 * 130, items: 70 * 30},
		{name: "every other column", pick: []Loop{{70, 300, 200, 300}, {300, 1, 0, 1}}, axes: []Axis{{90, 2}}, data: 70 * 200, items: 70 * 300},
		{name: "rows", pick: []Loop{{3000, 17, 0, 1}}, slab: []Loop{{17, 1, 1, 0}}, axes: []Axis{{60, 40}}, data: 60 * 40, items: 3000 * 17},
		{name: "more than a copy takes at once, with gaps", pick: []Loop{{650, 1000, 1300, 1000}, {1000, 1, 0, 1}}, axes: []Axis{{900, 1}}, data: 650 * 1300, items: 650 * 1000},
		{name: "few rows", pick: []Loop{{9, 17, 0, 1}}, slab: []Loop{{17, 1, 1, 0}}, axes: []Axis{{60, 40}}, data: 60 * 40, items: 9 * 17},
		{name: "few rows of a transposed matrix", pick: []Loop{{9, 17, 0, 1}}, slab: []Loop{{17, 1, 60, 0}}, axes: []Axis{{60, 1}}, data: 60 * 17, items: 9 * 17},
		{name: "more rows of it than a window has", pick: []Loop{{1100, 17, 0, 1}}, slab: []Loop{{17, 1, 60, 0}}, axes: []Axis{{60, 1}}, data: 60 * 17, items: 1100 * 17},
		{name: "few columns of many blocks", pick: []Loop{{200, 3, 90, 0}, {3, 1, 0, 1}}, axes: []Axis{{90, 1}}, data: 200 * 90, items: 200 * 3},
		{name: "few rows in blocks", pick: []Loop{{3, 28, 500, 0}, {4, 7, 0, 1}}, slab: []Loop{{7, 1, 1, 0}}, axes: []Axis{{60, 8}}, data: 3 * 500, items: 3 * 28},
		{name: "blocks that overlap", pick: []Loop{{40, 200, 20, 200}, {200, 1, 0, 1}}, axes: []Axis{{30, 1}}, data: 1000, items: 40 * 200},
	} {
		rng := rand.New(rand.NewPCG(uint64(len(s.name)), 1))
		data, items := newGuarded(s.data*4, 0), newGuarded(s.items*4, 0)
		start := make([]byte, len(data.mem))
		drawBytes(rng, start)
		drawBytes(rng, items.mem)
		tuples := 0
		s.positions(func(_, idx, _ int) { tuples = max(tuples, idx+1) })
		idx := make([]int64, tuples)
		for i := range idx {
			idx[i] = int64(rng.IntN(2*s.axes[0].Size) - s.axes[0].Size)
		}
		for _, noInit := range []bool{false, true} {
			for _, r := range []num.Reduction{num.None, num.Add, num.Max} {
				if noInit && r == num.None {
					continue
				}
				for _, threads := range []int{1, 4} {
					for _, bad := range []int{-1, 0, 1, 2} {
						if !turns.Case(2, int(r)+threads/4+bad+1) {
							continue
						}
						func() {
							defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
							copy(data.mem, start)
							s.inPlace(t, r, noInit, bad, data, items, slices.Clone(idx))
						}()
					}
				}
			}
		}
	}
}

// inPlace runs the walk in place, with a bad index at the start, in the middle or at the
// end, or none.
func (w walkCase) inPlace(t *testing.T, r num.Reduction, noInit bool, bad int, data, items guarded, idx []int64) {
	t.Helper()
	run := func(mem []byte, atomic bool) int {
		c := newCall()
		defer c.Put()
		c.form, c.Data, c.Items, c.Idx, c.Atomic, c.NoInit = byLoops, mem, items.mem, num.Bytes(idx), atomic, noInit
		c.Axes = append(c.Axes, w.axes...)
		for _, d := range w.pick {
			c.add(d)
		}
		for _, d := range w.slab {
			c.add(d)
		}
		if r == num.None {
			return c.scatter(4)
		}
		return c.reduce(num.Float32, r)
	}
	want := bytes.Clone(data.mem)
	place := -1
	if bad < 0 {
		if got := run(want, false); got >= 0 {
			t.Fatalf("%s: bad index at %d, there is none", w.name, got)
		}
	} else {
		place = (len(idx) - 1) * bad / 2
		idx[place] = int64(w.axes[0].Size)
		idx[len(idx)-1] = int64(-w.axes[0].Size - 1)
	}
	got := run(data.mem, true)
	data.check(t, "data")
	if got != place {
		t.Errorf("%s, %v: bad index at %d, want %d", w.name, r, got, place)
	}
	if !bytes.Equal(data.mem, want) {
		t.Errorf("%s, %v, without the old value %v, bad index at %d: wrong values", w.name, r, noInit, place)
	}
}
