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
	active = &Implementation{
		Name: "avx2", Resolve64: resolve64AVX2, Resolve32: resolve32AVX2,
		AddRows: [num.Kinds]AddLoop{num.Float32: addRowsFloat32AVX2, num.Float64: addRowsFloat64AVX2},
		Bags:    bagLoopsAVX2, Updates: updateLoopsAVX2, Decode: Go.Decode,
	}
	Implementations = append(Implementations, active)
}
