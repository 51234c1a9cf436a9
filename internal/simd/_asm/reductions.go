package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// A reduction of numbers of one type combines what is in items with what is in data.
type reduction struct {
	name    string   // add, sub, mul, min, max
	of      string   // the type
	kinds   []string // what it is for
	size    int
	combine func(p part, data, item Mem) // for single numbers and for parts of rows
}

// one combines single numbers.
func (r reduction) one(data, item Mem) { r.combine(part{bytes: r.size}, data, item) }

// title begins with a capital letter.
func title(s string) string { return string(s[0]-'a'+'A') + s[1:] }

// fields are those of the loops of all kinds that the reduction is for.
func (r reduction) fields(names ...string) (fields []string) {
	for _, name := range names {
		for _, kind := range r.kinds {
			fields = append(fields, fmt.Sprintf("Combine[num.%s][num.%s].%s", kind, title(r.name), name))
		}
	}
	return fields
}

// combineLoops emits the loops of means, and those over rows and offsets of the reductions of
// integers and of floats of 32 and 64 bits. There are none over indices, as Go's are as fast.
func combineLoops() {
	eachFloats(func(f floats) {
		f.quotients()
		f.divideRows()
	})
	for i := range 4 {
		for _, n := range integers {
			if n.vectors[i] != nil {
				n.reduction(i).rows("Rows")
			}
		}
	}
	eachFloats(func(f floats) {
		x := number{fmt.Sprintf("Float%d", f.bits), f.size(), f, part.load, part.move}
		for _, a := range arithmetics {
			r := x.reduction(a)
			offsetItems(r)
			r.rows("Rows")
		}
	})
}

// rows emits the combination of rows of items with rows of data.
func (r reduction) rows(fields ...string) {
	combinedRows.function(r.name+"Rows"+r.of+"AVX2", r.fields(fields...)...)
	f := newRows("data", "items", "places", "n", "step")
	f.loop(func() {
		f.columns(r.size, func(p part) { r.combine(p, at(f.row, f.off), at(f.item, f.off)) })
	})
}

// integer is a reduction of integers, with the instructions for vectors of 1, 2, 4 and 8 bytes.
type integer struct {
	name, of string
	vectors  [4]func(...Op)
	one      func(size int, data, item Mem)
}

var integers = []integer{
	{"add", "Int", [4]func(...Op){VPADDB, VPADDW, VPADDD, VPADDQ}, intoMemory(ADDB, ADDW, ADDL, ADDQ)},
	{"sub", "Int", [4]func(...Op){VPSUBB, VPSUBW, VPSUBD, VPSUBQ}, intoMemory(SUBB, SUBW, SUBL, SUBQ)},
	{"mul", "Int", [4]func(...Op){nil, VPMULLW, VPMULLD, nil}, inRegisters(false, func(u, t Op) { IMULL(u, t) })},
	{"min", "Int", [4]func(...Op){VPMINSB, VPMINSW, VPMINSD, nil}, inRegisters(true, replaceIf(CMOVLGT))},
	{"max", "Int", [4]func(...Op){VPMAXSB, VPMAXSW, VPMAXSD, nil}, inRegisters(true, replaceIf(CMOVLLT))},
	{"min", "Uint", [4]func(...Op){VPMINUB, VPMINUW, VPMINUD, nil}, inRegisters(false, replaceIf(CMOVLHI))},
	{"max", "Uint", [4]func(...Op){VPMAXUB, VPMAXUW, VPMAXUD, nil}, inRegisters(false, replaceIf(CMOVLCS))},
}

// intoMemory combines an integer with memory.
func intoMemory(instructions ...func(from, to Op)) func(size int, data, item Mem) {
	return func(size int, data, item Mem) {
		v := GP64()
		loadInt(size, false, item, v)
		instructions[log2(size)](sized(size, v), data)
	}
}

// inRegisters combines integers of 32 bits at least.
func inRegisters(signed bool, do func(update, target Op)) func(size int, data, item Mem) {
	return func(size int, data, item Mem) {
		target, update := GP64(), GP64()
		loadInt(size, signed, data, target)
		loadInt(size, signed, item, update)
		do(update.As32(), target.As32())
		storeInt(size, target, data)
	}
}

// replaceIf moves the update to the target if the target is greater, or less.
func replaceIf(move func(from, to Op)) func(update, target Op) {
	return func(update, target Op) {
		CMPL(target, update)
		move(update, target)
	}
}

// reduction is the reduction of integers of a size, whose logarithm is i.
func (n integer) reduction(i int) reduction {
	size := 1 << i
	of := fmt.Sprint(n.of, 8*size)
	kinds := []string{of}
	if n.name != "min" && n.name != "max" { // alike with a sign and without
		kinds = append(kinds, "Ui"+of[1:])
	}
	return reduction{n.name, of, kinds, size, func(p part, data, item Mem) {
		if p.bytes == size {
			n.one(size, data, item)
			return
		}
		v := p.load(data)
		n.vectors[i](item, v, v)
		p.move(v, data)
	}}
}

// number is how floats of a type are computed with: in registers, as floats of 32 or 64 bits.
type number struct {
	of   string
	size int // in memory
	floats
	load  func(p part, from Mem) Op
	store func(p part, from, to Op)
}

// reduction is a reduction of these numbers. They are as wide in registers as in memory, or
// wider, which makes two vectors of one.
func (x number) reduction(a arithmetic) reduction {
	return reduction{a.name, x.of, []string{x.of}, x.size, func(p part, data, item Mem) {
		wider := x.floats.size() / x.size
		step := min(p.bytes, vectorBytes/wider)
		for disp := 0; disp < p.bytes; disp += step {
			in := part{bytes: step * wider}
			x.combine(a, in, data.Offset(disp), func() Op { return x.load(in, item.Offset(disp)) })
		}
	}}
}

// combine combines a part of data with an update.
func (x number) combine(a arithmetic, p part, data Mem, update func() Op) {
	target := x.load(p, data)
	a.do(floats{x.bits, p}, update(), target)
	x.store(p, target, data)
}

// arithmetic is a reduction of floats in registers, which leaves the result in the target.
type arithmetic struct {
	name string
	do   func(f floats, update, target Op)
}

// In operations on two NaN the target's payload stays, as in Go's loops.
var arithmetics = []arithmetic{
	{"add", func(f floats, u, t Op) { f.add(u, t, t) }},
	{"sub", func(f floats, u, t Op) { f.sub(u, t, t) }},
	{"mul", func(f floats, u, t Op) { f.mul(u, t, t) }},
	{"min", floats.least},
	{"max", floats.most},
}

// least is Go's min: NaN if either is, and -0 is less than +0. The instruction
// returns its second operand for NaN and for zeros, so it is used both ways.
func (f floats) least(update, target Op) {
	both := f.register()
	f.min(update, target, both)
	f.min(target, both, target)
	VPOR(both, target, target)
}

// most is Go's max, the negative of the least of the negatives.
func (f floats) most(update, target Op) {
	sign := f.register()
	VPCMPEQD(sign, sign, sign)
	pick(f, VPSLLD, VPSLLQ)(Imm(uint64(f.bits-1)), sign, sign)
	VPXOR(sign, update, update)
	VPXOR(sign, target, target)
	f.least(update, target)
	VPXOR(sign, target, target)
}
