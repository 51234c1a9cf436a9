package dense_test

import (
	"errors"
	"fmt"
	"math/rand"
	"runtime"
	"testing"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/layout"
	"gorgonia.org/gather/internal/oracle"
	"gorgonia.org/gather/internal/race"
	"gorgonia.org/gather/internal/turns"
	"gorgonia.org/tensor"
)

// mallocs is the number of allocations of one run of f, on average.
func mallocs(runs int, f func()) float64 {
	f()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range runs {
		f()
	}
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs-before.Mallocs) / float64(runs)
}

// TestReuseAllocatesNothing runs each operator and each adjoint with all its
// tensors given, in packed and strided layouts.
func TestReuseAllocatesNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("sync.Pool is not itself under the race detector")
	}
	for _, call := range smallCalls {
		for _, name := range []string{"float32", "float64", "int8", "bool", "float16", "complex128", "a struct of 12 bytes"} {
			for _, it := range indexTypes {
				for _, l := range []layout.Layout{layout.RowMajor, layout.ColumnMajor, layout.EverySecond} {
					c := call.with(it)
					c.in, c.at, c.out = l, l, l
					t.Run(fmt.Sprintf("%s %v %s %v %v", c.op, c.data, name, it, l), func(t *testing.T) {
						dtypeNamed(name).allocates(t, &c)
					})
				}
			}
		}
	}
}

func (e elements[T]) allocates(t *testing.T, c *call) {
	want, bad := c.expected()
	if bad != nil {
		t.Fatal(bad)
	}
	data := layout.Lay(c.in, e.all(counting(tensor.ProdInts(c.data))), e.of(0), c.data...).Dense
	out := layout.Lay(c.out, e.all(want.Data), e.of(0), want.Shape...).Dense
	indices := c.indexType.lay(c.at, c.indices.Data, c.indices.Shape...).tensor()
	reuse, b := dense.WithReuse(out), dense.WithBatchDims(c.batchDims)
	var err error
	gather := map[string]func(){
		"Gather":         func() { _, err = dense.Gather(data, indices, c.axis, b, reuse) },
		"GatherElements": func() { _, err = dense.GatherElements(data, indices, c.axis, reuse) },
		"GatherND":       func() { _, err = dense.GatherND(data, indices, b, reuse) },
	}[c.op]
	add := map[string]func(){
		"Gather":         func() { err = dense.AddGather(data, out, indices, c.axis, b) },
		"GatherElements": func() { err = dense.AddGatherElements(data, out, indices, c.axis) },
		"GatherND":       func() { err = dense.AddGatherND(data, out, indices, b) },
	}[c.op]
	if n := testing.AllocsPerRun(20, gather); n != 0 || err != nil {
		t.Errorf("%v allocations a run, error %v", n, err)
	}
	if !e.numeric() {
		return
	}
	if n := testing.AllocsPerRun(20, add); n != 0 || err != nil {
		t.Errorf("adjoint: %v allocations a run, error %v", n, err)
	}
}

// parallelRuns is several times what a processor keeps of goroutines that have ended.
const parallelRuns = 400

// TestParallelRunsAllocateNothing is TestReuseAllocatesNothing above the size
// where goroutines share the work. One that starts on one processor and ends on another
// is made anew by the runtime, until the latter has 64 to give away: over so many
// runs less than one allocation a run is asked for.
func TestParallelRunsAllocateNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("sync.Pool is not itself under the race detector")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	rng := rand.New(rand.NewSource(1))
	for i, c := range largeCalls(rng) {
		for j, it := range []indexType{int64s, indexTypes[1], indexTypes[3]} {
			for k, l := range []layout.Layout{layout.RowMajor, layout.Transposed} {
				if (i+j+k)%2 > 0 || !turns.Of(3, j, i) || !turns.Case(2, i) {
					continue // another call has these indices in this layout
				}
				t.Run(fmt.Sprintf("%s %v %v %v", c.op, c.data, it, l), func(t *testing.T) {
					data := layout.Lay(l, counting(tensor.ProdInts(c.data)), 0, c.data...).Dense
					indices := it.lay(l, c.indices.Data, c.indices.Shape...).tensor()
					out, err := c.run(data, indices)
					if err != nil {
						t.Fatal(err)
					}
					reuse := dense.WithReuse(out)
					var run, add func()
					switch c.op {
					case "Gather":
						run = func() { _, err = dense.Gather(data, indices, c.axis, reuse) }
						add = func() { err = dense.AddGather(data, out, indices, c.axis) }
					case "GatherElements":
						run = func() { _, err = dense.GatherElements(data, indices, c.axis, reuse) }
						add = func() { err = dense.AddGatherElements(data, out, indices, c.axis) }
					case "GatherND":
						run = func() { _, err = dense.GatherND(data, indices, reuse) }
						add = func() { err = dense.AddGatherND(data, out, indices) }
					}
					if n := mallocs(parallelRuns, run); n >= 1 || err != nil {
						t.Errorf("%v allocations a run, error %v", n, err)
					}
					if n := mallocs(parallelRuns, add); n >= 1 || err != nil {
						t.Errorf("adjoint: %v allocations a run, error %v", n, err)
					}
				})
			}
		}
	}
}

// largeCalls are calls above the size where the work is shared, on int64.
func largeCalls(rng *rand.Rand) []*call {
	draw := func(limit int64, shape ...int) oracle.Array[int64] {
		a := oracle.New[int64](shape...)
		for i := range a.Data {
			a.Data[i] = rng.Int63n(2*limit) - limit
		}
		return a
	}
	return []*call{
		{op: "Gather", data: dims{700, 64}, indices: draw(700, 50, 30)},
		{op: "Gather", data: dims{41, 500, 7}, axis: 1, indices: draw(500, 130)},
		{op: "Gather", data: dims{300, 501}, axis: 1, indices: draw(501, 200)},
		{op: "GatherElements", data: dims{300, 301}, axis: 1, indices: draw(301, 300, 150)},
		{op: "GatherElements", data: dims{60, 35, 20}, axis: 1, indices: draw(35, 60, 40, 20)},
		{op: "GatherElements", data: dims{30, 2000}, axis: 0, indices: draw(30, 30, 2000)},
		{op: "GatherND", data: dims{30, 40, 50}, indices: draw(30, 30, 40, 2)},
		{op: "GatherND", data: dims{40, 50, 30}, indices: draw(30, 200, 300, 3)},
	}
}

// TestReuseRefused gives destinations that a result cannot be written to.
func TestReuseRefused(t *testing.T) {
	shared := upTo(1, 4, 4)
	view := func(rows ...tensor.Slice) *tensor.Dense {
		v, err := shared.Slice(rows...)
		must(err)
		return v.(*tensor.Dense)
	}
	upper, lower := view(tensor.S(0, 2)), view(tensor.S(2, 4))
	numbers, narrow := make([]int64, 12), make([]int16, 6)
	someIndices := tensor.New(tensor.WithShape(2, 4), tensor.WithBacking(numbers[2:10]))
	for _, c := range []struct {
		name          string
		data, indices *tensor.Dense
		dst           *tensor.Dense
		err           error
		text          string
	}{
		{"another dtype", upTo(1, 2, 4), index(1, 0), values(dims{2, 4}, make([]float32, 8)...),
			dense.ErrDtype, "Gather: dst has dtype float32, the result float64"},
		{"another shape of the same size", upTo(1, 2, 4), index(1, 0), upTo(0, 4, 2),
			dense.ErrShape, "Gather: dst has shape (4, 2), the result (2, 4)"},
		{"another rank", upTo(1, 2, 4), index(1, 0), upTo(0, 2, 4, 1),
			dense.ErrShape, "Gather: dst has shape (2, 4, 1), the result (2, 4)"},
		{"a column for a vector", upTo(1, 3), index(1, 0), upTo(0, 2, 1),
			dense.ErrShape, "Gather: dst has shape (2, 1), the result (2)"},
		{"data itself", shared, index(0, 1, 2, 3), shared,
			dense.ErrLayout, "Gather: dst overlaps data in memory"},
		{"a part of data", shared, index(0, 1), lower,
			dense.ErrLayout, "Gather: dst overlaps data in memory"},
		{"columns between those of data", view(nil, tensor.S(0, 2)), index(0, 1, 2, 3), view(nil, tensor.S(2, 4)),
			dense.ErrLayout, "Gather: dst overlaps data in memory; all from a tensor's first element to its last counts as its memory"},
		{"the indices", index(7, 8, 9, 10), someIndices, tensor.New(tensor.WithShape(2, 4), tensor.WithBacking(numbers[4:12])),
			dense.ErrLayout, "Gather: dst overlaps indices in memory"},
		{"indices that are converted", values(dims{4}, int16(7), 8, 9, 10), tensor.New(tensor.WithShape(4), tensor.WithBacking(narrow[:4])),
			tensor.New(tensor.WithShape(4), tensor.WithBacking(narrow[2:])),
			dense.ErrLayout, "Gather: dst overlaps indices in memory"},
		{"another part of the same tensor", upper, index(1, 0), lower, nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := dense.Gather(c.data, c.indices, 0, dense.WithReuse(c.dst))
			if c.err == nil {
				if err != nil || got != c.dst {
					t.Errorf("got %p, %v, want %p", got, err, c.dst)
				}
				return
			}
			if !errors.Is(err, c.err) || err.Error() != c.text || got != nil {
				t.Errorf("error\n%v, want\n%s", err, c.text)
			}
		})
	}
}

// TestAddOverlap gives adjoints a dst that shares memory with what they read.
func TestAddOverlap(t *testing.T) {
	numbers := make([]int64, 20)
	at := func(from int, shape ...int) *tensor.Dense {
		return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(numbers[from:from+tensor.ProdInts(shape)]))
	}
	columns := func(from int) *tensor.Dense {
		v, err := at(0, 3, 4).Slice(nil, tensor.S(from, 4, 2))
		must(err)
		return v.(*tensor.Dense)
	}
	for _, c := range []struct {
		name                  string
		dst, updates, indices *tensor.Dense
		text                  string
	}{
		{"updates", at(0, 4), at(3, 4), index(0, 1, 2, 3), "AddGather: dst overlaps updates in memory"},
		{"indices", at(4, 4), at(10, 5), at(0, 5), "AddGather: dst overlaps indices in memory"},
		{"columns between those of updates", columns(0), columns(1), index(0, 1, 2), "AddGather: dst overlaps updates in memory; all from a tensor's first element to its last counts as its memory"},
		{"side by side", at(0, 4), at(4, 4), at(8, 4), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := dense.AddGather(c.dst, c.updates, c.indices, 0)
			if overlap := c.text != ""; overlap != errors.Is(err, dense.ErrLayout) || overlap && err.Error() != c.text || !overlap && err != nil {
				t.Errorf("error %v, want %q", err, c.text)
			}
		})
	}
}
