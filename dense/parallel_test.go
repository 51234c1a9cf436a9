package dense_test

import (
	"errors"
	"fmt"
	"math/rand"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"testing"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/layout"
	"gorgonia.org/gather/internal/memtest"
	"gorgonia.org/gather/internal/oracle"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/race"
	"gorgonia.org/gather/internal/turns"
	"gorgonia.org/tensor"
)

// threads are numbers of goroutines to share the work between.
var threads = []int{1, 2, 3, 8}

// onThreads runs f under each number of threads.
func onThreads(t *testing.T, f func(t *testing.T)) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	defer par.UseCores(8)()
	for _, n := range threads {
		if race.Enabled && n == 2 {
			continue // it is slow, and three goroutines race as well
		}
		runtime.GOMAXPROCS(n)
		memtest.Case(t, fmt.Sprintf("%d threads", n), f)
	}
}

// TestLargeCalls compares calls that are shared between goroutines with the
// oracle, values and memory around them.
func TestLargeCalls(t *testing.T) {
	calls := largeCalls(rand.New(rand.NewSource(2)))
	onThreads(t, func(t *testing.T) {
		for i, c := range calls {
			c.indexType, c.reuse = indexTypes[i%2], true
			for j, d := range []dtype{dtypeNamed("float32"), dtypeNamed("int8"), dtypeNamed("a struct of 12 bytes"), dtypeNamed("string")} {
				if j > 0 && (j != i%3+1 || race.Enabled) || !turns.Case(2, i+runtime.GOMAXPROCS(0)) {
					continue // the oracle is slow
				}
				c.in, c.at, c.out = layout.All[(i+j)%2*2], layout.All[(i+j)%3], layout.All[i%2*7]
				if err := d.gather(c); err != nil {
					t.Fatalf("%s %v of %v: %.500v", c.op, c.data, d, err)
				}
			}
		}
	})
}

// sums makes a function that runs AddGather… of the call, each time onto the
// same random numbers, and gives all memory of dst.
func sums[T any](t *testing.T, c *call, l layout.Layout, of func(*rand.Rand) T) func() []T {
	t.Helper()
	rng := rand.New(rand.NewSource(3))
	draw := func(n int) []T {
		values := make([]T, n)
		for i := range values {
			values[i] = of(rng)
		}
		return values
	}
	indices := c.indexType.lay(l, c.indices.Data, c.indices.Shape...).tensor()
	out, err := c.run(upTo(1, c.data...), indices)
	if err != nil {
		t.Fatal(err)
	}
	var junk T
	dst := layout.Lay(l, draw(tensor.ProdInts(c.data)), junk, c.data...)
	updates := layout.Lay(l, draw(tensor.ProdInts(out.Shape())), junk, out.Shape()...)
	return func() []T {
		dst.Restore()
		if err := c.runAdd(dst.Dense, updates.Dense, indices); err != nil {
			t.Error(err)
		}
		return dst.Memory
	}
}

// TestSumsDoNotDependOnThreads adds many updates to few elements, so that the
// order of addition shows in the last bits.
func TestSumsDoNotDependOnThreads(t *testing.T) {
	few := func(limit int64, shape ...int) oracle.Array[int64] {
		rng := rand.New(rand.NewSource(4))
		a := oracle.New[int64](shape...)
		for i := range a.Data {
			a.Data[i] = rng.Int63n(limit)
		}
		return a
	}
	for _, c := range []*call{
		{op: "Gather", data: dims{5, 300}, axis: 0, indices: few(3, 1000)},
		{op: "Gather", data: dims{40, 6}, axis: 1, indices: few(3, 9000)},
		{op: "Gather", data: dims{30, 6, 3}, axis: 1, batchDims: 1, indices: few(3, 30, 4000)},
		{op: "Gather", data: dims{6}, axis: 0, indices: few(3, 100000)},
		{op: "GatherElements", data: dims{50, 7}, axis: 1, indices: few(3, 50, 5000)},
		{op: "GatherElements", data: dims{7, 200}, axis: 0, indices: few(3, 1000, 200)},
		{op: "GatherElements", data: dims{3, 7, 20}, axis: 1, indices: few(3, 3, 2000, 20)},
		{op: "GatherND", data: dims{5, 6, 100}, indices: few(3, 2000, 2)},
		{op: "GatherND", data: dims{20, 6}, batchDims: 1, indices: few(3, 20, 9000, 1)},
	} {
		t.Run(fmt.Sprintf("%s %v", c.op, c.data), func(t *testing.T) {
			c.indexType = int64s
			for _, l := range []layout.Layout{layout.RowMajor, layout.Transposed} {
				normal := func(rng *rand.Rand) float32 { return float32(rng.NormFloat64()) }
				singles := sums(t, c, l, normal)
				pairs := sums(t, c, l, func(rng *rand.Rand) complex64 { return complex(normal(rng), normal(rng)) })
				var first []float32
				var firstPairs []complex64
				onThreads(t, func(t *testing.T) {
					if first == nil {
						first, firstPairs = slices.Clone(singles()), slices.Clone(pairs())
						return
					}
					if !layout.Identical(singles(), first) || !layout.Identical(pairs(), firstPairs) {
						t.Error("other bits than with one thread")
					}
				})
			}
		})
	}
}

// TestFirstBadIndexOfMany puts bad indices far apart, so that goroutines find
// different ones: the first in row-major order is reported.
func TestFirstBadIndexOfMany(t *testing.T) {
	calls := largeCalls(rand.New(rand.NewSource(5)))
	rng := rand.New(rand.NewSource(6))
	onThreads(t, func(t *testing.T) {
		for _, c := range calls {
			c := *c
			c.indexType = int64s
			for range max(1, runs(5)) {
				c.indices = c.indices.Clone()
				n, first := len(c.indices.Data), 0
				for _, place := range []int{rng.Intn(n), rng.Intn(n), rng.Intn(n), n - 1} {
					c.indices.Data[place] = 1 << 40
				}
				for c.indices.Data[first] != 1<<40 {
					first++
				}
				position := make([]int, len(c.indices.Shape))
				for axis, rest := len(position)-1, first; axis >= 0; axis-- {
					position[axis] = rest % c.indices.Shape[axis]
					rest /= c.indices.Shape[axis]
				}
				axis := c.addressed(position)
				want := &dense.IndexError{Op: c.op, Position: position, Index: 1 << 40, Axis: axis, Size: c.data[axis]}
				for _, l := range []layout.Layout{layout.RowMajor, layout.Transposed} {
					data := layout.Lay(l, counting(tensor.ProdInts(c.data)), 0, c.data...).Dense
					_, err := c.run(data, int64s.lay(layout.RowMajor, c.indices.Data, c.indices.Shape...).tensor())
					var bad *dense.IndexError
					if !errors.As(err, &bad) || !reflect.DeepEqual(bad, want) {
						t.Errorf("%s %v: error %v, want %v", c.op, c.data, err, want)
					}
				}
			}
		}
	})
}

// TestSharedInputs runs all operators in several goroutines on the same inputs.
// Its point is the race detector.
func TestSharedInputs(t *testing.T) {
	data, points := upTo(1, 40, 30), values(dims{40, 30}, make([]point, 1200)...)
	narrow := values(dims{40, 2}, make([]int8, 80)...) // converted, into memory from a pool
	strided := int64s.lay(layout.EverySecond, make([]int64, 80), 40, 2).tensor()
	want := map[string][]float64{}
	for _, op := range operators {
		out, err := (&call{op: op}).run(data, narrow)
		if err != nil {
			t.Fatal(err)
		}
		want[op] = packed[float64](out)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 10 {
				for _, op := range operators {
					c := &call{op: op}
					for _, indices := range []*tensor.Dense{narrow, strided} {
						out, err := c.run(data, indices)
						if err != nil {
							t.Error(err)
							return
						}
						if err := difference(packed[float64](out), want[op]); err != nil {
							t.Errorf("%s: %v", op, err)
						}
						if err := c.runAdd(upTo(0, 40, 30), out, indices); err != nil {
							t.Error(err)
						}
						if _, err := c.run(points, indices); err != nil {
							t.Error(err)
						}
					}
				}
			}
		}()
	}
	wg.Wait()
}

// TestDstOverlapsItself writes to a tensor all of whose elements are one: which of the results it
// holds then does not depend on the number of threads.
func TestDstOverlapsItself(t *testing.T) {
	const n = 200_000
	numbers := make([]int64, n)
	for i := range numbers {
		numbers[i] = int64(i)
	}
	all := tensor.New(tensor.WithBacking(numbers))
	pairs := tensor.New(tensor.WithShape(n/2, 2), tensor.WithBacking(numbers))
	half := tensor.New(tensor.WithBacking(numbers[:n/2]))
	indices := tensor.New(tensor.WithShape(n, 1), tensor.WithBacking(numbers))
	calls := map[string]func(dst, rows *tensor.Dense) error{
		"Gather": func(dst, _ *tensor.Dense) error {
			_, err := dense.Gather(all, all, 0, dense.WithReuse(dst))
			return err
		},
		"Gather of rows": func(_, rows *tensor.Dense) error {
			_, err := dense.Gather(pairs, half, 0, dense.WithReuse(rows))
			return err
		},
		"GatherElements": func(dst, _ *tensor.Dense) error {
			_, err := dense.GatherElements(all, all, 0, dense.WithReuse(dst))
			return err
		},
		"SegmentSum": func(dst, _ *tensor.Dense) error {
			_, err := dense.SegmentSum(all, all, n, dense.WithReuse(dst))
			return err
		},
		"ScatterND": func(dst, _ *tensor.Dense) error {
			_, err := dense.ScatterND(all, indices, all, dense.WithReduction(dense.Add), dense.WithReuse(dst))
			return err
		},
	}
	for name, run := range calls {
		var want [2]int64
		first := true
		onThreads(t, func(t *testing.T) {
			for range 5 {
				mem := []int64{7, 7}
				dst, rows := tensor.New(tensor.WithBacking(mem[:1])), tensor.New(tensor.WithShape(1, 2), tensor.WithBacking(mem))
				dst.Info().Init(tensor.Shape{n}, []int{0})
				rows.Info().Init(tensor.Shape{n / 2, 2}, []int{0, 1})
				if err := run(dst, rows); err != nil {
					t.Fatal(err)
				}
				if got := [2]int64(mem); first {
					want, first = got, false
				} else if got != want {
					t.Errorf("%s: %d, with other threads %d", name, got, want)
				}
			}
		})
	}
}
