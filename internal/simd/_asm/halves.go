package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// halves are the 16-bit floats, computed with as float32s. Of the register of a single one the rest is anything.
var halves = []number{
	{"Float16", 2, float32s, loadFloat16, storeFloat16},
	{"BFloat16", 2, float32s, loadBFloat16, storeBFloat16},
}

func loadFloat16(p part, from Op) Op {
	to := p.register()
	if p.bytes == 4 {
		VPBROADCASTW(from, to)
		from = to
	}
	VCVTPH2PS(from, to)
	return to
}

func storeFloat16(p part, from, to Op) {
	words := from.(VecVirtual).AsX()
	VCVTPS2PH(Imm(0), from, words) // to nearest even
	part{bytes: p.bytes / 2}.move(words, to)
}

func loadBFloat16(p part, from Op) Op {
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
// the least normal one as zero. A NaN that was computed from halves has no other bits, and stays as it is.
func storeBFloat16(p part, from, to Op) {
	odd := p.register()
	VPSRLD(Imm(16), from, odd)
	VPAND(eightOf("one8", 1), odd, odd)
	VPADDD(from, odd, odd)
	VPADDD(eightOf("below8", 0x7fff), odd, odd)
	VPSRLD(Imm(16), odd, odd)
	words := odd.(VecVirtual).AsX()
	high := Op(words)
	if p.bytes == vectorBytes {
		high = XMM()
		VEXTRACTI128(Imm(1), odd, high)
	}
	VPACKUSDW(high, words, words)
	part{bytes: p.bytes / 2}.move(words, to)
}

// halfLoops emits the loops of the reductions of halves. At offsets the loop over rows takes single ones, too, but for sums.
func halfLoops() {
	hasF16C()
	for _, x := range halves {
		x.divideRows()
		for _, a := range arithmetics {
			o := x.operation(a)
			if a.name == "min" || a.name == "max" {
				o = x.extreme(a.name)
			}
			o.lines(o.fields("Lines")[0])
			if a.name == "add" {
				offsetItems(o)
			} else {
				wire(o.fields("Offsets")[0], o.function("Rows")+"AVX2")
			}
			o.rows()
		}
	}
}

// extreme is the least or greatest of halves, compared as integers: see inOrder.
func (x number) extreme(name string) operation {
	n := map[string]uint16{"Float16": 0x3ff, "BFloat16": 0x7f}[x.of]
	if name == "min" {
		n = -n
	}
	nans := eightOf(name+x.of, uint32(n)*0x10001)
	inOrder := func(p part, v Op) Op {
		to := p.register()
		VPSRAW(Imm(15), v, to)
		VPSRLW(Imm(1), to, to)
		VPXOR(v, to, to)
		VPSUBW(nans, to, to)
		return to
	}
	x.floats, x.load, x.store = floats{16, whole}, part.load, part.move
	return x.operation(arithmetic{name, func(f floats, u, t Op) {
		better, worse := inOrder(f.part, u), inOrder(f.part, t)
		if name == "min" {
			better, worse = worse, better
		}
		VPCMPGTW(worse, better, better)
		VPBLENDVB(better, u, t, t)
	}})
}

// A halfSum is how sums of eight halves stay in a register, as float32s that integers round: NaN have no bits of which that
// would take notice. A float16 is 2^112 times as large there, so that a sum which is too large for it is infinite.
type halfSum struct {
	number
	drop              uint64 // how many bits of a float32 a half does not have
	one, below, kept  Op     // to round
	enlarge, diminish Op     // nil for bfloat16
}

// newSum loads the constants.
func (x number) newSum() *halfSum {
	h := &halfSum{number: x, drop: 16}
	if x.of == "Float16" {
		h.drop = 13
		h.enlarge, h.diminish = whole.load(eightOf("enlarge8", (127+112)<<23)), whole.load(eightOf("diminish8", (127-112)<<23))
	}
	h.one, h.below = whole.load(eightOf("one8", 1)), whole.load(eightOf("below"+x.of, 1<<(h.drop-1)-1))
	h.kept = whole.load(eightOf("kept"+x.of, ^uint32(0)<<h.drop))
	return h
}

// widen loads halves. Those of a part with a mask, which is of words of 32 bits, have left bytes: the last is the eighth, too.
func (h *halfSum) widen(p part, from Mem, left, to Op) {
	words := Op(from)
	if p.mask != nil {
		words = p.load(from)
		VPINSRW(Imm(7), at(from.Base, left).Offset(-2), words, words)
	}
	v := h.load(whole, words)
	if h.enlarge != nil {
		VMULPS(h.enlarge, v, to)
	} else {
		VMOVAPS(v, to)
	}
}

// narrow makes halves of a sum, and stores the last of a part with a mask.
func (h *halfSum) narrow(p part, v Op, to Mem, left Op) Op {
	if h.enlarge != nil {
		VMULPS(h.diminish, v, v)
	}
	words := p.register()
	h.store(whole, v, words)
	if p.mask != nil {
		VPEXTRW(Imm(7), words, at(to.Base, left).Offset(-2))
	}
	return words
}

// round rounds sums to nearest even.
func (h *halfSum) round(sum Op) {
	odd := YMM()
	VPSRLD(Imm(h.drop), sum, odd)
	VPAND(h.one, odd, odd)
	VPADDD(h.below, sum, sum)
	VPADDD(odd, sum, sum)
	VPAND(h.kept, sum, sum)
}
