package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// combiner is a reduction of numbers of one type: what it does to the target in
// data. all does it to a vector, of bytes 16 or 32, and is nil where there is no
// instruction for that.
type combiner struct {
	name string // add, sub, mul, min, max
	of   string // the type
	size int
	one  func(data, item Mem)
	all  func(bytes int, item Mem, target Op)

	signed bool // of integers
}

// what is the combiner in Go.
func (c combiner) what(target, item string) string {
	switch c.name {
	case "min", "max":
		return fmt.Sprintf("%s = %s(%[1]s, %s) // %s", target, c.name, item, c.of)
	}
	operator := map[string]string{"add": "+", "sub": "-", "mul": "*"}[c.name]
	return fmt.Sprintf("%s %s= %s // %s", target, operator, item, c.of)
}

func (c combiner) integer() bool { return c.of != "Float32" && c.of != "Float64" }

// byIndex tells whether there are loops over single elements: for sums, products of floats,
// and extremes of float32, for which Go asks for NaN and -0, and of bytes, which it widens.
func (c combiner) byIndex() bool {
	return c.name == "add" || c.name == "mul" && !c.integer() || (c.size == 1 || c.of == "Float32") && (c.name == "min" || c.name == "max")
}

// combineLoops emits the loops over items and rows of all reductions. A vector of 32 bytes is enough: the rows come from far away.
func combineLoops() {
	for _, f := range []floats{{32}, {64}} {
		f.quotients()
		f.divideRows()
	}
	for _, c := range combiners() {
		k := item{
			name: c.name + "Items" + c.of, size: c.size,
			what: c.what("data[%[1]s]", fmt.Sprintf("items[%d*t]", c.size)), body: c.one,
		}
		if c.byIndex() {
			indexItems(k, 32)
			indexItems(k, 64)
		}
		if !c.integer() {
			offsetItems(k)
		}
		if c.name == "add" && !c.integer() {
			k.name, k.count = c.name+"Counted"+c.of, true
			indexItems(k, 32)
			indexItems(k, 64)
		}
		if c.all != nil {
			c.rows()
		}
	}
}

// load loads an integer of so many bytes, extended to 32 bits at least.
func load(size int, signed bool, from Mem, to GPVirtual) {
	switch {
	case size == 8:
		MOVQ(from, to)
	case size == 4:
		MOVL(from, to.As32())
	case size == 2 && signed:
		MOVWLSX(from, to.As32())
	case size == 2:
		MOVWLZX(from, to.As32())
	case signed:
		MOVBLSX(from, to.As32())
	default:
		MOVBLZX(from, to.As32())
	}
}

// store stores the lowest bytes of a register.
func store(size int, from GPVirtual, to Mem) {
	switch size {
	case 8:
		MOVQ(from, to)
	case 4:
		MOVL(from.As32(), to)
	case 2:
		MOVW(from.As16(), to)
	default:
		MOVB(from.As8(), to)
	}
}

// rows emits the combination of rows of items with rows of data.
func (c combiner) rows() {
	r := newRows(c.name+"Rows"+c.of, "data, items *byte, offsets, places *int64, n, bytes, step, distance int",
		"combines rows of numbers with rows of data:", "",
		"	for t, offset := range offsets[:n] {",
		fmt.Sprintf("		for c := 0; c < bytes; c += %d {", c.size),
		"			"+c.what("data[offset+c]", "items[places[t]*step+c]"),
		"		}",
		"	}")
	off, rest, item := GP64(), r.temp, GP64()
	places, step := Load(Param("places"), GP64()), Load(Param("step"), GP64())
	vector := func(bytes int) {
		var v Op = YMM()
		if bytes == 16 {
			v = XMM()
		}
		VMOVDQU(at(r.row, off), v)
		c.all(bytes, at(item, off), v)
		VMOVDQU(v, at(r.row, off))
		ADDQ(Imm(uint64(bytes)), off)
	}
	r.loop(func() {
		MOVQ(Mem{Base: places, Index: r.t, Scale: 8}, item)
		IMULQ(step, item)
		ADDQ(r.items, item)
		MOVQ(r.bytes, rest)
		SUBQ(Imm(32), rest)
		XORQ(off, off)
		JMP(LabelRef("whole"))
		Label("vector")
		PREFETCHT1(at(r.ahead, off))
		vector(32)
		Label("whole")
		CMPQ(off, rest)
		JLE(LabelRef("vector"))
		PREFETCHT1(at(r.ahead, off))
		ADDQ(Imm(16), rest)
		CMPQ(off, rest)
		JG(LabelRef("left"))
		vector(16)
		JMP(LabelRef("left"))
		Label("single")
		c.one(at(r.row, off), at(item, off))
		ADDQ(Imm(uint64(c.size)), off)
		Label("left")
		CMPQ(off, r.bytes)
		JL(LabelRef("single"))
	}, func() {})
}
