package kernel

import (
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/simd"
)

// gatherRows is a Call whose pieces copy a row for each of some tuples.
type gatherRows Call

func (g *gatherRows) Piece(lo, hi int) int {
	c := (*Call)(g)
	row := c.rowBytes()
	copyRows, ahead := simd.CopyLoop(row), simd.Distance(row)
	return eachTupleOf(&tuples{Call: c}, interval{lo, hi}, 0, func(r tupleRun[byte]) {
		n := len(r.offsets)
		copyRows.Run(num.Pointer(r.block), num.Pointer(r.updates[:n*row]), &r.offsets[0], n, row, row, ahead)
	}, func(p int) { par.Clear(c.Items[p*row:][:row]) })
}

// gatherStrings is gatherRows for rows of strings.
type gatherStrings Call

func (g *gatherStrings) Piece(lo, hi int) int {
	c := (*Call)(g)
	row := c.Inner
	return eachTupleOf(&tuples{Call: c}, interval{lo, hi}, 0, func(r tupleRun[string]) {
		readStrings(r.updates[:len(r.offsets)*row], r.block, r.offsets, row)
	}, func(p int) { par.Clear(num.As[string](c.Items)[p*row:][:row]) })
}
