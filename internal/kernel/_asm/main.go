// Command asm generates the assembly of package kernel: rows.go the loops over rows,
// items.go those over single items, resolve.go those that check indices.
// Run go generate in package kernel.
package main

import (
	. "github.com/mmcloughlin/avo/build"
)

func main() {
	ConstraintExpr("amd64,gc,!noasm")
	for _, i := range []isa{avx2, avx512} {
		copyRows(i, false)
		copyRows(i, true)
		addRows(32, i)
		addRows(64, i)
		resolve(32, i)
		resolve(64, i)
	}
	for _, k := range itemKinds() {
		offsetItems(k, true)
		if k.size == 16 {
			continue // Go's other loops are as fast
		}
		if !k.adds {
			offsetItems(k, false)
		}
		indexItems(k, 32)
		indexItems(k, 64)
	}
	pause()
	Generate()
}
