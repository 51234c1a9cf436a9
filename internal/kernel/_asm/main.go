// Command asm generates the assembly of package kernel: rows.go the loops over rows,
// resolve.go those over single items.
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
		resolve(32, i)
		resolve(64, i)
	}
	copyItems()
	addItems()
	Generate()
}
