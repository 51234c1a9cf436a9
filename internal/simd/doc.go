// Package simd holds loops over plain memory, in Go and, where that is much
// faster, in assembly.
package simd

//go:generate go run -C _asm . -loops pause -pkg simd -out ../asm_pause_amd64.s -stubs ../asm_pause_amd64.go
