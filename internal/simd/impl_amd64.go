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
	i.StreamRows, i.Stream = streamRowsAVX2, streamAVX2
	for l, loops := range copyLinesAVX2 {
		i.CopyLines[l], i.CopyColumns[l] = loops.lines, loops.columns
	}
	i.Resolve64, i.Resolve32 = resolve64AVX2, resolve32AVX2
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
	if hasF16C() {
		i.Combine[num.Float16], i.Combine[num.BFloat16] = float16LoopsAVX2, bfloat16LoopsAVX2
	}
	i.Means[num.Float32], i.Means[num.Float64] = meanFloat32AVX2, meanFloat64AVX2
	i.Bags, i.Updates = bagLoopsAVX2(i.Combine), updateLoopsAVX2
	active = &i
	Implementations = append(Implementations, active)
}

// copyLinesAVX2 is for elements of 1 to 8 bytes.
var copyLinesAVX2 = [...]struct{ lines, columns LineLoops }{
	{&[2]LineLoop{copyLines1Index32, copyLines1Index64}, &[2]LineLoop{copyColumns1Index32, copyColumns1Index64}},
	{&[2]LineLoop{copyLines2Index32, copyLines2Index64}, &[2]LineLoop{copyColumns2Index32, copyColumns2Index64}},
	{&[2]LineLoop{copyLines4Index32, copyLines4Index64}, &[2]LineLoop{copyColumns4Index32, copyColumns4Index64}},
	{&[2]LineLoop{copyLines8Index32, copyLines8Index64}, &[2]LineLoop{copyColumns8Index32, copyColumns8Index64}},
}

var meanFloat32AVX2 = &MeanLoops{&[2]MarkedLoop{addCountedFloat32Index32, addCountedFloat32Index64}, quotientsFloat32AVX2, divideRowsFloat32AVX2}

var meanFloat64AVX2 = &MeanLoops{&[2]MarkedLoop{addCountedFloat64Index32, addCountedFloat64Index64}, quotientsFloat64AVX2, divideRowsFloat64AVX2}
