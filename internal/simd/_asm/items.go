package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// unrolled is how many items the main loop over items does at a time.
const unrolled = 4

// indicesAhead is how far ahead, in bytes, indices are prefetched. They come in
// order, but too fast for what the processor does by itself, which ends at
// every page.
const indicesAhead = 4096

// item is what is done with one item: where it is in data and in items.
type item struct {
	family *family
	name   string
	size   int
	body   func(data, item Mem)
	// four loads four items at once, and with is body for one of them. They may be nil.
	four func(items Mem) Op
	with func(data Mem, items Op, at int)
}

// itemArguments are those of an ItemLoop.
const itemArguments = "(data, items, idx *byte, n, size, negativeOffset, stride, step int) int"

// mainAndTail emits a loop that does some of n items at a time, and one for those left.
func mainAndTail(n Register, many, one func(), advance func(by int)) {
	loop("next", "check", func() {
		many()
		advance(unrolled)
		SUBQ(Imm(unrolled), n)
	}, func(to LabelRef) {
		CMPQ(n, Imm(unrolled))
		JGE(to)
	})
	loop("single", "rest", func() {
		one()
		advance(1)
		SUBQ(Imm(1), n)
	}, func(to LabelRef) {
		TESTQ(n, n)
		JNZ(to)
	})
}

// loadIndex loads an index of 32 or 64 bits.
func loadIndex(bits int, from Mem, to Register) {
	if bits == 32 {
		MOVLQSX(from, to)
	} else {
		MOVQ(from, to)
	}
}

// indexItems emits a loop over indices, of which four are checked before the first is
// used: the items then wait for nothing but each other. One of the four that is out of
// range, and not a good negative one, sends them to the loop for single items, which ends
// at the bad one.
func indexItems(k item, bits int) {
	k.family.function(fmt.Sprintf("%sIndex%d", k.name, bits))
	data, items, idx := load("data"), load("items"), load("idx")
	n, size := load("n"), load("size")
	stride, step := load("stride"), load("step")
	js := []Register{GP64(), GP64(), GP64(), GP64()}
	check := func(label string, at int) {
		loadIndex(bits, Mem{Base: idx, Disp: at * bits / 8}, js[at])
		CMPQ(js[at], size)
		JCC(LabelRef("negative" + label))
		Label("good" + label)
		IMULQ(stride, js[at])
	}
	mainAndTail(n, func() {
		PREFETCHT0(Mem{Base: idx, Disp: indicesAhead})
		for at := range js {
			check(fmt.Sprint(at), at)
		}
		var four Op
		if k.four != nil {
			four = k.four(Mem{Base: items})
		}
		for at, j := range js {
			if k.four != nil {
				k.with(element(data, j, 1), four, at)
			} else {
				k.body(element(data, j, 1), Mem{Base: items, Disp: k.size * at})
			}
			ADDQ(step, data)
		}
	}, func() {
		check("Single", 0)
		k.body(element(data, js[0], 1), Mem{Base: items})
		ADDQ(step, data)
	}, func(by int) {
		ADDQ(Imm(uint64(by*bits/8)), idx)
		ADDQ(Imm(uint64(by*k.size)), items)
	})

	Label("done")
	all := load("n")
	SUBQ(n, all)
	Store(all, ReturnIndex(0))
	RET()

	negative := func(label string, at int, bad string) {
		Label("negative" + label)
		ADDQ(param("negativeOffset"), js[at])
		CMPQ(js[at], size)
		JCS(LabelRef("good" + label))
		JMP(LabelRef(bad))
	}
	for at := range js {
		negative(fmt.Sprint(at), at, "single")
	}
	negative("Single", 0, "done")
}

// copyItems emits the copies of elements of a size from data.
func copyItems(size int) {
	name := fmt.Sprint("copyItems", size)
	for _, bits := range []int{32, 64} {
		indexItems(item{family: copied, name: name, size: size, body: func(data, item Mem) {
			v := GP64()
			loadInt(size, false, data, v)
			storeInt(size, v, item)
		}}, bits)
	}
	wire(fmt.Sprintf("ItemLoops{%sIndex32, %[1]sIndex64}", name), "CopyItems[%d]", log2(size))
}

var copied = &family{itemArguments, "and those like it are copyLine of one loop whose items and indices are contiguous."}

// prefetchLines emits a loop that prefetches the elements that the indices of some lines
// address. A prefetch never faults, so no index is checked.
func prefetchLines(bits int) {
	lineLoop.function(fmt.Sprint("prefetchLinesIndex", bits))
	data, idx := load("data"), load("idx")
	lines, n := load("lines"), load("n")
	negativeOffset := load("negativeOffset")
	stride, step := load("stride"), load("step")
	lineData, lineIdx := load("lineData"), load("lineIdx")
	at, t, j, fromEnd := GP64(), GP64(), GP64(), GP64()
	Label("line")
	MOVQ(data, at)
	XORQ(t, t)
	Label("next")
	loadIndex(bits, element(idx, t, bits/8), j)
	LEAQ(element(j, negativeOffset, 1), fromEnd)
	TESTQ(j, j)
	CMOVQLT(fromEnd, j)
	IMULQ(stride, j)
	PREFETCHT1(element(at, j, 1))
	ADDQ(step, at)
	INCQ(t)
	below(t, n)("next")
	ADDQ(lineData, data)
	ADDQ(lineIdx, idx)
	DECQ(lines)
	JNZ(LabelRef("line"))
	RET()
}

var lineLoop = &family{"(data, idx *byte, lines, n, negativeOffset, stride, step, lineData, lineIdx int)", "and the other are PrefetchLoops."}

// dataAhead is how many items ahead data is prefetched.
const dataAhead = 32

// offsetItems emits a loop over offsets in data, which have been checked. It prefetches
// data.
func offsetItems(k item) {
	offsetLoop.function(k.name + "Far")
	data, items := load("data"), load("items")
	offsets, n := load("offsets"), load("n")
	places := load("places")
	one := func(at int) {
		offset, place := GP64(), GP64()
		MOVQ(Mem{Base: offsets, Disp: 8 * (at + dataAhead)}, offset)
		PREFETCHT1(element(data, offset, 1))
		MOVQ(Mem{Base: offsets, Disp: 8 * at}, offset)
		MOVQ(Mem{Base: places, Disp: 8 * at}, place)
		k.body(element(data, offset, 1), element(items, place, k.size))
	}
	mainAndTail(n, func() {
		for at := range unrolled {
			one(at)
		}
	}, func() { one(0) }, func(by int) {
		ADDQ(Imm(uint64(8*by)), offsets)
		ADDQ(Imm(uint64(8*by)), places)
	})
	RET()
}

var offsetLoop = &family{placedArguments, "and those like it are combineOffsetsGo. They also read 32 more offsets, which need to be there."}
