package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// A reduction of numbers of one type combines what is in items with what is in data.
type reduction struct {
	name  string   // add, sub, mul, min, max
	of    string   // the type
	kinds []string // what it is for
	size  int
	one   func(data, item Mem)
	// all combines a vector. It is nil where there is no instruction.
	all func(p part, data, item Mem)
}

// title begins with a capital letter.
func title(s string) string { return string(s[0]-'a'+'A') + s[1:] }

// lower begins with a small letter.
func lower(s string) string { return string(s[0]-'A'+'a') + s[1:] }

// wire makes a loop that of all kinds which the reduction is for.
func (r reduction) wire(field, loop string) {
	for _, kind := range r.kinds {
		wire(loop, "Combine[num.%s][num.%s].%s", kind, title(r.name), field)
	}
}

// integer is a reduction of integers, with the instructions for 1, 2, 4 and 8 bytes.
type integer struct {
	name, of string
	all      [4]func(...Op)
	into     [4]func(from, to Op) // combines with memory; nil: join does, in registers
	join     func(size int, update, target GPVirtual)
}

var integers = []integer{
	{"add", "Int", [4]func(...Op){VPADDB, VPADDW, VPADDD, VPADDQ}, [4]func(from, to Op){ADDB, ADDW, ADDL, ADDQ}, nil},
	{"sub", "Int", [4]func(...Op){VPSUBB, VPSUBW, VPSUBD, VPSUBQ}, [4]func(from, to Op){SUBB, SUBW, SUBL, SUBQ}, nil},
	{name: "mul", of: "Int", all: [4]func(...Op){nil, VPMULLW, VPMULLD, nil}, join: func(size int, update, target GPVirtual) {
		IMULL(update.As32(), target.As32())
	}},
	{"min", "Int", [4]func(...Op){VPMINSB, VPMINSW, VPMINSD, nil}, [4]func(from, to Op){}, replace(CMOVLGT)},
	{"max", "Int", [4]func(...Op){VPMAXSB, VPMAXSW, VPMAXSD, nil}, [4]func(from, to Op){}, replace(CMOVLLT)},
	{"min", "Uint", [4]func(...Op){VPMINUB, VPMINUW, VPMINUD, nil}, [4]func(from, to Op){}, replace(CMOVLHI)},
	{"max", "Uint", [4]func(...Op){VPMAXUB, VPMAXUW, VPMAXUD, nil}, [4]func(from, to Op){}, replace(CMOVLCS)},
}

// replace moves the update to the target if the target is greater, or less.
func replace(move func(from, to Op)) func(size int, update, target GPVirtual) {
	return func(_ int, update, target GPVirtual) {
		CMPL(target.As32(), update.As32())
		move(update.As32(), target.As32())
	}
}

// reduction is the reduction of integers of a size, whose logarithm is i.
func (n integer) reduction(i int) reduction {
	size := 1 << i
	of := fmt.Sprint(n.of, 8*size)
	r := reduction{name: n.name, of: of, kinds: []string{of}, size: size}
	if n.name != "min" && n.name != "max" { // alike with a sign and without
		r.kinds = append(r.kinds, "Ui"+of[1:])
	}
	r.one = func(data, item Mem) {
		if n.join == nil {
			v := GP64()
			loadInt(size, false, item, v)
			n.into[i](sized(size, v), data)
			return
		}
		signed := n.of == "Int" && n.name != "mul"
		target, update := GP64(), GP64()
		loadInt(size, signed, data, target)
		loadInt(size, signed, item, update)
		n.join(size, update, target)
		storeInt(size, target, data)
	}
	if vectors := n.all[i]; vectors != nil {
		r.all = func(p part, data, item Mem) {
			v := p.load(data)
			vectors(item, v, v)
			p.store(v, data)
		}
	}
	return r
}

// loadInt loads an integer of so many bytes, extended to 32 bits at least.
func loadInt(size int, signed bool, from Mem, to GPVirtual) {
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

// storeInt stores the lowest bytes of a register.
func storeInt(size int, from GPVirtual, to Mem) {
	[]func(from, to Op){MOVB, MOVW, MOVL, MOVQ}[log2(size)](sized(size, from), to)
}

// sized is the lowest bytes of a register.
func sized(size int, v GPVirtual) Op {
	return []Op{v.As8(), v.As16(), v.As32(), v}[log2(size)]
}

// arithmetic is a reduction of floats in registers, which leaves the result in the target:
// of single ones or, with vectors, of all.
type arithmetic struct {
	name string
	do   func(f floats, bytes int, update, target Op)
}

// In operations on two NaN the target's payload stays, as in Go's loops.
var arithmetics = []arithmetic{
	{"add", func(f floats, bytes int, u, t Op) { f.instruction(bytes, VADDSS, VADDSD, VADDPS, VADDPD)(u, t, t) }},
	{"sub", func(f floats, bytes int, u, t Op) { f.instruction(bytes, VSUBSS, VSUBSD, VSUBPS, VSUBPD)(u, t, t) }},
	{"mul", func(f floats, bytes int, u, t Op) { f.instruction(bytes, VMULSS, VMULSD, VMULPS, VMULPD)(u, t, t) }},
	{"min", floats.least},
	{"max", floats.most},
}

// instruction is the one for a single float, of which bytes is the size, or for vectors.
func (f floats) instruction(bytes int, one32, one64, all32, all64 func(...Op)) func(...Op) {
	if bytes == f.size() {
		return pick(f, one32, one64)
	}
	return pick(f, all32, all64)
}

// least is Go's min: NaN if either is, and -0 is less than +0. The instruction
// returns its second operand for NaN and for zeros, so it is used both ways.
func (f floats) least(bytes int, update, target Op) {
	min, both := f.instruction(bytes, VMINSS, VMINSD, VMINPS, VMINPD), vectorOf(bytes)
	min(update, target, both)
	min(target, both, target)
	VPOR(both, target, target)
}

// most is Go's max, the negative of the least of the negatives.
func (f floats) most(bytes int, update, target Op) {
	sign := vectorOf(bytes)
	VPCMPEQD(sign, sign, sign)
	pick(f, VPSLLD, VPSLLQ)(Imm(uint64(f.bits-1)), sign, sign)
	VPXOR(sign, update, update)
	VPXOR(sign, target, target)
	f.least(bytes, update, target)
	VPXOR(sign, target, target)
}

// reduction is the reduction of these floats.
func (a arithmetic) reduction(f floats) reduction {
	of := fmt.Sprintf("Float%d", f.bits)
	return reduction{a.name, of, []string{of}, f.size(), func(data, item Mem) {
		target, update := XMM(), XMM()
		f.moveOne(data, target)
		f.moveOne(item, update)
		a.do(f, f.size(), update, target)
		f.moveOne(target, data)
	}, func(p part, data, item Mem) {
		target, update := p.load(data), p.load(item)
		a.do(f, p.bytes, update, target)
		p.store(target, data)
	}}
}

// combineLoops emits the loops over items and rows of all reductions.
func combineLoops() {
	eachFloats(func(f floats) {
		f.quotients()
		f.divideRows()
	})
	for i := range 4 {
		for _, n := range integers {
			n.reduction(i).loops()
		}
	}
	eachFloats(func(f floats) {
		for _, a := range arithmetics {
			a.reduction(f).loops()
		}
	})
}

// loops emits the loops of a reduction: there is none over indices, as Go's are as fast.
func (r reduction) loops() {
	if r.of == "Float32" || r.of == "Float64" {
		k := item{name: r.name + "Items" + r.of, size: r.size, body: r.one}
		offsetItems(k)
		r.wire("Offsets", k.name+"Far")
	}
	if r.all != nil {
		r.rows()
	}
}

var combinedRows = &family{placedArguments, "and those like it are combineRowsGo or halfRowsGo."}

// rows emits the combination of rows of items with rows of data.
func (r reduction) rows() {
	name := r.name + "Rows" + r.of + "AVX2"
	r.wire("Rows", name)
	f := rowsAndPlaces(combinedRows, name).inRegisters()
	f.loop(func() {
		f.columns(func(p part) { r.all(p, at(f.row, f.off), at(f.item, f.off)) }, r.size, func() { r.one(at(f.row, f.off), at(f.item, f.off)) })
	})
}
