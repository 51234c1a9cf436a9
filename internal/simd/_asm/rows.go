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
// While it works on one row it prefetches another, distance rows ahead, vector by
// vector: into the second cache, which can have more misses
// under way than the first. Behind the last row it does so with whatever offset
// it finds: a prefetch of no memory is none.
type rows struct {
	isa
	data, items, offsets Register
	n, bytes, t          Register
	row, ahead, temp     Register // the row of data, the one ahead
	stream               bool
}

func newRows(i isa, name, arguments string, doc ...string) *rows {
	TEXT(name+i.name, NOSPLIT, "func("+arguments+")")
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

// loop calls body for each row, and next after it.
func (r *rows) loop(body, next func()) {
	distance := Load(Param("distance"), GP64())
	XORQ(r.t, r.t)
	JMP(LabelRef("check"))

	Label("next")
	MOVQ(Mem{Base: r.offsets, Index: r.t, Scale: 8}, r.row)
	ADDQ(r.data, r.row)
	LEAQ(Mem{Base: r.t, Index: distance, Scale: 1}, r.ahead)
	MOVQ(Mem{Base: r.offsets, Index: r.ahead, Scale: 8}, r.ahead)
	ADDQ(r.data, r.ahead)

	body()

	next()
	INCQ(r.t)
	Label("check")
	CMPQ(r.t, r.n)
	JL(LabelRef("next"))
	if r.stream {
		SFENCE()
	}
	VZEROUPPER()
	RET()
}

func at(base, index Register) Mem { return Mem{Base: base, Index: index, Scale: 1} }

// copyRows emits the copy of rows. The streaming one writes past the caches.
func copyRows(i isa, stream bool) {
	name, doc := "copyRows", "copies rows of at least one vector's size:"
	store := i.move
	if stream {
		name, doc = "streamRows", "copies rows of whole vectors to aligned memory, past the caches:"
		store = func(from, to Op) { VMOVNTDQ(from, to) }
	}
	r := newRows(i, name, "data, items *byte, offsets *int64, n, bytes, step, distance int", doc, "",
		"	for t, offset := range offsets[:n] {",
		"		copy(items[t*step:][:bytes], data[offset:][:bytes])",
		"	}")
	r.stream = stream
	off, rest, step := GP64(), r.temp, Load(Param("step"), GP64())
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
		store(v, at(r.items, off))
		ADDQ(Imm(uint64(i.width)), off)
		Label("whole")
		CMPQ(off, rest)
		JL(LabelRef("vector"))
		PREFETCHT1(at(r.ahead, rest))
		i.move(at(r.row, rest), v)
		store(v, at(r.items, rest))
	}, func() { ADDQ(step, r.items) })
}

// setRows emits the copy of rows to data.
func setRows(i isa) {
	r := newRows(i, "setRows", "data, items *byte, offsets, places *int64, n, bytes, step, distance int",
		"copies rows of at least one vector's size to rows of data:", "",
		"	for t, offset := range offsets[:n] {",
		"		copy(data[offset:][:bytes], items[places[t]*step:])",
		"	}")
	off, rest, item := GP64(), r.temp, GP64()
	places, step := Load(Param("places"), GP64()), Load(Param("step"), GP64())
	r.loop(func() {
		// The last vector overlaps the one before, as in copyRows.
		v := i.vector()
		MOVQ(Mem{Base: places, Index: r.t, Scale: 8}, item)
		IMULQ(step, item)
		ADDQ(r.items, item)
		MOVQ(r.bytes, rest)
		SUBQ(Imm(uint64(i.width)), rest)
		XORQ(off, off)
		JMP(LabelRef("whole"))
		Label("vector")
		PREFETCHT1(at(r.ahead, off))
		i.move(at(item, off), v)
		i.move(v, at(r.row, off))
		ADDQ(Imm(uint64(i.width)), off)
		Label("whole")
		CMPQ(off, rest)
		JL(LabelRef("vector"))
		PREFETCHT1(at(r.ahead, rest))
		i.move(at(item, rest), v)
		i.move(v, at(r.row, rest))
	}, func() {})
}

func addRows(float int, i isa) {
	r := newRows(i, fmt.Sprintf("addRowsFloat%d", float), "data, items *byte, offsets, places *int64, n, bytes, step, distance int",
		"adds rows of floats to rows of data:", "",
		"	for t, offset := range offsets[:n] {",
		fmt.Sprintf("		for c := 0; c < bytes; c += %d {", float/8),
		"			data[offset+c] += items[places[t]*step+c]",
		"		}",
		"	}")
	off, rest, item := GP64(), r.temp, GP64()
	places, step := Load(Param("places"), GP64()), Load(Param("step"), GP64())
	add, addOne, load, store := VADDPS, VADDSS, VMOVSS, VMOVSS
	if float == 64 {
		add, addOne, load, store = VADDPD, VADDSD, VMOVSD, VMOVSD
	}
	r.loop(func() {
		v, one := i.vector(), XMM()
		MOVQ(Mem{Base: places, Index: r.t, Scale: 8}, item)
		IMULQ(step, item)
		ADDQ(r.items, item)
		MOVQ(r.bytes, rest)
		SUBQ(Imm(uint64(i.width)), rest)
		XORQ(off, off)
		JMP(LabelRef("whole"))
		Label("vector")
		PREFETCHT1(at(r.ahead, off))
		i.move(at(r.row, off), v)
		add(at(item, off), v, v)
		i.move(v, at(r.row, off))
		ADDQ(Imm(uint64(i.width)), off)
		Label("whole")
		CMPQ(off, rest)
		JLE(LabelRef("vector"))
		// What is left is less than a vector. An overlapping one would add
		// twice, so ever smaller ones follow.
		PREFETCHT1(at(r.ahead, off))
		MOVQ(r.bytes, rest)
		SUBQ(off, rest)
		for width := i.width / 2; width >= 16; width /= 2 {
			var v Op = YMM()
			if width == 16 {
				v = XMM()
			}
			after := fmt.Sprintf("after%d", width)
			CMPQ(rest, Imm(uint64(width)))
			JLT(LabelRef(after))
			VMOVDQU(at(r.row, off), v)
			add(at(item, off), v, v)
			VMOVDQU(v, at(r.row, off))
			ADDQ(Imm(uint64(width)), off)
			SUBQ(Imm(uint64(width)), rest)
			Label(after)
		}
		JMP(LabelRef("left"))
		Label("single")
		load(at(r.row, off), one)
		addOne(at(item, off), one, one)
		store(one, at(r.row, off))
		ADDQ(Imm(uint64(float/8)), off)
		Label("left")
		CMPQ(off, r.bytes)
		JL(LabelRef("single"))
	}, func() {})
}
