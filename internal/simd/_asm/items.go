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
	name, of string
	size     int
	family   *family
	body     func(data, item Mem)
	count    bool // it counts, in a mark for each element of data
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
	k.family.function(fmt.Sprintf("%sIndex%d", k.name, bits), fmt.Sprintf("%s, int%d", k.of, bits))
	data, items, idx := load("data"), load("items"), load("idx")
	n, size := load("n"), load("size")
	stride, step := load("stride"), load("step")
	together := unrolled
	var counts, base Register
	if k.count {
		counts, base = load("counts"), GP64()
		XORQ(base, base)
		together = 1 // there are not enough registers for more
	}
	js := make([]Register, together)
	for i := range js {
		js[i] = GP64()
	}
	check := func(label string, at int) {
		j := js[at%together]
		loadIndex(bits, Mem{Base: idx, Disp: at * bits / 8}, j)
		CMPQ(j, size)
		JCC(LabelRef("negative" + label))
		Label("good" + label)
		IMULQ(stride, j)
	}
	use := func(at int) {
		j, from := js[at%together], Mem{Base: items, Disp: k.size * at}
		if k.count {
			ADDQ(base, j)
			k.body(element(data, j, k.size), from)
			INCL(element(counts, j, 4))
			ADDQ(step, base)
			return
		}
		k.body(element(data, j, 1), from)
		ADDQ(step, data)
	}
	mainAndTail(n, func() {
		PREFETCHT0(Mem{Base: idx, Disp: indicesAhead})
		for at := range unrolled {
			check(fmt.Sprint(at), at)
			if together == 1 {
				use(at)
			}
		}
		switch {
		case k.four != nil:
			four := k.four(Mem{Base: items})
			for at := range unrolled {
				k.with(element(data, js[at], 1), four, at)
				ADDQ(step, data)
			}
		case together > 1:
			for at := range unrolled {
				use(at)
			}
		}
	}, func() {
		check("Single", 0)
		use(0)
	}, func(by int) {
		ADDQ(Imm(uint64(by*bits/8)), idx)
		ADDQ(Imm(uint64(by*k.size)), items)
	})

	Label("done")
	all := load("n")
	SUBQ(n, all)
	Store(all, ReturnIndex(0))
	RET()

	negative := func(label string, at int, alone bool) {
		j := js[at%together]
		Label("negative" + label)
		ADDQ(param("negativeOffset"), j)
		CMPQ(j, size)
		JCS(LabelRef("good" + label))
		switch {
		case !alone:
			JMP(LabelRef("single"))
			return
		case at > 0:
			SUBQ(Imm(uint64(at)), n)
		}
		JMP(LabelRef("done"))
	}
	for at := range unrolled {
		negative(fmt.Sprint(at), at, together == 1)
	}
	negative("Single", 0, true)
}

var (
	copied = &family{itemArguments, "	for t, j := range idx[:n] { // an ItemLoop\n		copy(items[t][:width], data[j*stride + t*step:])\n	}", ""}
	set    = &family{itemArguments, "	for t, j := range idx[:n] { // an ItemLoop\n		copy(data[j*stride + t*step:], items[t][:width])\n	}", ""}
)

// moveItems emits the copies of elements of a size, from data and to data.
func moveItems(size int) {
	move := func(from, to Mem) {
		v := GP64()
		loadInt(size, false, from, v)
		storeInt(size, v, to)
	}
	of := fmt.Sprintf("%d bytes", size)
	for _, k := range []item{
		{name: "copyItems", family: copied, body: move},
		{name: "setItems", family: set, body: func(data, item Mem) { move(item, data) }},
	} {
		field := fmt.Sprintf("%s[%d]", title(k.name), log2(size))
		k.name, k.size, k.of = fmt.Sprint(k.name, size), size, of
		wire(field, k.both())
	}
}

// both emits the loops over indices of 32 and of 64 bits. It returns them, in Go.
func (k item) both() string {
	indexItems(k, 32)
	outline()
	indexItems(k, 64)
	outline()
	return fmt.Sprintf("&[2]ItemLoop{%sIndex32, %[1]sIndex64}", k.name)
}

// prefetchLines emits a loop that prefetches the elements that the indices of some lines
// address. A prefetch never faults, so no index is checked.
func prefetchLines(bits int) {
	lineLoop.function(fmt.Sprint("prefetchLinesIndex", bits), fmt.Sprintf("int%d", bits))
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

var lineLoop = &family{"(data, idx *byte, lines, n, negativeOffset, stride, step, lineData, lineIdx int)",
	"	for l := range lines { // a LineLoop\n		for t := range n { prefetch(data[l*lineData + idx[l*lineIdx + t]*stride + t*step]) }\n	}", ""}

// dataAhead is how many items ahead data is prefetched.
const dataAhead = 32

// offsetItems emits a loop over offsets in data, which have been checked. It prefetches
// data.
func offsetItems(k item) {
	offsetLoop.function(k.name+"Far", k.of)
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

var offsetLoop = &family{placedArguments, `	for t, offset := range offsets[:n] { // an AddLoop, which needs no step
		data[offset] += items[places[t]]
	}

It also reads 32 more offsets.`, ""}
