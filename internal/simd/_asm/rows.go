package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

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
	places, step         Register
}

// The arguments of a RowLoop and of an AddLoop.
const (
	rowArguments    = "(data, items *byte, offsets *int64, n, bytes, step, distance int)"
	placedArguments = "(data, items *byte, offsets, places *int64, n, bytes, step, distance int)"
)

func newRows(k *family, name string) *rows {
	k.function(name)
	return &rows{
		data: load("data"), items: load("items"), offsets: load("offsets"),
		n: load("n"), bytes: load("bytes"),
		t: GP64(), row: GP64(), ahead: GP64(), temp: GP64(),
	}
}

// loop calls body for each row.
func (r *rows) loop(body func()) {
	distance := load("distance")
	eachRow(r.t, r.n, func() {
		MOVQ(element(r.offsets, r.t, 8), r.row)
		ADDQ(r.data, r.row)
		LEAQ(at(r.t, distance), r.ahead)
		MOVQ(element(r.offsets, r.ahead, 8), r.ahead)
		ADDQ(r.data, r.ahead)
		body()
	})
}

// place finds the row of items.
func (r *rows) place(item Register) {
	MOVQ(element(r.places, r.t, 8), item)
	IMULQ(r.step, item)
	ADDQ(r.items, item)
}

// columns emits the work on a row from the offset off on: on vectors of 32 bytes, then on
// one of 16 and on single elements.
func (r *rows) columns(off Register, all func(bytes int), size int, one func()) {
	vector := func(bytes int) {
		all(bytes)
		ADDQ(Imm(uint64(bytes)), off)
	}
	rest := r.temp
	MOVQ(r.bytes, rest)
	SUBQ(Imm(vectorBytes), rest)
	XORQ(off, off)
	loop("vector", "whole", func() {
		PREFETCHT1(at(r.ahead, off))
		vector(vectorBytes)
	}, func(to LabelRef) {
		CMPQ(off, rest)
		JLE(to)
	})
	PREFETCHT1(at(r.ahead, off))
	ADDQ(Imm(16), rest)
	CMPQ(off, rest)
	JGT(LabelRef("left"))
	vector(16)
	loop("single", "left", func() {
		one()
		ADDQ(Imm(uint64(size)), off)
	}, below(off, r.bytes))
}

// A copy moves a cache line at a time, as two vectors, and prefetches one: with a prefetch
// for each vector rows of 256 bytes take 1.3 times as long. The last line ends with the row:
// it overlaps the one before unless the row is a multiple of a line.
const line = 64

// copyRows emits the copy of rows.
func copyRows() {
	r := newRows(copiedRows, "copyRowsAVX2")
	wire("copyRowsAVX2", "CopyRows")
	step := load("step")
	r.loop(func() {
		r.copyLines(r.row, r.items)
		ADDQ(step, r.items)
	})
}

// copyShortRows emits the copy of rows of one to two vectors of a size, which overlap. A row
// may begin in one cache line and end in the next.
func copyShortRows(size int) {
	name := fmt.Sprintf("copyRows%dAVX2", size)
	r := newRows(copiedRows, name)
	wire(name, "CopyShort[%d]", log2(size)-1)
	step := load("step")
	second := GP64()
	LEAQ(Mem{Base: r.bytes, Disp: -size}, second)
	r.loop(func() {
		low, high := vectorOf(size), vectorOf(size)
		PREFETCHT1(Mem{Base: r.ahead})
		PREFETCHT1(at(r.ahead, r.bytes).Offset(-1))
		move(Mem{Base: r.row}, low)
		move(at(r.row, second), high)
		move(low, Mem{Base: r.items})
		move(high, at(r.items, second))
		ADDQ(step, r.items)
	})
}

// setRows emits the copy of rows to data.
func setRows() {
	r := newRows(storedRows, "setRowsAVX2")
	wire("setRowsAVX2", "SetRows")
	wire(fmt.Sprint(line), "MinVectorBytes")
	item := GP64()
	r.places, r.step = load("places"), load("step")
	r.loop(func() {
		r.place(item)
		r.copyLines(item, r.row)
	})
}

var (
	copiedRows = &family{rowArguments, "is copyRowsGo, of at least 64 bytes; the others are for 16 to 32 and for 32 to 64."}
	storedRows = &family{placedArguments, "is setRowsGo, of at least 64 bytes."}
)

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
	loop("line", "whole", func() {
		one(off)
		ADDQ(Imm(line), off)
	}, below(off, rest))
	one(rest)
}
