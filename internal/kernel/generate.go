package kernel

//go:generate go run -C _asm . -pkg kernel -out ../loops_amd64.s -stubs ../loops_amd64.go
