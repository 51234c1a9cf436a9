package main

import (
	"fmt"
	"math/bits"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
)

// unrolledLine is how many elements a step of the loops over lines does: as many
// as there are indices of 8 bytes in a cache line, which is prefetched once. What is
// left of a line are fours, twos and ones, and no loop: short lines need not guess
// where it ends.
const unrolledLine = 8

// lineAhead is indicesAhead for lines. What is prefetched takes the room of elements
// that come from the next cache: 2**20 elements of 2 bytes out of 48 KB take 540 µs,
// with 4096 bytes 598, without 607.
const lineAhead = 2048

// A line is elements side by side, one for each index. onLines are the loops over lines of
// data: an index picks an element of the line that it is on itself, without a
// multiplication. onColumns are those over lines of indices, all of them on the same
// data: an index picks an element of its own column.
type lineLoops struct {
	name, what string
	columns    bool
}

var (
	onLines   = lineLoops{"copyLines", "t/n*lineStride + %[1]d*j", false}
	onColumns = lineLoops{"copyColumns", "j*lineStride + t%%n*%[1]d", true}
)

// emit emits a loop for elements of a size and indices of so many bits.
func (l lineLoops) emit(size, index int) {
	name := fmt.Sprintf("%s%dIndex%d", l.name, size, index)
	TEXT(name, NOSPLIT, "func(data, items, idx *byte, lines, n, size, negativeOffset, lineStride int) int")
	Doc(fmt.Sprintf("%s copies the elements that int%d indices pick, up to the first bad index,", name, index),
		"and returns how many. It is", "",
		"	for t, j := range idx[:lines*n] {",
		"		if uint(j) >= size {",
		"			if j += negativeOffset; uint(j) >= size { return t }",
		"		}",
		fmt.Sprintf("		copy(items[%d*t:][:%[1]d], data["+l.what+":])", size),
		"	}",
		"	return lines*n")
	Pragma("noescape")
	start, items, idx := Load(Param("data"), GP64()), Load(Param("items"), GP64()), Load(Param("idx"), GP64())
	count, n, limit := Load(Param("lines"), GP64()), Load(Param("n"), GP64()), Load(Param("size"), GP64())
	negativeOffset, lineStride := Load(Param("negativeOffset"), GP64()), Load(Param("lineStride"), GP64())
	left, j, v := GP64(), GP64(), GP64()
	data := start
	if l.columns {
		data = GP64()
	}

	var negatives []func()
	// some emits so many elements, and goes on behind them.
	some := func(of string, count int) {
		for at := range count {
			label := fmt.Sprint(of, at)
			from := Mem{Base: idx, Disp: at * index / 8}
			if index == 32 {
				MOVLQSX(from, j)
			} else {
				MOVQ(from, j)
			}
			CMPQ(j, limit)
			JCC(LabelRef("negative" + label))
			Label("good" + label)
			element := Mem{Base: data, Index: j, Scale: uint8(size)}
			if l.columns {
				IMULQ(lineStride, j)
				element.Scale, element.Disp = 1, size*at
			}
			load(size, false, element, v)
			store(size, v, Mem{Base: items, Disp: size * at})
			negatives = append(negatives, func() {
				Label("negative" + label)
				ADDQ(negativeOffset, j)
				CMPQ(j, limit)
				JCS(LabelRef("good" + label))
				if at > 0 {
					ADDQ(Imm(uint64(at*size)), items)
				}
				JMP(LabelRef("done"))
			})
		}
		ADDQ(Imm(uint64(count*index/8)), idx)
		ADDQ(Imm(uint64(count*size)), items)
		if l.columns {
			ADDQ(Imm(uint64(count*size)), data)
		}
	}

	Label("line")
	if l.columns {
		MOVQ(start, data)
	}
	MOVQ(n, left)
	SUBQ(Imm(unrolledLine), left)
	JLT(LabelRef("rest"))
	align(32)
	Label("next")
	PREFETCHT0(Mem{Base: idx, Disp: lineAhead})
	some("", unrolledLine)
	SUBQ(Imm(unrolledLine), left)
	JGE(LabelRef("next"))
	Label("rest")
	for part := unrolledLine / 2; part > 0; part /= 2 {
		behind := fmt.Sprint("behind", part)
		TESTB(Imm(uint64(part)), left.As8()) // its low bits are those of what is left, below 0 too
		JEQ(LabelRef(behind))
		some(fmt.Sprint("Of", part, "At"), part)
		Label(behind)
	}
	if !l.columns {
		ADDQ(lineStride, data)
	}
	DECQ(count)
	JNZ(LabelRef("line"))

	Label("done")
	first := param("items")
	SUBQ(first, items)
	if size > 1 {
		SHRQ(Imm(uint64(bits.Len(uint(size))-1)), items)
	}
	Store(items, ReturnIndex(0))
	RET()

	for _, negative := range negatives {
		negative()
	}
}

// align makes what follows begin where an address is a multiple of so many bytes.
// Where a loop lies decides how fast it is decoded, and changes with whatever stands
// before it.
func align(bytes uint64) {
	Instruction(&ir.Instruction{Opcode: "PCALIGN", Operands: []Op{Imm(bytes)}})
}
