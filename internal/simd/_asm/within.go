package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// withinVectors is how many vectors of indices have bounds of their own, so that
// tuples of one to four components repeat in them, of 4 bytes and of 8.
const withinVectors = 3

// within emits the check of all indices of a kind at once: two instructions for a
// vector of them, and no branch. Which one is bad is not known then.
//
// The greatest of each part of 32 bits decides: of an index of 64 bits in range the
// upper part is 0, and of others it is not, once the size is added to those that may
// be negative.
func within(index int) {
	name := fmt.Sprintf("within%dAVX2", index)
	TEXT(name, NOSPLIT, "func(idx *byte, n int, lifts, most *byte) bool")
	Doc(fmt.Sprintf("%s reports whether all of n times 192 bytes of indices are in range. lifts and most", name),
		"are 96 bytes, which repeat. It is", "",
		fmt.Sprintf("	for t, j := range idx[:%d*n] {", 192*8/index),
		fmt.Sprintf("		if uint%d(j+lifts[t%%%d]) > most[t%%%[2]d] { return false }", index, 96*8/index),
		"	}",
		"	return true", "",
		"with most below 1<<32.")
	Pragma("noescape")
	idx, n := Load(Param("idx"), GP64()), Load(Param("n"), GP64())
	lifts, most := Load(Param("lifts"), GP64()), Load(Param("most"), GP64())
	add := VPADDQ
	if index == 32 {
		add = VPADDD
	}
	var lift, greatest [withinVectors]VecVirtual
	for i := range withinVectors {
		lift[i], greatest[i] = YMM(), YMM()
		VMOVDQU(Mem{Base: lifts, Disp: 32 * i}, lift[i])
		VPXOR(greatest[i], greatest[i], greatest[i])
	}
	JMP(LabelRef("check"))
	align(32)
	Label("next")
	for line := range 3 {
		PREFETCHT0(Mem{Base: idx, Disp: indicesAhead + 64*line})
	}
	for at := range 2 * withinVectors {
		v, i := YMM(), at%withinVectors
		add(Mem{Base: idx, Disp: 32 * at}, lift[i], v)
		VPMAXUD(v, greatest[i], greatest[i])
	}
	ADDQ(Imm(64*withinVectors), idx)
	DECQ(n)
	Label("check")
	TESTQ(n, n)
	JNE(LabelRef("next"))

	for i := range withinVectors {
		bound := YMM()
		VMOVDQU(Mem{Base: most, Disp: 32 * i}, bound)
		VPMAXUD(bound, greatest[i], greatest[i])
		VPCMPEQD(bound, greatest[i], greatest[i])
	}
	for i := 1; i < withinVectors; i++ {
		VPAND(greatest[i], greatest[0], greatest[0])
	}
	mask := GP32()
	VPMOVMSKB(greatest[0], mask)
	VZEROUPPER()
	good := GP8()
	CMPL(mask, I8(-1))
	SETEQ(good)
	Store(good, ReturnIndex(0))
	RET()
}
