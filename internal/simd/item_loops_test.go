package simd

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gorgonia.org/gather/internal/num"
)

// mixedIndices are indices of both signs, with one out of range at a place, or none at -1.
func mixedIndices(rng *rand.Rand, n, size, bad int) (all64 []int64, all32 []int32) {
	for i := range n {
		j := rng.IntN(2*size) - size
		if i == bad {
			j = []int{size, -size - 1}[rng.IntN(2)]
		}
		all64, all32 = append(all64, int64(j)), append(all32, int32(j))
	}
	return all64, all32
}

// TestFillItems fills what indices address, with runs that end at every place of the
// unrolled loop.
func TestFillItems(t *testing.T) {
	const size = 5
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 14 {
		for bad := -1; bad < n; bad++ {
			idx64, idx32 := mixedIndices(rng, n, size, bad)
			want, done := make([]uint32, size*n+1), n
			for i, j := range idx64 {
				if i == bad {
					done = i
					break
				}
				want[(j+size)%size*int64(n)+int64(i)] = 7
			}
			for k, idx := range [][]byte{num.Bytes(idx32), num.Bytes(idx64)} {
				data := make([]uint32, size*n+1)
				got := Go.FillItems[2][k](num.Pointer(num.Bytes(data)), num.Pointer(num.Bytes([]uint32{7})), num.Pointer(idx), n, size, size, 4*n, 4)
				if got != done || !slices.Equal(data, want) {
					t.Fatalf("%d items, bad one at %d, loop %d: did %d, want %d; data %v, want %v", n, bad, k, got, done, data, want)
				}
			}
		}
	}
}

// TestWidenedIndices compares the loop for int32 indices of 16-bit floats with the one for
// int64, for runs of several chunks and a bad index in each.
func TestWidenedIndices(t *testing.T) {
	const size, n = 11, 2*OffsetsAtOnce + 100
	rng := rand.New(rand.NewPCG(3, 4))
	for _, i := range Implementations {
		for _, step := range []int{0, 2} {
			for _, bad := range []int{-1, 0, 3, OffsetsAtOnce - 1, OffsetsAtOnce, 2 * OffsetsAtOnce, n - 1} {
				idx64, idx32 := mixedIndices(rng, n, size, bad)
				items := make([]uint16, n)
				for i := range items {
					items[i] = num.BFloat16From32(rng.Float32())
				}
				stride := 2 + n*step
				var data [2][]uint16
				var did [2]int
				for k, idx := range [][]byte{num.Bytes(idx32), num.Bytes(idx64)} {
					data[k] = make([]uint16, size*stride/2)
					did[k] = i.Combine[num.BFloat16][num.Add].Items[k](num.Pointer(num.Bytes(data[k])), num.Pointer(num.Bytes(items)), num.Pointer(idx), n, size, size, stride, step)
				}
				if want := (bad + n + 1) % (n + 1); did != [2]int{want, want} || !slices.Equal(data[0], data[1]) {
					t.Errorf("%s, step %d, bad index at %d: did %v, want %d; data differ: %v", i.Name, step, bad, did, want, !slices.Equal(data[0], data[1]))
				}
			}
		}
	}
}

// TestAddCounted adds and counts items, with a bad index at every place.
func TestAddCounted(t *testing.T) {
	t.Run("float32", testAddCounted[float32])
	t.Run("float64", testAddCounted[float64])
}

func testAddCounted[T float32 | float64](t *testing.T) {
	const size, n = 4, 9
	kind := map[string]num.Kind{"float32": num.Float32, "float64": num.Float64}[fmt.Sprintf("%T", T(0))]
	rng := rand.New(rand.NewPCG(5, 6))
	for bad := -1; bad < n; bad++ {
		idx64, idx32 := mixedIndices(rng, n, size, bad)
		items, want, wantCounts, done := make([]T, n), make([]T, size*n), make([]int32, size*n), n
		for i, j := range idx64 {
			items[i] = T(rng.Float64())
			if i == bad {
				done = i
			}
			if i < done {
				at := (j+size)%size*n + int64(i)
				want[at], wantCounts[at] = want[at]+items[i], wantCounts[at]+1
			}
		}
		for k, idx := range [][]byte{num.Bytes(idx32), num.Bytes(idx64)} {
			data, counts := make([]T, size*n), make([]int32, size*n)
			got := Active().Means[kind].Counted[k](num.Pointer(num.Bytes(data)), num.Pointer(num.Bytes(items)), num.Pointer(idx), num.Pointer(num.Bytes(counts)), n, size, size, n, 1)
			if got != done || !slices.Equal(data, want) || !slices.Equal(counts, wantCounts) {
				t.Errorf("bad index at %d, loop %d: did %d, want %d; %v, want %v; counts %v, want %v", bad, k, got, done, data, want, counts, wantCounts)
			}
		}
	}
}
