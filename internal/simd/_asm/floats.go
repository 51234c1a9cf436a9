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

// A tail is the part of a vector that a row ends with: its mask. What is masked
// is read as zero and not written, and its memory need not be there.
type tail struct {
	floats
	mask Op
}

// unmasked is a whole vector.
func (f floats) unmasked() tail { return tail{f, nil} }

// tail is the part of a vector with the given bytes, fewer than the vector has.
func (f floats) tail(bytes Register) tail {
	at := GP64()
	LEAQ(ones(64).Offset(64), at)
	SUBQ(bytes, at)
	mask := YMM()
	VMOVDQU(Mem{Base: at}, mask)
	return tail{f, mask}
}

// load reads a vector, or the part of it that is not masked.
func (t tail) load(from Mem, to Op) {
	if t.mask == nil {
		move(from, to)
	} else {
		pick(t.floats, VMASKMOVPS, VMASKMOVPD)(from, t.mask, to)
	}
}

// store writes a vector, or the part of it that is not masked.
func (t tail) store(from Op, to Mem) {
	if t.mask == nil {
		move(from, to)
	} else {
		pick(t.floats, VMASKMOVPS, VMASKMOVPD)(from, t.mask, to)
	}
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
