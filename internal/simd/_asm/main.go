// Command asm generates the assembly of package kernel: rows.go the loops over rows,
// stream.go a copy past the caches, items.go those over single items, lines.go those over lines of them, combine.go both for all
// reductions, halves.go for 16-bit floats, resolve.go those that check indices, bag.go those
// over bags of rows, update.go those of the optimisers. It also generates that of package simd,
// pause.go. Run go generate in both.
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

// offsetLoops emits the loops that resolve indices, and those that add rows of floats.
func offsetLoops() {
	resolve(32)
	resolve(64)
	for _, f := range []floats{{avx2, 32}, {avx2, 64}} {
		f.combiners()[0].rows()
	}
}
