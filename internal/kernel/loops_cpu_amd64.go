//go:build gc && !noasm

package kernel

import "golang.org/x/sys/cpu"

func init() {
	if cpu.X86.HasAVX2 {
		install(&Implementation{
			Name: "avx2", least: 32, copyRow: copyRowsAVX2, streamRow: streamRowsAVX2,
			addRow:    [kinds]addLoop{Float32: addRowsFloat32AVX2, Float64: addRowsFloat64AVX2},
			resolve64: resolve64AVX2, resolve32: resolve32AVX2,
		})
	}
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ {
		install(&Implementation{
			Name: "avx512", least: 64, copyRow: copyRowsAVX512, streamRow: streamRowsAVX512,
			addRow:    [kinds]addLoop{Float32: addRowsFloat32AVX512, Float64: addRowsFloat64AVX512},
			resolve64: resolve64AVX512, resolve32: resolve32AVX512,
		})
	}
}

// install makes an implementation the active one. The loops over single items
// need no vectors.
func install(i *Implementation) {
	i.copyOffset = [...]rowLoop{2: copyItems4, 3: copyItems8, 4: copyItems16}
	i.copyFar = [...]rowLoop{2: copyItems4Far, 3: copyItems8Far, 4: copyItems16Far}
	i.addOffset = [kinds]addLoop{Float32: addItemsFloat32Far, Float64: addItemsFloat64Far}
	i.copyItem = [...]itemLoops{
		2: {copyItems4Index32, copyItems4Index64},
		3: {copyItems8Index32, copyItems8Index64},
		4: {copyItems16Index32, copyItems16Index64},
	}
	i.addItem = [kinds]itemLoops{
		Float32: {addItemsFloat32Index32, addItemsFloat32Index64},
		Float64: {addItemsFloat64Index32, addItemsFloat64Index64},
	}
	Implementations = append(Implementations, i)
	active = i
}
