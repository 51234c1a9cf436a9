package kernel

//go:generate go run -C ../simd/_asm . -loops rows -pkg kernel -out ../../kernel/asm_rows_amd64.s -stubs ../../kernel/asm_rows_amd64.go
//go:generate go run -C ../simd/_asm . -loops combinations -pkg kernel -out ../../kernel/asm_combine_amd64.s -stubs ../../kernel/asm_combine_amd64.go
//go:generate go run -C ../simd/_asm . -loops halves -pkg kernel -out ../../kernel/asm_half_amd64.s -stubs ../../kernel/asm_half_amd64.go
