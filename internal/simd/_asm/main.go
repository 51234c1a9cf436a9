// Command asm generates the assembly of package simd, and the table that installs it. Every
// loop is one of a few frames and a description of what happens to an element or a row:
// frame.go has what all share, items.go the loops over indices and offsets, rows.go those
// over rows, bag.go and decodebags.go those over bags. Run go generate there.
package main

import (
	"flag"
	"log"

	. "github.com/mmcloughlin/avo/build"
)

// groups are the files of assembly.
var groups = []struct {
	name string
	emit func()
}{
	{"rows", rowLoops}, {"combinations", combineLoops}, {"halves", halfLoops}, {"bags", bagLoops},
	{"decode", decodeLoops}, {"updates", updateLoops}, {"exp", expRows}, {"pause", func() { pause(); prefetch() }},
}

func main() {
	only := flag.String("loops", "", "which group of loops")
	table := flag.String("table", "", "write the table of all loops, in Go, to this file, and no assembly")
	flag.Parse()
	ConstraintExpr("amd64,gc,!noasm")
	for _, g := range groups {
		if g.name == *only || *table != "" {
			g.emit()
		}
	}
	if *table == "" {
		Generate()
	} else if err := writeWiring(*table); err != nil {
		log.Fatal(err)
	}
}

// rowLoops emits the loops of gathers and scatters.
func rowLoops() {
	copyRows()
	copyShortRows(16)
	copyShortRows(32)
	setRows()
	for _, size := range []int{1, 2, 4, 8} {
		copyItems(size)
	}
	prefetchLines(32)
	prefetchLines(64)
	wire("[2]PrefetchLoop{prefetchLinesIndex32, prefetchLinesIndex64}", "PrefetchLines")
	clamp()
}
