package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// expRows emits the exponentials of a softmax, four float64 at a time.
func expRows() {
	(&family{"(out, x *float32, most, sum *float64, powers *uint64, rows, columns, step int)", `is, of columns that are a multiple of 4, with exp32 of package segment and its powers,

	e := exp32(float64(x[r*step+c]) - most[c])
	out[r*step+c], sum[c] = float32(e), sum[c]+e`}).function("expRowsFloat32AVX2")
	wire("expRowsFloat32AVX2", "Exps")
	out, x := load("out"), load("x")
	most, sum := load("most"), load("sum")
	powers, rows := load("powers"), load("rows")
	columns, step := load("columns"), load("step")
	f := floats{64}
	const unit = math.Ln2 / 256
	number := map[float64]Op{}
	constants := table("exp", func() {
		for i, v := range []float64{-200, 1 / unit, 3 << 51, unit * unit / 2, unit, 1} {
			DATA(8*i, F64(v))
		}
		DATA(48, U64(255))
	})
	for i, v := range []float64{-200, 1 / unit, 3 << 51, unit * unit / 2, unit, 1, 255} {
		number[v] = f.broadcast(constants.Offset(8 * i))
	}
	c := GP64()
	countdown("row", "check", rows, func() {
		XORQ(c, c)
		Label("four")
		v, shifted, rounded, p, k, all := YMM(), YMM(), YMM(), YMM(), YMM(), YMM()
		VCVTPS2PD(Mem{Base: x, Index: c, Scale: 4}, v)
		f.sub(Mem{Base: most, Index: c, Scale: 8}, v, v)
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
		VPGATHERQQ(all, Mem{Base: powers, Index: k.(Register), Scale: 8}, power)
		VPADDQ(power, shifted, shifted)
		f.mul(p, shifted, p)
		f.add(Mem{Base: sum, Index: c, Scale: 8}, p, v)
		VMOVDQU(v, Mem{Base: sum, Index: c, Scale: 8})
		single := XMM()
		VCVTPD2PSY(p, single)
		VMOVDQU(single, Mem{Base: out, Index: c, Scale: 4})
		ADDQ(Imm(4), c)
		CMPQ(c, columns)
		JLT(LabelRef("four"))
		LEAQ(Mem{Base: x, Index: step, Scale: 4}, x)
		LEAQ(Mem{Base: out, Index: step, Scale: 4}, out)
	})
}
