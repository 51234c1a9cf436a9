package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// unrolled is how many items a step of the loops over items does.
const unrolled = 4

// indicesAhead is how far ahead, in bytes, indices are prefetched. They come in
// order, but too fast for what the processor does by itself, which ends at
// every page.
const indicesAhead = 4096

// item is what is done with one item: where it is in data and in items.
type item struct {
	name  string
	size  int
	what  string // in Go
	body  func(data, item Mem)
	count bool // it counts, in a mark for each element of data
	// four loads the items of a step at once, and with is body for one of them. They may
	// be nil.
	four func(items Mem) Op
	with func(data Mem, items Op, at int)
}

// indexItems emits a loop over indices, which are checked and used a step at a time.
// The items of a step wait for nothing then but each other: ScatterElements add on the
// last axis takes 0.71 ns an item and, checked one by one, 0.79. An index that is out of
// range or negative leaves the fast path, and a step with a bad one is done again item
// by item.
func indexItems(k item, index int) {
	pointers, marked := "data, items, idx *byte", ""
	if k.count {
		pointers = "data, items, idx, counts *byte"
		marked = "; counts[j*stride + t*step]++ // int32, strides in elements"
	}
	TEXT(fmt.Sprintf("%sIndex%d", k.name, index), NOSPLIT, "func("+pointers+", n, size, negativeOffset, stride, step int) int")
	Doc(fmt.Sprintf("%sIndex%d is a loop over int%d indices j, as ItemLoop says:", k.name, index, index), "",
		"	"+fmt.Sprintf(k.what, "j*stride + t*step")+marked)
	Pragma("noescape")
	data, items, idx := Load(Param("data"), GP64()), Load(Param("items"), GP64()), Load(Param("idx"), GP64())
	n, size := Load(Param("n"), GP64()), Load(Param("size"), GP64())
	stride, step := Load(Param("stride"), GP64()), Load(Param("step"), GP64())
	negativeOffset := param("negativeOffset")
	var counts, base Register
	if k.count {
		counts, base = Load(Param("counts"), GP64()), GP64()
		XORQ(base, base)
	}

	type checked struct {
		label string
		at    int
		j     GPVirtual
		alone bool // no other is checked before it is used
	}
	check := func(c checked) {
		from := Mem{Base: idx, Disp: c.at * index / 8}
		if index == 32 {
			MOVLQSX(from, c.j)
		} else {
			MOVQ(from, c.j)
		}
		CMPQ(c.j, size)
		JCC(LabelRef("negative" + c.label))
		Label("good" + c.label)
		IMULQ(stride, c.j)
	}
	use := func(c checked) {
		target, from := Mem{Base: data, Index: c.j, Scale: 1}, Mem{Base: items, Disp: k.size * c.at}
		switch {
		case k.count:
			target.Scale = uint8(k.size)
			ADDQ(base, c.j)
			mark := Mem{Base: counts, Index: c.j, Scale: 4}
			k.body(target, from)
			INCL(mark)
			ADDQ(step, base)
			return
		default:
			k.body(target, from)
		}
		ADDQ(step, data)
	}
	negative := func(c checked) {
		Label("negative" + c.label)
		ADDQ(negativeOffset, c.j)
		CMPQ(c.j, size)
		JCS(LabelRef("good" + c.label))
		if !c.alone {
			JMP(LabelRef("single"))
		}
		if c.alone {
			if c.at > 0 {
				SUBQ(Imm(uint64(c.at)), n)
			}
			JMP(LabelRef("done"))
		}
	}
	// There are not enough registers for counts and the indices of a step.
	together := unrolled
	if k.count {
		together = 1
	}
	var js []GPVirtual
	for range together {
		js = append(js, GP64())
	}
	var unrolling []checked
	for at := range unrolled {
		unrolling = append(unrolling, checked{fmt.Sprint(at), at, js[at%together], together == 1})
	}
	last := checked{"Single", 0, js[0], true}
	advance := func(by int) {
		ADDQ(Imm(uint64(by*index/8)), idx)
		ADDQ(Imm(uint64(by*k.size)), items)
		SUBQ(Imm(uint64(by)), n)
	}

	JMP(LabelRef("check"))
	Label("next")
	PREFETCHT0(Mem{Base: idx, Disp: indicesAhead})
	for at := 0; at < unrolled; at += together {
		for _, c := range unrolling[at:][:together] {
			check(c)
		}
		if k.four != nil {
			four := k.four(Mem{Base: items})
			for _, c := range unrolling {
				k.with(Mem{Base: data, Index: c.j, Scale: 1}, four, c.at)
				ADDQ(step, data)
			}
			break
		}
		for _, c := range unrolling[at:][:together] {
			use(c)
		}
	}
	advance(unrolled)
	Label("check")
	CMPQ(n, Imm(unrolled))
	JGE(LabelRef("next"))
	JMP(LabelRef("rest"))
	Label("single")
	check(last)
	use(last)
	advance(1)
	Label("rest")
	TESTQ(n, n)
	JNZ(LabelRef("single"))

	Label("done")
	all := Load(Param("n"), GP64())
	SUBQ(n, all)
	Store(all, ReturnIndex(0))
	RET()

	for _, c := range append(unrolling, last) {
		negative(c)
	}
}

// moveItems emits the copies of elements of a size, from data and to data.
func moveItems(size int) {
	move := func(from, to Mem) {
		v := GP64()
		load(size, false, from, v)
		store(size, v, to)
	}
	for _, k := range []item{
		{name: "copyItems", what: "copy(items[%d*t:][:%[1]d], data[%%s:])", body: move},
		{name: "setItems", what: "copy(data[%%s:], items[%d*t:][:%[1]d])", body: func(data, item Mem) { move(item, data) }},
	} {
		k.name, k.size, k.what = fmt.Sprint(k.name, size), size, fmt.Sprintf(k.what, size)
		indexItems(k, 32)
		indexItems(k, 64)
	}
}

// prefetchLines emits a loop that asks for the elements that the indices of some lines
// address. A prefetch never faults, so no index is checked.
func prefetchLines(index int) {
	name := fmt.Sprint("prefetchLinesIndex", index)
	TEXT(name, NOSPLIT, "func(data, idx *byte, lines, n, negativeOffset, stride, step, lineData, lineIdx int)")
	Doc(name+" is LineLoop for int"+fmt.Sprint(index)+". It prefetches:", "",
		"	data[l*lineData + idx[l*lineIdx + t]*stride + t*step]")
	Pragma("noescape")
	data, idx := Load(Param("data"), GP64()), Load(Param("idx"), GP64())
	lines, n := Load(Param("lines"), GP64()), Load(Param("n"), GP64())
	negativeOffset := Load(Param("negativeOffset"), GP64())
	stride, step := Load(Param("stride"), GP64()), Load(Param("step"), GP64())
	lineData, lineIdx := Load(Param("lineData"), GP64()), Load(Param("lineIdx"), GP64())
	at, t, j, fromEnd := GP64(), GP64(), GP64(), GP64()
	Label("line")
	MOVQ(data, at)
	XORQ(t, t)
	Label("next")
	if index == 32 {
		MOVLQSX(Mem{Base: idx, Index: t, Scale: 4}, j)
	} else {
		MOVQ(Mem{Base: idx, Index: t, Scale: 8}, j)
	}
	LEAQ(Mem{Base: j, Index: negativeOffset, Scale: 1}, fromEnd)
	TESTQ(j, j)
	CMOVQLT(fromEnd, j)
	IMULQ(stride, j)
	PREFETCHT1(Mem{Base: at, Index: j, Scale: 1})
	ADDQ(step, at)
	INCQ(t)
	CMPQ(t, n)
	JLT(LabelRef("next"))
	ADDQ(lineData, data)
	ADDQ(lineIdx, idx)
	DECQ(lines)
	JNZ(LabelRef("line"))
	RET()
}

// dataAhead is how many items ahead data is prefetched.
const dataAhead = 32

// offsetItems emits a loop over offsets in data, which have been checked. It prefetches
// data.
func offsetItems(k item) {
	name := k.name + "Far"
	TEXT(name, NOSPLIT, "func(data, items *byte, offsets, places *int64, n, bytes, step, distance int)")
	Doc(name+" works on the items at offsets in data:", "",
		"	for i, offset := range offsets[:n] { t := places[i]",
		"		"+fmt.Sprintf(k.what, "offset"),
		"	}", "",
		"It has the arguments of all row loops, and does without the last three.",
		fmt.Sprintf("It also reads, and needs to be there, %d more offsets.", dataAhead))
	Pragma("noescape")
	data, items := Load(Param("data"), GP64()), Load(Param("items"), GP64())
	offsets, n := Load(Param("offsets"), GP64()), Load(Param("n"), GP64())
	places := Load(Param("places"), GP64())
	one := func(at int) {
		offset, place := GP64(), GP64()
		MOVQ(Mem{Base: offsets, Disp: 8 * (at + dataAhead)}, offset)
		PREFETCHT1(Mem{Base: data, Index: offset, Scale: 1})
		MOVQ(Mem{Base: offsets, Disp: 8 * at}, offset)
		MOVQ(Mem{Base: places, Disp: 8 * at}, place)
		k.body(Mem{Base: data, Index: offset, Scale: 1}, Mem{Base: items, Index: place, Scale: uint8(k.size)})
	}
	advance := func(by int) {
		ADDQ(Imm(uint64(8*by)), offsets)
		ADDQ(Imm(uint64(8*by)), places)
		SUBQ(Imm(uint64(by)), n)
	}
	JMP(LabelRef("check"))
	Label("next")
	for at := range unrolled {
		one(at)
	}
	advance(unrolled)
	Label("check")
	CMPQ(n, Imm(unrolled))
	JGE(LabelRef("next"))
	JMP(LabelRef("rest"))
	Label("single")
	one(0)
	advance(1)
	Label("rest")
	TESTQ(n, n)
	JNZ(LabelRef("single"))
	RET()
}
