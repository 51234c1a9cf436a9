package kernel

//go:generate go run -C _asm . -pkg kernel -out ../rows_amd64.s -stubs ../rows_amd64.go
