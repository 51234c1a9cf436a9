//go:build gc && !noasm

package simd

import (
	"golang.org/x/sys/cpu"
	"gorgonia.org/gather/internal/num"
)

//go:generate go run -C _asm . -table ../loops_amd64.go
//go:generate go run -C _asm . -loops pause -pkg simd -out ../asm_pause_amd64.s -stubs ../asm_pause_amd64.go
//go:generate go run -C _asm . -loops rows -pkg simd -out ../asm_rows_amd64.s -stubs ../asm_rows_amd64.go
//go:generate go run -C _asm . -loops combinations -pkg simd -out ../asm_combine_amd64.s -stubs ../asm_combine_amd64.go
//go:generate go run -C _asm . -loops halves -pkg simd -out ../asm_half_amd64.s -stubs ../asm_half_amd64.go
//go:generate go run -C _asm . -loops bags -pkg simd -out ../asm_bag_amd64.s -stubs ../asm_bag_amd64.go
//go:generate go run -C _asm . -loops decode -pkg simd -out ../asm_decode_amd64.s -stubs ../asm_decode_amd64.go
//go:generate go run -C _asm . -loops updates -pkg simd -out ../asm_update_amd64.s -stubs ../asm_update_amd64.go
//go:generate go run -C _asm . -loops exp -pkg simd -out ../asm_exp_amd64.s -stubs ../asm_exp_amd64.go

// Loops that are missing in assembly are as fast in Go. All processors with AVX2 are known to
// convert float16 and to multiply and add at once, too, but they might not.
func init() {
	if !cpu.X86.HasAVX2 || !cpu.X86.HasFMA || !hasF16C() {
		return
	}
	i := *Go
	i.Name = "avx2"
	for _, kind := range []num.Kind{num.Float32, num.Float64, num.Float16, num.BFloat16} { // which Go shares by pointers
		i.Means[kind] = clone(Go.Means[kind])
	}
	i.Updates[num.Float32], i.Updates[num.Float64] = clone(Go.Updates[num.Float32]), clone(Go.Updates[num.Float64])
	for _, r := range []num.Reduction{num.Min, num.Max} {
		i.Combine[num.Int64][r].OneMost = 8 // for longer rows there is assembly, as there is none for uint64
	}
	i.useAssembly()
	i.useTogether(num.Float16)
	i.useTogether(num.BFloat16)
	active = &i
	Implementations = append(Implementations, active)
}

func clone[T any](p *T) *T {
	c := *p
	return &c
}
