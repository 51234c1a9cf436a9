package kernel

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/race"
)

// TestPacedLoops runs the paced loops as they are, on runs of every length up to some
// steps, with one target twice in a row, items in any order, and the ends of data.
func TestPacedLoops(t *testing.T) {
	if race.Enabled {
		t.Skip("the loops run in one goroutine")
	}
	const size = 23
	rng := rand.New(rand.NewPCG(7, 8))
	for _, impl := range Implementations {
		for n := range 40 {
			offsets, places := make([]int64, n+1), make([]int64, n+1)
			run := func(name string, width int, draw func(mem []byte), paced, inGo func(data, items *byte, at []int64)) {
				t.Helper()
				for i := range n {
					offsets[i] = int64([]int{rng.IntN(size), 0, size - 1}[rng.IntN(3)] * width)
					places[i] = int64(rng.IntN(n))
				}
				data, items := newGuarded(size*width, 16+n%3), newGuarded(n*width, 32+n%5)
				draw(data.mem)
				draw(items.mem)
				wantData, wantItems := bytes.Clone(data.mem), bytes.Clone(items.mem)
				paced(pointer(data.mem), pointer(items.mem), offsets)
				inGo(pointer(wantData), pointer(wantItems), offsets)
				if !bytes.Equal(data.mem, wantData) || !bytes.Equal(items.mem, wantItems) {
					t.Errorf("%s: %s, %d items: wrong values", impl.Name, name, n)
				}
				data.check(t, name)
				items.check(t, name)
			}
			for l, loop := range impl.copyPaced {
				if loop == nil {
					continue
				}
				width := 1 << l
				copies := func(loop rowLoop) func(data, items *byte, at []int64) {
					return func(data, items *byte, at []int64) { loop(data, items, &at[0], n, width, width, 0) }
				}
				run(fmt.Sprintf("%d bytes", width), width, func(mem []byte) {
					for i := range mem {
						mem[i] = byte(rng.Uint32())
					}
				}, copies(loop), copies(inGo.copyOffset[l]))
			}
			for kind := num.Kind(0); kind < num.Kinds; kind++ {
				for r := range num.Reductions {
					loop, w := impl.combine[kind][r].paced, kind.Width()
					if loop == nil {
						continue
					}
					combines := func(loop addLoop) func(data, items *byte, at []int64) {
						return func(data, items *byte, at []int64) { loop(data, items, &at[0], &places[0], n, w, w, 0) }
					}
					run(fmt.Sprintf("kind %d, reduction %d", kind, r), w, func(mem []byte) { drawSmall(rng, kind, mem) },
						combines(loop), combines(inGo.combine[kind][r].offset))
				}
			}
		}
	}
}

// drawSmall fills memory with numbers of the kind, none of which is NaN: of two, Go's
// loops may keep either.
func drawSmall(rng *rand.Rand, kind num.Kind, mem []byte) {
	for w := kind.Width(); len(mem) > 0; mem = mem[w:] {
		small := rng.IntN(200) - 100
		switch kind {
		case num.Float32:
			num.As[float32](mem[:w])[0] = float32(small) / 8
		case num.Float64:
			num.As[float64](mem[:w])[0] = float64(small) / 8
		case num.Float16:
			num.As[uint16](mem[:w])[0] = float16From32(float32(small) / 8)
		case num.BFloat16:
			num.As[uint16](mem[:w])[0] = bfloat16From32(float32(small) / 8)
		default:
			for i := range w {
				mem[i] = byte(rng.Uint32())
			}
		}
	}
}

// TestTrial shows that a gather of far elements goes on by the loop that was the faster
// one, which is the other one as soon as that changes.
func TestTrial(t *testing.T) {
	const blocks, n = 8 * resolved / 4, 4
	f := farCase{width: 4, blocks: blocks, n: n, batch: blocks, bad: -1}
	idx, _ := f.indices(rand.New(rand.NewPCG(1, 2)))
	data, items := make([]byte, blocks*f.span()*f.width), make([]byte, blocks*n*f.width)
	for _, s := range []struct {
		paced, far int64 // what each takes
		want       string
	}{{5, 9, "pfpppppp"}, {9, 5, "pfffffff"}, {0, 0, "pfpppppp"}} {
		now, order := int64(0), ""
		impl := *Implementations[len(Implementations)-1]
		loop := func(name string, takes int64) rowLoop {
			return func(data, items *byte, offsets *int64, n, bytes, step, distance int) {
				order += name
				now += takes * int64(n)
			}
		}
		impl.copyPaced[log2(4)], impl.copyFar[log2(4)] = loop("p", s.paced), loop("f", s.far)
		impl.ticks = func() int64 { return now }
		restore, all := Use(&impl), par.UseCores(1)
		c := f.call(data, items, idx)
		c.Gather(4)
		c.Put()
		all()
		restore()
		if order != s.want {
			t.Errorf("%d and %d ticks: the loops are %s, want %s", s.paced, s.far, order, s.want)
		}
	}
}
