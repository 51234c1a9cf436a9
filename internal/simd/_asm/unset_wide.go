package main

import (
	"fmt"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// wide is the loop for integers of 8 and 16 bits, any of which may be a result. The
// marks are the targets, with 32 bits.
func (c combiner) wide() *unset {
	if c.name == "add" {
		return c.wideSum()
	}
	var none, start GPVirtual
	return &unset{
		prepare: func() { none, start = constant(unset32), constant(c.neutral) },
		body: func(mark, item Mem, _ LabelRef) {
			target, update := GP64(), GP64()
			MOVL(mark, target.As32())
			load(c.size, c.signed, item, update)
			CMPL(target.As32(), none.As32())
			CMOVLEQ(start.As32(), target.As32())
			c.joinIntegers(target, update)
			if c.name == "sub" || c.name == "mul" {
				c.truncate(target)
			}
			MOVL(target.As32(), mark)
		},
	}
}

// wideSum counts the updates in the upper bits of the mark, which begins as 0. So it
// takes one instruction more than a sum does.
func (c combiner) wideSum() *unset {
	return &unset{
		prepare: func() {},
		body: func(mark, item Mem, _ LabelRef) {
			update := GP64()
			load(c.size, false, item, update)
			ADDL(U32(1<<(8*c.size)), update.As32())
			ADDL(update.As32(), mark)
		},
	}
}

// truncate leaves the bits of an integer that its type has.
func (c combiner) truncate(r GPVirtual) {
	if c.size == 2 {
		MOVWLZX(r.As16(), r.As32())
	} else {
		MOVBLZX(r.As8(), r.As32())
	}
}

// wideItems emits the loops of a reduction of integers of 8 or 16 bits.
func wideItems(c combiner) {
	u := c.wide()
	u.note = fmt.Sprintf("\n\t\t// marks have 32 bits, and %#x counts as the neutral element. Strides are in elements", unset32)
	if c.name == "add" {
		u.note = fmt.Sprintf(" + %#x\n\t\t// marks have 32 bits. Strides are in elements", 1<<(8*c.size))
	}
	k := item{
		name: c.name + "Wide" + c.of, size: c.size, adds: true, marks: true, unset: u,
		what: strings.ReplaceAll(c.what("marks[%[1]s]", fmt.Sprintf("items[%d*t]", c.size)), " // "+c.of, ""),
	}
	indexItems(k, 32)
	indexItems(k, 64)
}

// narrow emits the end of what wideItems begin: the marks become elements, and what is
// unset becomes what was there before.
func narrow(size int) {
	name := fmt.Sprintf("narrowWide%d", size)
	TEXT(name, NOSPLIT, "func(to, old, marks *byte, n int, unset uint64)")
	Doc(name+" makes elements of marks, or of what was there before:", "",
		"	for i := range n {",
		fmt.Sprintf("		if marks[i] == unset { copy(to[%d*i:][:%[1]d], old[%[1]d*i:]) } else { copy(to[%[1]d*i:][:%[1]d], marks[i]) }", size),
		"	}")
	Pragma("noescape")
	to, old := Load(Param("to"), GP64()), Load(Param("old"), GP64())
	marks, n := Load(Param("marks"), GP64()), Load(Param("n"), GP64())
	none, i := Load(Param("unset"), GP64()).(GPVirtual), GP64()
	all, low := YMM(), YMM()
	VMOVQ(none, all.AsX())
	VPBROADCASTD(all.AsX(), all)
	bits := constant(1<<(8*size) - 1)
	VMOVQ(bits, low.AsX())
	VPBROADCASTD(low.AsX(), low)
	XORQ(i, i)
	SUBQ(Imm(8), n)
	element := func(base Register) Mem { return Mem{Base: base, Index: i, Scale: uint8(size)} }
	mark := Mem{Base: marks, Index: i, Scale: 4}
	JMP(LabelRef("whole"))
	Label("vector")
	v, is, before, upper := YMM(), YMM(), YMM(), XMM()
	VMOVDQU(mark, v)
	VPCMPEQD(v, all, is)
	if size == 2 {
		VPMOVZXWD(element(old), before)
	} else {
		VPMOVZXBD(element(old), before)
	}
	VPBLENDVB(is, before, v, v)
	VPAND(low, v, v)
	VEXTRACTI128(Imm(1), v, upper)
	VPACKUSDW(upper, v.AsX(), v.AsX())
	if size == 2 {
		VMOVDQU(v.AsX(), element(to))
	} else {
		VPACKUSWB(v.AsX(), v.AsX(), v.AsX())
		VMOVQ(v.AsX(), element(to))
	}
	ADDQ(Imm(8), i)
	Label("whole")
	CMPQ(i, n)
	JLE(LabelRef("vector"))
	ADDQ(Imm(8), n)
	JMP(LabelRef("left"))
	Label("single")
	one, last := GP64(), GP64()
	MOVL(mark, one.As32())
	load(size, false, element(old), last)
	CMPL(one.As32(), none.As32())
	CMOVLEQ(last.As32(), one.As32())
	store(size, one, element(to))
	INCQ(i)
	Label("left")
	CMPQ(i, n)
	JL(LabelRef("single"))
	VZEROUPPER()
	RET()
}
