package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// stream emits a copy past the caches, of whole cache lines to aligned memory. It does
// not wait until they are written: work on what is in the caches goes on meanwhile.
func stream() {
	TEXT("streamAVX2", NOSPLIT, "func(to, from *byte, lines int)")
	Doc("streamAVX2 copies cache lines to aligned memory, past the caches. What another core",
		"reads there has been written once this one has run a locked instruction.")
	Pragma("noescape")
	to, from, lines := Load(Param("to"), GP64()), Load(Param("from"), GP64()), Load(Param("lines"), GP64())
	low, high := YMM(), YMM()
	JMP(LabelRef("check"))
	align(32)
	Label("next")
	VMOVDQU(Mem{Base: from}, low)
	VMOVDQU(Mem{Base: from, Disp: 32}, high)
	VMOVNTDQ(low, Mem{Base: to})
	VMOVNTDQ(high, Mem{Base: to, Disp: 32})
	ADDQ(Imm(64), from)
	ADDQ(Imm(64), to)
	DECQ(lines)
	Label("check")
	TESTQ(lines, lines)
	JNE(LabelRef("next"))
	VZEROUPPER()
	RET()
}
