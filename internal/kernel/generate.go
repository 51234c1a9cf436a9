package kernel

//go:generate go run -C _asm . -loops rows -pkg kernel -out ../asm_rows_amd64.s -stubs ../asm_rows_amd64.go
//go:generate go run -C _asm . -loops combinations -pkg kernel -out ../asm_combine_amd64.s -stubs ../asm_combine_amd64.go
//go:generate go run -C _asm . -loops halves -pkg kernel -out ../asm_half_amd64.s -stubs ../asm_half_amd64.go
//go:generate go run -C _asm . -loops bags -pkg kernel -out ../asm_bag_amd64.s -stubs ../asm_bag_amd64.go
//go:generate go run -C _asm . -loops updates -pkg kernel -out ../asm_update_amd64.s -stubs ../asm_update_amd64.go
