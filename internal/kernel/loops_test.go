package kernel

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/simd"
	"gorgonia.org/gather/internal/turns"
)

// walkCase is a walk: the loops over tuples and those over slabs, and the axes.
type walkCase struct {
	name       string
	pick, slab []Loop
	axes       []Axis
	data       int // elements
	items      int
}

// description is that of its loops with indices, over bytes.
func (w *walkCase) description(idx []byte) Description {
	return Description{Width: 1, Data: make([]byte, w.data), Items: make([]byte, w.items), Idx: idx, Axes: w.axes, Loops: w.pick}
}

// Each is large enough to be divided in two, where it may be.
var walkCases = []walkCase{
	{name: "elements with gaps", pick: []Loop{{70, 50, 110, 50}, {50, 1, 0, 1}}, axes: []Axis{{100, 1}}, data: 70 * 110, items: 70 * 50},
	{name: "elements of a transposed matrix", pick: []Loop{{70, 50, 1, 50}, {50, 1, 0, 1}}, axes: []Axis{{100, 70}}, data: 100 * 70, items: 70 * 50},
	{name: "elements along the first axis", pick: []Loop{{50, 70, 0, 70}, {70, 1, 100, 1}}, axes: []Axis{{100, 1}}, data: 70 * 100, items: 70 * 50},
	{name: "elements between two axes", pick: []Loop{{9, 450, 1, 450}, {30, 15, 0, 15}, {15, 1, 360, 1}}, axes: []Axis{{40, 9}}, data: 9 * 40 * 15, items: 9 * 450},
	{name: "elements to a transposed matrix", pick: []Loop{{70, 1, 100, 50}, {50, 70, 0, 1}}, axes: []Axis{{100, 1}}, data: 70 * 100, items: 70 * 50},
	{name: "rows with gaps", pick: []Loop{{300, 17, 0, 1}}, slab: []Loop{{17, 1, 1, 0}}, axes: []Axis{{60, 40}}, data: 60 * 40, items: 300 * 17},
	{name: "rows of a transposed matrix", pick: []Loop{{300, 33, 0, 1}}, slab: []Loop{{33, 1, 60, 0}}, axes: []Axis{{60, 1}}, data: 60 * 33, items: 300 * 33},
	{name: "some rows of a long transposed matrix", pick: []Loop{{20, 1500, 0, 1}}, slab: []Loop{{1500, 1, 5, 0}}, axes: []Axis{{5, 1}}, data: 1500 * 5, items: 20 * 1500},
	{name: "columns of blocks", pick: []Loop{{20, 40 * 33, 1, 0}, {40, 33, 0, 1}}, slab: []Loop{{33, 1, 20 * 12, 0}}, axes: []Axis{{12, 20}}, data: 20 * 12 * 33, items: 20 * 40 * 33},
	{name: "pairs in batches", pick: []Loop{{5, 700, 1000, 100}, {100, 7, 0, 1}}, slab: []Loop{{7, 1, 11, 0}}, axes: []Axis{{8, 100}, {3, 1}}, data: 5 * 1000, items: 5 * 700},
	{name: "one tuple in each of many batches", pick: []Loop{{900, 3, 20, 1}}, slab: []Loop{{3, 1, 2, 0}}, axes: []Axis{{2, 7}}, data: 900 * 20, items: 900 * 3},
	{name: "items with gaps", pick: []Loop{{600, 9, 0, 1}}, slab: []Loop{{4, 2, 1, 0}}, axes: []Axis{{50, 4}}, data: 50 * 4, items: 600 * 9},
	{name: "slabs that overlap in data", pick: []Loop{{40, 20, 1, 0}, {5, 4, 0, 1}}, slab: []Loop{{4, 1, 1, 0}}, axes: []Axis{{6, 4}}, data: 100, items: 800},
	{name: "one column for all", pick: []Loop{{200, 5, 0, 5}, {5, 1, 0, 1}}, axes: []Axis{{9, 1}}, data: 9, items: 1000},
}

// positions calls do for each element of the items: with its place there, that of
// its tuple in the indices and that of the start of its slab's data.
func (w walkCase) positions(do func(item, idx, datum int)) {
	dims := append(append([]Loop{}, w.pick...), w.slab...)
	var o odometer
	o.reset(dims, position{})
	for more := true; more; more = o.step() {
		do(o.items, o.idx, o.data)
	}
}

// run runs the walk by one of gather, scatter and reduce on a copy of data and
// items, and does the same here, step by step.
func (w walkCase) run(t *testing.T, kind num.Kind, op string, fill bool, bad int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(len(w.name)), uint64(kind)))
	width, k := kind.Width(), len(w.axes)
	data, items := newGuarded(w.data*width, 16), newGuarded(w.items*width, 32)
	drawElements(rng, kind, data.mem)
	drawElements(rng, kind, items.mem)
	tuples := 0
	w.positions(func(_, idx, _ int) { tuples = max(tuples, idx+1) })
	idx := make([]int64, tuples*k)
	for i := range idx {
		size := w.axes[i%k].Size
		idx[i] = int64(rng.IntN(2*size) - size)
	}
	for i := range bad {
		idx[(len(idx)-1)*(i+1)/(bad+1)] = 1 << 40
	}
	c := newCall()
	defer c.Put()
	c.form, c.Data, c.Items, c.Idx, c.SkipBad = byLoops, data.mem, items.mem, num.Bytes(idx), fill
	c.Axes = append(c.Axes, w.axes...)
	for _, d := range w.pick {
		c.add(d)
	}
	for _, d := range w.slab {
		c.add(d)
	}
	wantData, wantItems, want := bytes.Clone(data.mem), bytes.Clone(items.mem), -1
	combine := combined(kind, num.Sub)
	w.positions(func(item, first, datum int) {
		first *= k
		for a, axis := range w.axes {
			if idx[first+a] >= int64(axis.Size) {
				if want < 0 || first+a < want {
					want = first + a
				}
				datum = -1
				break
			}
			datum += (int(idx[first+a]) + axis.Size) % axis.Size * axis.Stride
		}
		switch {
		case datum < 0 && op == "gather":
			clear(wantItems[item*width:][:width])
		case datum < 0:
		case op == "gather":
			copy(wantItems[item*width:][:width], wantData[datum*width:])
		case op == "scatter":
			copy(wantData[datum*width:][:width], wantItems[item*width:])
		default:
			combine(wantData[datum*width:], wantItems[item*width:])
		}
	})
	got := -1
	switch op {
	case "gather":
		got = c.gather(width)
	case "scatter":
		got = c.scatter(width)
	default:
		got = c.reduce(kind, num.Sub)
	}
	data.check(t, "data")
	items.check(t, "items")
	if fill {
		want = -1
	}
	if got != want {
		t.Fatalf("%s: the first bad index is at %d, want %d", op, got, want)
	}
	if want >= 0 {
		return // what has been written until then is not defined
	}
	for _, m := range []struct {
		name      string
		got, want []byte
	}{{"data", data.mem, wantData}, {"items", items.mem, wantItems}} {
		if i := different(kind, m.got, m.want); i >= 0 {
			t.Fatalf("%s of kind %d: element %d of %s is %x, want %x", op, kind, i, m.name, m.got[i*width:][:width], m.want[i*width:][:width])
		}
	}
}

// TestWalks runs every kind of walk in pieces, under every implementation, with and
// without bad indices.
func TestWalks(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	defer par.UseCores(4)()
	for _, i := range simd.Implementations {
		defer simd.Use(i)()
		for j, w := range walkCases {
			t.Run(fmt.Sprintf("%s, %s", i.Name, w.name), func(t *testing.T) {
				for k, kind := range []num.Kind{num.Int8, num.Float16, num.BFloat16, num.Float32, num.Int64, num.Complex64, num.Complex128} {
					if !turns.Case(2, j+k) {
						continue
					}
					for _, op := range []string{"gather", "scatter", "reduce"} {
						w.run(t, kind, op, false, 0)
						w.run(t, kind, op, false, 3)
						if op != "scatter" {
							w.run(t, kind, op, true, 3)
						}
					}
				}
			})
		}
	}
}

// TestCopies copies slabs from and to layouts of all sorts, in pieces.
func TestCopies(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	defer par.UseCores(4)()
	for _, w := range []walkCase{
		{name: "transposed", slab: []Loop{{130, 201, 1, 0}, {201, 1, 130, 0}}, data: 130 * 201, items: 130 * 201},
		{name: "to transposed", slab: []Loop{{130, 1, 201, 0}, {201, 130, 1, 0}}, data: 130 * 201, items: 130 * 201},
		{name: "with gaps", slab: []Loop{{230, 101, 203, 0}, {101, 1, 2, 0}}, data: 230 * 203, items: 230 * 101},
		{name: "rows with gaps", slab: []Loop{{230, 101, 203, 0}, {101, 1, 1, 0}}, data: 230 * 203, items: 230 * 101},
		{name: "three axes in reverse", slab: []Loop{{13, 37 * 29, 1, 0}, {37, 29, 13, 0}, {29, 1, 13 * 37, 0}}, data: 13 * 37 * 29, items: 13 * 37 * 29},
		{name: "one element for all", slab: []Loop{{300, 40, 0, 0}, {31, 1, 0, 0}}, data: 1, items: 300 * 40},
		{name: "a line", slab: []Loop{{30000, 1, 3, 0}}, data: 90000, items: 30000},
	} {
		t.Run(w.name, func(t *testing.T) {
			w.axes = []Axis{{1, 1}}
			for _, kind := range []num.Kind{num.Int8, num.Int16, num.Float32, num.Int64, num.Complex128} {
				w.run(t, kind, "gather", false, 0)
			}
		})
	}
}
