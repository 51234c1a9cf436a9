package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// quotients emits the division of sums by how many terms each has.
func (f floats) quotients() {
	TEXT(f.name("quotients"), NOSPLIT, "func(to, old, counts *byte, n, more int)")
	Doc(f.name("quotients")+" divides sums by their counts, which are int32, or replaces those", "without one, and leaves counts that are 0:", "",
		"	for i := range n {",
		"		if counts[i] == 0 { to[i] = old[i] } else { to[i] /= counts[i] + more }",
		"		counts[i] = 0",
		"	}")
	Pragma("noescape")
	to, old := Load(Param("to"), GP64()), Load(Param("old"), GP64())
	counts, n := Load(Param("counts"), GP64()), Load(Param("n"), GP64())
	more := XMM()
	own := GP64()
	Load(Param("more"), own)
	VMOVD(own.As32(), more)
	// The counts of a vector: as wide as the floats, or half as wide.
	i := GP64()
	XORQ(i, i)
	lanes := f.lanes()
	zero, all := YMM(), YMM()
	VPXOR(zero, zero, zero)
	VPBROADCASTD(more, all)
	SUBQ(Imm(uint64(lanes)), n)
	element := func(base Register) Mem { return Mem{Base: base, Index: i, Scale: uint8(f.size())} }
	count := Mem{Base: counts, Index: i, Scale: 4}
	JMP(LabelRef("whole"))
	Label("vector")
	c, none, quotient := YMM(), YMM(), YMM()
	if f.bits == 64 {
		VMOVDQU(count, c.AsX())
		VPMOVSXDQ(c.AsX(), none)
		VPCMPEQQ(zero, none, none)
		VPADDD(all.AsX(), c.AsX(), c.AsX())
		VCVTDQ2PD(c.AsX(), c)
		VMOVDQU(zero.AsX(), count)
	} else {
		VMOVDQU(count, c)
		VPCMPEQD(zero, c, none)
		VPADDD(all, c, c)
		VCVTDQ2PS(c, c)
		VMOVDQU(zero, count)
	}
	move(element(to), quotient)
	f.div(c, quotient, quotient)
	pick(f, VBLENDVPS, VBLENDVPD)(none, element(old), quotient, quotient)
	move(quotient, element(to))
	ADDQ(Imm(uint64(lanes)), i)
	Label("whole")
	CMPQ(i, n)
	JLE(LabelRef("vector"))
	ADDQ(Imm(uint64(lanes)), n)
	JMP(LabelRef("left"))
	Label("single")
	v, divisor, number := XMM(), XMM(), GP64()
	f.moveOne(element(old), v)
	MOVL(count, number.As32())
	TESTL(number.As32(), number.As32())
	JZ(LabelRef("without"))
	ADDL(own.As32(), number.As32())
	f.fromInt(number, divisor)
	f.moveOne(element(to), v)
	f.divOne(divisor, v, v)
	Label("without")
	f.moveOne(v, element(to))
	MOVL(U32(0), count)
	INCQ(i)
	Label("left")
	CMPQ(i, n)
	JL(LabelRef("single"))
	VZEROUPPER()
	RET()
}

// divideRows emits the division of rows by one number each.
func (f floats) divideRows() {
	r := newRows(fmt.Sprintf("divideRowsFloat%d", f.bits), "data, items *byte, offsets *int64, n, bytes, step, distance int",
		"divides rows of floats by numbers, which are int32:", "",
		"	for t, offset := range offsets[:n] {",
		fmt.Sprintf("		for c := 0; c < bytes; c += %d {", f.size()),
		fmt.Sprintf("			data[offset+c] /= float%d(items[4*t])", f.bits),
		"		}",
		"	}")
	off, rest := GP64(), r.temp
	r.loop(func() {
		one, all := XMM(), YMM()
		VXORPS(one, one, one) // which the instruction keeps a part of
		pick(f, VCVTSI2SSL, VCVTSI2SDL)(Mem{Base: r.items, Index: r.t, Scale: 4}, one, one)
		pick(f, VBROADCASTSS, VBROADCASTSD)(one, all)
		vector := func(v, by Op, bytes int) {
			VMOVDQU(at(r.row, off), v)
			f.div(by, v, v)
			VMOVDQU(v, at(r.row, off))
			ADDQ(Imm(uint64(bytes)), off)
		}
		MOVQ(r.bytes, rest)
		SUBQ(Imm(32), rest)
		XORQ(off, off)
		JMP(LabelRef("whole"))
		Label("vector")
		PREFETCHT1(at(r.ahead, off))
		vector(YMM(), all, 32)
		Label("whole")
		CMPQ(off, rest)
		JLE(LabelRef("vector"))
		PREFETCHT1(at(r.ahead, off))
		ADDQ(Imm(16), rest)
		CMPQ(off, rest)
		JG(LabelRef("left"))
		vector(XMM(), all.AsX(), 16)
		JMP(LabelRef("left"))
		Label("single")
		last := XMM()
		f.moveOne(at(r.row, off), last)
		f.divOne(one, last, last)
		f.moveOne(last, at(r.row, off))
		ADDQ(Imm(uint64(f.size())), off)
		Label("left")
		CMPQ(off, r.bytes)
		JL(LabelRef("single"))
	}, func() {})
}

// fromInt is the float of an integer.
func (f floats) fromInt(from, to Op) {
	VXORPS(to, to, to) // which the instruction keeps a part of
	pick(f, VCVTSI2SSQ, VCVTSI2SDQ)(from, to, to)
}
