package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// rows is the frame of the loops over rows of data at given offsets. It prefetches the row that is
// distance ahead, into the second cache, which can have more misses under way than the first, and behind
// the last row whatever offset is there: a prefetch of no memory is none.
type rows struct {
	offsets, ahead                Op   // the offsets, and those that are distance ahead
	bytes, t, row, far, off, rest Op   // far is the row that is ahead
	item                          Op   // the row of items, if there are places
	last                          part // of a row, if what is left of it is masked
}

// newRows begins a loop over rows. Arguments that it does not load stay in memory.
func newRows(registers ...string) *rows {
	r := &rows{
		offsets: load("offsets"), ahead: Load(Param("distance"), GP64()), bytes: load("bytes"),
		t: GP64(), row: GP64(), far: GP64(), off: GP64(), rest: GP64(),
	}
	LEAQ(element(r.offsets, r.ahead, 8), r.ahead)
	for _, name := range registers {
		load(name)
		if name == "places" {
			r.item = GP64()
		}
	}
	return r
}

// find finds the row of base that is at an offset, and the one that is ahead.
func (r *rows) find(base Op, row, far Op) {
	MOVQ(element(r.offsets, r.t, 8), row)
	ADDQ(base, row)
	MOVQ(element(r.ahead, r.t, 8), far)
	ADDQ(base, far)
}

// loop calls body for each row.
func (r *rows) loop(body func()) {
	eachRow(r.t, arg("n"), func() {
		r.find(arg("data"), r.row, r.far)
		if r.item != nil {
			MOVQ(element(arg("places"), r.t, 8), r.item)
			IMULQ(arg("step"), r.item)
			ADDQ(arg("items"), r.item)
		}
		body()
	})
}

// mask makes the mask for what is left of a row behind its whole vectors.
func (r *rows) mask() {
	MOVQ(r.bytes, r.rest)
	ANDQ(Imm(vectorBytes-1), r.rest)
	r.last = masked(64, 0, r.rest)
}

// columns emits the work on a row: on vectors of 32 bytes, and on what is left of it. That is a masked vector
// if there is a mask, or else one of 16 bytes, numbers of 8 and 16 bits four at a time, and single numbers of a size.
func (r *rows) columns(size int, do func(p part)) {
	XORQ(r.off, r.off)
	r.runs("vector", "whole", vectorBytes, func() {
		PREFETCHT1(at(r.far, r.off))
		do(whole)
	})
	PREFETCHT1(at(r.far, r.off))
	if r.last.mask != nil {
		r.masked(do)
		return
	}
	left := "left"
	SUBQ(Imm(16), r.rest)
	CMPQ(r.rest, r.bytes)
	JGT(LabelRef(left))
	do(part{bytes: 16})
	ADDQ(Imm(16), r.off)
	if size < 4 {
		r.runs("four", left, 4*size, func() { do(part{bytes: 4 * size}) })
		left = "singles"
	}
	loop("single", left, func() {
		do(part{bytes: size})
		ADDQ(Imm(uint64(size)), r.off)
	}, below(r.off, r.bytes))
}

// runs emits the work on as many runs of some bytes as there are in a row from off on.
func (r *rows) runs(body, check string, bytes int, all func()) {
	loop(body, check, func() {
		all()
		ADDQ(Imm(uint64(bytes)), r.off)
	}, func(to LabelRef) {
		LEAQ(behind(r.off, bytes), r.rest)
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

// rowLoops emits the loops of gathers and scatters.
func rowLoops() {
	copyRows()
	copyShortRows(16)
	copyShortRows(32)
	setRows()
	for _, size := range []int{1, 2, 4, 8} {
		copyItems(size)
	}
	operation{"prefetch", []string{""}, 1, func(_ part, data, _ Mem) { PREFETCHT1(data) }}.lines("PrefetchLines")
	clamp()
}

// copyRows emits the copy of rows.
func copyRows() {
	copiedRows.function("copyRowsAVX2", "CopyRows")
	r := newRows("data", "items", "n", "step")
	r.copyLines(r.row, arg("items"), func() { ADDQ(arg("step"), arg("items")) })
}

// copyShortRows emits the copy of rows of one to two vectors of a size, which overlap. A row
// may begin in one cache line and end in the next.
func copyShortRows(size int) {
	copiedRows.function(fmt.Sprintf("copyRows%dAVX2", size), fmt.Sprintf("CopyShort[%d]", log2(size)-1))
	r := newRows("data", "items", "n", "step")
	items, second := arg("items"), GP64()
	LEAQ(behind(r.bytes, -size), second)
	r.loop(func() {
		PREFETCHT1(behind(r.far, 0))
		PREFETCHT1(at(r.far, r.bytes).Offset(-1))
		p := part{bytes: size}
		low, high := p.load(behind(r.row, 0)), p.load(at(r.row, second))
		p.move(low, behind(items, 0))
		p.move(high, at(items, second))
		ADDQ(arg("step"), items)
	})
}

// setRows emits the copy of rows to data.
func setRows() {
	storedRows.function("setRowsAVX2", "SetRows")
	wire("MinVectorBytes", fmt.Sprint(line))
	r := newRows("data", "items", "places", "n", "step")
	r.copyLines(r.item, r.row, func() {})
}

const line = 64 // of a cache

// copyLines emits the copy of each row, a line at a time, as two vectors, and prefetches the lines of the row that is ahead. The
// last line ends with the row, and overlaps the one before. So does the second with the first of two or more, as those behind
// it begin where no vector crosses a line: such a store takes longer.
func (r *rows) copyLines(from, to Op, next func()) {
	one := func(off Op) {
		PREFETCHT1(at(r.far, off))
		low, high := whole.load(at(from, off)), whole.load(at(from, off).Offset(32))
		whole.move(low, at(to, off))
		whole.move(high, at(to, off).Offset(32))
	}
	LEAQ(behind(r.bytes, -line), r.rest)
	r.loop(func() {
		XORQ(r.off, r.off)
		below(r.rest, Imm(line))(LabelRef("whole"))
		one(r.off)
		MOVQ(to, r.off)
		ANDQ(Imm(vectorBytes-1), r.off)
		NEGQ(r.off)
		ADDQ(Imm(line), r.off)
		loop("line", "whole", func() {
			one(r.off)
			ADDQ(Imm(line), r.off)
		}, below(r.off, r.rest))
		one(r.rest)
		next()
	})
}

// divideRows emits the division of rows by one number each.
func (x number) divideRows() {
	dividedRows.function("divideRows"+x.of+"AVX2", "Means[num."+x.of+"].Rows")
	r, a := newRows("data", "items"), arithmetic{"div", func(f floats, u, t Op) { f.div(u, t) }}
	r.loop(func() {
		one := setZero(XMM()) // which the instruction keeps a part of
		pick(x.floats, VCVTSI2SSL, VCVTSI2SDL)(element(arg("items"), r.t, 4), one, one)
		all := x.fill(one)
		r.columns(x.size, func(p part) { x.each(a, p, at(r.row, r.off), func(in part, _ int) Op { return in.of(all) }) })
	})
}

// addScaledRows emits the sum of rows, each times a number.
func (f floats) addScaledRows() {
	scaledRows.function(f.name("addScaledRows"), f.field("Bags", "AddScaledRows"))
	r := newRows("data", "items", "places", "scales")
	r.mask()
	r.loop(func() {
		scale := f.fill(element(arg("scales"), r.t, f.size()))
		r.columns(f.size(), func(p part) {
			x := f.mul(scale, p.load(at(r.item, r.off)))
			sum := p.load(at(r.row, r.off))
			p.move(f.add(sum, x, sum), at(r.row, r.off))
		})
	})
}
