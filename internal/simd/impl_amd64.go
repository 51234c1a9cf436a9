//go:build gc && !noasm

package simd

import (
	"golang.org/x/sys/cpu"
	"gorgonia.org/gather/internal/num"
)

// Loops that are missing here are as fast in Go.
func init() {
	if !cpu.X86.HasAVX2 {
		return
	}
	i := *Go
	i.Name = "avx2"
	i.MinVectorBytes, i.CopyRows, i.SetRows = 64, copyRowsAVX2, setRowsAVX2
	i.CopyShort[3], i.CopyShort[4] = copyRows16AVX2, copyRows32AVX2
	i.CopyItems = [5]ItemLoops{
		{copyItems1Index32, copyItems1Index64}, {copyItems2Index32, copyItems2Index64},
		{copyItems4Index32, copyItems4Index64}, {copyItems8Index32, copyItems8Index64},
	}
	i.PrefetchLines = [2]PrefetchLoop{prefetchLinesIndex32, prefetchLinesIndex64}
	for kind := range i.Combine {
		for n, r := range reductions {
			loops := &i.Combine[kind][r]
			if rows := combineRowsAVX2[kind][n]; rows != nil {
				loops.Rows = rows
			}
			if offsets := combineOffsetsAVX2[kind][n]; offsets != nil {
				loops.Offsets = offsets
			}
		}
	}
	i.Packed.Int8 = PackedLoops{inEights(decodeInt8AVX2, decodeInt8From), addBagsInt8AVX2}
	i.Packed.BFloat16 = PackedLoops{inEights(decodeBFloat16AVX2, decodeBFloat16From), addBagsBFloat16AVX2}
	if hasF16C() {
		i.Packed.Int4 = PackedLoops{inEights(decodeInt4AVX2, decodeInt4From), addBagsInt4AVX2}
		i.Packed.Float16 = PackedLoops{inEights(decodeFloat16AVX2, decodeFloat16From), addBagsFloat16AVX2}
		i.Combine[num.Float16], i.Combine[num.BFloat16] = float16LoopsAVX2, bfloat16LoopsAVX2
	}
	i.Means[num.Float32], i.Means[num.Float64] = meanFloat32AVX2, meanFloat64AVX2
	i.Bags, i.Updates, i.Exps, i.Clamp = bagLoopsAVX2(i.Combine), updateLoopsAVX2, expRowsFloat32AVX2, clampAVX2
	active = &i
	Implementations = append(Implementations, active)
}

var meanFloat32AVX2 = &MeanLoops{quotientsFloat32AVX2, divideRowsFloat32AVX2}

var meanFloat64AVX2 = &MeanLoops{quotientsFloat64AVX2, divideRowsFloat64AVX2}
