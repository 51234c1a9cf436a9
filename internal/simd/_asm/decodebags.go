package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// packedBags is the frame of the sum over bags of packed rows.
type packedBags struct {
	packing
	floats
	out, offsets, ends, weights Register
	ahead                       Register // the offsets that are distance ahead
	first, end                  Register // the bag's offsets
	column, data, tail          Register // the first of some columns, where they begin in data, and the tail behind that
	t, row, far                 Register
}

// addBags emits the sum over bags of rows, each times its weight: some vectors of columns
// at a time, which stay in registers while all rows of a bag are added.
func (p packing) addBags() {
	name := "addBags" + p.name + "AVX2"
	packedSums.function(name)
	b := &packedBags{
		packing: p, floats: floats{32},
		out: load("out"), offsets: load("offsets"), ends: load("ends"), weights: load("weights"), ahead: load("distance"),
		first: GP64(), end: GP64(), column: GP64(), data: GP64(), tail: GP64(), t: GP64(), row: GP64(), far: GP64(),
	}
	LEAQ(Mem{Base: b.offsets, Index: b.ahead, Scale: 8}, b.ahead)
	XORQ(b.first, b.first)
	countdown("bag", "bags", param("bags"), func() {
		MOVQ(Mem{Base: b.ends}, b.end)
		MOVQ(param("data"), b.data)
		MOVQ(param("tail"), b.tail)
		XORQ(b.column, b.column)
		for vectors := 8; vectors >= 2; vectors /= 2 {
			label, next := fmt.Sprintf("vectors%d", vectors), fmt.Sprintf("below%d", vectors)
			Label(label)
			LEAQ(Mem{Base: b.column, Disp: 8 * vectors}, b.row)
			CMPQ(b.row, param("columns"))
			JGT(LabelRef(next))
			b.columns(label, vectors, b.unmasked())
			if vectors == 8 {
				JMP(LabelRef(label))
			}
			Label(next)
		}
		// Fewer than 16 columns are left: a vector, and a part of one.
		MOVQ(param("columns"), b.row)
		SUBQ(b.column, b.row)
		JLE(LabelRef("nextBag"))
		CMPQ(b.row, Imm(8))
		JLE(LabelRef("part"))
		MOVQ(U32(8), b.row)
		Label("part")
		SHLQ(Imm(2), b.row)
		b.columns("last", 1, b.floats.tail(b.row))
		JMP(LabelRef("below2"))

		Label("nextBag")
		MOVQ(b.end, b.first)
		ADDQ(Imm(8), b.ends)
		ADDQ(param("step"), b.out)
		MOVQ(I32(0), param("carry"))
	})
}

// columns takes some vectors of columns through all rows of a bag.
func (b *packedBags) columns(label string, vectors int, part tail) {
	sums := make([]Op, vectors)
	for v := range sums {
		sums[v] = vector()
	}
	to := func(v int) Mem { return Mem{Base: b.out, Index: b.column, Scale: 4, Disp: v * vectorBytes} }
	CMPQ(param("carry"), Imm(0))
	JNE(LabelRef(label + "Carry"))
	for _, sum := range sums {
		b.clear(sum)
	}
	JMP(LabelRef(label + "Start"))
	Label(label + "Carry")
	for v, sum := range sums {
		part.load(to(v), sum)
	}
	Label(label + "Start")

	MOVQ(b.first, b.t)
	CMPQ(b.t, b.end)
	JGE(LabelRef(label + "End"))
	Label(label + "Row")
	MOVQ(Mem{Base: b.ahead, Index: b.t, Scale: 8}, b.far)
	ADDQ(b.data, b.far)
	// Into the cache of first level, where all rows that are ahead have room.
	for line := 0; line < vectors*b.packing.bits; line += 64 {
		PREFETCHT0(Mem{Base: b.far, Disp: line})
	}
	PREFETCHT0(at(b.far, b.tail).Offset(b.last))
	MOVQ(Mem{Base: b.offsets, Index: b.t, Scale: 8}, b.row)
	ADDQ(b.data, b.row)
	weight := b.broadcast(Mem{Base: b.weights, Index: b.t, Scale: 4})
	scale, shift := b.constants(b.row, b.tail)
	for v, sum := range sums {
		x := b.numbers(Mem{Base: b.row, Disp: v * b.packing.bits}, scale, shift)
		b.mul(weight, x, x)
		b.add(sum, x, sum)
	}
	INCQ(b.t)
	CMPQ(b.t, b.end)
	JLT(LabelRef(label + "Row"))

	Label(label + "End")
	for v, sum := range sums {
		part.store(sum, to(v))
	}
	ADDQ(Imm(uint64(8*vectors)), b.column)
	ADDQ(Imm(uint64(vectors*b.packing.bits)), b.data)
	SUBQ(Imm(uint64(vectors*b.packing.bits)), b.tail)
}

var packedSums = &family{"(data, out *byte, offsets, ends *int64, weights *byte, bags, columns, step, tail, distance, carry int)", "and those like it are PackedBagLoops."}
