package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// halves are the 16-bit floats, computed with as float32s. Of the register of a single one the rest is anything.
var halves = []number{
	{"Float16", 2, float32s, loadFloat16, loadFloat16, storeFloat16},
	{"BFloat16", 2, float32s, loadBFloat16, loadBFloat16, storeBFloat16},
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
	if p.bytes > 4 {
		VCVTPS2PH(Imm(0), from, to) // to nearest even
		return
	}
	VCVTPS2PH(Imm(0), from, from) // to memory it would write more than one half
	part{bytes: 2}.move(from, to)
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
	part{bytes: p.bytes / 2}.move(highWords(p, odd), to)
}

// highWords are the upper halves of words of 32 bits.
func highWords(p part, v Op) Op {
	VPSRLD(Imm(16), v, v)
	words := v.(VecVirtual).AsX()
	high := Op(words)
	if p.bytes == vectorBytes {
		high = XMM()
		VEXTRACTI128(Imm(1), v, high)
	}
	VPACKUSDW(high, words, words)
	return words
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
	x = number{x.of, x.size, floats{16, whole}, part.load, part.load, part.move}
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
	drop              uint64 // how many bits of a float32 a half does not have
	up, kept          Op     // to round
	enlarge, diminish Op     // nil for bfloat16
}

// newSum loads the constants.
func (x number) newSum() *halfSum {
	h := &halfSum{drop: 16}
	if x.of == "Float16" {
		h.drop = 13
		h.enlarge, h.diminish = whole.load(eightOf("enlarge8", (127+112)<<23)), whole.load(eightOf("diminish8", (127-112)<<23))
	}
	half := uint64(1) << (h.drop - 1) // of the last bit that is kept
	h.up, h.kept = whole.load(fourOf("up"+x.of, half-1|half<<32)), whole.load(eightOf("kept"+x.of, ^uint32(0)<<h.drop))
	return h
}

// widen loads halves. Those of a part with a mask, which is of words of 32 bits, have left bytes: the last half goes into the eighth place, too.
func (h *halfSum) widen(p part, from Mem, left, to Op) {
	words := p.operand(from)
	if p.mask != nil {
		VPINSRW(Imm(7), at(from.Base, left).Offset(-2), words, words)
	}
	if h.enlarge != nil {
		VCVTPH2PS(words, to)
	} else {
		VPMOVZXWD(words, to)
		VPSLLD(Imm(16), to, to)
	}
}

// narrow stores sums as halves.
func (h *halfSum) narrow(p part, v Op, to Mem, left Op) {
	words := Op(v.(VecVirtual).AsX())
	if h.enlarge != nil {
		VMULPS(h.diminish, v, v)
		VCVTPS2PH(Imm(0), v, words)
	} else {
		highWords(whole, v)
	}
	p.move(words, to)
	if p.mask != nil {
		VPEXTRW(Imm(7), words, at(to.Base, left).Offset(-2))
	}
}

// add adds halves to sums, and rounds these to nearest even.
func (h *halfSum) add(p part, from Mem, left, sum Op) {
	v, up := YMM(), YMM()
	h.widen(p, from, left, v)
	if h.enlarge != nil {
		VFMADD231PS(h.enlarge, v, sum) // the product is exact
	} else {
		VADDPS(v, sum, sum)
	}
	VPSRLD(Imm(h.drop), sum, up)
	VPERMILPS(up, h.up, up) // by the last two bits, of which one counts: the table has two numbers twice
	VPADDD(up, sum, sum)
	VPAND(h.kept, sum, sum)
}
