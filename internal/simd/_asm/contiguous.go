package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// clamp emits the clamping of int64 indices, eight at a time, to int32.
func clamp() {
	clamped.function("clampAVX2", "Clamp")
	to, from, n := load("to"), load("from"), load("n")
	last, fromEnd, zero := float64s.fill(arg("last")), float64s.fill(arg("fromEnd")), setZero(YMM())
	loop("eight", "check", func() {
		var four [2]Op
		for i := range four {
			v, mask := whole.load(behind(from, 32*i)), YMM()
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
	toBase, counts, n := load("to"), load("counts"), load("n")
	i, lanes := GP64(), vectorBytes/f.size()
	XORQ(i, i)
	zero, own := setZero(YMM()), YMM()
	VPBROADCASTD(arg("more"), own)
	numbers := part{bytes: 4 * lanes} // as wide as the floats, or half as wide
	SUBQ(Imm(uint64(lanes)), n)
	to, count := element(toBase, i, f.size()), element(counts, i, 4)
	loop("vector", "whole", func() {
		all, none := YMM(), YMM()
		c := numbers.of(all)
		VMOVDQU(count, c)
		wide := c
		if f.bits == 64 {
			wide = none
			VPMOVSXDQ(c, wide)
		}
		f.pick(VPCMPEQD, VPCMPEQQ, zero, wide, none)
		VPADDD(numbers.of(own), c, c)
		f.pick(VCVTDQ2PS, VCVTDQ2PD, c, all)
		VMOVDQU(numbers.of(zero), count)
		quotient := f.div(all, f.load(to))
		pick(f, VBLENDVPS, VBLENDVPD)(none, to, quotient, quotient)
		f.move(quotient, to)
		ADDQ(Imm(uint64(lanes)), i)
	}, check(CMPQ, i, n, JLE))
	ADDQ(Imm(uint64(lanes)), n)
	one := f.single()
	loop("single", "left", func() {
		number, divisor := GP64(), setZero(XMM()) // which the instruction keeps a part of
		MOVL(count, number.As32())
		TESTL(number.As32(), number.As32())
		JZ(LabelRef("without"))
		ADDQ(arg("more"), number)
		pick(f, VCVTSI2SSQ, VCVTSI2SDQ)(number, divisor, divisor)
		one.move(one.div(divisor, one.load(to)), to)
		MOVL(U32(0), count)
		Label("without")
		INCQ(i)
	}, below(i, n))
	end()
}

// expRows emits the exponentials of a softmax, four float64 at a time.
func expRows() {
	exponentials.function("expRowsFloat32AVX2", "Exps")
	out, x, most, sum := load("out"), load("x"), load("most"), load("sum")
	powers, rows, columns, step := load("powers"), load("rows"), load("columns"), load("step")
	f := float64s
	const unit = math.Ln2 / 256
	numbers := []Constant{F64(-200), F64(1 / unit), F64(3 << 51), F64(unit * unit / 2), F64(unit), F64(1), U64(255)}
	var c []Op
	for i := range numbers {
		c = append(c, f.fill(table("exp", numbers...).Offset(8*i)))
	}
	least, units, round, square, linear, one, fraction := c[0], c[1], c[2], c[3], c[4], c[5], c[6]
	i := GP64()
	countdown("row", "check", rows, func() {
		XORQ(i, i)
		repeat("four", func() {
			v := YMM()
			VCVTPS2PD(element(x, i, 4), v)
			f.sub(element(most, i, 8), v)
			f.max(v, least, v) // NaN stays
			f.mul(units, v)
			shifted := f.add(round, v, YMM())
			f.sub(f.sub(round, shifted, YMM()), v)
			p := f.add(linear, f.mul(square, v, YMM()))
			f.add(one, f.mul(v, p))
			k, all, power, single := YMM(), YMM(), YMM(), XMM()
			VPAND(fraction, shifted, k)
			VPSLLQ(Imm(44), shifted, shifted)
			VPCMPEQQ(all, all, all)
			VPGATHERQQ(all, element(powers, k, 8), power)
			VPADDQ(power, shifted, shifted)
			f.mul(p, shifted, p)
			f.move(f.add(element(sum, i, 8), p, v), element(sum, i, 8))
			VCVTPD2PSY(p, single)
			VMOVDQU(single, element(out, i, 4))
			ADDQ(Imm(4), i)
		}, below(i, columns))
		LEAQ(element(x, step, 4), x)
		LEAQ(element(out, step, 4), out)
	})
}
