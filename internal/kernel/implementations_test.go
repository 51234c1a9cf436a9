package kernel

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"

	"gorgonia.org/gather/internal/memtest"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/simd"
	"gorgonia.org/gather/internal/turns"
)

// counted is the implementation with a count of the calls of its loops over rows
// and items.
func counted(i *simd.Implementation) (*simd.Implementation, *atomic.Int64) {
	calls := new(atomic.Int64)
	return watched(i, func(loop string, _, _ int) {
		calls.Add(1)
	}), calls
}

// watched is the implementation with a look at each call of its loops: at how
// many rows, items or indices it is for, and how many bytes.
func watched(i *simd.Implementation, look func(loop string, n, bytes int)) *simd.Implementation {
	rows := func(name string, loop simd.GatherLoop) simd.GatherLoop {
		if loop == nil {
			return nil
		}
		return func(data, items *byte, offsets *int64, n, bytes, step, distance int) {
			look(name, n, n*bytes)
			loop(data, items, offsets, n, bytes, step, distance)
		}
	}
	c := *i
	c.CopyRows = rows("copyRow", i.CopyRows)
	for k := range c.CopyOffsets {
		c.CopyOffsets[k] = rows("copyOffset", i.CopyOffsets[k])
	}
	add := func(name string, loop simd.ScatterLoop) simd.ScatterLoop {
		if loop == nil {
			return nil
		}
		return func(data, items *byte, offsets, places *int64, n, bytes, step, distance int) {
			look(name, n, n*bytes)
			loop(data, items, offsets, places, n, bytes, step, distance)
		}
	}
	c.SetRows = add("setRow", i.SetRows)
	for k := range c.SetOffsets {
		c.SetOffsets[k] = add("setOffset", i.SetOffsets[k])
	}
	for kind, loops := range i.Means {
		if loops == nil {
			continue
		}
		m := *loops
		m.Quotients = func(to, counts *byte, n, more int) {
			look("quotients", 1, n*num.Kind(kind).Width())
			loops.Quotients(to, counts, n, more)
		}
		m.Rows = rows("quotientRows", loops.Rows)
		c.Means[kind] = &m
	}
	items := func(name string, pair simd.ItemLoops) (all simd.ItemLoops) {
		for i, loop := range pair {
			if loop != nil {
				all[i] = func(data, items, idx *byte, n, size, negativeOffset, stride, step int) int {
					look(name, n, 0)
					return loop(data, items, idx, n, size, negativeOffset, stride, step)
				}
			}
		}
		return all
	}
	lines := func(name string, pair simd.LineLoops) (all simd.LineLoops) {
		for i, loop := range pair {
			all[i] = func(data, items, idx *byte, l *simd.Line) int {
				look(name, 0, 0)
				return loop(data, items, idx, l)
			}
		}
		return all
	}
	for k := range c.CopyItems {
		c.CopyItems[k], c.SetItems[k] = items("copyItem", i.CopyItems[k]), items("setItem", i.SetItems[k])
		c.CopyLines[k], c.SetLines[k] = lines("copyItem", i.CopyLines[k]), lines("setItem", i.SetLines[k])
	}
	for k := range c.Combine {
		for r, loops := range i.Combine[k] {
			if loops.Rows == nil {
				continue
			}
			loops.Items, loops.Lines = items("combineItem", loops.Items), lines("combineItem", loops.Lines)
			loops.Rows, loops.Offsets = add("combineRow", loops.Rows), add("combineOffset", loops.Offsets)
			loops.FewItems, loops.FewRows = items("combineItem", loops.FewItems), add("combineOffset", loops.FewRows)
			loops.Same = add("combineOffset", loops.Same)
			c.Combine[k][r] = loops
		}
	}
	return &c
}

// eachImplementation runs a test under every implementation, and hands it the
// count of the calls of the implementation's loops.
func eachImplementation(t *testing.T, run func(t *testing.T, i *simd.Implementation, calls *atomic.Int64)) {
	for _, i := range simd.Implementations {
		memtest.Case(t, i.Name, func(t *testing.T) {
			c, calls := counted(i)
			defer simd.Use(c)()
			run(t, c, calls)
		})
	}
}

// inTurn runs a test under one implementation with one number of threads, of which every
// number of a case has others.
func inTurn(t *testing.T, number int, run func(t *testing.T)) {
	defer par.UseCores(8)()
	for i, impl := range simd.Implementations {
		for j, n := range threads {
			if turns.Of(len(threads)*len(simd.Implementations), i*len(threads)+j, number) {
				memtest.Case(t, fmt.Sprintf("%s, %d threads", impl.Name, n), func(t *testing.T) {
					defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(n))
					defer simd.Use(impl)()
					run(t)
				})
			}
		}
	}
}

// TestRowsOfEverySize copies rows of all sizes up to some vectors, from and to
// unaligned memory, with more tuples than are resolved at a time.
func TestRowsOfEverySize(t *testing.T) {
	const rows = 37
	eachImplementation(t, func(t *testing.T, impl *simd.Implementation, calls *atomic.Int64) {
		rng := rand.New(rand.NewPCG(1, 2))
		for row := 1; row <= 300; row++ {
			n := 1 + rng.IntN(40)
			if row%50 == 0 {
				n = 3*simd.OffsetsAtOnce + 5
			}
			calls.Store(0)
			data, items := newGuarded(rows*row, row%7), newGuarded(n*row, row%5)
			drawBytes(rng, data.mem)
			idx := make([]int32, n)
			for i := range idx {
				idx[i] = int32(rng.IntN(2*rows) - rows)
			}
			c := newCall()
			c.Data, c.Items, c.Idx, c.Idx32 = data.mem, items.mem, num.Bytes(idx), true
			c.Batch, c.Outer, c.N, c.Inner, c.Span = 1, 1, n, row, rows*row
			c.Axes = append(c.Axes, Axis{Size: rows, Stride: row})
			if bad := c.gather(1); bad >= 0 {
				t.Fatalf("row of %d bytes: index %d is bad", row, bad)
			}
			c.Put()
			for i, j := range idx {
				want := data.mem[(int(j)+rows)%rows*row:][:row]
				if got := items.mem[i*row:][:row]; !bytes.Equal(got, want) {
					t.Fatalf("row of %d bytes, %d of %d: got %v, want %v", row, i, n, got, want)
				}
			}
			items.check(t, fmt.Sprintf("items, row of %d bytes", row))
			data.check(t, "data")
			own := row >= impl.MinVectorBytes || simd.IsWord(row)
			if taken := calls.Load() > 0; taken != own {
				t.Fatalf("row of %d bytes: the implementation's own loop was used: %v", row, taken)
			}
		}
	})
}
