package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// unset is a loop over items that takes one value of data for the neutral element of
// its reduction: data is filled with it first, and what still has it after the loop has
// no update. The loop stops where the result is that value, and leaves the target as it
// was. Sums and products of floats, and all results of 16-bit floats, are never a
// signalling NaN, which the value is.
type unset struct {
	note    string
	prepare func() // what the bodies need in registers
	body    func(data, item Mem, stop LabelRef)
}

// The values, as package kernel has them.
var (
	unset32       = uint64(0x7fa5c3e1)
	unset64       = uint64(0x7ff5c3e1d2b49687)
	unsetFloat16  = uint64(0x7d5a)
	unsetBFloat16 = uint64(0x7f9a)
)

// unsetItems emits the loops of a reduction.
func unsetItems(name, of string, size int, what string, u *unset) {
	u.note = fmt.Sprintf("\n\t\t// where data that is %#x counts as the neutral element", unsetOf(of, size))
	k := item{name: name + "Unset" + of, size: size, adds: true, what: what, unset: u}
	for _, index := range []int{32, 64} {
		indexItems(k, index)
		outline()
	}
}

func unsetOf(of string, size int) uint64 {
	switch {
	case of == "Float16":
		return unsetFloat16
	case of == "BFloat16":
		return unsetBFloat16
	case size == 8:
		return unset64
	}
	return unset32
}

// constant is a number in a register.
func constant(value uint64) GPVirtual {
	r := GP64()
	if value < 1<<31 {
		MOVL(U32(value), r.As32())
	} else {
		MOVQ(U64(value), r)
	}
	return r
}

// unset is the loop of a combiner.
func (c combiner) unset() *unset {
	if c.integer() {
		return c.unsetInteger()
	}
	return c.unsetFloat(floats{avx2, 8 * c.size})
}

// unsetFloat is the loop for floats. The least and the greatest of them may be the value
// where one of the updates is.
func (c combiner) unsetFloat(f floats) *unset {
	var none, start Op
	var value GPVirtual
	return &unset{
		prepare: func() {
			none, start, value = XMM(), XMM(), constant(unsetOf(c.of, c.size))
			pick(f, VMOVD, VMOVQ)(width(value, c.size), none)
			pick(f, VMOVD, VMOVQ)(width(constant(c.neutral), c.size), start)
		},
		body: func(data, item Mem, stop LabelRef) {
			target, update, is := XMM(), XMM(), XMM()
			f.moveOne(data, target)
			f.moveOne(item, update)
			pick(f, VPCMPEQD, VPCMPEQQ)(none, target, is)
			pick(f, VBLENDVPS, VBLENDVPD)(is, start, target, target)
			c.join(update, target)
			if c.name == "min" || c.name == "max" {
				result := GP64()
				pick(f, VMOVD, VMOVQ)(target, width(result, c.size))
				pick(f, CMPL, CMPQ)(width(result, c.size), width(value, c.size))
				JEQ(stop)
			}
			f.moveOne(target, data)
		},
	}
}

// width is the part of a register that has so many bytes.
func width(r GPVirtual, size int) Register {
	if size == 8 {
		return r
	}
	return r.As32()
}

// unsetInteger is the loop for integers.
func (c combiner) unsetInteger() *unset {
	var none, start GPVirtual
	return &unset{
		prepare: func() { none, start = constant(unsetOf(c.of, c.size)), constant(c.neutral) },
		body: func(data, item Mem, stop LabelRef) {
			target, update := GP64(), GP64()
			load(c.size, false, data, target)
			load(c.size, false, item, update)
			if c.size == 8 {
				CMPQ(target, none)
				CMOVQEQ(start, target)
				c.joinIntegers(target, update)
				CMPQ(target, none)
			} else {
				CMPL(target.As32(), none.As32())
				CMOVLEQ(start.As32(), target.As32())
				c.joinIntegers(target, update)
				CMPL(target.As32(), none.As32())
			}
			JEQ(stop)
			store(c.size, target, data)
		},
	}
}

// unset is the loop for 16-bit floats.
func (h half) unset(c combination, neutral uint64) *unset {
	var start GPVirtual
	value := unsetOf(h.name, 2)
	return &unset{
		prepare: func() { start = constant(neutral) },
		body: func(data, item Mem, _ LabelRef) {
			target, update, bits := XMM(), XMM(), GP64()
			MOVWLZX(data, bits.As32())
			CMPL(bits.As32(), U32(value))
			CMOVLEQ(start.As32(), bits.As32())
			h.widenBits(bits.As32(), target)
			h.widenOne(item, update)
			c.one(update, target)
			h.narrowOne(target, data)
		},
	}
}

// replaceUnset emits the replacement of what is unset by what was there before.
func replaceUnset(size int) {
	name := fmt.Sprintf("replaceUnset%d", size)
	TEXT(name, NOSPLIT, "func(to, old *byte, n int, unset uint64)")
	Doc(name+" replaces the elements that are unset:", "",
		"	for i := range n {",
		fmt.Sprintf("		if to[%d*i:][:%[1]d] is unset { copy(to[%[1]d*i:][:%[1]d], old[%[1]d*i:]) }", size),
		"	}")
	Pragma("noescape")
	to, old := Load(Param("to"), GP64()), Load(Param("old"), GP64())
	n, value := Load(Param("n"), GP64()), Load(Param("unset"), GP64()).(GPVirtual)
	lanes := 32 / size
	all, i := YMM(), GP64()
	VMOVQ(value, all.AsX())
	map[int]func(...Op){2: VPBROADCASTW, 4: VPBROADCASTD, 8: VPBROADCASTQ}[size](all.AsX(), all)
	XORQ(i, i)
	SUBQ(Imm(uint64(lanes)), n)
	element := func(base Register) Mem { return Mem{Base: base, Index: i, Scale: uint8(size)} }
	JMP(LabelRef("whole"))
	Label("vector")
	is, v := YMM(), YMM()
	VMOVDQU(element(to), v)
	map[int]func(...Op){2: VPCMPEQW, 4: VPCMPEQD, 8: VPCMPEQQ}[size](v, all, is)
	VPBLENDVB(is, element(old), v, v)
	VMOVDQU(v, element(to))
	ADDQ(Imm(uint64(lanes)), i)
	Label("whole")
	CMPQ(i, n)
	JLE(LabelRef("vector"))
	ADDQ(Imm(uint64(lanes)), n)
	JMP(LabelRef("left"))
	Label("single")
	one, before := GP64(), GP64()
	load(size, false, element(to), one)
	load(size, false, element(old), before)
	CMPQ(one, value)
	CMOVQEQ(before, one)
	store(size, one, element(to))
	INCQ(i)
	Label("left")
	CMPQ(i, n)
	JL(LabelRef("single"))
	VZEROUPPER()
	RET()
}

// fillElements emits the filling of memory with a pattern.
func fillElements() {
	TEXT("fillElementsAVX2", NOSPLIT, "func(to *byte, bytes int, pattern uint64)")
	Doc("fillElementsAVX2 fills memory with a pattern of 8 bytes:", "",
		"	for i := range bytes { to[i] = byte(pattern >> (8 * (i % 8))) }")
	Pragma("noescape")
	to, n, value := Load(Param("to"), GP64()), Load(Param("bytes"), GP64()), Load(Param("pattern"), GP64()).(GPVirtual)
	all, i := YMM(), GP64()
	VMOVQ(value, all.AsX())
	VPBROADCASTQ(all.AsX(), all)
	XORQ(i, i)
	SUBQ(Imm(32), n)
	JMP(LabelRef("whole"))
	Label("vector")
	VMOVDQU(all, at(to, i))
	ADDQ(Imm(32), i)
	Label("whole")
	CMPQ(i, n)
	JLE(LabelRef("vector"))
	ADDQ(Imm(32), n)
	JMP(LabelRef("left"))
	Label("single")
	MOVB(value.As8(), at(to, i))
	RORQ(Imm(8), value)
	INCQ(i)
	Label("left")
	CMPQ(i, n)
	JL(LabelRef("single"))
	VZEROUPPER()
	RET()
}
