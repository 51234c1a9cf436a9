package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// resolve checks the indices of one vector at a time and turns them into
// offsets. It stops before the vector with a bad index: the Go code behind it
// finds out which one that is, and does the last few indices.
func resolve(index int) {
	i := avx2
	TEXT(fmt.Sprintf("resolve%d%s", index, i.name), NOSPLIT, "func(offsets *int64, idx *byte, n, size, negativeOffset, stride, step int) int")
	Doc(fmt.Sprintf("resolve%d%s turns indices into offsets, as many as fill whole vectors up to", index, i.name),
		"the first with a bad index, and returns how many. stride and size are below",
		"1<<32. It is", "",
		"	for t, j := range idx[:n] {",
		"		if j < 0 { j += negativeOffset }",
		"		if uint(j) >= size { return t }",
		"		offsets[t] = j*stride + t*step",
		"	}")
	Pragma("noescape")
	lanes := i.width / 8
	broadcast := func(name string) Op {
		v := i.vector()
		r := Load(Param(name), GP64())
		x := XMM()
		VMOVQ(r, x)
		VPBROADCASTQ(x, v)
		return v
	}
	size, negativeOffset, stride := broadcast("size"), broadcast("negativeOffset"), broadcast("stride")

	// column = t*step for each lane; advance = lanes*step.
	column, advance, steps := i.vector(), i.vector(), broadcast("step")
	counts := GLOBL(fmt.Sprintf("lanes%d%s", index, i.name), RODATA|NOPTR)
	for l := range lanes {
		DATA(8*l, U64(l))
	}
	i.move(counts, column)
	VPMULUDQ(steps, column, column)
	VPSLLQ(Imm(2), steps, advance) // four of them

	to, idx := Load(Param("offsets"), GP64()), Load(Param("idx"), GP64())
	n, t := Load(Param("n"), GP64()), GP64()
	SUBQ(Imm(uint64(lanes)), n)
	XORQ(t, t)
	j := i.vector()
	zero := i.vector()
	VPXOR(zero, zero, zero)
	JMP(LabelRef("check"))

	Label("next")
	if index == 32 {
		VPMOVSXDQ(Mem{Base: idx, Index: t, Scale: 4}, j)
	} else {
		i.move(Mem{Base: idx, Index: t, Scale: 8}, j)
	}
	m, good, mask := i.vector(), i.vector(), GP64()
	VPCMPGTQ(j, zero, m)
	VPAND(negativeOffset, m, m)
	VPADDQ(m, j, j)
	VPCMPGTQ(j, zero, m)
	VPCMPGTQ(j, size, good)
	VPANDN(good, m, m)
	VMOVMSKPD(m, mask.As32())
	CMPL(mask.As32(), Imm(0xf))
	JNE(LabelRef("done"))
	VPMULUDQ(stride, j, j)
	VPADDQ(column, j, j)
	VPADDQ(advance, column, column)
	i.move(j, Mem{Base: to, Index: t, Scale: 8})
	ADDQ(Imm(uint64(lanes)), t)
	Label("check")
	CMPQ(t, n)
	JLE(LabelRef("next"))
	Label("done")
	VZEROUPPER()
	Store(t, ReturnIndex(0))
	RET()
}
