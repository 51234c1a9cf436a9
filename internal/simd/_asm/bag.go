package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// bagLoops emits the loops over bags of rows.
func bagLoops() {
	wire("Bags", "bagLoopsOfKinds(i.Combine)") // which has been assigned before
	for _, f := range bothFloats {
		for _, b := range []*bagLoop{{name: "add"}, {name: "addScaled", scaled: true}, {name: "max", greatest: true}} {
			reducedBags.function(f.name(b.name+"Bags"), f.field("Bags", title(b.name)))
			b.floats, b.prefetch, b.stored, b.unit = f, PREFETCHT1, vectorBytes, vectorBytes
			b.emit()
		}
		f.addScaledRows()
		dotRows(f)
	}
}

// A bagLoop reduces the rows of bags: some vectors of columns at a time stay in registers
// while all rows of a bag are taken in.
type bagLoop struct {
	floats
	name         string
	packed       *packing // nil: the rows hold the floats themselves
	scaled       bool     // each row has a weight
	greatest     bool     // the greatest of the rows, not their sum
	stored, unit int      // how many bytes of data make a vector, and how much that is of width
	prefetch     func(Op) // into the cache of first or second level

	ahead, first, end Op // the offsets that are distance ahead, and those of the bag
	column, data      Op // the first of some columns, and where they begin in data
	tail              Op // of a packed row, behind data
	width             Op // of a row: in bytes, of packed rows in columns
	t, row, far       Op
	lowest            Op // what a greatest value starts from
}

// emit emits the function that has begun.
func (b *bagLoop) emit() {
	load("out")
	offsets, ends := load("offsets"), load("ends")
	b.ahead = load("distance")
	b.first, b.end, b.column, b.data, b.t, b.row, b.far = GP64(), GP64(), GP64(), GP64(), GP64(), GP64(), GP64()
	if b.scaled {
		load("weights")
	}
	if b.packed != nil {
		b.width, b.tail = load("columns"), GP64()
	} else {
		b.width = load("bytes")
	}
	LEAQ(element(offsets, b.ahead, 8), b.ahead)
	if b.greatest {
		infinity := pick[Constant](b.floats, U32(0xff800000), U64(0xfff0000000000000))
		b.lowest = b.fill(table(fmt.Sprint("lowest", b.bits), infinity))
	}
	XORQ(b.first, b.first)
	countdown("bag", "bags", arg("bags"), func() {
		MOVQ(behind(ends, 0), b.end)
		MOVQ(arg("data"), b.data)
		if b.packed != nil {
			MOVQ(arg("tail"), b.tail)
		}
		XORQ(b.column, b.column)
		for vectors := 8; vectors >= 1; vectors /= 2 {
			label, next := fmt.Sprint("vectors", vectors), fmt.Sprint("below", vectors)
			Label(label)
			LEAQ(behind(b.column, vectors*b.unit), b.row)
			CMPQ(b.row, b.width)
			JGT(LabelRef(next))
			b.columns(label, vectors, whole)
			ADDQ(U32(uint32(vectors*b.unit)), b.column)
			ADDQ(U32(uint32(vectors*b.stored)), b.data)
			if b.packed != nil {
				SUBQ(U32(uint32(vectors*b.stored)), b.tail)
			}
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
		ADDQ(Imm(8), ends)
		ADDQ(arg("step"), arg("out"))
		MOVQ(I32(0), arg("carry"))
	})
}

// columns takes some vectors of columns through all rows of a bag.
func (b *bagLoop) columns(label string, vectors int, p part) {
	sums := make([]Op, vectors)
	for v := range sums {
		sums[v] = YMM()
	}
	to := func(v int) Mem { return element(arg("out"), b.column, vectorBytes/b.unit).Offset(v * vectorBytes) }
	CMPQ(arg("carry"), Imm(0))
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
		b.prefetchFar(vectors * b.stored)
		MOVQ(element(arg("offsets"), b.t, 8), b.row)
		ADDQ(b.data, b.row)
		b.takeRow(sums, p)
		INCQ(b.t)
	}, below(b.t, b.end))

	Label(label + "End")
	for v, sum := range sums {
		p.move(sum, to(v))
	}
}

// prefetchFar asks for some bytes of the row that is ahead.
func (b *bagLoop) prefetchFar(bytes int) {
	for disp := 0; disp < bytes; disp += line {
		b.prefetch(behind(b.far, disp))
	}
	if b.packed != nil {
		b.prefetch(at(b.far, b.tail).Offset(b.packed.last))
	}
}

// takeRow takes a row into the sums, or greatest values.
func (b *bagLoop) takeRow(sums []Op, p part) {
	var weight, scale, shift Op
	if b.scaled {
		weight = b.fill(element(arg("weights"), b.t, b.size()))
	}
	if b.packed != nil {
		scale, shift = b.packed.load(b.row, b.tail)
	}
	for v, sum := range sums {
		from := behind(b.row, v*b.stored)
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
			b.add(sum, b.mul(weight, x), sum)
		default:
			b.add(x, sum)
		}
	}
}

// greater makes most the greater of most and x. The instruction alone gives the second where both
// are zero, of whatever sign, or one is NaN: here zeros give the positive one, and NaN stays.
func (f floats) greater(x, most Op) {
	f.max(most, x, most) // most if either is NaN
	both := f.pick(VANDPS, VANDPD, x, most, YMM())
	same, nan := f.compare(equal, x, most, YMM()), f.compare(unordered, x, x, YMM())
	f.blend(same, both, most)
	f.blend(nan, x, most)
}
