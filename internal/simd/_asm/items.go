package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// indicesAhead is how far ahead, in bytes, indices are prefetched. They come in order, but too
// fast for what the processor does by itself, which ends at every page.
const indicesAhead = 4096

// indexItems emits a loop over indices, of which four are checked before the first is used: the
// items then wait for nothing but each other. One of the four that is out of range, and not a
// good negative one, sends them to the loop for single items, which ends at the bad one.
func indexItems(o operation, bits int) (name string) {
	name = fmt.Sprintf("%sIndex%d", o.function("Items"), bits)
	copiedItems.function(name)
	data, items, idx, n := load("data"), load("items"), load("idx"), load("n")
	size, stride, step := load("size"), load("stride"), load("step")
	js, four := []Op{GP64(), GP64(), GP64(), GP64()}, []string{"0", "1", "2", "3"}
	some := func(labels ...string) {
		PREFETCHT0(behind(idx, indicesAhead))
		for at, label := range labels {
			loadIndex[bits](behind(idx, at*bits/8), js[at])
			CMPQ(js[at], size)
			JCC(LabelRef("negative" + label))
			Label("good" + label)
			IMULQ(stride, js[at])
		}
		for at := range labels {
			o.one(element(data, js[at], 1), behind(items, o.size*at))
			ADDQ(step, data)
		}
		ADDQ(Imm(uint64(len(labels)*bits/8)), idx)
		ADDQ(Imm(uint64(len(labels)*o.size)), items)
		SUBQ(Imm(uint64(len(labels))), n)
	}
	loop("next", "check", func() { some(four...) }, check(CMPQ, n, Imm(4), JGE))
	loop("single", "rest", func() { some("Single") }, check(TESTQ, n, n, JNZ))
	Label("done")
	all := load("n")
	SUBQ(n, all)
	Store(all, ReturnIndex(0))
	RET()

	for at, label := range append(four, "Single") {
		j, bad := js[at%len(js)], "single"
		if label == "Single" {
			bad = "done"
		}
		Label("negative" + label)
		ADDQ(arg("negativeOffset"), j)
		CMPQ(j, size)
		JCS(LabelRef("good" + label))
		JMP(LabelRef(bad))
	}
	return name
}

// loadIndex loads an index of 32 or 64 bits.
var loadIndex = map[int]func(from, to Op){32: MOVLQSX, 64: MOVQ}

// copyItems emits the copies of elements of a size from data.
func copyItems(size int) {
	o := operation{"copy", []string{fmt.Sprint(size)}, size, func(_ part, data, item Mem) {
		v := GP64()
		lowest := []Op{v.As8(), v.As16(), v.As32(), v} // bytes of the register
		[]func(from, to Op){MOVBLZX, MOVWLZX, MOVL, MOVQ}[log2(size)](data, lowest[max(log2(size), 2)])
		[]func(from, to Op){MOVB, MOVW, MOVL, MOVQ}[log2(size)](lowest[log2(size)], item)
	}}
	wire(fmt.Sprintf("CopyItems[%d]", log2(size)), fmt.Sprintf("ItemLoops{%s, %s}", indexItems(o, 32), indexItems(o, 64)))
}

// offsetItems emits a loop over offsets in data, which have been checked. It prefetches data, 32 items ahead.
func offsetItems(o operation) {
	combinedOffsets.function(o.function("Items")+"Far", o.fields("Offsets")...)
	data, items, offsets, places, step := load("data"), load("items"), load("offsets"), load("places"), load("step")
	t, offset, place, ahead := GP64(), GP64(), GP64(), GP64()
	eachRow(t, load("n"), func() {
		MOVQ(element(offsets, t, 8).Offset(8*32), ahead)
		PREFETCHT1(element(data, ahead, 1))
		MOVQ(element(offsets, t, 8), offset)
		MOVQ(element(places, t, 8), place)
		IMULQ(step, place)
		o.one(element(data, offset, 1), element(items, place, 1))
	})
}

// lines emits the loop over a Line, whose fields are words, for indices of width bytes. In its two
// loops, neither of which is empty, items, data and indices move on by the second to the fourth field of a Loop.
func (o operation) lines(to string) {
	name := o.function("Line")
	workedLines.function(name)
	data, items, idx, line := load("data"), load("items"), load("idx"), load("l")
	lines, datum, item, i, passed, end, j := GP64(), GP64(), GP64(), GP64(), GP64(), GP64(), GP64()
	field, step := func(n int) Mem { return behind(line, 8*n) }, [...]Op{GP64(), GP64(), GP64()}
	for n, s := range step {
		MOVQ(field(8+n), s)
	}
	IMULQ(arg("width"), step[2])
	MOVQ(field(3), lines)
	XORQ(passed, passed)
	XORQ(end, end)
	each := func(bits int) {
		label := fmt.Sprint(bits)
		repeat("next"+label, func() {
			PREFETCHT0(behind(i, indicesAhead))
			loadIndex[bits](behind(i, 0), j)
			CMPQ(j, field(0))
			JCC(LabelRef("negative" + label))
			Label("good" + label)
			IMULQ(field(2), j)
			o.one(element(datum, j, 1), behind(item, 0))
			Label("skipped" + label)
			ADDQ(step[0], item)
			ADDQ(step[1], datum)
			ADDQ(step[2], i)
			INCQ(passed)
		}, below(passed, end))
	}
	repeat("line", func() {
		MOVQ(data, datum)
		MOVQ(items, item)
		MOVQ(idx, i)
		ADDQ(field(7), end)
		CMPQ(arg("width"), Imm(4))
		JEQ(LabelRef("next32"))
		each(64)
		JMP(LabelRef("lineDone"))
		each(32)
		Label("lineDone")
		ADDQ(field(4), items)
		ADDQ(field(5), data)
		MOVQ(field(6), j)
		IMULQ(arg("width"), j)
		ADDQ(j, idx)
		DECQ(lines)
	}, func(to LabelRef) { JNZ(to) })
	Label("done")
	Store(passed, ReturnIndex(0))
	RET()
	for _, label := range []string{"32", "64"} {
		Label("negative" + label)
		ADDQ(field(1), j)
		CMPQ(j, field(0))
		JCS(LabelRef("good" + label))
		CMPB(field(12), Imm(0))
		JNE(LabelRef("skipped" + label))
		JMP(LabelRef("done"))
	}
	wire(to, fmt.Sprintf("inAssembly(%s)", name))
}
