package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// bagLoops emits the loops over bags of rows.
func bagLoops() {
	wire("Bags", "bagLoopsOfKinds(i.Combine)") // which has been assigned before
	eachFloats(func(f floats) {
		for _, b := range []struct {
			name string
			loop bagLoop
		}{
			{"add", bagLoop{}},
			{"addScaled", bagLoop{scaled: true}},
			{"max", bagLoop{greatest: true}},
		} {
			b.loop.floats = f
			reducedBags.function(f.name(b.name+"Bags"), f.field("Bags", title(b.name)))
			b.loop.emit()
		}
		f.addScaledRows()
		dotRows(f)
	})
}

// A bagLoop reduces the rows of bags: some vectors of columns at a time stay in registers
// while all rows of a bag are taken in.
type bagLoop struct {
	floats
	packed   *packing // nil: the rows hold the floats themselves
	scaled   bool     // each row has a weight
	greatest bool     // the greatest of the rows, not their sum

	out, offsets, ends, weights Register
	ahead                       Register // the offsets that are distance ahead
	first, end                  Register // the bag's offsets
	column, data, tail          Register // the first of some columns, where they begin in data, and the tail behind that
	width                       Register // of a row: in bytes, of packed rows in columns
	t, row, far                 Register
	lowest                      Op // what a greatest value starts from
}

// stored is how many bytes of data make a vector, and unit how much that is of width.
func (b *bagLoop) stored() (bytes, unit int) {
	if b.packed != nil {
		return b.packed.bits, 8
	}
	return vectorBytes, vectorBytes
}

// emit emits the function that has begun.
func (b *bagLoop) emit() {
	b.out, b.offsets, b.ends, b.ahead = load("out"), load("offsets"), load("ends"), load("distance")
	b.first, b.end, b.column, b.data, b.t, b.row, b.far = GP64(), GP64(), GP64(), GP64(), GP64(), GP64(), GP64()
	if b.scaled {
		b.weights = load("weights")
	}
	if b.packed != nil {
		b.width, b.tail = load("columns"), GP64()
	} else {
		b.width = load("bytes")
	}
	LEAQ(element(b.offsets, b.ahead, 8), b.ahead)
	if b.greatest {
		b.lowest = b.fill(table(fmt.Sprint("lowest", b.bits), pick[Constant](b.floats, U32(0xff800000), U64(0xfff0000000000000))))
	}
	_, unit := b.stored()
	XORQ(b.first, b.first)
	countdown("bag", "bags", param("bags"), func() {
		MOVQ(Mem{Base: b.ends}, b.end)
		MOVQ(param("data"), b.data)
		if b.packed != nil {
			MOVQ(param("tail"), b.tail)
		}
		XORQ(b.column, b.column)
		for vectors := 8; vectors >= 1; vectors /= 2 {
			label, next := fmt.Sprintf("vectors%d", vectors), fmt.Sprintf("below%d", vectors)
			Label(label)
			LEAQ(Mem{Base: b.column, Disp: vectors * unit}, b.row)
			CMPQ(b.row, b.width)
			JGT(LabelRef(next))
			b.columns(label, vectors, whole)
			if vectors == 8 {
				JMP(LabelRef(label))
			}
			Label(next)
		}
		MOVQ(b.width, b.row)
		SUBQ(b.column, b.row)
		JLE(LabelRef("nextBag"))
		if b.packed != nil {
			SHLQ(Imm(2), b.row)
		}
		b.columns("last", 1, masked(64, 0, b.row))

		Label("nextBag")
		MOVQ(b.end, b.first)
		ADDQ(Imm(8), b.ends)
		ADDQ(param("step"), b.out)
		MOVQ(I32(0), param("carry"))
	})
}

// columns takes some vectors of columns through all rows of a bag.
func (b *bagLoop) columns(label string, vectors int, p part) {
	stored, unit := b.stored()
	sums := make([]Op, vectors)
	for v := range sums {
		sums[v] = YMM()
	}
	to := func(v int) Mem { return element(b.out, b.column, vectorBytes/unit).Offset(v * vectorBytes) }
	CMPQ(param("carry"), Imm(0))
	JNE(LabelRef(label + "Carry"))
	for _, sum := range sums {
		if b.greatest {
			VMOVAPS(b.lowest, sum)
		} else {
			setZero(sum)
		}
	}
	JMP(LabelRef(label + "Start"))
	Label(label + "Carry")
	for v, sum := range sums {
		p.move(to(v), sum)
	}
	Label(label + "Start")

	MOVQ(b.first, b.t)
	CMPQ(b.t, b.end)
	JGE(LabelRef(label + "End"))
	repeat(label+"Row", func() {
		MOVQ(element(b.ahead, b.t, 8), b.far)
		ADDQ(b.data, b.far)
		b.prefetch(vectors * stored)
		MOVQ(element(b.offsets, b.t, 8), b.row)
		ADDQ(b.data, b.row)
		b.takeRow(sums, p)
		INCQ(b.t)
	}, below(b.t, b.end))

	Label(label + "End")
	for v, sum := range sums {
		p.move(sum, to(v))
	}
	if p.mask != nil {
		return
	}
	ADDQ(U32(uint32(vectors*unit)), b.column)
	ADDQ(U32(uint32(vectors*stored)), b.data)
	if b.packed != nil {
		SUBQ(U32(uint32(vectors*stored)), b.tail)
	}
}

// prefetch asks for some bytes of the row that is ahead: of packed rows, which are short,
// into the cache of first level, where all that are ahead have room.
func (b *bagLoop) prefetch(bytes int) {
	for line := 0; line < bytes; line += 64 {
		if b.packed != nil {
			PREFETCHT0(Mem{Base: b.far, Disp: line})
		} else {
			PREFETCHT1(Mem{Base: b.far, Disp: line})
		}
	}
	if b.packed != nil {
		PREFETCHT0(at(b.far, b.tail).Offset(b.packed.last))
	}
}

// takeRow takes a row into the sums, or greatest values.
func (b *bagLoop) takeRow(sums []Op, p part) {
	var weight, scale, shift Op
	if b.scaled {
		weight = b.fill(element(b.weights, b.t, b.size()))
	}
	if b.packed != nil {
		scale, shift = b.packed.constants(b.row, b.tail)
	}
	stored, _ := b.stored()
	for v, sum := range sums {
		from := Mem{Base: b.row, Disp: v * stored}
		var x Op = from
		switch {
		case b.packed != nil:
			x = b.packed.numbers(from, scale, shift)
		case b.scaled || b.greatest || p.mask != nil:
			x = p.load(from)
		}
		switch {
		case b.greatest:
			b.greater(x, sum)
		case b.scaled:
			b.mul(weight, x, x)
			b.add(sum, x, sum)
		default:
			b.add(x, sum, sum)
		}
	}
}

// greater makes most the greater of most and x. The instruction alone gives the
// second where both are zero, of whatever sign, or one is NaN: here zeros give
// the positive one, and NaN stays.
func (f floats) greater(x, most Op) {
	both, same, nan := YMM(), YMM(), YMM()
	f.max(most, x, most) // most if either is NaN
	f.and(x, most, both)
	f.compare(equal, x, most, same)
	f.compare(unordered, x, x, nan)
	f.blend(same, both, most)
	f.blend(nan, x, most)
}
