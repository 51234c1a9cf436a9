package main

import (
	"fmt"
	"math/bits"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// floats are floats of 32 or 64 bits. Their instructions take operands in Go's order: the
// target comes last, the first operand of the operation next to last. It is that operand
// whose payload a result has, where both are NaN.
type floats struct{ bits int }

func eachFloats(do func(f floats)) {
	do(floats{32})
	do(floats{64})
}

// name is how a function for these floats is called.
func (f floats) name(what string) string { return fmt.Sprintf("%sFloat%dAVX2", what, f.bits) }

func (f floats) size() int  { return f.bits / 8 }
func (f floats) lanes() int { return vectorBytes / f.size() }

// pick chooses between the instructions for the two widths.
func pick[F any](f floats, single, double F) F {
	if f.bits == 64 {
		return double
	}
	return single
}

func (f floats) add(ops ...Op)  { pick(f, VADDPS, VADDPD)(ops...) }
func (f floats) sub(ops ...Op)  { pick(f, VSUBPS, VSUBPD)(ops...) }
func (f floats) mul(ops ...Op)  { pick(f, VMULPS, VMULPD)(ops...) }
func (f floats) div(ops ...Op)  { pick(f, VDIVPS, VDIVPD)(ops...) }
func (f floats) and(ops ...Op)  { pick(f, VANDPS, VANDPD)(ops...) }
func (f floats) max(ops ...Op)  { pick(f, VMAXPS, VMAXPD)(ops...) }
func (f floats) sqrt(ops ...Op) { pick(f, VSQRTPS, VSQRTPD)(ops...) }

func (f floats) addOne(ops ...Op)  { pick(f, VADDSS, VADDSD)(ops...) }
func (f floats) divOne(ops ...Op)  { pick(f, VDIVSS, VDIVSD)(ops...) }
func (f floats) sqrtOne(ops ...Op) { pick(f, VSQRTSS, VSQRTSD)(ops...) }

// log2 is the logarithm of a power of two.
func log2(n int) int { return bits.TrailingZeros(uint(n)) }

// moveOne loads or stores one float.
func (f floats) moveOne(from, to Op) {
	if f.bits == 64 {
		VMOVSD(from, to)
	} else {
		VMOVSS(from, to)
	}
}

// clear makes a vector all zeros.
func (f floats) clear(v Op) { VXORPS(v, v, v) }

// broadcast fills a new vector with the float in memory.
func (f floats) broadcast(from Mem) Op {
	v := vector()
	if f.bits == 64 {
		VBROADCASTSD(from, v)
	} else {
		VBROADCASTSS(from, v)
	}
	return v
}

// fill fills a new vector with the float in a register.
func (f floats) fill(from Op) Op {
	v := vector()
	if f.bits == 64 {
		VBROADCASTSD(from, v)
	} else {
		VBROADCASTSS(from, v)
	}
	return v
}

// vector is a new vector register.
func vector() Op { return YMM() }

const vectorBytes = 32

// vectorOf is a new register for so many bytes.
func vectorOf(bytes int) Op {
	if bytes == vectorBytes {
		return YMM()
	}
	return XMM()
}

// A part of a row fills a vector of 32 or 16 bytes or, with a mask, less. What is masked
// is read as zero and not written, and its memory need not be there.
type part struct {
	bytes int
	mask  Op
}

// whole is a part that fills a vector.
var whole = part{bytes: vectorBytes}

// masked is a part with the given bytes, fewer than the vector has; where begins n bytes
// ones, with as many zeros behind them.
func masked(where Mem, n int, bytes Register) part {
	at := GP64()
	LEAQ(where.Offset(n), at)
	SUBQ(bytes, at)
	mask := YMM()
	VMOVDQU(Mem{Base: at}, mask)
	return part{vectorBytes, mask}
}

// of is a register of 32 bytes as long as the part.
func (p part) of(v Op) Op {
	if p.bytes == vectorBytes {
		return v
	}
	return v.(VecVirtual).AsX()
}

// load reads the part into a new vector.
func (p part) load(from Mem) Op {
	to := vectorOf(p.bytes)
	p.loadTo(from, to)
	return to
}

func (p part) loadTo(from Mem, to Op) {
	if p.mask == nil {
		VMOVDQU(from, to)
	} else {
		VMASKMOVPS(from, p.mask, to)
	}
}

func (p part) store(from Op, to Mem) {
	if p.mask == nil {
		VMOVDQU(from, to)
	} else {
		VMASKMOVPS(from, p.mask, to)
	}
}

// widen reads float32 and makes them float64.
func (p part) widen(from Mem) Op {
	to := vector()
	if p.mask == nil {
		VCVTPS2PD(from, to)
		return to
	}
	// The mask has a word of 64 bits for each; its lower halves are wanted.
	narrow, mask, high := XMM(), p.mask.(VecVirtual).AsX(), XMM()
	VEXTRACTF128(Imm(1), p.mask, high)
	VSHUFPS(Imm(0x88), high, mask, narrow)
	VMASKMOVPS(from, narrow, narrow)
	VCVTPS2PD(narrow, to)
	return to
}

var tables = map[string]Mem{}

// table is constant data that is made once.
func table(name string, fill func()) Mem {
	m, made := tables[name]
	if !made {
		m = GLOBL(name, RODATA|NOPTR)
		fill()
		tables[name] = m
	}
	return m
}

// ones is n bytes of ones, and as many of zeros.
func ones(n int) Mem {
	return table(fmt.Sprintf("ones%d", n), func() {
		for b := 0; b < 2*n; b += 8 {
			value := U64(1<<64 - 1)
			if b >= n {
				value = 0
			}
			DATA(b, value)
		}
	})
}
