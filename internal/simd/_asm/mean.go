package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// quotients emits the division of sums by how many terms each has.
func (f floats) quotients() {
	name := f.name("quotients")
	quotients.function(name)
	wire(name, "Means[num.Float%d].Quotients", f.bits)
	toBase, oldBase := load("to"), load("old")
	counts, n := load("counts"), load("n")
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
	to, old, count := element(toBase, i, f.size()), element(oldBase, i, f.size()), element(counts, i, 4)
	loop("vector", "whole", func() {
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
		VMOVDQU(to, quotient)
		f.div(c, quotient, quotient)
		pick(f, VBLENDVPS, VBLENDVPD)(none, old, quotient, quotient)
		VMOVDQU(quotient, to)
		ADDQ(Imm(uint64(lanes)), i)
	}, func(again LabelRef) {
		CMPQ(i, n)
		JLE(again)
	})
	ADDQ(Imm(uint64(lanes)), n)
	loop("single", "left", func() {
		v, divisor, number := XMM(), XMM(), GP64()
		f.moveOne(old, v)
		MOVL(count, number.As32())
		TESTL(number.As32(), number.As32())
		JZ(LabelRef("without"))
		ADDL(own.As32(), number.As32())
		f.fromInt(number, divisor)
		f.moveOne(to, v)
		f.divOne(divisor, v, v)
		Label("without")
		f.moveOne(v, to)
		MOVL(U32(0), count)
		INCQ(i)
	}, below(i, n))
	end()
}

var (
	quotients   = &family{"(to, old, counts *byte, n, more int)", "and the other are the Quotients of meanLoopsGo."}
	dividedRows = &family{rowArguments, "and the other are the Rows of meanLoopsGo."}
)

// divideRows emits the division of rows by one number each.
func (f floats) divideRows() {
	name := fmt.Sprintf("divideRowsFloat%dAVX2", f.bits)
	r := rowsAndItems(dividedRows, name)
	wire(name, "Means[num.Float%d].Rows", f.bits)
	r.loop(func() {
		one := XMM()
		VXORPS(one, one, one) // which the instruction keeps a part of
		pick(f, VCVTSI2SSL, VCVTSI2SDL)(element(r.items, r.t, 4), one, one)
		by := f.fill(one)
		r.columns(func(p part) {
			v := p.load(at(r.row, r.off))
			f.div(p.of(by), v, v)
			p.store(v, at(r.row, r.off))
		}, f.size(), func() {
			last := XMM()
			f.moveOne(at(r.row, r.off), last)
			f.divOne(one, last, last)
			f.moveOne(last, at(r.row, r.off))
		})
	})
}

// fromInt is the float of an integer.
func (f floats) fromInt(from, to Op) {
	VXORPS(to, to, to) // which the instruction keeps a part of
	pick(f, VCVTSI2SSQ, VCVTSI2SDQ)(from, to, to)
}
