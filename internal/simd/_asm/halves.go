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
	// widen and narrow convert a vector of eight.
	widen  func(from Mem, to Op)
	narrow func(from, to Op)
	// widenOne and narrowOne are for a single number, of whose register the rest is anything.
	widenOne  func(from Mem, to Op)
	narrowOne func(from, to Op)
}

var halves = []half{
	{"Float16",
		func(from Mem, to Op) { VCVTPH2PS(from, to) },
		func(from, to Op) { VCVTPS2PH(Imm(0), from, to) }, // to nearest even
		func(from Mem, to Op) {
			bits := GP32()
			MOVWLZX(from, bits)
			VMOVD(bits, to)
			VCVTPH2PS(to, to)
		},
		func(from, to Op) {
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
func narrowBFloat16(from, to Op) {
	upper, odd, nan := YMM(), YMM(), YMM()
	VPSRLD(Imm(16), from, upper)
	VPAND(eightOf("one8", 1), upper, odd)
	VPADDD(from, odd, odd)
	VPADDD(eightOf("below8", 0x7fff), odd, odd)
	VPSRLD(Imm(16), odd, odd)
	VCMPPS(Imm(unordered), from, from, nan)
	VPOR(eightOf("quiet8", 0x40), upper, upper)
	VPBLENDVB(nan, upper, odd, odd)
	low, high := odd.AsX(), XMM()
	VEXTRACTI128(Imm(1), odd, high)
	VPACKUSDW(high, low, low)
	VMOVDQU(low, to)
}

// narrowOneBFloat16 adds to a number what carries into its upper half if it is to
// be rounded up. NaNs leave the fast path.
func narrowOneBFloat16(from, to Op) {
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

// number is how halves are computed with.
func (h half) number() number {
	f := floats{32, whole}
	return number{h.name, 2, f, func(p part, from Mem) Op {
		to := p.register()
		if p.bytes == f.size() {
			h.widenOne(from, to)
		} else {
			h.widen(from, to)
		}
		return to
	}, func(p part, from, to Op) {
		if p.bytes == f.size() {
			h.narrowOne(from, to)
		} else {
			h.narrow(from, to)
		}
	}}
}

// halfLoops emits the loops of the reductions of halves. That over rows is as good for single
// elements at offsets. No kind is subtracted by index in assembly.
func halfLoops() {
	hasF16C()
	for _, h := range halves {
		for _, a := range arithmetics {
			r := h.number().reduction(a)
			if a.name != "sub" {
				h.items(r, a)
			}
			wire(r.fields("Offsets")[0], r.name+"Rows"+r.of+"AVX2")
			r.rows("Rows")
			outline()
		}
	}
}

var halfItems = &family{itemArguments, "and those like it are halfItemsGo."}

// items emits the loop of a reduction over indices. Four float16 are widened at once, as that
// takes several instructions. A bfloat16 is one shift.
func (h half) items(r reduction, a arithmetic) {
	k := item{family: halfItems, name: r.name + "Items" + r.of, size: r.size, one: r.one}
	if h.name == "Float16" {
		k.four = func(items Mem) func(at int, data Mem) {
			four := XMM()
			h.widen(items, four)
			return func(at int, data Mem) {
				h.number().combine(a, part{bytes: 4}, data, func() Op {
					update := XMM()
					VPERMILPS(Imm(uint64(at)), four, update)
					return update
				})
			}
		}
	}
	wire(r.fields("Items")[0], fmt.Sprintf("widening(%s)", indexItems(k, 64)))
	outline()
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
