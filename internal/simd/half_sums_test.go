package simd_test

import (
	"math/rand/v2"
	"testing"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
)

// TestSumsOfHalves adds every 16-bit float to others, and to the sum one more: of sums that are infinite in 16 bits and
// not in 32, of those halfway between two, and of the least ones.
func TestSumsOfHalves(t *testing.T) {
	skipRaces(t)
	const all = 1 << 16
	for kind, to := range map[num.Kind]func(uint16) float32{num.Float16: num.Float16To32, num.BFloat16: num.BFloat16To32} {
		from := map[num.Kind]func(float32) uint16{num.Float16: num.Float16From32, num.BFloat16: num.BFloat16From32}[kind]
		isNaN := func(x uint16) bool { return to(x) != to(x) }
		for _, impl := range simd.Implementations {
			rng := rand.New(rand.NewPCG(31, uint64(kind)))
			for round := range 40 {
				rows, out, inGo := make([]uint16, 3*all), make([]uint16, all), make([]uint16, all)
				for i := range all {
					rows[i], rows[all+i], rows[2*all+i] = uint16(i), uint16(rng.Uint32()), uint16(rng.Uint32())
					switch round % 4 {
					case 0: // of about the same size
						rows[all+i] = uint16(i) ^ uint16(rng.Uint32N(1<<11)) ^ uint16(rng.Uint32N(2)<<15)
					case 1: // half of the last bit, or so
						rows[all+i] = from(to(uint16(i)) * (1 + float32(rng.IntN(3)-1)/64) / float32(int(1)<<(8+rng.IntN(5))))
					case 2: // and back
						rows[2*all+i] = rows[all+i] ^ 1<<15
					}
				}
				for begin, ends := 0, [1]int64{3}; begin < all; {
					n := min(1+rng.IntN(90), all-begin)
					offsets := []int64{int64(2 * begin), int64(2 * (all + begin)), int64(2 * (2*all + begin))}
					for _, i := range []struct {
						*simd.Implementation
						out []uint16
					}{{impl, out}, {simd.Go, inGo}} {
						i.Bags[kind].Add(num.Pointer(num.Bytes(rows)), num.Pointer(num.Bytes(i.out[begin:])), ahead(offsets), &ends[0], nil, 1, 2*n, 2*n, 1, 0)
					}
					begin += n
				}
				for i, got := range out {
					want := from(to(from(0+to(rows[i])+to(rows[all+i]))) + to(rows[2*all+i]))
					if nan := isNaN(got) && isNaN(want) && isNaN(inGo[i]); !nan && (got != want || got != inGo[i]) {
						t.Fatalf("%s: kind %d, %#x + %#x + %#x is %#x, want %#x", impl.Name, kind, rows[i], rows[all+i], rows[2*all+i], got, want)
					}
				}
			}
		}
	}
}
