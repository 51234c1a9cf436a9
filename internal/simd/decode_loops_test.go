package simd_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"gorgonia.org/gather/internal/memtest"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
)

// packed is a storage in fewer bits: how many bytes its columns take and what stands behind
// them, and what column c of a row reads as.
type packed struct {
	name  string
	loops func(p *simd.PackedStorages) simd.DecodeLoop
	bytes func(columns int) int
	tail  int
	scale func(rng *rand.Rand, tail []byte) // a scale and an offset; nil: none
	read  func(row, tail []byte, c int) float32
}

var packedStorages = []packed{
	{"float16", func(p *simd.PackedStorages) simd.DecodeLoop { return p.Float16.Decode }, func(n int) int { return 2 * n }, 0, nil, func(row, _ []byte, c int) float32 {
		return num.Float16To32(binary.LittleEndian.Uint16(row[2*c:]))
	}},
	{"bfloat16", func(p *simd.PackedStorages) simd.DecodeLoop { return p.BFloat16.Decode }, func(n int) int { return 2 * n }, 0, nil, func(row, _ []byte, c int) float32 {
		return math.Float32frombits(uint32(binary.LittleEndian.Uint16(row[2*c:])) << 16)
	}},
	{"int8", func(p *simd.PackedStorages) simd.DecodeLoop { return p.Int8.Decode }, func(n int) int { return n }, 8, func(rng *rand.Rand, tail []byte) {
		binary.LittleEndian.PutUint32(tail, math.Float32bits(float32(memtest.DrawFloat(rng))))
		binary.LittleEndian.PutUint32(tail[4:], math.Float32bits(float32(memtest.DrawFloat(rng))))
	}, func(row, tail []byte, c int) float32 {
		scale, offset := math.Float32frombits(binary.LittleEndian.Uint32(tail)), math.Float32frombits(binary.LittleEndian.Uint32(tail[4:]))
		return float32(float32(row[c])*scale) + offset
	}},
	{"int4", func(p *simd.PackedStorages) simd.DecodeLoop { return p.Int4.Decode }, func(n int) int { return (n + 1) / 2 }, 4, func(rng *rand.Rand, tail []byte) {
		binary.LittleEndian.PutUint16(tail, num.Float16From32(float32(rng.NormFloat64())))
		binary.LittleEndian.PutUint16(tail[2:], num.Float16From32(float32(rng.NormFloat64())))
	}, func(row, tail []byte, c int) float32 {
		scale, offset := num.Float16To32(binary.LittleEndian.Uint16(tail)), num.Float16To32(binary.LittleEndian.Uint16(tail[2:]))
		return float32(float32(row[c/2]>>(4*(c%2))&15)*scale) + offset
	}},
}

// TestDecodeLoops reads rows of all lengths, the last at the end of memory that can be
// read, and compares them with the formulas.
func TestDecodeLoops(t *testing.T) {
	skipRaces(t)
	const rows = 5
	k := plainFloat[float32](num.Float32)
	for _, impl := range simd.Implementations {
		for _, s := range packedStorages {
			for columns := 1; columns < 70; columns += 1 + columns/20 {
				rng := rand.New(rand.NewPCG(26, uint64(columns)))
				size, n := s.bytes(columns), 1+columns%9
				data := memtest.Paged(t, rows*(size+s.tail), true)
				for i := range data {
					data[i] = byte(rng.Uint32())
				}
				for row := range rows {
					if s.scale != nil {
						s.scale(rng, data[row*(size+s.tail)+size:][:s.tail])
					}
				}
				offsets, want := make([]int64, n), make([]float32, 0, n*columns)
				for i := range offsets {
					at := rng.IntN(rows) * (size + s.tail)
					offsets[i] = int64(at)
					for c := range columns {
						want = append(want, s.read(data[at:][:size], data[at+size:][:s.tail], c))
					}
				}
				to := memtest.Copy(k.draws(rng, n*columns), rng)
				s.loops(&impl.Packed)(num.Pointer(to.Mem), &data[0], ahead(offsets), n, columns, size, simd.PackedDistance(size+s.tail))
				k.same(t, what(impl, num.Float32, s.name, n, "rows of", columns), to, want)
			}
		}
	}
}
