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
	if p.bytes > 4 {
		VCVTPS2PH(Imm(0), from, to) // to nearest even
	} else {
		VCVTPS2PH(Imm(0), from, from)
		VPEXTRW(Imm(0), from, to)
	}
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
	switch p.bytes {
	case 4:
		VPEXTRW(Imm(0), odd, to)
	case 16:
		VPACKUSDW(odd, odd, odd)
		VMOVQ(odd, to)
	default:
		low, high := odd.(VecVirtual).AsX(), XMM()
		VEXTRACTI128(Imm(1), odd, high)
		VPACKUSDW(high, low, low)
		VMOVDQU(low, to)
	}
}

// halfLoops emits the loops of the reductions of halves. At offsets the loop over rows takes single ones, too, but
// for sums.
func halfLoops() {
	hasF16C()
	for _, x := range halves {
		x.divideRows()
		x.same()
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

// same emits the sum of the first row of data and of rows of one or two halves. A row of one is read as two equal ones. The
// sum stays in a register: in memory each row waits longer for the one before.
func (x number) same() {
	sameRows.function("addSame"+x.of+"AVX2", "Combine[num."+x.of+"][num.Add].Same")
	r, p := newRows("data", "items", "places", "n", "step"), part{bytes: 16}
	both := func(row Op) Op {
		one, other := XMM(), XMM()
		VPBROADCASTW(behind(row, 0), one)
		VPBROADCASTW(at(row, r.bytes).Offset(-2), other)
		VPBLENDW(Imm(0xaa), other, one, one)
		return x.load(p, one)
	}
	data, rounded := arg("data"), XMM()
	sum := both(data)
	r.loop(func() {
		x.store(p, x.add(both(r.item), sum), rounded)
		VMOVAPS(x.load(p, rounded), sum)
		VPEXTRW(Imm(0), rounded, behind(data, 0))
		VPEXTRW(Imm(1), rounded, at(data, r.bytes).Offset(-2))
	})
}
