package kernel

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"sync/atomic"
	"testing"

	"gorgonia.org/gather/internal/num"
)

// guarded is memory with a canary on both sides, which no kernel may touch.
// Neither -race nor the garbage collector would see assembly that does.
type guarded struct{ all, mem []byte }

const (
	guard  = 128 // more than the longest vector
	canary = 0xA5
)

// newGuarded starts the memory at an odd place, so that no vector is aligned.
func newGuarded(n, odd int) guarded {
	all := bytes.Repeat([]byte{canary}, guard+odd+n+guard)
	return guarded{all, all[guard+odd:][:n:n]}
}

func (g guarded) check(t *testing.T, what string) {
	t.Helper()
	start := len(g.all) - guard - len(g.mem)
	for _, side := range [][2]int{{0, start}, {start + len(g.mem), len(g.all)}} {
		for i := side[0]; i < side[1]; i++ {
			if g.all[i] != canary {
				t.Fatalf("%s: the byte at %d, outside of the memory of %d bytes, was written", what, i-start, len(g.mem))
			}
		}
	}
}

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
		c.copyOffset[k], c.copyFar[k] = rows("copyOffset", i.copyOffset[k]), rows("copyFar", i.copyFar[k])
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
	for k := range c.setFar {
		c.setFar[k] = add("setFar", i.setFar[k])
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
	for k := range c.combine {
		for r, loops := range i.combine[k] {
			loops.item, loops.unset = items("combineItem", loops.item), items("combineUnset", loops.unset)
			loops.row, loops.offset = add("combineRow", loops.row), add("combineOffset", loops.offset)
			c.combine[k][r] = loops
		}
	}
	for _, resolve := range []*func(offsets *int64, idx *byte, n, size, lift, stride, step int) int{&c.resolve32, &c.resolve64} {
		if loop := *resolve; loop != nil {
			*resolve = func(offsets *int64, idx *byte, n, size, lift, stride, step int) int {
				look("resolve", n, 0)
				return loop(offsets, idx, n, size, lift, stride, step)
			}
		}
	}
	return &c
}

// TestAssemblyIsInstalled shows that the loops whose calls are counted elsewhere
// are not Go's under the name of another implementation.
func TestAssemblyIsInstalled(t *testing.T) {
	for _, i := range Implementations[1:] {
		if i.resolve32 == nil || i.resolve64 == nil || i.streamRow == nil {
			t.Errorf("%s: a loop is missing", i.Name)
		}
		for name, loops := range map[string][2]any{
			"rows":           {i.copyRow, inGo.copyRow},
			"setting rows":   {i.setRow, inGo.setRow},
			"4 bytes, set":   {i.setFar[2], inGo.setFar[2]},
			"8 bytes, set":   {i.setFar[3], inGo.setFar[3]},
			"means, float32": {i.means[num.Float32].quotients, inGo.means[num.Float32].quotients},
			"means, float64": {i.means[num.Float64].quotients, inGo.means[num.Float64].quotients},
			"adding float32": {i.combine[num.Float32][num.Add].row, inGo.combine[num.Float32][num.Add].row},
			"adding float64": {i.combine[num.Float64][num.Add].row, inGo.combine[num.Float64][num.Add].row},
			"4 bytes":        {i.copyOffset[2], inGo.copyOffset[2]},
			"8 bytes":        {i.copyOffset[3], inGo.copyOffset[3]},
			"4 bytes, far":   {i.copyFar[2], inGo.copyFar[2]},
			"8 bytes, far":   {i.copyFar[3], inGo.copyFar[3]},
			"16 bytes, far":  {i.copyFar[4], inGo.copyFar[4]},
			"float32, far":   {i.combine[num.Float32][num.Add].offset, inGo.combine[num.Float32][num.Add].offset},
			"float64, far":   {i.combine[num.Float64][num.Add].offset, inGo.combine[num.Float64][num.Add].offset},
			"4 bytes, int32": {i.copyItem[2][0], inGo.copyItem[2][0]},
			"4 bytes, int64": {i.copyItem[2][1], inGo.copyItem[2][1]},
			"8 bytes, int32": {i.copyItem[3][0], inGo.copyItem[3][0]},
			"8 bytes, int64": {i.copyItem[3][1], inGo.copyItem[3][1]},
			"float32, int32": {i.combine[num.Float32][num.Add].item[0], inGo.combine[num.Float32][num.Add].item[0]},
			"float32, int64": {i.combine[num.Float32][num.Add].item[1], inGo.combine[num.Float32][num.Add].item[1]},
			"float64, int32": {i.combine[num.Float64][num.Add].item[0], inGo.combine[num.Float64][num.Add].item[0]},
			"float64, int64": {i.combine[num.Float64][num.Add].item[1], inGo.combine[num.Float64][num.Add].item[1]},
		} {
			if reflect.ValueOf(loops[0]).Pointer() == reflect.ValueOf(loops[1]).Pointer() {
				t.Errorf("%s: the loop for %s is Go's", i.Name, name)
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
				n = 3*resolved + 5
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
			if bad := c.Gather(1); bad >= 0 {
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
			own := row >= impl.minVectorBytes || n >= itemRun && IsWord(row)
			if taken := calls.Load() > 0; taken != own {
				t.Fatalf("row of %d bytes: the implementation's own loop was used: %v", row, taken)
			}
		}
	})
}

// TestAddRows sums rows of floats of every length, with many duplicates, and
// demands the same bits of every implementation: those of a loop written here.
func TestAddRows(t *testing.T) {
	addRows(t, num.Float32, func(rng *rand.Rand) float32 { return float32(rng.NormFloat64()) })
	addRows(t, num.Float64, func(rng *rand.Rand) float64 { return rng.NormFloat64() })
}

func addRows[T float32 | float64](t *testing.T, kind num.Kind, draw func(*rand.Rand) T) {
	const rows = 11
	eachImplementation(t, func(t *testing.T, impl *Implementation, calls *atomic.Int64) {
		rng := rand.New(rand.NewPCG(3, 4))
		for inner := 2; inner <= 80; inner++ {
			n := 1 + rng.IntN(100)
			if inner%20 == 0 {
				n = 2*resolved + 3
			}
			calls.Store(0)
			size := len(num.Bytes([]T{0}))
			data, items := newGuarded(rows*inner*size, 4*(inner%3)), newGuarded(n*inner*size, 4*(inner%2))
			for _, mem := range [][]byte{data.mem, items.mem} {
				for i := range num.As[T](mem) {
					num.As[T](mem)[i] = draw(rng)
				}
			}
			want := append([]T(nil), num.As[T](data.mem)...)
			idx := make([]int64, n)
			for i := range idx {
				idx[i] = int64(rng.IntN(rows))
				for c, u := range num.As[T](items.mem)[i*inner:][:inner] {
					want[int(idx[i])*inner+c] += u
				}
			}
			c := Get()
			c.Data, c.Items, c.Idx = data.mem, items.mem, num.Bytes(idx)
			c.Batch, c.Outer, c.N, c.Inner, c.Span = 1, 1, n, inner, rows*inner
			c.Axes = append(c.Axes, Axis{Size: rows, Stride: inner})
			if bad := c.Reduce(kind, num.Add); bad >= 0 {
				t.Fatalf("index %d is bad", bad)
			}
			c.Put()
			if !bytes.Equal(data.mem, num.Bytes(want)) {
				t.Fatalf("%d columns: got %v, want %v", inner, num.As[T](data.mem), want)
			}
			data.check(t, "data")
			items.check(t, "items")
			if calls.Load() == 0 {
				t.Fatal("the implementation's own loop was not used")
			}
		}
	})
}

// TestOffsets turns tuples of one to five components into offsets, and finds
// the first bad component wherever it is.
func TestOffsets(t *testing.T) {
	sizes, strides := []int{3, 4, 5, 6, 7}, []int{840, 210, 42, 7, 1}
	for k := 1; k <= len(sizes); k++ {
		c := Get()
		for i := range k {
			c.Axes = append(c.Axes, Axis{Size: sizes[i], Stride: strides[i]})
		}
		const tuples = 9
		idx := make([]int64, tuples*k)
		want := make([]int64, tuples)
		for t := range tuples {
			for i := range k {
				j := (5*t + 3*i) % (2 * sizes[i])
				want[t] += int64(j % sizes[i] * strides[i])
				idx[t*k+i] = int64(j % sizes[i])
				if j >= sizes[i] { // the same place, from the end
					idx[t*k+i] -= int64(sizes[i])
				}
			}
		}
		got := make([]int64, tuples)
		if n, _ := offsets(c, got, idx, 1); n != tuples {
			t.Fatalf("k = %d: only %d tuples of %v are good", k, n, idx)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("k = %d: offsets %v, want %v", k, got, want)
			}
		}
		for place := range idx {
			for _, v := range []int64{int64(sizes[place%k]), int64(-sizes[place%k] - 1), math.MinInt64, math.MaxInt64, 1 << 32} {
				spoiled := append([]int64(nil), idx...)
				spoiled[place] = v
				if n, bad := offsets(c, got, spoiled, 1); n*k+bad != place {
					t.Errorf("k = %d: %d at %d is found at %d", k, v, place, n*k+bad)
				}
			}
		}
		c.Put()
	}
}
