package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// half is a 16-bit float. It is computed with in float32: a vector of halves is
// half as long as that of the float32s, which has eight.
type half struct {
	name string
	// widen and narrow convert a vector of eight, or single numbers of which the
	// rest of the register is anything.
	widen  func(from Mem, to Op)
	narrow func(from Op, to Mem)
	// widenOne and narrowOne are for a single number.
	widenOne  func(from Mem, to Op)
	narrowOne func(from Op, to Mem)
}

var halves = []half{
	{"Float16",
		func(from Mem, to Op) { VCVTPH2PS(from, to) },
		func(from Op, to Mem) { VCVTPS2PH(Imm(0), from, to) }, // to nearest even
		func(from Mem, to Op) {
			bits := GP32()
			MOVWLZX(from, bits)
			VMOVD(bits, to)
			VCVTPH2PS(to, to)
		},
		func(from Op, to Mem) {
			VCVTPS2PH(Imm(0), from, from)
			VPEXTRW(Imm(0), from, to)
		},
	},
	{"BFloat16",
		func(from Mem, to Op) {
			VPMOVZXWD(from, to)
			VPSLLD(Imm(16), to, to)
		},
		narrowBFloat16,
		func(from Mem, to Op) {
			VPBROADCASTW(from, to)
			VPSLLD(Imm(16), to, to)
		},
		narrowOneBFloat16,
	},
}

// narrowBFloat16 rounds to nearest even with integers: the instruction for it
// takes numbers below the least normal one as zero. A NaN keeps its upper bits,
// with the quiet bit set.
func narrowBFloat16(from Op, to Mem) {
	upper, odd, nan := YMM(), YMM(), YMM()
	VPSRLD(Imm(16), from, upper)
	VPAND(eightOf("one8", 1), upper, odd)
	VPADDD(from, odd, odd)
	VPADDD(eightOf("below8", 0x7fff), odd, odd)
	VPSRLD(Imm(16), odd, odd)
	VCMPPS(Imm(3), from, from, nan) // unordered
	VPOR(eightOf("quiet8", 0x40), upper, upper)
	VPBLENDVB(nan, upper, odd, odd)
	low, high := odd.AsX(), XMM()
	VEXTRACTI128(Imm(1), odd, high)
	VPACKUSDW(high, low, low)
	VMOVDQU(low, to)
}

// eightOf is a vector of eight equal numbers.
func eightOf(name string, value uint32) Mem {
	return table(name, func() {
		for lane := range 8 {
			DATA(4*lane, U32(value))
		}
	})
}

// narrowOneBFloat16 adds to a number what carries into its upper half if it is to
// be rounded up. NaNs leave the fast path.
func narrowOneBFloat16(from Op, to Mem) {
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

func halfLoops() {
	hasF16C()
	for _, h := range halves {
		for _, a := range arithmetics {
			h.reduction(a).halfLoops(h, a)
		}
	}
}

// reduction is a reduction of halves.
func (h half) reduction(a arithmetic) reduction {
	return reduction{a.name, h.name, []string{h.name}, 2, func(data, item Mem) {
		h.combine(a, data, func(update Op) { h.widenOne(item, update) })
	}, func(p part, data, item Mem) {
		for disp := 0; disp < p.bytes; disp += 16 {
			target, update := YMM(), YMM()
			h.widen(data.Offset(disp), target)
			h.widen(item.Offset(disp), update)
			a.do(floats{32}, vectorBytes, update, target)
			h.narrow(target, data.Offset(disp))
		}
	}}
}

// combine is what becomes of an element of data, with the update that load loads.
func (h half) combine(a arithmetic, data Mem, load func(update Op)) {
	target, update := XMM(), XMM()
	h.widenOne(data, target)
	load(update)
	a.do(floats{32}, 4, update, target)
	h.narrowOne(target, data)
}

// halfLoops emits the loops of a reduction of halves. That over rows is as good for single
// elements at offsets.
func (r reduction) halfLoops(h half, a arithmetic) {
	k := item{family: halfItems, name: r.name + "Items" + r.of, size: 2, body: r.one}
	if h.name == "Float16" {
		// Four are widened at once, as that takes several instructions. A bfloat16 is one shift.
		k.four = func(items Mem) Op {
			four := XMM()
			h.widen(items, four)
			return four
		}
		k.with = func(data Mem, items Op, at int) {
			h.combine(a, data, func(update Op) { VPERMILPS(Imm(uint64(at)), items, update) })
		}
	}
	if r.name != "sub" { // no kind is subtracted by index in assembly
		indexItems(k, 64)
		outline()
		r.wire("Items", fmt.Sprintf("widening(%sIndex64)", k.name))
	}
	r.wire("Offsets", r.name+"Rows"+r.of+"AVX2")
	r.rows()
	outline()
}

var halfItems = &family{itemArguments, "and those like it are halfItemsGo."}

// hasF16C asks the processor for the instructions that convert float16.
func hasF16C() {
	TEXT("hasF16C", NOSPLIT, "func() bool")
	Doc("hasF16C reports whether the processor converts float16.")
	const leaf, bit = 1, 29
	MOVL(U32(leaf), EAX)
	XORL(ECX, ECX)
	CPUID()
	BTL(Imm(bit), ECX)
	has := GP8()
	SETCS(has)
	Store(has, ReturnIndex(0))
	RET()
}
