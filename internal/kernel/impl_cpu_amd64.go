//go:build gc && !noasm

package kernel

import (
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
)

func init() {
	for _, vectors := range simd.Implementations[1:] {
		install(&Implementation{Name: vectors.Name, vectors: vectors})
	}
}

// install makes an implementation the active one. Those of the loops over single items
// that are missing here are as fast in Go.
func install(i *Implementation) {
	i.minVectorBytes, i.copyRow, i.streamRow, i.setRow = 64, copyRowsAVX2, streamRowsAVX2, setRowsAVX2
	i.copyOffset, i.setOffset = inGo.copyOffset, inGo.setOffset
	i.copyItem, i.setItem, i.fillItem = inGo.copyItem, inGo.setItem, inGo.fillItem
	i.copyLines = [...]lineLoops{
		{copyLines1Index32, copyLines1Index64}, {copyLines2Index32, copyLines2Index64},
		{copyLines4Index32, copyLines4Index64}, {copyLines8Index32, copyLines8Index64}, inGo.copyLines[log2(16)],
	}
	i.copyColumns = [...]lineLoops{
		{copyColumns1Index32, copyColumns1Index64}, {copyColumns2Index32, copyColumns2Index64},
		{copyColumns4Index32, copyColumns4Index64}, {copyColumns8Index32, copyColumns8Index64}, inGo.copyColumns[log2(16)],
	}
	i.combine, i.means = combineAVX2(), meansAVX2()
	for _, kind := range []num.Kind{num.Float32, num.Float64} {
		i.combine[kind][num.Add].row = addLoop(i.vectors.AddRows[kind])
	}
	i.stream = streamAVX2
	if hasF16C() {
		i.combine[num.Float16], i.combine[num.BFloat16] = float16LoopsAVX2, bfloat16LoopsAVX2
	}
	Implementations = append(Implementations, i)
	active = i
}
