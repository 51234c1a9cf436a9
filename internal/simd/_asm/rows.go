package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// rows is the frame of the loops over rows of data at given offsets.
//
// While it works on one row it prefetches another, distance rows ahead, vector by
// vector: into the second cache, which can have more misses
// under way than the first. Behind the last row it does so with whatever offset
// it finds: a prefetch of no memory is none.
type rows struct {
	data, n, step                 Op       // registers or, where these are short, memory
	offsets, ahead                Register // the offsets, and those that are distance ahead
	bytes, t, row, far, off, rest Register // far is the row that is ahead
	items, item                   Register // item is the row of items, where it is at a place
	places                        Register
	last                          part // of the row, where columns of single elements are masked
}

// The arguments of a GatherLoop and of an ScatterLoop.
const (
	rowArguments    = "(data, items *byte, offsets *int64, n, bytes, step, distance int)"
	placedArguments = "(data, items *byte, offsets, places *int64, n, bytes, step, distance int)"
)

// newRows begins a function over rows. It has no items.
func newRows(k *family, name string) *rows {
	k.function(name)
	r := &rows{
		data: param("data"), n: param("n"), offsets: load("offsets"), ahead: load("distance"), bytes: load("bytes"),
		t: GP64(), row: GP64(), far: GP64(), off: GP64(), rest: GP64(),
	}
	LEAQ(element(r.offsets, r.ahead, 8), r.ahead)
	return r
}

// rowsAndItems begins a function over rows of data and of items.
func rowsAndItems(k *family, name string) *rows {
	r := newRows(k, name)
	r.data, r.items, r.step = load("data"), load("items"), param("step")
	return r
}

// rowsAndPlaces begins a function over rows of data and rows of items at places.
func rowsAndPlaces(k *family, name string) *rows {
	r := rowsAndItems(k, name)
	r.places, r.item = load("places"), GP64()
	return r
}

// inRegisters loads what all rows need.
func (r *rows) inRegisters() *rows {
	r.n, r.step = load("n"), load("step")
	return r
}

// find finds the row of base that is at an offset, and the one that is ahead.
func (r *rows) find(base Op, row, far Register) {
	MOVQ(element(r.offsets, r.t, 8), row)
	ADDQ(base, row)
	MOVQ(element(r.ahead, r.t, 8), far)
	ADDQ(base, far)
}

// loop calls body for each row.
func (r *rows) loop(body func()) {
	eachRow(r.t, r.n, func() {
		r.find(r.data, r.row, r.far)
		if r.places != nil {
			MOVQ(element(r.places, r.t, 8), r.item)
			IMULQ(r.step, r.item)
			ADDQ(r.items, r.item)
		}
		body()
	})
}

// mask makes the mask for what is left of a row behind its whole vectors.
func (r *rows) mask() {
	MOVQ(r.bytes, r.rest)
	ANDQ(Imm(vectorBytes-1), r.rest)
	r.last = masked(ones(64), 64, r.rest)
}

// columns emits the work on a row: on vectors of 32 bytes, and on what is left of it. That
// is a masked vector, or one of 16 bytes and single elements of a size, if there is one for
// these.
func (r *rows) columns(all func(p part), size int, one func()) {
	XORQ(r.off, r.off)
	r.vectors(func() {
		PREFETCHT1(at(r.far, r.off))
		all(whole)
	})
	PREFETCHT1(at(r.far, r.off))
	if one == nil {
		r.masked(all)
		return
	}
	SUBQ(Imm(16), r.rest)
	CMPQ(r.rest, r.bytes)
	JGT(LabelRef("left"))
	all(part{bytes: 16})
	ADDQ(Imm(16), r.off)
	loop("single", "left", func() {
		one()
		ADDQ(Imm(uint64(size)), r.off)
	}, below(r.off, r.bytes))
}

// vectors emits the work on the whole vectors of a row from off on.
func (r *rows) vectors(all func()) {
	loop("vector", "whole", func() {
		all()
		ADDQ(Imm(vectorBytes), r.off)
	}, func(to LabelRef) {
		LEAQ(Mem{Base: r.off, Disp: vectorBytes}, r.rest)
		CMPQ(r.rest, r.bytes)
		JLE(to)
	})
}

// masked emits the work on what is left of a row behind them.
func (r *rows) masked(all func(p part)) {
	CMPQ(r.off, r.bytes)
	JGE(LabelRef("done"))
	all(r.last)
	Label("done")
}

// copyRows emits the copy of rows.
func copyRows() {
	r := rowsAndItems(copiedRows, "copyRowsAVX2").inRegisters()
	wire("copyRowsAVX2", "CopyRows")
	r.loop(func() {
		r.copyLines(r.row, r.items)
		ADDQ(r.step, r.items)
	})
}

// copyShortRows emits the copy of rows of one to two vectors of a size, which overlap. A row
// may begin in one cache line and end in the next.
func copyShortRows(size int) {
	name := fmt.Sprintf("copyRows%dAVX2", size)
	r := rowsAndItems(copiedRows, name).inRegisters()
	wire(name, "CopyShort[%d]", log2(size)-1)
	second := GP64()
	LEAQ(Mem{Base: r.bytes, Disp: -size}, second)
	r.loop(func() {
		low, high := vectorOf(size), vectorOf(size)
		PREFETCHT1(Mem{Base: r.far})
		PREFETCHT1(at(r.far, r.bytes).Offset(-1))
		VMOVDQU(Mem{Base: r.row}, low)
		VMOVDQU(at(r.row, second), high)
		VMOVDQU(low, Mem{Base: r.items})
		VMOVDQU(high, at(r.items, second))
		ADDQ(r.step, r.items)
	})
}

// setRows emits the copy of rows to data.
func setRows() {
	r := rowsAndPlaces(storedRows, "setRowsAVX2").inRegisters()
	wire("setRowsAVX2", "SetRows")
	wire(fmt.Sprint(line), "MinVectorBytes")
	r.loop(func() { r.copyLines(r.item, r.row) })
}

var (
	copiedRows = &family{rowArguments, "is copyRowsGo, of at least 64 bytes; the others are for 16 to 32 and for 32 to 64."}
	storedRows = &family{placedArguments, "is setRowsGo, of at least 64 bytes."}
)

// A copy moves a cache line at a time, as two vectors, and prefetches one. The last line ends
// with the row: it overlaps the one before unless the row is a multiple of a line.
const line = 64

// copyLines emits the copy of a row.
func (r *rows) copyLines(from, to Register) {
	low, high := vector(), vector()
	one := func(off Register) {
		PREFETCHT1(at(r.far, off))
		VMOVDQU(at(from, off), low)
		VMOVDQU(at(from, off).Offset(32), high)
		VMOVDQU(low, at(to, off))
		VMOVDQU(high, at(to, off).Offset(32))
	}
	MOVQ(r.bytes, r.rest)
	SUBQ(Imm(line), r.rest)
	XORQ(r.off, r.off)
	loop("line", "whole", func() {
		one(r.off)
		ADDQ(Imm(line), r.off)
	}, below(r.off, r.rest))
	one(r.rest)
}
