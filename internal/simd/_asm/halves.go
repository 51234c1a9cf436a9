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

// combination is a reduction: what it does in Go, and to vectors. It leaves the
// result in the target.
type combination struct {
	name string
	what string
	one  func(update, target Op)
	all  func(update, target Op)
}

var combinations = []combination{
	{"add", "%s += %s", func(u, t Op) { VADDSS(u, t, t) }, func(u, t Op) { VADDPS(u, t, t) }},
	{"sub", "%s -= %s", func(u, t Op) { VSUBSS(u, t, t) }, func(u, t Op) { VSUBPS(u, t, t) }},
	{"mul", "%s *= %s", func(u, t Op) { VMULSS(u, t, t) }, func(u, t Op) { VMULPS(u, t, t) }},
	{"min", "%[1]s = min(%[1]s, %[2]s)",
		func(u, t Op) { least(VMINSS, XMM(), u, t) },
		func(u, t Op) { least(VMINPS, YMM(), u, t) }},
	{"max", "%[1]s = max(%[1]s, %[2]s)",
		func(u, t Op) { most(VMINSS, XMM(), XMM(), u, t) },
		func(u, t Op) { most(VMINPS, YMM(), YMM(), u, t) }},
}

// least is Go's min: NaN if either is, and -0 is less than +0. The instruction
// returns its second operand for NaN and for zeros, so it is used both ways.
func least(min func(...Op), both Op, update, target Op) {
	min(update, target, both)
	min(target, both, target)
	VPOR(both, target, target)
}

// most is Go's max, the negative of the least of the negatives.
func most(min func(...Op), both, sign Op, update, target Op) {
	VPCMPEQD(sign, sign, sign)
	VPSLLD(Imm(31), sign, sign)
	VPXOR(sign, update, update)
	VPXOR(sign, target, target)
	least(min, both, update, target)
	VPXOR(sign, target, target)
}

func halfLoops() {
	hasF16C()
	for _, h := range halves {
		for _, c := range combinations {
			// combine is what becomes of an element of data, with the update that load loads.
			combine := func(data Mem, load func(update Op)) {
				target, update := XMM(), XMM()
				h.widenOne(data, target)
				load(update)
				c.one(update, target)
				h.narrowOne(target, data)
			}
			k := item{
				name: c.name + "Items" + h.name, size: 2,
				what: fmt.Sprintf(c.what, "data[%[1]s]", "items[2*t]") + " // " + h.name,
				body: func(data, item Mem) { combine(data, func(update Op) { h.widenOne(item, update) }) },
			}
			if h.name == "Float16" {
				// To widen four at once takes 0.8 times as long. A bfloat16 is one shift.
				k.four = func(items Mem) Op {
					four := XMM()
					h.widen(items, four)
					return four
				}
				k.with = func(data Mem, items Op, at int) {
					combine(data, func(update Op) { VPERMILPS(Imm(uint64(at)), items, update) })
				}
			}
			if c.name != "sub" { // no kind is subtracted by index in assembly
				indexItems(k, 32)
				outline()
				indexItems(k, 64)
				outline()
			}
			combineRows(h, c)
			outline()
		}
	}
}

// combineRows emits the combination of rows of halves.
func combineRows(h half, c combination) {
	r := newRows(c.name+"Rows"+h.name, "data, items *byte, offsets, places *int64, n, bytes, step, distance int",
		"combines rows of 16-bit floats with rows of data:", "",
		"	for t, offset := range offsets[:n] {",
		"		for c := 0; c < bytes; c += 2 {",
		"			"+fmt.Sprintf(c.what, "data[offset+c]", "items[places[t]*step+c]"),
		"		}",
		"	}")
	off, rest, item := GP64(), r.temp, GP64()
	places, step := Load(Param("places"), GP64()), Load(Param("step"), GP64())
	eight := func(disp int) {
		target, update := YMM(), YMM()
		h.widen(at(r.row, off).Offset(disp), target)
		h.widen(at(item, off).Offset(disp), update)
		c.all(update, target)
		h.narrow(target, at(r.row, off).Offset(disp))
	}
	r.loop(func() {
		MOVQ(Mem{Base: places, Index: r.t, Scale: 8}, item)
		IMULQ(step, item)
		ADDQ(r.items, item)
		XORQ(off, off)
		PREFETCHT1(Mem{Base: r.ahead})
		JMP(LabelRef("whole"))
		Label("vectors")
		PREFETCHT1(at(r.ahead, off))
		eight(0)
		eight(16)
		ADDQ(Imm(32), off)
		Label("whole")
		LEAQ(Mem{Base: off, Disp: 32}, rest)
		CMPQ(rest, r.bytes)
		JLE(LabelRef("vectors"))
		LEAQ(Mem{Base: off, Disp: 16}, rest)
		CMPQ(rest, r.bytes)
		JG(LabelRef("left"))
		eight(0)
		ADDQ(Imm(16), off)
		JMP(LabelRef("left"))
		Label("single")
		target, update := XMM(), XMM()
		h.widenOne(at(r.row, off), target)
		h.widenOne(at(item, off), update)
		c.one(update, target)
		h.narrowOne(target, at(r.row, off))
		ADDQ(Imm(2), off)
		Label("left")
		CMPQ(off, r.bytes)
		JL(LabelRef("single"))
	}, func() {})
}

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
