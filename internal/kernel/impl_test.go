package kernel

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"sync/atomic"
	"testing"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
)

// counted is the implementation with a count of the calls of its loops over rows
// and items.
func counted(i *Implementation) (*Implementation, *atomic.Int64) {
	calls := new(atomic.Int64)
	return watched(i, func(loop string, _, _ int) {
		if loop != "resolve" {
			calls.Add(1)
		}
	}), calls
}

// watched is the implementation with a look at each call of its loops: at how
// many rows, items or indices it is for, and how many bytes.
func watched(i *Implementation, look func(loop string, n, bytes int)) *Implementation {
	rows := func(name string, loop rowLoop) rowLoop {
		if loop == nil {
			return nil
		}
		return func(data, items *byte, offsets *int64, n, bytes, step, distance int) {
			look(name, n, n*bytes)
			loop(data, items, offsets, n, bytes, step, distance)
		}
	}
	c := *i
	c.copyRow, c.streamRow = rows("copyRow", i.copyRow), rows("streamRow", i.streamRow)
	for k := range c.copyOffset {
		c.copyOffset[k] = rows("copyOffset", i.copyOffset[k])
	}
	add := func(name string, loop addLoop) addLoop {
		if loop == nil {
			return nil
		}
		return func(data, items *byte, offsets, places *int64, n, bytes, step, distance int) {
			look(name, n, n*bytes)
			loop(data, items, offsets, places, n, bytes, step, distance)
		}
	}
	c.setRow = add("setRow", i.setRow)
	for k := range c.setOffset {
		c.setOffset[k] = add("setOffset", i.setOffset[k])
	}
	for kind, loops := range i.means {
		if loops == nil {
			continue
		}
		m := *loops
		m.quotients = func(to, old, counts *byte, n, more int) {
			look("quotients", 1, n*num.Kind(kind).Width())
			loops.quotients(to, old, counts, n, more)
		}
		m.rows = rows("quotientRows", loops.rows)
		c.means[kind] = &m
	}
	items := func(name string, pair itemLoops) itemLoops {
		if pair == nil {
			return nil
		}
		all := new([2]itemLoop)
		for i, loop := range pair {
			all[i] = func(data, items, idx *byte, n, size, lift, stride, step int) int {
				look(name, n, 0)
				return loop(data, items, idx, n, size, lift, stride, step)
			}
		}
		return all
	}
	for k := range c.copyItem {
		c.copyItem[k], c.setItem[k], c.fillItem[k] = items("copyItem", i.copyItem[k]), items("setItem", i.setItem[k]), items("fillItem", i.fillItem[k])
	}
	lines := func(name string, pair lineLoops) lineLoops {
		all := new([2]lineLoop)
		for i, loop := range pair {
			all[i] = func(data, items, idx *byte, lines, n, size, lift, apart int) int {
				look(name, lines*n, 0)
				return loop(data, items, idx, lines, n, size, lift, apart)
			}
		}
		return all
	}
	for k := range c.copyLines {
		c.copyLines[k], c.copyColumns[k] = lines("copyLines", i.copyLines[k]), lines("copyColumns", i.copyColumns[k])
	}
	for k := range c.combine {
		for r, loops := range i.combine[k] {
			loops.item = items("combineItem", loops.item)
			loops.row, loops.offset = add("combineRow", loops.row), add("combineOffset", loops.offset)
			c.combine[k][r] = loops
		}
	}
	vectors := *i.vectors
	c.vectors = &vectors
	for _, resolve := range []*func(offsets *int64, idx *byte, n, size, lift, stride, step int) int{&vectors.Resolve32, &vectors.Resolve64} {
		if loop := *resolve; loop != nil {
			*resolve = func(offsets *int64, idx *byte, n, size, lift, stride, step int) int {
				look("resolve", n, 0)
				return loop(offsets, idx, n, size, lift, stride, step)
			}
		}
	}
	if loop := i.stream; loop != nil {
		c.stream = func(to, from *byte, lines int) {
			look("stream", 1, lines*simd.CacheLine)
			loop(to, from, lines)
		}
	}
	return &c
}

// TestAssemblyIsInstalled shows that the loops whose calls are counted elsewhere
// are not Go's under the name of another implementation.
func TestAssemblyIsInstalled(t *testing.T) {
	for _, i := range Implementations[1:] {
		if i.vectors.Resolve32 == nil || i.vectors.Resolve64 == nil || i.streamRow == nil || i.stream == nil {
			t.Errorf("%s: a loop is missing", i.Name)
		}
		for name, loops := range map[string][2]any{
			"rows":           {i.copyRow, inGo.copyRow},
			"setting rows":   {i.setRow, inGo.setRow},
			"means, float32": {i.means[num.Float32].quotients, inGo.means[num.Float32].quotients},
			"means, float64": {i.means[num.Float64].quotients, inGo.means[num.Float64].quotients},
			"adding float32": {i.combine[num.Float32][num.Add].row, inGo.combine[num.Float32][num.Add].row},
			"adding float64": {i.combine[num.Float64][num.Add].row, inGo.combine[num.Float64][num.Add].row},
			"float32, far":   {i.combine[num.Float32][num.Add].offset, inGo.combine[num.Float32][num.Add].offset},
			"float64, far":   {i.combine[num.Float64][num.Add].offset, inGo.combine[num.Float64][num.Add].offset},
		} {
			if reflect.ValueOf(loops[0]).Pointer() == reflect.ValueOf(loops[1]).Pointer() {
				t.Errorf("%s: the loop for %s is Go's", i.Name, name)
			}
		}
		for l := range 4 {
			for name, loops := range map[string][2]any{
				" columns, int32": {i.copyColumns[l][0], inGo.copyColumns[l][0]},
				" columns, int64": {i.copyColumns[l][1], inGo.copyColumns[l][1]},
				" lines, int32":   {i.copyLines[l][0], inGo.copyLines[l][0]},
				" lines, int64":   {i.copyLines[l][1], inGo.copyLines[l][1]},
			} {
				if reflect.ValueOf(loops[0]).Pointer() == reflect.ValueOf(loops[1]).Pointer() {
					t.Errorf("%s: the loop for %d bytes%s is Go's", i.Name, 1<<l, name)
				}
			}
		}
	}
}

// eachImplementation runs a test under every implementation, and hands it the
// count of the calls of the implementation's loops.
func eachImplementation(t *testing.T, run func(t *testing.T, i *Implementation, calls *atomic.Int64)) {
	for _, i := range Implementations {
		t.Run(i.Name, func(t *testing.T) {
			c, calls := counted(i)
			defer Use(c)()
			run(t, c, calls)
		})
	}
}

// TestRowsOfEverySize copies rows of all sizes up to some vectors, from and to
// unaligned memory, with more tuples than are resolved at a time.
func TestRowsOfEverySize(t *testing.T) {
	const rows = 37
	eachImplementation(t, func(t *testing.T, impl *Implementation, calls *atomic.Int64) {
		rng := rand.New(rand.NewPCG(1, 2))
		for row := 1; row <= 300; row++ {
			n := 1 + rng.IntN(40)
			if row%50 == 0 {
				n = 3*simd.OffsetsAtOnce + 5
			}
			calls.Store(0)
			data, items := newGuarded(rows*row, row%7), newGuarded(n*row, row%5)
			for i := range data.mem {
				data.mem[i] = byte(rng.Uint32())
			}
			idx := make([]int32, n)
			for i := range idx {
				idx[i] = int32(rng.IntN(2*rows) - rows)
			}
			c := Get()
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
			own := row >= impl.minVectorBytes || IsWord(row)
			if taken := calls.Load() > 0; taken != own {
				t.Fatalf("row of %d bytes: the implementation's own loop was used: %v", row, taken)
			}
		}
	})
}
