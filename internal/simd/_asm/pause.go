package main

import (
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
