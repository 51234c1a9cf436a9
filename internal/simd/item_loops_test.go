package simd

import (
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

// TestWidenedIndices compares the loop for int32 indices of 16-bit floats with the one for
// int64, for runs of several chunks and a bad index in each.
func TestWidenedIndices(t *testing.T) {
	const size, n = 11, 2*OffsetsAtOnce + 100
	rng := rand.New(rand.NewPCG(3, 4))
	for _, i := range Implementations[1:] { // Go has none
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
