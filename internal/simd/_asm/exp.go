package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// expRows emits the exponentials of a softmax, four float64 at a time.
func expRows() {
	(&family{"(out, x *float32, most, sum *float64, powers *uint64, rows, columns, step int)", `is, of columns that are a multiple of 4, with exp32 of package segment and its powers,

	e := exp32(float64(x[r*step+c]) - most[c])
	out[r*step+c], sum[c] = float32(e), sum[c]+e`}).function("expRowsFloat32AVX2", "Exps")
	out, x := load("out"), load("x")
	most, sum := load("most"), load("sum")
	powers, rows := load("powers"), load("rows")
	columns, step := load("columns"), load("step")
	f := floats{64, whole}
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
