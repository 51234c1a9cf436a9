// Command asm generates the assembly of package kernel; rows.go describes it.
// Run go generate in package kernel.
package main

import (
	. "github.com/mmcloughlin/avo/build"
)

func main() {
	ConstraintExpr("amd64,gc,!noasm")
	for _, i := range []isa{avx2, avx512} {
		copyRows(i)
		addRows(32, i)
		addRows(64, i)
	}
	Generate()
}
