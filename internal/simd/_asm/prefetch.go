package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// pause tells the processor that its thread waits in a loop.
func pause() {
	TEXT("Pause", NOSPLIT, "func()")
	Doc("Pause leaves the core to its other thread for a moment. It does nothing else.")
	PAUSE()
	RET()
}

// prefetch asks for memory that will be read.
func prefetch() {
	(&family{"(p *byte, offset, bytes int)", `tells the processor that so many bytes will be read, from an offset behind p.
It does nothing else: there need be no memory.`}).function("Prefetch")
	p, bytes := load("p"), load("bytes")
	ADDQ(load("offset"), p)
	Label("line")
	SUBQ(Imm(64), bytes)
	JLT(LabelRef("done"))
	PREFETCHT0(Mem{Base: p})
	ADDQ(Imm(64), p)
	JMP(LabelRef("line"))
	Label("done")
	RET()
}

var lineLoop = &family{"(data, idx *byte, lines, n, negativeOffset, stride, step, lineData, lineIdx int)", "and the other are PrefetchLoops."}

// prefetchLines emits a loop that prefetches the elements that the indices of some lines
// address. A prefetch never faults, so no index is checked.
func prefetchLines(bits int) (name string) {
	name = fmt.Sprint("prefetchLinesIndex", bits)
	lineLoop.function(name)
	data, idx := load("data"), load("idx")
	lines, n := load("lines"), load("n")
	negativeOffset := load("negativeOffset")
	stride, step := load("stride"), load("step")
	lineData, lineIdx := load("lineData"), load("lineIdx")
	at, t, j, fromEnd := GP64(), GP64(), GP64(), GP64()
	repeat("line", func() {
		MOVQ(data, at)
		XORQ(t, t)
		repeat("next", func() {
			loadIndex(bits, element(idx, t, bits/8), j)
			LEAQ(element(j, negativeOffset, 1), fromEnd)
			TESTQ(j, j)
			CMOVQLT(fromEnd, j)
			IMULQ(stride, j)
			PREFETCHT1(element(at, j, 1))
			ADDQ(step, at)
			INCQ(t)
		}, below(t, n))
		ADDQ(lineData, data)
		ADDQ(lineIdx, idx)
		DECQ(lines)
	}, func(to LabelRef) { JNZ(to) })
	RET()
	return name
}
