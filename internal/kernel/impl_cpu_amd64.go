//go:build gc && !noasm

package kernel

import (
	"golang.org/x/sys/cpu"

	"gorgonia.org/gather/internal/num"
)

func init() {
	if cpu.X86.HasAVX2 {
		install(&Implementation{Name: "avx2", bags: bagLoopsAVX2, updates: updateLoopsAVX2})
	}
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ {
		install(&Implementation{Name: "avx512", bags: bagLoopsAVX512, updates: updateLoopsAVX512})
	}
}

// install makes an implementation the active one. Those of the loops over single items
// that are missing here are as fast in Go.
func install(i *Implementation) {
	i.minVectorBytes, i.copyRow, i.streamRow, i.setRow = 64, copyRowsAVX2, streamRowsAVX2, setRowsAVX2
	i.resolve64, i.resolve32, i.addOffsets = resolve64AVX2, resolve32AVX2, addOffsetsAVX2
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
	i.stream = streamAVX2
	if hasF16C() {
		i.combine[num.Float16], i.combine[num.BFloat16] = float16LoopsAVX2, bfloat16LoopsAVX2
	}
	Implementations = append(Implementations, i)
	active = i
}
