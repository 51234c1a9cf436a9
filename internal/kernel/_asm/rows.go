package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// isa is an instruction set: its name and the bytes of its vectors.
type isa struct {
	name  string
	width int
}

var (
	avx2   = isa{"AVX2", 32}
	avx512 = isa{"AVX512", 64}
)

// vector is a new vector register.
func (i isa) vector() Op {
	if i == avx512 {
		return ZMM()
	}
	return YMM()
}

// move loads or stores a whole vector, aligned or not.
func (i isa) move(from, to Op) {
	if i == avx512 {
		VMOVDQU64(from, to)
	} else {
		VMOVDQU(from, to)
	}
}

// rows is the frame of the loops over rows of data at given offsets.
//
// While it works on one row it prefetches another, distance rows ahead, a line
// for each line it works on. Near the end that is the last row again.
type rows struct {
	isa
	data, items, offsets Register
	n, bytes, t          Register
	row, ahead, temp     Register // the row of data, the one ahead
}

func newRows(i isa, name string, doc ...string) *rows {
	TEXT(name+i.name, NOSPLIT, "func(data, items *byte, offsets *int64, n, bytes, step, distance int)")
	Doc(append([]string{name + " " + doc[0]}, doc[1:]...)...)
	Pragma("noescape")
	load := func(name string) Register { return Load(Param(name), GP64()) }
	return &rows{
		isa:  i,
		data: load("data"), items: load("items"), offsets: load("offsets"),
		n: load("n"), bytes: load("bytes"),
		t: GP64(), row: GP64(), ahead: GP64(), temp: GP64(),
	}
}

// loop calls body for each row.
func (r *rows) loop(body func()) {
	step, distance := Load(Param("step"), GP64()), Load(Param("distance"), GP64())
	XORQ(r.t, r.t)
	JMP(LabelRef("check"))

	Label("next")
	MOVQ(Mem{Base: r.offsets, Index: r.t, Scale: 8}, r.row)
	ADDQ(r.data, r.row)
	LEAQ(Mem{Base: r.t, Index: distance, Scale: 1}, r.ahead)
	LEAQ(Mem{Base: r.n, Disp: -1}, r.temp)
	CMPQ(r.ahead, r.temp)
	CMOVQGT(r.temp, r.ahead)
	MOVQ(Mem{Base: r.offsets, Index: r.ahead, Scale: 8}, r.ahead)
	ADDQ(r.data, r.ahead)

	body()

	ADDQ(step, r.items)
	INCQ(r.t)
	Label("check")
	CMPQ(r.t, r.n)
	JL(LabelRef("next"))
	VZEROUPPER()
	RET()
}

func at(base, index Register) Mem { return Mem{Base: base, Index: index, Scale: 1} }

func copyRows(i isa) {
	r := newRows(i, "copyRows", "copies rows of at least one vector's size:", "",
		"	for t, offset := range offsets[:n] {",
		"		copy(items[t*step:][:bytes], data[offset:][:bytes])",
		"	}")
	off, rest := GP64(), r.temp
	r.loop(func() {
		// Whole vectors, then one that ends with the row: it overlaps the one
		// before unless the row is a multiple of the vector's size.
		v := i.vector()
		MOVQ(r.bytes, rest)
		SUBQ(Imm(uint64(i.width)), rest)
		XORQ(off, off)
		JMP(LabelRef("whole"))
		Label("vector")
		PREFETCHT1(at(r.ahead, off))
		i.move(at(r.row, off), v)
		i.move(v, at(r.items, off))
		ADDQ(Imm(uint64(i.width)), off)
		Label("whole")
		CMPQ(off, rest)
		JL(LabelRef("vector"))
		PREFETCHT1(at(r.ahead, rest))
		i.move(at(r.row, rest), v)
		i.move(v, at(r.items, rest))
	})
}

func addRows(float int, i isa) {
	r := newRows(i, fmt.Sprintf("addRowsFloat%d", float), "adds rows of floats to rows of data:", "",
		"	for t, offset := range offsets[:n] {",
		fmt.Sprintf("		for c := 0; c < bytes; c += %d {", float/8),
		"			data[offset+c] += items[t*step+c]",
		"		}",
		"	}")
	off, rest := GP64(), r.temp
	add, addOne, load, store := VADDPS, VADDSS, VMOVSS, VMOVSS
	if float == 64 {
		add, addOne, load, store = VADDPD, VADDSD, VMOVSD, VMOVSD
	}
	r.loop(func() {
		v, one := i.vector(), XMM()
		MOVQ(r.bytes, rest)
		SUBQ(Imm(uint64(i.width)), rest)
		XORQ(off, off)
		JMP(LabelRef("whole"))
		Label("vector")
		PREFETCHT1(at(r.ahead, off))
		i.move(at(r.row, off), v)
		add(at(r.items, off), v, v)
		i.move(v, at(r.row, off))
		ADDQ(Imm(uint64(i.width)), off)
		Label("whole")
		CMPQ(off, rest)
		JLE(LabelRef("vector"))
		// What is left is less than a vector. An overlapping one would add
		// twice.
		PREFETCHT1(at(r.ahead, off))
		JMP(LabelRef("left"))
		Label("single")
		load(at(r.row, off), one)
		addOne(at(r.items, off), one, one)
		store(one, at(r.row, off))
		ADDQ(Imm(uint64(float/8)), off)
		Label("left")
		CMPQ(off, r.bytes)
		JL(LabelRef("single"))
	})
}
