//go:build gc && !noasm

package simd

import (
	"golang.org/x/sys/cpu"

	"gorgonia.org/gather/internal/num"
)

func init() {
	if !cpu.X86.HasAVX2 {
		return
	}
	vectors := Implementation{
		Name: "avx2", Resolve64: resolve64AVX2, Resolve32: resolve32AVX2,
		AddRows: [num.Kinds]AddLoop{num.Float32: addRowsFloat32AVX2, num.Float64: addRowsFloat64AVX2},
		Bags:    bagLoopsAVX2, Updates: updateLoopsAVX2,
	}
	Implementations = append(Implementations, &vectors)
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ {
		wider := vectors
		wider.Name, wider.Bags, wider.Updates = "avx512", bagLoopsAVX512, updateLoopsAVX512
		Implementations = append(Implementations, &wider)
	}
	active = Implementations[len(Implementations)-1]
}
