// Command asm generates the assembly of package kernel: rows.go the loops over rows,
// stream.go a copy past the caches, items.go those over single items, paced.go those over items far apart,
// lines.go those over lines of them, combine.go both for all
// reductions, halves.go for 16-bit floats, unset.go those without the old value, resolve.go and within.go those that check indices, bag.go those
// over bags of rows, update.go those of the optimisers. It also generates that of package simd,
// pause.go. Run go generate in both.
package main

import (
	"flag"

	. "github.com/mmcloughlin/avo/build"
)

func main() {
	loops := flag.String("loops", "rows", "which loops: rows, combinations, halves, bags, updates or pause")
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
	default:
		rowLoops()
	}
	Generate()
}

// rowLoops emits the loops of gathers and scatters.
func rowLoops() {
	for _, i := range []isa{avx2, avx512} {
		copyRows(i, false)
		copyRows(i, true)
		addRows(32, i)
		addRows(64, i)
		resolve(32, i)
		resolve(64, i)
	}
	stream()
	within(32)
	within(64)
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
	for _, size := range []int{1, 2, 4, 8} {
		for _, l := range []lineLoops{onLines, onColumns} {
			l.emit(size, 32)
			l.emit(size, 64)
		}
	}
	for _, i := range []isa{avx2, avx512} {
		setRows(i)
	}
	for _, size := range []int{1, 2, 4, 8, 16} {
		copyPaced(size)
	}
	addOffsets()
	ticks()
}
