package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// vector is a new vector register, of so many bytes.
func vector() Op { return YMM() }

const vectorBytes = 32

// move loads or stores a whole vector, aligned or not.
func move(from, to Op) { VMOVDQU(from, to) }

// rows is the frame of the loops over rows of data at given offsets.
//
// While it works on one row it prefetches another, distance rows ahead, vector by
// vector: into the second cache, which can have more misses
// under way than the first. Behind the last row it does so with whatever offset
// it finds: a prefetch of no memory is none.
type rows struct {
	data, items, offsets Register
	n, bytes, t          Register
	row, ahead, temp     Register // the row of data, the one ahead
}

func newRows(name, arguments string, doc ...string) *rows {
	TEXT(name+"AVX2", NOSPLIT, "func("+arguments+")")
	Doc(append([]string{name + " " + doc[0]}, doc[1:]...)...)
	Pragma("noescape")
	load := func(name string) Register { return Load(Param(name), GP64()) }
	return &rows{
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
	VZEROUPPER()
	RET()
}

func at(base, index Register) Mem { return Mem{Base: base, Index: index, Scale: 1} }

// A copy moves a cache line at a time, as two vectors, and prefetches one: with a prefetch
// for each vector rows of 256 bytes take 1.3 times as long. The last line ends with the row:
// it overlaps the one before unless the row is a multiple of a line.
const line = 64

// copyRows emits the copy of rows.
func copyRows() {
	r := newRows("copyRows", "data, items *byte, offsets *int64, n, bytes, step, distance int",
		"copies rows of at least 64 bytes:", "",
		"	for t, offset := range offsets[:n] {",
		"		copy(items[t*step:][:bytes], data[offset:][:bytes])",
		"	}")
	step := Load(Param("step"), GP64())
	r.loop(func() { r.copyLines(r.row, r.items) }, func() { ADDQ(step, r.items) })
}

// copyShortRows emits the copy of rows of one to two vectors of a size, which overlap. A row
// may begin in one cache line and end in the next.
func copyShortRows(size int, vector func() Op) {
	r := newRows(fmt.Sprint("copyRows", size), "data, items *byte, offsets *int64, n, bytes, step, distance int",
		fmt.Sprintf("copies rows of %d to %d bytes:", size, 2*size), "",
		"	for t, offset := range offsets[:n] {",
		"		copy(items[t*step:][:bytes], data[offset:][:bytes])",
		"	}")
	step := Load(Param("step"), GP64())
	second := GP64()
	LEAQ(Mem{Base: r.bytes, Disp: -size}, second)
	r.loop(func() {
		low, high := vector(), vector()
		PREFETCHT1(Mem{Base: r.ahead})
		PREFETCHT1(Mem{Base: r.ahead, Index: r.bytes, Scale: 1, Disp: -1})
		move(Mem{Base: r.row}, low)
		move(at(r.row, second), high)
		move(low, Mem{Base: r.items})
		move(high, at(r.items, second))
	}, func() { ADDQ(step, r.items) })
}

// setRows emits the copy of rows to data.
func setRows() {
	r := newRows("setRows", "data, items *byte, offsets, places *int64, n, bytes, step, distance int",
		"copies rows of at least 64 bytes to rows of data:", "",
		"	for t, offset := range offsets[:n] {",
		"		copy(data[offset:][:bytes], items[places[t]*step:])",
		"	}")
	item := GP64()
	places, step := Load(Param("places"), GP64()), Load(Param("step"), GP64())
	r.loop(func() {
		MOVQ(Mem{Base: places, Index: r.t, Scale: 8}, item)
		IMULQ(step, item)
		ADDQ(r.items, item)
		r.copyLines(item, r.row)
	}, func() {})
}

// copyLines emits the copy of a row.
func (r *rows) copyLines(from, to Register) {
	off, rest := GP64(), r.temp
	low, high := vector(), vector()
	one := func(off Register) {
		PREFETCHT1(at(r.ahead, off))
		move(at(from, off), low)
		move(at(from, off).Offset(32), high)
		move(low, at(to, off))
		move(high, at(to, off).Offset(32))
	}
	MOVQ(r.bytes, rest)
	SUBQ(Imm(line), rest)
	XORQ(off, off)
	JMP(LabelRef("whole"))
	Label("line")
	one(off)
	ADDQ(Imm(line), off)
	Label("whole")
	CMPQ(off, rest)
	JL(LabelRef("line"))
	one(rest)
}
