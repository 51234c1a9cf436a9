package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// unrolled is how many items the main loop over items does at a time.
const unrolled = 4

// mainAndTail emits a loop that does some of n items at a time, and one for those left. Some
// pointers move on by as many bytes for each item.
func mainAndTail(n Op, do func(items int), pointers []Op, bytes ...int) {
	some := func(items int) {
		do(items)
		for i, p := range pointers {
			ADDQ(Imm(uint64(items*bytes[i])), p)
		}
		SUBQ(Imm(uint64(items)), n)
	}
	loop("next", "check", func() { some(unrolled) }, check(CMPQ, n, Imm(unrolled), JGE))
	loop("single", "rest", func() { some(1) }, check(TESTQ, n, n, JNZ))
}

// indicesAhead is how far ahead, in bytes, indices are prefetched. They come in order, but too
// fast for what the processor does by itself, which ends at every page.
const indicesAhead = 4096

// indexItems emits a loop over indices, of which four are checked before the first is used: the
// items then wait for nothing but each other. One of the four that is out of range, and not a
// good negative one, sends them to the loop for single items, which ends at the bad one.
//
// If four is not nil it loads four items at once, and returns what is done with each.
func indexItems(k *family, o operation, bits int, four func(items Mem) func(at int, data Mem)) (name string) {
	name = fmt.Sprintf("%sIndex%d", o.function("Items"), bits)
	k.function(name)
	data, items, idx, n := load("data"), load("items"), load("idx"), load("n")
	size, stride, step := load("size"), load("stride"), load("step")
	js, labels := []Op{GP64(), GP64(), GP64(), GP64()}, []string{"0", "1", "2", "3"}
	mainAndTail(n, func(count int) {
		labels, one := labels, func(at int, data Mem) { o.one(data, behind(items, o.size*at)) }
		if count == 1 {
			labels = []string{"Single"}
		} else {
			PREFETCHT0(behind(idx, indicesAhead))
		}
		for at, label := range labels {
			loadIndex[bits](behind(idx, at*bits/8), js[at])
			CMPQ(js[at], size)
			JCC(LabelRef("negative" + label))
			Label("good" + label)
			IMULQ(stride, js[at])
		}
		if count > 1 && four != nil {
			one = four(behind(items, 0))
		}
		for at, j := range js[:count] {
			one(at, element(data, j, 1))
			ADDQ(step, data)
		}
	}, []Op{idx, items}, bits/8, o.size)

	Label("done")
	all := load("n")
	SUBQ(n, all)
	Store(all, ReturnIndex(0))
	RET()

	for at, label := range append(labels, "Single") {
		j, bad := js[at%unrolled], "single"
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
		loadInt(size, false, data, v)
		storeInt(size, v, item)
	}}
	each := func(bits int) string { return indexItems(copiedItems, o, bits, nil) }
	wire(fmt.Sprintf("CopyItems[%d]", log2(size)), fmt.Sprintf("ItemLoops{%s, %s}", each(32), each(64)))
}

// loadInt loads an integer of so many bytes, extended to 32 bits at least.
func loadInt(size int, signed bool, from Mem, to GPVirtual) {
	move := []func(from, to Op){MOVBLZX, MOVWLZX, MOVL, MOVQ}
	if signed {
		move = []func(from, to Op){MOVBLSX, MOVWLSX, MOVL, MOVQ}
	}
	move[log2(size)](from, sized(max(size, 4), to))
}

// storeInt stores the lowest bytes of a register.
func storeInt(size int, from GPVirtual, to Mem) {
	[]func(from, to Op){MOVB, MOVW, MOVL, MOVQ}[log2(size)](sized(size, from), to)
}

// sized is the lowest bytes of a register.
func sized(size int, v GPVirtual) Op {
	return []Op{v.As8(), v.As16(), v.As32(), v}[log2(size)]
}

// dataAhead is how many items ahead data is prefetched.
const dataAhead = 32

// offsetItems emits a loop over offsets in data, which have been checked. It prefetches data.
func offsetItems(o operation) {
	combinedOffsets.function(o.function("Items")+"Far", o.fields("Offsets")...)
	data, items, offsets := load("data"), load("items"), load("offsets")
	n, places := load("n"), load("places")
	mainAndTail(n, func(count int) {
		for at := range count {
			offset, place := GP64(), GP64()
			MOVQ(behind(offsets, 8*(at+dataAhead)), offset)
			PREFETCHT1(element(data, offset, 1))
			MOVQ(behind(offsets, 8*at), offset)
			MOVQ(behind(places, 8*at), place)
			o.one(element(data, offset, 1), element(items, place, o.size))
		}
	}, []Op{offsets, places}, 8, 8)
	RET()
}

// prefetchLines emits a loop that prefetches the elements that the indices of some lines
// address. A prefetch never faults, so no index is checked.
func prefetchLines(bits int) (name string) {
	name = fmt.Sprint("prefetchLinesIndex", bits)
	prefetchedLines.function(name)
	data, idx, lines, n := load("data"), load("idx"), load("lines"), load("n")
	negativeOffset, stride, step := load("negativeOffset"), load("stride"), load("step")
	lineData, lineIdx := load("lineData"), load("lineIdx")
	at, t, j, fromEnd := GP64(), GP64(), GP64(), GP64()
	repeat("line", func() {
		MOVQ(data, at)
		XORQ(t, t)
		repeat("next", func() {
			loadIndex[bits](element(idx, t, bits/8), j)
			LEAQ(element(j, negativeOffset, 1), fromEnd)
			TESTQ(j, j)
			CMOVQLT(fromEnd, j)
			IMULQ(stride, j)
			PREFETCHT1(element(at, j, 1))
			ADDQ(step, at)
			INCQ(t)
		}, below(t, n))
		ADDQ(lineData, data)
		ADDQ(lineIdx, idx)
		DECQ(lines)
	}, func(to LabelRef) { JNZ(to) })
	RET()
	return name
}
