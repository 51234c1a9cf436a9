// Package simd holds loops over plain memory: each in Go and, where that is much
// faster, in assembly. What a loop in Go does is what that in assembly does, bit for bit.
// The loops in Go that Exps and Clamp stand for are in the packages that call them.
//
// It resolves and clamps indices, copies and combines single elements and rows, makes means of
// sums, reduces the rows of bags and changes rows by the rules of optimisers. The loops check
// indices, where they take any, and nothing else: offsets have been checked by Resolve, and
// the caller has seen to it that the memory is there.
//
// An Implementation has all loops that there are. The one in use is the fastest that the
// processor can run.
package simd

//go:generate go run -C _asm . -loops pause -pkg simd -out ../asm_pause_amd64.s -stubs ../asm_pause_amd64.go
//go:generate go run -C _asm . -loops rows -pkg simd -out ../asm_rows_amd64.s -stubs ../asm_rows_amd64.go
//go:generate go run -C _asm . -loops combinations -pkg simd -out ../asm_combine_amd64.s -stubs ../asm_combine_amd64.go
//go:generate go run -C _asm . -loops halves -pkg simd -out ../asm_half_amd64.s -stubs ../asm_half_amd64.go
//go:generate go run -C _asm . -loops bags -pkg simd -out ../asm_bag_amd64.s -stubs ../asm_bag_amd64.go
//go:generate go run -C _asm . -loops decode -pkg simd -out ../asm_decode_amd64.s -stubs ../asm_decode_amd64.go
//go:generate go run -C _asm . -loops updates -pkg simd -out ../asm_update_amd64.s -stubs ../asm_update_amd64.go
//go:generate go run -C _asm . -loops exp -pkg simd -out ../asm_exp_amd64.s -stubs ../asm_exp_amd64.go
