package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// hasF16C asks the processor for the instructions that convert float16.
func hasF16C() {
	TEXT("hasF16C", NOSPLIT, "func() bool")
	Doc("hasF16C reports whether the processor converts float16.")
	MOVL(U32(1), EAX) // the leaf, of which it is bit 29
	CPUID()
	BTL(Imm(29), ECX)
	has := GP8()
	SETCS(has)
	Store(has, ReturnIndex(0))
	RET()
}

// pause tells the processor that its thread waits in a loop.
func pause() {
	TEXT("Pause", NOSPLIT, "func()")
	Doc("Pause leaves the core to its other thread for a moment. It does nothing else.")
	PAUSE()
	RET()
}

// prefetch asks for memory that will be read.
func prefetch() {
	prefetched.function("Prefetch")
	p, bytes := load("p"), load("bytes")
	ADDQ(load("offset"), p)
	loop("line", "check", func() {
		PREFETCHT0(behind(p, 0))
		ADDQ(Imm(line), p)
	}, check(SUBQ, Imm(line), bytes, JGE))
	RET()
}
