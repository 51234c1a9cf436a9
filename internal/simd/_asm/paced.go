package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The paced loops are for items that lie far apart, each on a page and in a cache line
// of its own. What takes time there is not one of them, but many at once: a core of Zen 3
// takes 8.5 ns for each where about ten are on their way from the last cache, and 12 where
// there are as many as it has room for, prefetched or not. So a load waits until one some
// items before has come. An address needs the number that was loaded, of which no bit is
// left: to the processor it is one that is not known yet.

// pacedLoads is how many loads of a gather are on their way. One number on each of 4096
// lines of 128000 bytes, in the last cache: 8 take 38.0 µs, 10 35.6, 11 35.7, 12 37.5, 14
// 42.1, 16 47; eight on each of 1024: 54, 44.7, 43.5, 43.0, 45.3, 60.
const pacedLoads = 11

// pacedStep is how many items a step of the others does: the loads of each wait for the
// last of the step before. Where they store is known before, and the page is looked
// up then.
const pacedStep = 4

// copyPaced emits the loop of a gather.
func copyPaced(size int) {
	name := fmt.Sprintf("copyItems%dPaced", size)
	TEXT(name, NOSPLIT, "func(data, items *byte, offsets *int64, n, bytes, step, distance int)")
	Doc(name+" copies the items at offsets in data, a few at a time:", "",
		"	for t, offset := range offsets[:n] {",
		fmt.Sprintf("		copy(items[%d*t:][:%[1]d], data[offset:])", size),
		"	}", "",
		"It has the arguments of all row loops, and does without the last three.")
	Pragma("noescape")
	data, items := Load(Param("data"), GP64()), Load(Param("items"), GP64())
	offsets, n := Load(Param("offsets"), GP64()), Load(Param("n"), GP64())
	var lanes [pacedLoads]GPVirtual
	for i := range lanes {
		lanes[i] = GP64()
		XORQ(lanes[i], lanes[i])
	}
	// one copies to the item at, from where its lane is as many bytes as the offset is.
	one := func(lane GPVirtual, at int) {
		from, to := Mem{Base: data, Index: lane, Scale: 1}, Mem{Base: items, Disp: size * at}
		if size == 16 {
			v := XMM()
			MOVOU(from, v)
			MOVOU(v, to)
			MOVQ(v, lane)
			return
		}
		load(size, false, from, lane)
		store(size, lane, to)
	}
	advance := func(by int) {
		ADDQ(Imm(uint64(8*by)), offsets)
		ADDQ(Imm(uint64(size*by)), items)
		SUBQ(Imm(uint64(by)), n)
	}
	JMP(LabelRef("check"))
	Label("next")
	for at, lane := range lanes {
		ADDQ(Mem{Base: offsets, Disp: 8 * at}, lane)
		one(lane, at)
		ANDQ(Imm(0), lane)
	}
	advance(pacedLoads)
	Label("check")
	CMPQ(n, Imm(pacedLoads))
	JGE(LabelRef("next"))
	JMP(LabelRef("rest"))
	Label("single")
	MOVQ(Mem{Base: offsets}, lanes[0])
	one(lanes[0], 0)
	advance(1)
	Label("rest")
	TESTQ(n, n)
	JNZ(LabelRef("single"))
	RET()
}

// pacedItem is what a paced loop does to data by an item: it loads the target, stores the
// result, and returns the register that has it.
type pacedItem func(from, to, item Mem) Register

// pacedItems emits the loop of a reduction.
func pacedItems(name string, size int, what string, do pacedItem) {
	TEXT(name, NOSPLIT, "func(data, items *byte, offsets, places *int64, n, bytes, step, distance int)")
	Doc(name+" works on the items at offsets in data, a few at a time:", "",
		"	for i, offset := range offsets[:n] { t := places[i]",
		"		"+fmt.Sprintf(what, "offset"),
		"	}", "",
		"It has the arguments of all row loops, and does without the last three.")
	Pragma("noescape")
	data, items := Load(Param("data"), GP64()), Load(Param("items"), GP64())
	offsets, places := Load(Param("offsets"), GP64()), Load(Param("places"), GP64())
	n, base := Load(Param("n"), GP64()), GP64()
	MOVQ(data, base)
	one := func(at int, base Register) Register {
		offset, place := GP64(), GP64()
		MOVQ(Mem{Base: offsets, Disp: 8 * at}, offset)
		MOVQ(Mem{Base: places, Disp: 8 * at}, place)
		return do(Mem{Base: base, Index: offset, Scale: 1}, Mem{Base: data, Index: offset, Scale: 1}, Mem{Base: items, Index: place, Scale: uint8(size)})
	}
	advance := func(by int) {
		ADDQ(Imm(uint64(8*by)), offsets)
		ADDQ(Imm(uint64(8*by)), places)
		SUBQ(Imm(uint64(by)), n)
	}
	JMP(LabelRef("check"))
	Label("next")
	var last Register
	for at := range pacedStep {
		last = one(at, base)
	}
	if _, ok := last.(VecVirtual); ok {
		VMOVQ(last, base)
	} else {
		MOVQ(last, base)
	}
	ANDQ(Imm(0), base)
	ADDQ(data, base)
	advance(pacedStep)
	Label("check")
	CMPQ(n, Imm(pacedStep))
	JGE(LabelRef("next"))
	JMP(LabelRef("rest"))
	Label("single")
	one(0, data)
	advance(1)
	Label("rest")
	TESTQ(n, n)
	JNZ(LabelRef("single"))
	RET()
}

// paced emits the paced loop of a combiner.
func (c combiner) paced(what string) {
	pacedItems(c.name+"Items"+c.of+"Paced", c.size, what, func(from, to, item Mem) Register {
		if c.integer() {
			target, update := GP64(), GP64()
			load(c.size, c.signed, from, target)
			load(c.size, c.signed, item, update)
			c.joinIntegers(target, update)
			store(c.size, target, to)
			return target
		}
		f := floats{avx2, 8 * c.size}
		target, update := XMM(), XMM()
		f.moveOne(from, target)
		f.moveOne(item, update)
		c.join(update, target)
		f.moveOne(target, to)
		return target
	})
}

// paced emits the paced loop for 16-bit floats.
func (h half) paced(c combination, what string) {
	pacedItems(c.name+"Items"+h.name+"Paced", 2, what, func(from, to, item Mem) Register {
		target, update := XMM(), XMM()
		h.widenOne(from, target)
		h.widenOne(item, update)
		c.one(update, target)
		h.narrowOne(target, to)
		return target
	})
	outline()
}

// ticks emits the reading of the processor's clock.
func ticks() {
	TEXT("ticks", NOSPLIT, "func() int64")
	Doc("ticks is the processor's count of time, in units of its own.")
	RDTSC()
	SHLQ(Imm(32), RDX)
	ORQ(RDX, RAX)
	Store(RAX, ReturnIndex(0))
	RET()
}
