package simd_test

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"gorgonia.org/gather/internal/memtest"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
)

// TestTargetLines compares the places that indices address, along two loops, with those
// of the indices counted from the front, and stops at the first that is out of range.
func TestTargetLines(t *testing.T) {
	const word, outer, inner, size, from = int(unsafe.Sizeof(0)), 4, 5, 7, 160
	for bad := -1; bad < outer*inner; bad++ {
		for _, negative := range []uint64{0, size} {
			rng := rand.New(rand.NewPCG(29, uint64(bad+1)))
			idx := make([]int64, outer*inner)
			for i := range idx {
				idx[i] = int64(rng.IntN(size))
				if negative > 0 && rng.IntN(2) == 0 {
					idx[i] -= size
				}
			}
			if bad >= 0 {
				idx[bad] = []int64{size, -size - 1}[bad%2]
			}
			l := simd.Line{
				Axis:  simd.Axis{Size: size, NegativeOffset: negative, Stride: 3 * int64(word)},
				Outer: simd.Loop{N: outer, Items: inner * word, Data: 100 * word, Idx: inner},
				Run:   simd.Loop{N: inner, Items: word, Data: word, Idx: 1},
				From:  from,
			}
			want, done := make([]int, outer*inner), outer*inner
			for i, v := range idx {
				good := simd.Good([]int64{v}, 1, l.Axis) == 1
				if good == (i == bad) {
					t.Fatalf("index %d of %d: in range %v", v, size, good)
				}
				if !good {
					done = i
					break
				}
				want[i] = from/word + int((v+size)%size)*3 + i/inner*100 + i%inner
			}
			for k, narrow := range []bool{true, false} {
				items := memtest.Copy(make([]int, outer*inner), rng)
				if got := simd.TargetLines[k](nil, num.Pointer(items.Mem), num.Pointer(packedIndices(idx, narrow)), &l); got != done {
					t.Fatalf("bad index at %d: did %d, want %d", bad, got, done)
				}
				for i, got := range num.As[int](items.Mem) {
					if got != want[i] {
						t.Fatalf("bad index at %d: place %d is %d, want %d", bad, i, got, want[i])
					}
				}
				items.Check(t, "places")
			}
		}
	}
}
