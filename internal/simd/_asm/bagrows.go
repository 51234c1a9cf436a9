package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// addScaledRows emits the sum of rows, each times a number.
func addScaledRows(f floats) {
	name := f.name("addScaledRows")
	TEXT(name, NOSPLIT, "func(data, items *byte, offsets, places *int64, scales *byte, n, bytes, step, distance int)")
	Doc(name+" adds rows, each times a number, to rows of data:", "",
		"	for t, offset := range offsets[:n] {",
		fmt.Sprintf("		for c := 0; c < bytes; c += %d {", f.size()),
		"			data[offset+c] += scales[t] * items[places[t]*step+c]",
		"		}",
		"	}", "",
		"It reads, and needs to be there, distance more offsets.")
	Pragma("noescape")
	load := func(name string) Register { return Load(Param(name), GP64()) }
	data, items, offsets, places, scales := load("data"), load("items"), load("offsets"), load("places"), load("scales")
	bytes, ahead := load("bytes"), load("distance")
	LEAQ(Mem{Base: offsets, Index: ahead, Scale: 8}, ahead)
	t, row, item, far, off, rest := GP64(), GP64(), GP64(), GP64(), GP64(), GP64()
	MOVQ(bytes, rest)
	ANDQ(Imm(uint64(vectorBytes-1)), rest)
	last := f.tail(rest)
	SUBQ(rest, bytes) // what fills whole vectors
	XORQ(t, t)
	JMP(LabelRef("check"))

	Label("next")
	MOVQ(Mem{Base: offsets, Index: t, Scale: 8}, row)
	ADDQ(data, row)
	MOVQ(Mem{Base: ahead, Index: t, Scale: 8}, far)
	ADDQ(data, far)
	MOVQ(Mem{Base: places, Index: t, Scale: 8}, item)
	IMULQ(param("step"), item)
	ADDQ(items, item)
	scale := f.broadcast(Mem{Base: scales, Index: t, Scale: uint8(f.size())})
	one := func(part tail) {
		x, sum := vector(), vector()
		PREFETCHT1(at(far, off))
		part.load(at(item, off), x)
		f.mul(scale, x, x)
		part.load(at(row, off), sum)
		f.add(sum, x, sum)
		part.store(sum, at(row, off))
	}
	XORQ(off, off)
	JMP(LabelRef("whole"))
	Label("vector")
	one(f.unmasked())
	ADDQ(Imm(uint64(vectorBytes)), off)
	Label("whole")
	CMPQ(off, bytes)
	JLT(LabelRef("vector"))
	TESTQ(rest, rest)
	JZ(LabelRef("done"))
	one(last)
	Label("done")
	INCQ(t)
	Label("check")
	CMPQ(t, param("n"))
	JLT(LabelRef("next"))
	VZEROUPPER()
	RET()
}

// dotRows emits the dot products of rows.
func dotRows(f floats) {
	name := f.name("dotRows")
	TEXT(name, NOSPLIT, "func(data, items *byte, offsets, places *int64, out *byte, n, bytes, step, distance int)")
	Doc(name+" is the dot products of rows of data and of items:", "",
		"	for t, offset := range offsets[:n] {",
		"		var sums [16]float // all zero",
		fmt.Sprintf("		for c := 0; c < bytes; c += %d {", f.size()),
		fmt.Sprintf("			sums[c/%d%%16] += data[offset+c] * items[places[t]*step+c]", f.size()),
		"		}",
		"		out[t] = total(sums)",
		"	}", "",
		"where total adds the second half to the first until one number is left. It",
		"reads, and needs to be there, distance more offsets.")
	Pragma("noescape")
	load := func(name string) Register { return Load(Param(name), GP64()) }
	data, items, offsets, places, out := load("data"), load("items"), load("offsets"), load("places"), load("out")
	bytes, ahead := load("bytes"), load("distance")
	LEAQ(Mem{Base: offsets, Index: ahead, Scale: 8}, ahead)
	t, row, item, far, off := GP64(), GP64(), GP64(), GP64(), GP64()
	s := f.sixteen(bytes)
	XORQ(t, t)
	JMP(LabelRef("check"))

	Label("next")
	MOVQ(Mem{Base: offsets, Index: t, Scale: 8}, row)
	ADDQ(data, row)
	MOVQ(Mem{Base: ahead, Index: t, Scale: 8}, far)
	ADDQ(data, far)
	MOVQ(Mem{Base: places, Index: t, Scale: 8}, item)
	IMULQ(param("step"), item)
	ADDQ(items, item)
	sum := s.sum(off, func(disp int, part tail) Op {
		if disp%64 == 0 {
			PREFETCHT1(at(far, off).Offset(disp))
		}
		x, y := vector(), vector()
		part.load(at(row, off).Offset(disp), x)
		part.load(at(item, off).Offset(disp), y)
		f.mul(y, x, x)
		return x
	})
	f.moveOne(sum, Mem{Base: out, Index: t, Scale: uint8(f.size())})
	INCQ(t)
	Label("check")
	CMPQ(t, param("n"))
	JLT(LabelRef("next"))
	VZEROUPPER()
	RET()
}
