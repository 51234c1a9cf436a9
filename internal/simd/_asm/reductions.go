package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// An operation is what is done with data and items of one type: a copy, or a reduction of both.
type operation struct {
	name    string   // copy, add, sub, mul, min, max
	kinds   []string // the types; functions are called by the first
	size    int
	combine func(p part, data, item Mem) // for single numbers and for parts of rows
}

// one combines single numbers.
func (o operation) one(data, item Mem) { o.combine(part{bytes: o.size}, data, item) }

// function is the name of its loop over something.
func (o operation) function(over string) string { return o.name + over + o.kinds[0] }

// title begins with a capital letter.
func title(s string) string { return string(s[0]-'a'+'A') + s[1:] }

// fields are those of its loops, of all kinds.
func (o operation) fields(name string) (fields []string) {
	for _, kind := range o.kinds {
		fields = append(fields, fmt.Sprintf("Combine[num.%s][num.%s].%s", kind, title(o.name), name))
	}
	return fields
}

// combineLoops emits the loops of means, and of reductions over rows and offsets. Over indices Go's are as fast.
func combineLoops() {
	for _, f := range bothFloats {
		f.quotients()
		f.number().divideRows()
	}
	for i := range 4 {
		for _, n := range integers {
			if n.vectors[i] != nil {
				n.operation(i).rows()
			}
		}
	}
	for _, f := range bothFloats {
		for _, a := range arithmetics {
			o := f.number().operation(a)
			offsetItems(o)
			o.rows()
		}
	}
}

// rows emits the combination of rows of items with rows of data.
func (o operation) rows() {
	combinedRows.function(o.function("Rows")+"AVX2", o.fields("Rows")...)
	r := newRows("data", "items", "places", "n", "step")
	r.loop(func() {
		r.columns(o.size, func(p part) { o.combine(p, at(r.row, r.off), at(r.item, r.off)) })
	})
}

// integer is a reduction of integers of 1, 2, 4 and 8 bytes.
type integer struct {
	name    string
	of      []string
	vectors [4]func(...Op)
}

var integers = []integer{
	{"add", []string{"Int", "Uint"}, [4]func(...Op){VPADDB, VPADDW, VPADDD, VPADDQ}},
	{"sub", []string{"Int", "Uint"}, [4]func(...Op){VPSUBB, VPSUBW, VPSUBD, VPSUBQ}},
	{"mul", []string{"Int", "Uint"}, [4]func(...Op){nil, VPMULLW, VPMULLD, nil}},
	{"min", []string{"Int"}, [4]func(...Op){VPMINSB, VPMINSW, VPMINSD, extremes(true)}},
	{"max", []string{"Int"}, [4]func(...Op){VPMAXSB, VPMAXSW, VPMAXSD, extremes(false)}},
	{"min", []string{"Uint"}, [4]func(...Op){VPMINUB, VPMINUW, VPMINUD, nil}},
	{"max", []string{"Uint"}, [4]func(...Op){VPMAXUB, VPMAXUW, VPMAXUD, nil}},
}

// extremes moves updates of 64 bits to the target if they are less, or greater.
func extremes(least bool) func(...Op) {
	return func(ops ...Op) {
		p := part{bytes: int(ops[2].(Register).Size())}
		update, target, moved := p.load(ops[0]), ops[2], p.register()
		if least {
			VPCMPGTQ(update, target, moved)
		} else {
			VPCMPGTQ(target, update, moved)
		}
		VPBLENDVB(moved, update, target, target)
	}
}

// operation is the reduction of integers of a size, whose logarithm is i.
func (n integer) operation(i int) operation {
	size := 1 << i
	o := operation{name: n.name, size: size}
	for _, of := range n.of {
		o.kinds = append(o.kinds, fmt.Sprint(of, 8*size))
	}
	o.combine = func(p part, data, item Mem) {
		v := p.load(data)
		n.vectors[i](p.operand(item), v, v)
		p.move(v, data)
	}
	return o
}

// number is how floats of a type are computed with: in registers, as floats of 32 or 64 bits.
type number struct {
	of   string
	size int // in memory
	floats
	load, item func(p part, from Op) Op // into a register; of an update, for one instruction or two
	store      func(p part, from, to Op)
}

func (f floats) number() number {
	return number{fmt.Sprint("Float", f.bits), f.size(), f, part.load, part.operand, part.move}
}

// operation is a reduction of these numbers. If they are wider in registers one vector becomes two.
func (x number) operation(a arithmetic) operation {
	return operation{a.name, []string{x.of}, x.size, func(p part, data, item Mem) {
		x.each(a, p, data, func(in part, disp int) Op { return x.item(in, item.Offset(disp)) })
	}}
}

// each combines a part of data, as one or two vectors, with their updates.
func (x number) each(a arithmetic, p part, data Mem, update func(in part, disp int) Op) {
	wider := x.floats.size() / x.size
	step := min(p.bytes, vectorBytes/wider)
	for disp := 0; disp < p.bytes; disp += step {
		in, data := part{bytes: step * wider}, data.Offset(disp)
		target := x.load(in, data)
		a.do(floats{x.bits, in}, update(in, disp), target)
		x.store(in, target, data)
	}
}

// arithmetic is a reduction of floats in registers, which leaves the result in the target.
type arithmetic struct {
	name string
	do   func(f floats, update, target Op)
}

// In operations on two NaN the target's payload stays, as in Go's loops.
var arithmetics = []arithmetic{
	{"add", func(f floats, u, t Op) { f.add(u, t) }},
	{"sub", func(f floats, u, t Op) { f.sub(u, t) }},
	{"mul", func(f floats, u, t Op) { f.mul(u, t) }},
	{"min", floats.least},
	{"max", floats.most},
}

// least is Go's min: NaN if either is, and -0 is less than +0. The instruction
// returns its second operand for NaN and for zeros, so it is used both ways.
func (f floats) least(update, target Op) {
	both := f.min(update, target, f.register())
	f.min(target, both, target)
	VPOR(both, target, target)
}

// most is Go's max, the negative of the least of the negatives.
func (f floats) most(update, target Op) {
	sign, negative := f.minusZero(f.register()), f.register()
	VPXOR(update, sign, negative)
	VPXOR(sign, target, target)
	f.least(negative, target)
	VPXOR(sign, target, target)
}

// minusZero makes every number of v -0, which is the bit of its sign.
func (f floats) minusZero(v Op) Op {
	VPCMPEQD(v, v, v)
	return f.pick(VPSLLD, VPSLLQ, Imm(uint64(f.bits-1)), v, v)
}
