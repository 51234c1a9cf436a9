package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// addScaledRows emits the sum of rows, each times a number.
func addScaledRows(f floats) {
	name := f.name("addScaledRows")
	scaledRows.function(name)
	wire(name, "Bags[num.Float%d].AddScaledRows", f.bits)
	data, items, offsets, places, scales := load("data"), load("items"), load("offsets"), load("places"), load("scales")
	bytes, ahead := load("bytes"), load("distance")
	LEAQ(Mem{Base: offsets, Index: ahead, Scale: 8}, ahead)
	t, row, item, far, off, rest := GP64(), GP64(), GP64(), GP64(), GP64(), GP64()
	MOVQ(bytes, rest)
	ANDQ(Imm(uint64(vectorBytes-1)), rest)
	last := f.tail(rest)
	SUBQ(rest, bytes) // what fills whole vectors
	eachRow(t, param("n"), func() {
		MOVQ(Mem{Base: offsets, Index: t, Scale: 8}, row)
		ADDQ(data, row)
		MOVQ(Mem{Base: ahead, Index: t, Scale: 8}, far)
		ADDQ(data, far)
		MOVQ(Mem{Base: places, Index: t, Scale: 8}, item)
		IMULQ(param("step"), item)
		ADDQ(items, item)
		scale := f.broadcast(Mem{Base: scales, Index: t, Scale: uint8(f.size())})
		one := func(part tail) {
			x, sum := vector(), vector()
			PREFETCHT1(at(far, off))
			part.load(at(item, off), x)
			f.mul(scale, x, x)
			part.load(at(row, off), sum)
			f.add(sum, x, sum)
			part.store(sum, at(row, off))
		}
		XORQ(off, off)
		loop("vector", "whole", func() {
			one(f.unmasked())
			ADDQ(Imm(uint64(vectorBytes)), off)
		}, below(off, bytes))
		TESTQ(rest, rest)
		JZ(LabelRef("done"))
		one(last)
		Label("done")
	})
}

// dotRows emits the dot products of rows.
func dotRows(f floats) {
	name := f.name("dotRows")
	dottedRows.function(name)
	wire(name, "Bags[num.Float%d].DotRows", f.bits)
	data, items, offsets, places, out := load("data"), load("items"), load("offsets"), load("places"), load("out")
	bytes, ahead := load("bytes"), load("distance")
	LEAQ(Mem{Base: offsets, Index: ahead, Scale: 8}, ahead)
	t, row, item, far, off := GP64(), GP64(), GP64(), GP64(), GP64()
	s := f.sixteen(bytes)
	eachRow(t, param("n"), func() {
		MOVQ(Mem{Base: offsets, Index: t, Scale: 8}, row)
		ADDQ(data, row)
		MOVQ(Mem{Base: ahead, Index: t, Scale: 8}, far)
		ADDQ(data, far)
		MOVQ(Mem{Base: places, Index: t, Scale: 8}, item)
		IMULQ(param("step"), item)
		ADDQ(items, item)
		sum := s.sum(off, func(disp int, part tail) Op {
			if disp%64 == 0 {
				PREFETCHT1(at(far, off).Offset(disp))
			}
			x, y := vector(), vector()
			part.load(at(row, off).Offset(disp), x)
			part.load(at(item, off).Offset(disp), y)
			f.mul(y, x, x)
			return x
		})
		f.moveOne(sum, Mem{Base: out, Index: t, Scale: uint8(f.size())})
	})
}

var (
	scaledRows = &family{"(data, items *byte, offsets, places *int64, scales *byte, n, bytes, step, distance int)", "and the other are the AddScaledRows of floatBagLoopsGo."}
	dottedRows = &family{"(data, items *byte, offsets, places *int64, out *byte, n, bytes, step, distance int)", "and the other are the DotRows of floatBagLoopsGo."}
)
