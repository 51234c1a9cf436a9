package main

import (
	"fmt"
	"strings"

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
	adds  bool
	body  func(data, item Mem)
	one   bool // there is one item for all indices
	marks bool // it has a mark for each element of data
	count bool // its marks are counts
	unset *unset
	// four loads the items of a step at once, and with is body for one of them. They may
	// be nil.
	four func(items Mem) Op
	with func(data Mem, items Op, at int)
}

func itemKinds() []item {
	var all []item
	for _, size := range []int{1, 2, 4, 8} {
		all = append(all, item{
			name: fmt.Sprintf("copyItems%d", size), size: size, what: fmt.Sprintf("copy(items[%d*t:][:%[1]d], data[%%s:])", size),
			body: func(data, item Mem) {
				v := GP64()
				load(size, false, data, v)
				store(size, v, item)
			},
		})
	}
	return append(all, item{
		name: "copyItems16", size: 16, what: "copy(items[16*t:][:16], data[%s:])",
		body: func(data, item Mem) {
			v := XMM()
			MOVOU(data, v)
			MOVOU(v, item)
		},
	}, item{
		name: "addItemsFloat32", size: 4, what: "data[%s] += items[4*t] // float32", adds: true,
		body: func(data, item Mem) {
			v := XMM()
			MOVSS(data, v)
			ADDSS(item, v)
			MOVSS(v, data)
		},
	}, item{
		name: "addItemsFloat64", size: 8, what: "data[%s] += items[8*t] // float64", adds: true,
		body: func(data, item Mem) {
			v := XMM()
			MOVSD(data, v)
			ADDSD(item, v)
			MOVSD(v, data)
		},
	})
}

// indexItems emits a loop over indices, which are checked and used a step at a time.
// The items of a step wait for nothing then but each other: ScatterElements add on the
// last axis takes 0.71 ns an item and, checked one by one, 0.79. An index that is out of
// range or negative leaves the fast path, and a step with a bad one is done again item
// by item.
func indexItems(k item, index int) {
	pointers, marked := "data, items, idx *byte", ""
	if k.marks {
		pointers = "data, items, idx, marks *byte"
	}
	if k.count {
		marked = "; marks[j*stride + t*step]++ // int32, strides in elements"
	}
	if k.unset != nil {
		marked = k.unset.note
	}
	TEXT(fmt.Sprintf("%sIndex%d", k.name, index), NOSPLIT, "func("+pointers+", n, size, lift, stride, step int) int")
	Doc(fmt.Sprintf("%sIndex%d works on the items that int%d indices pick, up to the first bad index,", k.name, index, index),
		"and returns how many. It is", "",
		"	for t, j := range idx[:n] {",
		"		if uint(j) >= size {",
		"			if j += lift; uint(j) >= size { return t }",
		"		}",
		"		"+fmt.Sprintf(k.what, "j*stride + t*step")+marked,
		"	}",
		"	return n")
	Pragma("noescape")
	data, items, idx := Load(Param("data"), GP64()), Load(Param("items"), GP64()), Load(Param("idx"), GP64())
	n, size := Load(Param("n"), GP64()), Load(Param("size"), GP64())
	stride, step := Load(Param("stride"), GP64()), Load(Param("step"), GP64())
	lift := param("lift")
	var marks, along Register
	if k.marks {
		marks, along = Load(Param("marks"), GP64()), GP64()
		XORQ(along, along)
	}
	if k.unset != nil {
		k.unset.prepare()
	}
	var single GPVirtual
	if k.one {
		single = GP64()
		load(k.size, false, Mem{Base: items}, single)
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
		JCC(LabelRef("lift" + c.label))
		Label("good" + c.label)
		IMULQ(stride, c.j)
	}
	use := func(c checked) {
		target, from := Mem{Base: data, Index: c.j, Scale: 1}, Mem{Base: items, Disp: k.size * c.at}
		switch {
		case k.marks:
			target.Scale = uint8(k.size)
			ADDQ(along, c.j)
			mark := Mem{Base: marks, Index: c.j, Scale: 4}
			if k.count {
				k.body(target, from)
				INCL(mark)
			} else {
				k.unset.body(mark, from, LabelRef("stop"+c.label))
			}
			ADDQ(step, along)
			return
		case k.one:
			store(k.size, single, target)
		case k.unset != nil:
			k.unset.body(target, from, LabelRef("stop"+c.label))
		default:
			k.body(target, from)
		}
		ADDQ(step, data)
	}
	lifted := func(c checked) {
		Label("lift" + c.label)
		ADDQ(lift, c.j)
		CMPQ(c.j, size)
		JCS(LabelRef("good" + c.label))
		if !c.alone {
			JMP(LabelRef("single"))
		}
		if k.unset != nil {
			Label("stop" + c.label)
		}
		if c.alone || k.unset != nil {
			if c.at > 0 {
				SUBQ(Imm(uint64(c.at)), n)
			}
			JMP(LabelRef("done"))
		}
	}
	// There are not enough registers for marks and the indices of a step.
	together := unrolled
	if k.marks {
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
		if !k.one {
			ADDQ(Imm(uint64(by*k.size)), items)
		}
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
		lifted(c)
	}
}

// dataAhead is how many items ahead data is prefetched.
const dataAhead = 32

// offsetItems emits a loop over offsets in data, which have been checked. The
// far one is for data that is out of the near caches, and prefetches it.
func offsetItems(k item, far bool) {
	name, note := k.name, "It has the arguments of all row loops, and does without the last three."
	if far {
		name += "Far"
		note += fmt.Sprintf("\nIt also reads, and needs to be there, %d more offsets.", dataAhead)
	}
	arguments, loop := "offsets *int64", "	for t, offset := range offsets[:n] {"
	if k.adds {
		arguments, loop = "offsets, places *int64", "	for i, offset := range offsets[:n] { t := places[i]"
	}
	TEXT(name, NOSPLIT, "func(data, items *byte, "+arguments+", n, bytes, step, distance int)")
	Doc(append([]string{name + " works on the items at offsets in data:", "",
		loop,
		"		" + fmt.Sprintf(k.what, "offset"),
		"	}", ""}, strings.Split(note, "\n")...)...)
	Pragma("noescape")
	data, items := Load(Param("data"), GP64()), Load(Param("items"), GP64())
	offsets, n := Load(Param("offsets"), GP64()), Load(Param("n"), GP64())
	var places Register
	if k.adds {
		places = Load(Param("places"), GP64())
	}
	one := func(at int) {
		offset := GP64()
		if far {
			MOVQ(Mem{Base: offsets, Disp: 8 * (at + dataAhead)}, offset)
			PREFETCHT1(Mem{Base: data, Index: offset, Scale: 1})
		}
		MOVQ(Mem{Base: offsets, Disp: 8 * at}, offset)
		item := Mem{Base: items, Disp: k.size * at}
		if k.adds {
			place := GP64()
			MOVQ(Mem{Base: places, Disp: 8 * at}, place)
			item = Mem{Base: items, Index: place, Scale: uint8(k.size)}
		}
		k.body(Mem{Base: data, Index: offset, Scale: 1}, item)
	}
	advance := func(by int) {
		ADDQ(Imm(uint64(8*by)), offsets)
		if k.adds {
			ADDQ(Imm(uint64(8*by)), places)
		} else {
			ADDQ(Imm(uint64(k.size*by)), items)
		}
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
