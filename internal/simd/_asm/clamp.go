package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// clamp emits the clamping of int64 indices, eight at a time, to int32.
func clamp() {
	(&family{"(to *int32, from *int64, n int, last, fromEnd int64)", `clamps n indices, a multiple of 8, of an axis with less than 1<<31 elements:

	if from[i] < 0 { to[i] = max(from[i]+fromEnd, 0) } else { to[i] = min(from[i], last) }`}).function("clampAVX2", "Clamp")
	to, from, n := load("to"), load("from"), load("n")
	f := floats{64, whole}
	last, fromEnd, zero := f.fill(param("last")), f.fill(param("fromEnd")), YMM()
	VPXOR(zero, zero, zero)
	loop("eight", "check", func() {
		var four [2]Op
		for i := range four {
			v, mask := YMM(), YMM()
			VMOVDQU(Mem{Base: from, Disp: 32 * i}, v)
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
		VMOVDQU(four[0], Mem{Base: to})
		ADDQ(Imm(64), from)
		ADDQ(Imm(32), to)
	}, func(to LabelRef) {
		SUBQ(Imm(8), n)
		JGE(to)
	})
	end()
}
