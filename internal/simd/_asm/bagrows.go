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

// shareRows emits the sum of rows where another row has the greatest value.
func shareRows(f floats) {
	name := f.name("shareRows")
	TEXT(name, NOSPLIT, "func(data, table, items *byte, offsets, places *int64, n, bytes, distance int)")
	Doc(name+" adds rows to rows of data where the rows of a table have the values that",
		"stand in items before them:", "",
		"	for t, offset := range offsets[:n] {",
		"		most := items[2*places[t]*bytes:]",
		fmt.Sprintf("		for c := 0; c < bytes; c += %d {", f.size()),
		"			if x := table[offset+c]; x == most[c] || x != x { data[offset+c] += most[bytes+c] }",
		"		}",
		"	}", "",
		"It reads, and needs to be there, distance more offsets.")
	Pragma("noescape")
	load := func(name string) Register { return Load(Param(name), GP64()) }
	data, table, offsets, places, bytes, ahead := load("data"), load("table"), load("offsets"), load("places"), load("bytes"), load("distance")
	LEAQ(Mem{Base: offsets, Index: ahead, Scale: 8}, ahead)
	t, row, from, most, share, far, off, rest := GP64(), GP64(), GP64(), GP64(), GP64(), GP64(), GP64(), GP64()
	MOVQ(bytes, rest)
	ANDQ(Imm(uint64(vectorBytes-1)), rest)
	last := f.tail(rest)
	XORQ(t, t)
	JMP(LabelRef("check"))

	Label("next")
	MOVQ(Mem{Base: offsets, Index: t, Scale: 8}, row)
	LEAQ(at(table, row), from)
	ADDQ(data, row)
	MOVQ(Mem{Base: ahead, Index: t, Scale: 8}, far)
	ADDQ(data, far)
	MOVQ(Mem{Base: places, Index: t, Scale: 8}, most)
	ADDQ(most, most)
	IMULQ(bytes, most)
	ADDQ(param("items"), most)
	LEAQ(at(most, bytes), share)
	one := func(part tail) {
		x, m, sum, old := vector(), vector(), vector(), vector()
		PREFETCHT1(at(far, off))
		part.load(at(from, off), x)
		part.load(at(most, off), m)
		part.load(at(row, off), old)
		part.load(at(share, off), sum)
		f.add(sum, old, sum)
		same := f.equal(x, m)
		pick(f, VBLENDVPS, VBLENDVPD)(same, sum, old, old)
		part.store(old, at(row, off))
	}
	XORQ(off, off)
	JMP(LabelRef("whole"))
	Label("vector")
	one(f.unmasked())
	ADDQ(Imm(uint64(vectorBytes)), off)
	Label("whole")
	LEAQ(Mem{Base: off, Disp: vectorBytes}, rest)
	CMPQ(rest, bytes)
	JLE(LabelRef("vector"))
	CMPQ(off, bytes)
	JGE(LabelRef("done"))
	one(last)
	Label("done")
	INCQ(t)
	Label("check")
	CMPQ(t, param("n"))
	JLT(LabelRef("next"))
	VZEROUPPER()
	RET()
}

// divideRow emits the division of a row by a number.
func divideRow(f floats) {
	name := f.name("divideRow")
	TEXT(name, NOSPLIT, "func(to, from, divisor *byte, bytes int)")
	Doc(name+" divides a row by a number:", "",
		fmt.Sprintf("	for c := 0; c < bytes; c += %d {", f.size()),
		"		to[c] = from[c] / *divisor",
		"	}")
	Pragma("noescape")
	to, from, bytes, divisor := Load(Param("to"), GP64()), Load(Param("from"), GP64()), Load(Param("bytes"), GP64()), Load(Param("divisor"), GP64())
	by := f.broadcast(Mem{Base: divisor})
	off, rest := GP64(), GP64()
	MOVQ(bytes, rest)
	ANDQ(Imm(uint64(vectorBytes-1)), rest)
	last := f.tail(rest)
	SUBQ(rest, bytes)
	one := func(part tail) {
		x := vector()
		part.load(at(from, off), x)
		f.div(by, x, x)
		part.store(x, at(to, off))
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
