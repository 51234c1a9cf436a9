package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

var (
	quotients   = &family{"(to, old, counts *byte, n, more int)", "and the other are the Quotients of meanLoopsGo."}
	dividedRows = &family{rowArguments, "and the other are the Rows of meanLoopsGo."}
	scaledRows  = &family{"(data, items *byte, offsets, places *int64, scales *byte, n, bytes, step, distance int)", "and the other are the AddScaledRows of floatBagLoopsGo."}
)

// quotients emits the division of sums by how many terms each has.
func (f floats) quotients() {
	quotients.function(f.name("quotients"), f.field("Means", "Quotients"))
	toBase, oldBase := load("to"), load("old")
	counts, n := load("counts"), load("n")
	own, more := load("more").(GPVirtual), XMM()
	VMOVD(own.As32(), more)
	// The counts of a vector: as wide as the floats, or half as wide.
	i := GP64()
	XORQ(i, i)
	zero, all := YMM(), YMM()
	VPXOR(zero, zero, zero)
	VPBROADCASTD(more, all)
	SUBQ(Imm(uint64(f.lanes())), n)
	to, old, count := element(toBase, i, f.size()), element(oldBase, i, f.size()), element(counts, i, 4)
	loop("vector", "whole", func() {
		c, none := YMM(), YMM()
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
		quotient := f.load(to)
		f.div(c, quotient, quotient)
		f.blend(none, old, quotient)
		f.move(quotient, to)
		ADDQ(Imm(uint64(f.lanes())), i)
	}, func(again LabelRef) {
		CMPQ(i, n)
		JLE(again)
	})
	ADDQ(Imm(uint64(f.lanes())), n)
	one := f.single()
	loop("single", "left", func() {
		v, number, divisor := one.load(old), GP64(), XMM()
		MOVL(count, number.As32())
		TESTL(number.As32(), number.As32())
		JZ(LabelRef("without"))
		ADDL(own.As32(), number.As32())
		setZero(divisor) // which the instruction keeps a part of
		pick(f, VCVTSI2SSQ, VCVTSI2SDQ)(number, divisor, divisor)
		one.move(to, v)
		one.div(divisor, v, v)
		Label("without")
		one.move(v, to)
		MOVL(U32(0), count)
		INCQ(i)
	}, below(i, n))
	end()
}

// divideRows emits the division of rows by one number each.
func (f floats) divideRows() {
	dividedRows.function(f.name("divideRows"), f.field("Means", "Rows"))
	r := newRows("data", "items")
	r.loop(func() {
		one := XMM()
		setZero(one) // which the instruction keeps a part of
		pick(f, VCVTSI2SSL, VCVTSI2SDL)(element(loaded["items"], r.t, 4), one, one)
		all := f.fill(one)
		r.columns(f.size(), func(p part) {
			divisor := p.of(all)
			if p.bytes == f.size() {
				divisor = one
			}
			v := p.load(at(r.row, r.off))
			floats{f.bits, p}.div(divisor, v, v)
			p.move(v, at(r.row, r.off))
		})
	})
}

// addScaledRows emits the sum of rows, each times a number.
func (f floats) addScaledRows() {
	scaledRows.function(f.name("addScaledRows"), f.field("Bags", "AddScaledRows"))
	r := newRows("data", "items", "places", "scales")
	r.mask()
	r.loop(func() {
		scale := f.fill(element(loaded["scales"], r.t, f.size()))
		r.columns(f.size(), func(p part) {
			x := p.load(at(r.item, r.off))
			f.mul(scale, x, x)
			sum := p.load(at(r.row, r.off))
			f.add(sum, x, sum)
			p.move(sum, at(r.row, r.off))
		})
	})
}
