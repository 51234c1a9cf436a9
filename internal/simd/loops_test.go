package simd_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gorgonia.org/gather/internal/memtest"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/race"
	"gorgonia.org/gather/internal/simd"
	"gorgonia.org/gather/internal/turns"
)

const size = 7 // of the axis, or rows of data

// small is guarded memory of bytes that are small in any kind, and no NaN.
func small(rng *rand.Rand, n, width int) memtest.Guarded {
	mem := make([]byte, n)
	for i := range mem {
		mem[i] = byte(rng.IntN(64))
	}
	if width == 16 {
		return memtest.Copy(num.As[[16]byte](mem), rng)
	}
	return memtest.Copy(mem, rng)
}

// spoiled are n indices of both signs, with one out of range at a place, or none at -1.
func spoiled(rng *rand.Rand, n, bad int) (all []int64, packed [2][]byte) {
	idx32 := make([]int32, n)
	for i := range idx32 {
		if idx32[i] = int32(rng.IntN(2*size) - size); i == bad {
			idx32[i] = []int32{size, -size - 1, math.MaxInt32, math.MinInt32}[rng.IntN(4)]
		}
		all = append(all, int64(idx32[i]))
	}
	return all, [2][]byte{num.Bytes(idx32), num.Bytes(all)}
}

// elementLoops are the loops over single elements, of lines and of contiguous items, of an
// implementation, and what each does to one element.
func elementLoops(impl *simd.Implementation, test func(name string, lines simd.LineLoops, items simd.ItemLoops, width int, one func(target, item []byte), clears bool)) {
	for l := range impl.CopyLines {
		test(fmt.Sprintf("copying %d bytes", 1<<l), impl.CopyLines[l], impl.CopyItems[l], 1<<l, func(target, item []byte) { copy(item, target) }, true)
		test(fmt.Sprintf("setting %d bytes", 1<<l), impl.SetLines[l], impl.SetItems[l], 1<<l, func(target, item []byte) { copy(target, item) }, false)
	}
	for kind := num.Kind(0); kind < num.Kinds; kind++ {
		for r := range num.Reductions {
			if loops := impl.Combine[kind][r]; loops.Rows != nil {
				rows, name := simd.Go.Combine[kind][r].Rows, fmt.Sprintf("kind %d, reduction %d", kind, r)
				one := func(target, item []byte) {
					rows(num.Pointer(target), num.Pointer(item), new(int64), new(int64), 1, len(item), 0, 0)
				}
				test(name, loops.Lines, loops.Items, kind.Width(), one, false)
				if impl == simd.Go && loops.FewRows != nil { // those of the others are the same
					test(name+", few targets", simd.LineLoops{}, loops.FewItems, kind.Width(), one, false)
				}
			}
		}
	}
}

// TestElementLoops runs the loops over single elements as they are: on lines of every length
// up to some steps of an unrolled loop, with strides of all kinds, none among them, negative
// indices, and an index out of range at every place, where a loop stops or goes on.
func TestElementLoops(t *testing.T) {
	if race.Enabled {
		t.Skip("the loops run in one goroutine")
	}
	for _, impl := range simd.Implementations {
		elementLoops(impl, func(name string, lines simd.LineLoops, items simd.ItemLoops, width int, one func(target, item []byte), clears bool) {
			for n := range 20 {
				for i, form := range []struct{ stride, step, items, idx int }{
					{width, 0, width, 1}, {3 * width, 0, width, 1}, {19 * width, width, width, 1}, {width, size * width, width, 1}, // contiguous
					{width, 0, 2 * width, 1}, {width, 0, width, 3}, {2 * width, 20 * width, 3 * width, 0}, {0, width, width, 2}, {width, 0, 0, 1},
				} {
					for bad := -1; bad < n; bad++ { // with indices of the one width or the other
						if bad > 3 && bad < n-1 && (bad+n+i)%3 > 0 || !turns.Case(3, bad+n+i) {
							continue
						}
						e := elementCase{fmt.Sprintf("%s, %s, n %d, %+v, bad at %d", impl.Name, name, n, form, bad), n, bad, width, form.stride, form.step, form.items, form.idx}
						e.test(t, lines, items, one, clears)
					}
				}
			}
		})
	}
}

type elementCase struct {
	what                                        string
	n, bad, width, stride, step, stepItems, idx int
}

func (e elementCase) test(t *testing.T, lines simd.LineLoops, items simd.ItemLoops, one func(target, item []byte), clears bool) {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, uint64(e.n)))
	last := max(0, e.n-1)
	startData := small(rng, (size-1)*e.stride+last*e.step+e.width, e.width).Mem
	startItems := small(rng, last*e.stepItems+e.width, e.width).Mem
	idx, packed := spoiled(rng, last*e.idx+1, -1)
	if e.bad >= 0 {
		idx, packed = spoiled(rng, last*e.idx+1, e.bad*e.idx)
	}
	for _, skip := range []bool{false, true} {
		wantData, wantItems, want := bytes.Clone(startData), bytes.Clone(startItems), e.n
		for t := range e.n {
			j, item := idx[t*e.idx], wantItems[t*e.stepItems:][:e.width]
			switch good := j >= -size && j < size; {
			case good:
				one(wantData[int(j+size)%size*e.stride+t*e.step:][:e.width], item)
				continue
			case skip && clears:
				clear(item)
				continue
			case skip:
				continue
			}
			want = t
			break
		}
		for k, mem := range packed {
			if !turns.Of(2, k, e.n+e.n/2+e.bad+1) {
				continue
			}
			check := func(name string, run func(data, items *byte) int) {
				data, all := memtest.Copy(startData, rng), memtest.Copy(startItems, rng)
				got := run(num.Pointer(data.Mem), num.Pointer(all.Mem))
				if got != want || !bytes.Equal(data.Mem, wantData) || !bytes.Equal(all.Mem, wantItems) {
					t.Fatalf("%s, %s %d, skip %v: did %d, want %d, or the wrong ones", e.what, name, k, skip, got, want)
				}
				data.Check(t, e.what)
				all.Check(t, e.what)
			}
			if e.n > 0 && items[k] != nil && !skip && e.stepItems == e.width && e.idx == 1 {
				check("items", func(data, all *byte) int {
					return items[k](data, all, num.Pointer(mem), e.n, size, size, e.stride, e.step)
				})
			}
			for runs := 1; runs <= e.n; runs++ {
				if e.n%runs > 0 || lines[k] == nil {
					continue
				}
				run := e.n / runs
				check(fmt.Sprintf("%d runs", runs), func(data, all *byte) int {
					return lines[k](data, all, num.Pointer(mem), &simd.Line{
						Axis:  simd.Axis{Size: size, NegativeOffset: size, Stride: int64(e.stride)},
						Outer: simd.Loop{N: runs, Items: run * e.stepItems, Data: run * e.step, Idx: run * e.idx},
						Run:   simd.Loop{N: run, Items: e.stepItems, Data: e.step, Idx: e.idx},
						Skip:  skip,
					})
				})
			}
		}
	}
}

// TestRowLoops copies and sets rows of every size by the loops that are chosen for them,
// between guard words, at places that are not in order.
func TestRowLoops(t *testing.T) {
	sizes := []int{4<<10 - 1, 4 << 10, 4<<10 + 3}
	for row := 1; row <= 300; row++ {
		sizes = append(sizes, row)
	}
	for _, impl := range simd.Implementations {
		restore := simd.Use(impl)
		for _, row := range sizes {
			rng := rand.New(rand.NewPCG(9, uint64(row)))
			n, gap := 1+rng.IntN(40), rng.IntN(3)
			data, items := small(rng, size*row, 1), small(rng, (n-1)*(row+gap)+row, 1)
			offsets, places := make([]int64, n+simd.PackedLookahead), make([]int64, n+simd.PackedLookahead)
			for i, j := range rng.Perm(n) {
				offsets[i], places[i] = int64(rng.IntN(size)*row), int64(j)
			}
			what := fmt.Sprintf("%s, rows of %d bytes", impl.Name, row)
			want := bytes.Clone(items.Mem)
			for i := range n {
				copy(want[i*(row+gap):][:row], data.Mem[offsets[i]:])
			}
			simd.CopyLoop(row).Run(num.Pointer(data.Mem), num.Pointer(items.Mem), &offsets[0], n, row, row+gap, simd.Distance(row))
			if !bytes.Equal(items.Mem, want) {
				t.Errorf("%s: wrong copies", what)
			}
			for i := range items.Mem {
				items.Mem[i] = byte(rng.IntN(256))
			}
			want = bytes.Clone(data.Mem)
			for i := range n {
				copy(want[offsets[i]:][:row], items.Mem[int(places[i])*(row+gap):])
			}
			simd.SetLoop(row).Run(num.Pointer(data.Mem), num.Pointer(items.Mem), &offsets[0], &places[0], n, row, row+gap, simd.Distance(row))
			if !bytes.Equal(data.Mem, want) {
				t.Errorf("%s: wrong rows were set", what)
			}
			for i := range n {
				copy(want[offsets[i]:][:row], items.Mem)
			}
			simd.SetLoop(row).Run(num.Pointer(data.Mem), num.Pointer(items.Mem), &offsets[0], &simd.ZeroOffsets[0], n, row, 0, simd.Distance(row))
			if !bytes.Equal(data.Mem, want) {
				t.Errorf("%s: wrong fills", what)
			}
			data.Check(t, what)
			items.Check(t, what)
		}
		restore()
	}
}
