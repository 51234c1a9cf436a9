package main

import (
	"fmt"
	"math/bits"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
)

// unrolledLine is how many elements a step of the loops over lines does: as many
// as there are indices of 8 bytes in a cache line, which is prefetched once.
const unrolledLine = 8

// copyLines emits the loop over lines of elements, each of which is picked by its own
// index on the same line of data. Elements lie side by side there: an index needs no
// multiplication, and a line no call.
func copyLines(size, index int) {
	name := fmt.Sprintf("copyLines%dIndex%d", size, index)
	TEXT(name, NOSPLIT, "func(data, items, idx *byte, lines, n, size, lift, span, ahead int) int")
	Doc(fmt.Sprintf("%s copies the elements that int%d indices pick, up to the first bad index,", name, index),
		"and returns how many. It is", "",
		"	for t, j := range idx[:lines*n] {",
		"		if uint(j) >= size {",
		"			if j += lift; uint(j) >= size { return t }",
		"		}",
		fmt.Sprintf("		copy(items[%d*t:][:%[1]d], data[t/n*span + %[1]d*j:])", size),
		"	}",
		"	return lines*n", "",
		"Indices are prefetched so many bytes ahead.")
	Pragma("noescape")
	data, items, idx := Load(Param("data"), GP64()), Load(Param("items"), GP64()), Load(Param("idx"), GP64())
	lines, n, limit := Load(Param("lines"), GP64()), Load(Param("n"), GP64()), Load(Param("size"), GP64())
	lift, ahead := Load(Param("lift"), GP64()), Load(Param("ahead"), GP64())
	left, j, v := GP64(), GP64(), GP64()

	one := func(label string, at int) {
		from := Mem{Base: idx, Disp: at * index / 8}
		if index == 32 {
			MOVLQSX(from, j)
		} else {
			MOVQ(from, j)
		}
		CMPQ(j, limit)
		JCC(LabelRef("lift" + label))
		Label("good" + label)
		load(size, false, Mem{Base: data, Index: j, Scale: uint8(size)}, v)
		store(size, v, Mem{Base: items, Disp: size * at})
	}
	lifted := func(label string, at int) {
		Label("lift" + label)
		ADDQ(lift, j)
		CMPQ(j, limit)
		JCS(LabelRef("good" + label))
		if at > 0 {
			ADDQ(Imm(uint64(at*size)), items)
		}
		JMP(LabelRef("done"))
	}
	advance := func(by int) {
		ADDQ(Imm(uint64(by*index/8)), idx)
		ADDQ(Imm(uint64(by*size)), items)
		SUBQ(Imm(uint64(by)), left)
	}

	Label("line")
	MOVQ(n, left)
	JMP(LabelRef("check"))
	align(32)
	Label("next")
	PREFETCHT0(Mem{Base: idx, Index: ahead, Scale: 1})
	for at := range unrolledLine {
		one(fmt.Sprint(at), at)
	}
	advance(unrolledLine)
	Label("check")
	CMPQ(left, Imm(unrolledLine))
	JGE(LabelRef("next"))
	JMP(LabelRef("rest"))
	Label("single")
	one("Single", 0)
	advance(1)
	Label("rest")
	TESTQ(left, left)
	JNZ(LabelRef("single"))
	span, err := Param("span").Resolve()
	if err != nil {
		panic(err)
	}
	ADDQ(span.Addr, data)
	DECQ(lines)
	JNZ(LabelRef("line"))

	Label("done")
	first, err := Param("items").Resolve()
	if err != nil {
		panic(err)
	}
	SUBQ(first.Addr, items)
	if size > 1 {
		SHRQ(Imm(uint64(bits.Len(uint(size))-1)), items)
	}
	Store(items, ReturnIndex(0))
	RET()

	for at := range unrolledLine {
		lifted(fmt.Sprint(at), at)
	}
	lifted("Single", 0)
}

// align makes what follows begin where an address is a multiple of so many bytes.
// Where a loop lies decides how fast it is decoded, and changes with whatever stands
// before it.
func align(bytes uint64) {
	Instruction(&ir.Instruction{Opcode: "PCALIGN", Operands: []Op{Imm(bytes)}})
}
