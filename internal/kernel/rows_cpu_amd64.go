//go:build gc && !noasm

package kernel

import "golang.org/x/sys/cpu"

func init() {
	if cpu.X86.HasAVX2 {
		install(&Implementation{
			Name: "avx2", least: 32, copy: copyRowsAVX2,
			add: map[Kind]rowLoop{Float32: addRowsFloat32AVX2, Float64: addRowsFloat64AVX2},
		})
	}
	if cpu.X86.HasAVX512F {
		install(&Implementation{
			Name: "avx512", least: 64, copy: copyRowsAVX512,
			add: map[Kind]rowLoop{Float32: addRowsFloat32AVX512, Float64: addRowsFloat64AVX512},
		})
	}
}

func install(i *Implementation) {
	Implementations = append(Implementations, i)
	active = i
}
