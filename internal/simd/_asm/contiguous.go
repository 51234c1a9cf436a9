package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// clamp emits the clamping of int64 indices, eight at a time, to int32.
func clamp() {
	clamped.function("clampAVX2", "Clamp")
	to, from, n := load("to"), load("from"), load("n")
	f := float64s
	last, fromEnd, zero := f.fill(param("last")), f.fill(param("fromEnd")), YMM()
	VPXOR(zero, zero, zero)
	loop("eight", "check", func() {
		var four [2]Op
		for i := range four {
			v, mask := YMM(), YMM()
			VMOVDQU(behind(from, 32*i), v)
			VPCMPGTQ(v, zero, mask)
			VPAND(fromEnd, mask, mask)
			VPADDQ(mask, v, v)
			VPCMPGTQ(v, zero, mask)
			VPANDN(v, mask, v)
			VPCMPGTQ(last, v, mask)
			VPBLENDVB(mask, last, v, v)
			four[i] = v
		}
		VSHUFPS(Imm(0x88), four[1], four[0], four[0]) // the lower halves, 0 1 4 5 2 3 6 7
		VPERMQ(Imm(0xd8), four[0], four[0])
		VMOVDQU(four[0], behind(to, 0))
		ADDQ(Imm(64), from)
		ADDQ(Imm(32), to)
	}, check(SUBQ, Imm(8), n, JGE))
	end()
}

// quotients emits the division of sums by how many terms each has.
func (f floats) quotients() {
	quotients.function(f.name("quotients"), f.field("Means", "Quotients"))
	toBase, oldBase := load("to"), load("old")
	counts, n := load("counts"), load("n")
	more, first := load("more").(GPVirtual), XMM()
	VMOVD(more.As32(), first)
	i := GP64()
	XORQ(i, i)
	zero, own := YMM(), YMM()
	VPXOR(zero, zero, zero)
	VPBROADCASTD(first, own)
	numbers := part{bytes: 4 * f.lanes()} // as wide as the floats, or half as wide
	SUBQ(Imm(uint64(f.lanes())), n)
	to, old, count := element(toBase, i, f.size()), element(oldBase, i, f.size()), element(counts, i, 4)
	loop("vector", "whole", func() {
		all, none := YMM(), YMM()
		c := numbers.of(all)
		VMOVDQU(count, c)
		if f.bits == 64 {
			VPMOVSXDQ(c, none)
			VPCMPEQQ(zero, none, none)
		} else {
			VPCMPEQD(zero, c, none)
		}
		VPADDD(numbers.of(own), c, c)
		pick(f, VCVTDQ2PS, VCVTDQ2PD)(c, all)
		VMOVDQU(numbers.of(zero), count)
		quotient := f.load(to)
		f.div(all, quotient, quotient)
		f.blend(none, old, quotient)
		f.move(quotient, to)
		ADDQ(Imm(uint64(f.lanes())), i)
	}, check(CMPQ, i, n, JLE))
	ADDQ(Imm(uint64(f.lanes())), n)
	one := f.single()
	loop("single", "left", func() {
		v, number, divisor := one.load(old), GP64(), XMM()
		MOVL(count, number.As32())
		TESTL(number.As32(), number.As32())
		JZ(LabelRef("without"))
		ADDL(more.As32(), number.As32())
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

// expRows emits the exponentials of a softmax, four float64 at a time.
func expRows() {
	exponentials.function("expRowsFloat32AVX2", "Exps")
	out, x := load("out"), load("x")
	most, sum := load("most"), load("sum")
	powers, rows := load("powers"), load("rows")
	columns, step := load("columns"), load("step")
	f := float64s
	const unit = math.Ln2 / 256
	numbers := []float64{-200, 1 / unit, 3 << 51, unit * unit / 2, unit, 1}
	var constants []Constant
	for _, v := range numbers {
		constants = append(constants, F64(v))
	}
	mem := table("exp", append(constants, U64(255))...)
	number := map[float64]Op{}
	for i, v := range append(numbers, 255) {
		number[v] = f.fill(mem.Offset(8 * i))
	}
	c := GP64()
	countdown("row", "check", rows, func() {
		XORQ(c, c)
		repeat("four", func() {
			v, shifted, rounded, p, k, all := YMM(), YMM(), YMM(), YMM(), YMM(), YMM()
			VCVTPS2PD(element(x, c, 4), v)
			f.sub(element(most, c, 8), v, v)
			f.max(v, number[-200], v) // NaN stays
			f.mul(number[1/unit], v, v)
			f.add(number[3<<51], v, shifted)
			f.sub(number[3<<51], shifted, rounded)
			f.sub(rounded, v, v)
			f.mul(number[unit*unit/2], v, p)
			f.add(number[unit], p, p)
			f.mul(v, p, p)
			f.add(number[1], p, p)
			VPAND(number[255], shifted, k)
			VPSLLQ(Imm(44), shifted, shifted)
			VPCMPEQQ(all, all, all)
			power := YMM()
			VPGATHERQQ(all, element(powers, k, 8), power)
			VPADDQ(power, shifted, shifted)
			f.mul(p, shifted, p)
			f.add(element(sum, c, 8), p, v)
			f.move(v, element(sum, c, 8))
			single := XMM()
			VCVTPD2PSY(p, single)
			VMOVDQU(single, element(out, c, 4))
			ADDQ(Imm(4), c)
		}, below(c, columns))
		LEAQ(element(x, step, 4), x)
		LEAQ(element(out, step, 4), out)
	})
}
