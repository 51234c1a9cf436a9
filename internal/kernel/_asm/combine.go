package main

import (
	"fmt"
	"math"

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

	signed       bool   // of integers
	neutral      uint64 // what it starts from without the old value
	join         func(update, target Op)
	joinIntegers func(target, update GPVirtual)
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

// combineLoops emits the loops over items and rows of all reductions that rowLoops has
// none for. A vector of 32 bytes is enough: the rows come from far away.
func combineLoops() {
	for _, k := range setKinds() {
		indexItems(k, 32)
		indexItems(k, 64)
		if k.size >= 4 && !k.one {
			k.adds = true
			offsetItems(k, true)
		}
	}
	for _, size := range []int{1, 2} {
		narrow(size)
	}
	fillElements()
	for _, size := range []int{2, 4, 8} {
		replaceUnset(size)
	}
	for _, f := range []floats{{avx2, 32}, {avx2, 64}} {
		f.quotients()
		f.divideRows()
	}
	for _, c := range combiners() {
		k := item{
			name: c.name + "Items" + c.of, size: c.size, adds: true,
			what: c.what("data[%[1]s]", fmt.Sprintf("items[%d*t]", c.size)), body: c.one,
		}
		if c.name != "add" || c.integer() {
			indexItems(k, 32)
			indexItems(k, 64)
		}
		if c.size < 4 {
			wideItems(c)
		} else {
			unsetItems(c.name, c.of, c.size, k.what, c.unset())
		}
		if c.name == "add" && !c.integer() {
			k.name, k.marks, k.count = c.name+"Counted"+c.of, true, true
			indexItems(k, 32)
			indexItems(k, 64)
		}
		k.name, k.marks, k.count = c.name+"Items"+c.of, false, false
		if c.name == "add" && !c.integer() {
			continue // rowLoops has them
		}
		if !c.integer() {
			offsetItems(k, true)
		}
		if c.all != nil {
			c.rows()
		}
	}
}

// setKinds are the copies from items to data, and of one item to all.
func setKinds() (all []item) {
	for _, size := range []int{1, 2, 4, 8} {
		all = append(all, item{
			name: fmt.Sprintf("setItems%d", size), size: size, what: fmt.Sprintf("copy(data[%%s:], items[%d*t:][:%[1]d])", size),
			body: func(data, item Mem) {
				v := GP64()
				load(size, false, item, v)
				store(size, v, data)
			},
		}, item{
			name: fmt.Sprintf("fillItems%d", size), size: size, what: fmt.Sprintf("copy(data[%%s:], items[:%d])", size), one: true,
			body: func(data, item Mem) {},
		})
	}
	return all
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

func combiners() (all []combiner) {
	for i, size := range []int{1, 2, 4, 8} {
		all = append(all, integers(i, size)...)
		for _, signed := range []bool{true, false} {
			all = append(all, extremes(i, size, signed)...)
		}
	}
	for _, f := range []floats{{avx2, 32}, {avx2, 64}} {
		all = append(all, f.combiners()...)
	}
	return all
}

// integers are the reductions that are alike for integers with a sign and without.
// i is the logarithm of their size.
func integers(i, size int) []combiner {
	of := fmt.Sprintf("Int%d", 8*size)
	vector := func(instruction func(...Op)) func(bytes int, item Mem, target Op) {
		if instruction == nil {
			return nil
		}
		return func(_ int, item Mem, target Op) { instruction(item, target, target) }
	}
	add := []func(...Op){VPADDB, VPADDW, VPADDD, VPADDQ}[i]
	sub := []func(...Op){VPSUBB, VPSUBW, VPSUBD, VPSUBQ}[i]
	mul := []func(...Op){nil, VPMULLW, VPMULLD, nil}[i]
	join := func(wide, narrow func(mr, mr1 Op)) func(target, update GPVirtual) {
		return func(target, update GPVirtual) {
			if size == 8 {
				wide(update, target)
			} else {
				narrow(update.As32(), target.As32())
			}
		}
	}
	times := func(target, update GPVirtual) {
		if size == 8 {
			IMULQ(update, target)
		} else {
			IMULL(update.As32(), target.As32())
		}
	}
	return []combiner{
		{name: "add", of: of, size: size, joinIntegers: join(ADDQ, ADDL), one: func(data, item Mem) {
			v := GP64()
			load(size, false, item, v)
			switch size {
			case 8:
				ADDQ(v, data)
			case 4:
				ADDL(v.As32(), data)
			case 2:
				ADDW(v.As16(), data)
			default:
				ADDB(v.As8(), data)
			}
		}, all: vector(add)},
		{name: "sub", of: of, size: size, joinIntegers: join(SUBQ, SUBL), one: func(data, item Mem) {
			v := GP64()
			load(size, false, item, v)
			switch size {
			case 8:
				SUBQ(v, data)
			case 4:
				SUBL(v.As32(), data)
			case 2:
				SUBW(v.As16(), data)
			default:
				SUBB(v.As8(), data)
			}
		}, all: vector(sub)},
		{name: "mul", of: of, size: size, neutral: 1, joinIntegers: times, one: func(data, item Mem) {
			target, update := GP64(), GP64()
			load(size, false, data, target)
			load(size, false, item, update)
			times(target, update)
			store(size, target, data)
		}, all: vector(mul)},
	}
}

// extremes are min and max of integers.
func extremes(i, size int, signed bool) []combiner {
	of := fmt.Sprintf("Uint%d", 8*size)
	least, most := CMOVLHI, CMOVLCS
	min := []func(...Op){VPMINUB, VPMINUW, VPMINUD, nil}[i]
	max := []func(...Op){VPMAXUB, VPMAXUW, VPMAXUD, nil}[i]
	if size == 8 {
		least, most = CMOVQHI, CMOVQCS
	}
	if signed {
		of = fmt.Sprintf("Int%d", 8*size)
		least, most = CMOVLGT, CMOVLLT
		min = []func(...Op){VPMINSB, VPMINSW, VPMINSD, nil}[i]
		max = []func(...Op){VPMAXSB, VPMAXSW, VPMAXSD, nil}[i]
		if size == 8 {
			least, most = CMOVQGT, CMOVQLT
		}
	}
	// The update replaces the target if the target is greater, or less.
	combine := func(name string, neutral uint64, replace func(mr, r Op), vector func(...Op)) combiner {
		join := func(target, update GPVirtual) {
			if size == 8 {
				CMPQ(target, update)
				replace(update, target)
			} else {
				CMPL(target.As32(), update.As32())
				replace(update.As32(), target.As32())
			}
		}
		c := combiner{name: name, of: of, size: size, signed: signed, neutral: neutral, joinIntegers: join, one: func(data, item Mem) {
			target, update := GP64(), GP64()
			load(size, signed, data, target)
			load(size, signed, item, update)
			join(target, update)
			store(size, target, data)
		}}
		if vector != nil {
			c.all = func(_ int, item Mem, target Op) { vector(item, target, target) }
		}
		return c
	}
	sign := uint64(1) << (8*size - 1)
	if signed {
		lowest := sign
		if size < 4 {
			lowest = 1<<32 - sign // as 32 bits, which they are computed with
		}
		return []combiner{combine("min", sign-1, least, min), combine("max", lowest, most, max)}
	}
	return []combiner{combine("min", sign|(sign-1), least, min), combine("max", 0, most, max)}
}

// combiners are the reductions of floats. In operations on two NaN the target's
// payload stays, as in Go's loops.
func (f floats) combiners() []combiner {
	of := fmt.Sprintf("Float%d", f.bits)
	combine := func(name string, neutral float64, one, all func(update, target Op, new func() Op)) combiner {
		bits := pick(f, uint64(math.Float32bits(float32(neutral))), math.Float64bits(neutral))
		join := func(update, target Op) { one(update, target, func() Op { return XMM() }) }
		return combiner{name: name, of: of, size: f.size(), neutral: bits, join: join, one: func(data, item Mem) {
			target, update := XMM(), XMM()
			f.moveOne(data, target)
			f.moveOne(item, update)
			join(update, target)
			f.moveOne(target, data)
		}, all: func(bytes int, item Mem, target Op) {
			vector := func() Op { return YMM() }
			if bytes == 16 {
				vector = func() Op { return XMM() }
			}
			update := vector()
			VMOVDQU(item, update)
			all(update, target, vector)
		}}
	}
	plain := func(instruction func(...Op)) func(update, target Op, new func() Op) {
		return func(update, target Op, _ func() Op) { instruction(update, target, target) }
	}
	least := func(instruction func(...Op)) func(update, target Op, new func() Op) {
		return func(update, target Op, new func() Op) { least(instruction, new(), update, target) }
	}
	most := func(instruction func(...Op)) func(update, target Op, new func() Op) {
		return func(update, target Op, new func() Op) {
			sign := new()
			VPCMPEQD(sign, sign, sign)
			pick(f, VPSLLD, VPSLLQ)(Imm(uint64(f.bits-1)), sign, sign)
			VPXOR(sign, update, update)
			VPXOR(sign, target, target)
			least(instruction)(update, target, new)
			VPXOR(sign, target, target)
		}
	}
	minOne, minAll := pick(f, VMINSS, VMINSD), pick(f, VMINPS, VMINPD)
	return []combiner{
		combine("add", 0, plain(pick(f, VADDSS, VADDSD)), plain(pick(f, VADDPS, VADDPD))),
		combine("sub", 0, plain(pick(f, VSUBSS, VSUBSD)), plain(pick(f, VSUBPS, VSUBPD))),
		combine("mul", 1, plain(pick(f, VMULSS, VMULSD)), plain(pick(f, VMULPS, VMULPD))),
		combine("min", math.Inf(1), least(minOne), least(minAll)),
		combine("max", math.Inf(-1), most(minOne), most(minAll)),
	}
}

// rows emits the combination of rows of items with rows of data.
func (c combiner) rows() {
	r := newRows(avx2, c.name+"Rows"+c.of, "data, items *byte, offsets, places *int64, n, bytes, step, distance int",
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
