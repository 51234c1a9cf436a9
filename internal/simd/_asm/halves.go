package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// halves are the 16-bit floats. A vector of them is half as long as that of the float32s which
// they are computed with. Of the register of a single one the rest is anything.
var halves = []number{
	{"Float16", 2, float32s, loadFloat16, storeFloat16},
	{"BFloat16", 2, float32s, loadBFloat16, storeBFloat16},
}

func loadFloat16(p part, from Mem) Op {
	to := p.register()
	if p.bytes > 4 {
		VCVTPH2PS(from, to)
	} else {
		VPBROADCASTW(from, to)
		VCVTPH2PS(to, to)
	}
	return to
}

func storeFloat16(p part, from, to Op) {
	if p.bytes > 4 {
		VCVTPS2PH(Imm(0), from, to) // to nearest even
	} else {
		VCVTPS2PH(Imm(0), from, from)
		VPEXTRW(Imm(0), from, to)
	}
}

func loadBFloat16(p part, from Mem) Op {
	to := p.register()
	if p.bytes > 4 {
		VPMOVZXWD(from, to)
	} else {
		VPBROADCASTW(from, to)
	}
	VPSLLD(Imm(16), to, to)
	return to
}

// storeBFloat16 rounds to nearest even with integers: the instruction for it takes numbers below
// the least normal one as zero. A NaN keeps its upper bits, with the quiet bit set.
func storeBFloat16(p part, from, to Op) {
	if p.bytes == 4 {
		storeOneBFloat16(from, to)
		return
	}
	upper, odd, nan := YMM(), YMM(), YMM()
	VPSRLD(Imm(16), from, upper)
	VPAND(eightOf("one8", 1), upper, odd)
	VPADDD(from, odd, odd)
	VPADDD(eightOf("below8", 0x7fff), odd, odd)
	VPSRLD(Imm(16), odd, odd)
	float32s.compare(unordered, from, from, nan)
	VPOR(eightOf("quiet8", 0x40), upper, upper)
	VPBLENDVB(nan, upper, odd, odd)
	low, high := odd.AsX(), XMM()
	VEXTRACTI128(Imm(1), odd, high)
	VPACKUSDW(high, low, low)
	VMOVDQU(low, to)
}

// storeOneBFloat16 adds to a number what carries into its upper half if it is to
// be rounded up. NaNs leave the fast path.
func storeOneBFloat16(from, to Op) {
	odd := XMM()
	label := fmt.Sprint("NaN", len(outlined))
	back := "after" + label
	VPSLLD(Imm(15), from, odd)
	VUCOMISS(from, from)
	JPS(LabelRef(label))
	VPSRLD(Imm(31), odd, odd)
	VPADDD(from, odd, odd)
	VPADDD(eightOf("below8", 0x7fff), odd, odd)
	Label(back)
	VPEXTRW(Imm(1), odd, to)
	outlined = append(outlined, func() {
		Label(label)
		VPOR(eightOf("quietUpper8", 0x40<<16), from, odd)
		JMP(LabelRef(back))
	})
}

// outlined is the code behind the end of a function, which is rarely run.
var outlined []func()

func outline() {
	for _, emit := range outlined {
		emit()
	}
	outlined = nil
}

// halfLoops emits the loops of the reductions of halves. Differences of single elements are rare: by
// index they are in Go, and at offsets the loop over rows does.
func halfLoops() {
	hasF16C()
	for _, x := range halves {
		x.divideRows()
		for _, a := range arithmetics {
			o := x.operation(a)
			if a.name == "sub" {
				wire(o.fields("Offsets")[0], o.function("Rows")+"AVX2")
			} else {
				o.lines(o.fields("Lines")[0])
				offsetItems(o)
			}
			o.rows()
		}
	}
}
