// Command asm generates the assembly of package simd: rows.go the loops over rows,
// stream.go a copy past the caches, lines.go those over lines of single elements, combine.go
// and items.go reductions, mean.go means, halves.go 16-bit floats, resolve.go the check of
// indices, bag.go the loops over bags of rows, update.go those of the optimisers, pause.go
// two instructions that Go cannot reach. Run go generate there.
package main

import (
	"flag"

	. "github.com/mmcloughlin/avo/build"
)

func main() {
	loops := flag.String("loops", "rows", "which loops: rows, combinations, halves, bags, updates, pause or offsets")
	flag.Parse()
	ConstraintExpr("amd64,gc,!noasm")
	switch *loops {
	case "bags":
		bagLoops()
	case "combinations":
		combineLoops()
	case "halves":
		halfLoops()
	case "updates":
		updateLoops()
	case "pause":
		pause()
		prefetch()
	case "offsets":
		offsetLoops()
	default:
		rowLoops()
	}
	Generate()
}

// rowLoops emits the loops of gathers and scatters.
func rowLoops() {
	copyRows(false)
	copyRows(true)
	setRows()
	stream()
	for _, size := range []int{1, 2, 4, 8} {
		for _, l := range []lineLoops{onLines, onColumns} {
			l.emit(size, 32)
			l.emit(size, 64)
		}
	}
}

// offsetLoops emits the loops that resolve indices.
func offsetLoops() {
	resolve(32)
	resolve(64)
}
