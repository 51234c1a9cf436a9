// Command asm generates the assembly of package simd: rows.go the loops over rows,
// items.go those over single elements, clamp.go indices, combine.go reductions, mean.go means,
// halves.go 16-bit floats, bag.go the loops over bags of rows, decode.go rows of few bits,
// update.go the optimisers, exp.go exponentials, pause.go two instructions that Go cannot
// reach. Run go generate there.
package main

import (
	"flag"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

func main() {
	loops := flag.String("loops", "rows", "which loops: rows, combinations, halves, bags, decode, updates, exp or pause")
	flag.Parse()
	ConstraintExpr("amd64,gc,!noasm")
	switch *loops {
	case "bags":
		bagLoops()
	case "combinations":
		combineLoops()
	case "decode":
		decodeLoops()
	case "halves":
		halfLoops()
	case "exp":
		expRows()
	case "updates":
		updateLoops()
	case "pause":
		pause()
		prefetch()
	default:
		rowLoops()
	}
	Generate()
}

// rowLoops emits the loops of gathers and scatters.
func rowLoops() {
	copyRows()
	copyShortRows(16, func() Op { return XMM() })
	copyShortRows(32, vector)
	setRows()
	for _, size := range []int{1, 2, 4, 8} {
		moveItems(size)
	}
	prefetchLines(32)
	prefetchLines(64)
	clamp()
}
