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
	for _, f := range bothFloats {
		for _, b := range []*bagLoop{{name: "add"}, {name: "addScaled", scaled: true}, {name: "max", greatest: true}} {
			reducedBags.function(f.name(b.name+"Bags"), f.field("Bags", title(b.name)))
			b.floats, b.prefetch, b.stored, b.unit, b.overlap = f, PREFETCHT1, vectorBytes, vectorBytes, 2*vectorBytes-1
			b.emit()
		}
		f.addScaledRows()
		dotRows(f)
	}
}

// A bagLoop reduces the rows of bags: some vectors of columns at a time stay in registers
// while all rows of a bag are taken in. Vectors that overlap take less time than another pass.
type bagLoop struct {
	floats
	name         string
	packed       *packing // nil: the rows hold the floats themselves
	scaled       bool     // each row has a weight
	greatest     bool     // the greatest of the rows, not their sum
	stored, unit int      // how many bytes of data make a vector, and how much that is of width
	prefetch     func(Op) // into the cache of first or second level

	ahead, first, end Op  // the offsets that are distance ahead, and those of the bag
	column, data      Op  // the first of some columns, and where they begin in data
	tail              Op  // of a packed row, behind data
	width             Op  // of a row: in bytes, of packed rows in columns
	back              Op  // is added to where vectors from half on begin, so that the last ends with the row
	half, overlap     int // how much of width these may overlap the others: packed ones do not
	start             Op  // what a result starts from
	t, row, far       Op
}

// emit emits the function that has begun.
func (b *bagLoop) emit() {
	load("out")
	offsets, ends := load("offsets"), load("ends")
	b.ahead = load("distance")
	b.first, b.end, b.column, b.data, b.t, b.row, b.far, b.back = GP64(), GP64(), GP64(), GP64(), GP64(), GP64(), GP64(), GP64()
	load("weights")
	b.width, b.tail = load("bytes"), GP64()
	LEAQ(element(offsets, b.ahead, 8), b.ahead)
	b.start = setZero(YMM())
	XORQ(b.first, b.first)
	countdown("bag", "bags", arg("bags"), func() {
		MOVQ(behind(ends, 0), b.end)
		MOVQ(arg("data"), b.data)
		if b.packed != nil {
			MOVQ(arg("tail"), b.tail)
		}
		if b.greatest { // of no rows it is 0
			LEAQ(table(fmt.Sprint("lowest", b.bits), pick(b.floats, []Constant{U32(0xff800000), U32(0)}, []Constant{U64(0xfff << 52), U64(0)})...), b.row)
			CMPQ(b.first, b.end)
			SETGE(b.column.(GPVirtual).As8())
			MOVBQZX(b.column.(GPVirtual).As8(), b.column)
			b.start = b.fill(element(b.row, b.column, b.size()))
		}
		XORQ(b.column, b.column)
		for vectors := 8; vectors > min(b.overlap, 1); vectors /= 2 {
			label, next := fmt.Sprint("vectors", vectors), fmt.Sprint("below", vectors)
			Label(label)
			XORQ(b.row, b.row)
			MOVQ(b.width, b.back)
			SUBQ(b.column, b.back)
			SUBQ(U32(uint32(vectors*b.unit)), b.back)
			CMOVQGT(b.row, b.back)
			CMPQ(b.back, I32(-min(b.overlap, vectors/2*b.unit)))
			JLT(LabelRef(next))
			b.columns(label, vectors, whole)
			LEAQ(at(b.column, b.back).Offset(vectors*b.unit), b.column)
			LEAQ(at(b.data, b.back).Offset(vectors*b.stored), b.data)
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
		SHLQ(Imm(uint64(log2(vectorBytes/b.unit))), b.row)
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
	b.half = max(1, vectors>>min(b.overlap, 1))
	sums, to := make([]Op, vectors), element(arg("out"), b.column, vectorBytes/b.unit)
	for v := range sums {
		sums[v] = YMM()
		VMOVAPS(b.start, sums[v])
	}
	CMPQ(arg("carry"), Imm(0))
	JEQ(LabelRef(label + "Start"))
	LEAQ(to, b.row)
	for v, sum := range sums {
		p.move(b.vector(b.row, v, vectorBytes), sum)
	}
	Label(label + "Start")
	MOVQ(b.first, b.t)
	CMPQ(b.t, b.end)
	JGE(LabelRef(label + "End"))
	repeat(label+"Row", func() {
		MOVQ(element(b.ahead, b.t, 8), b.far)
		ADDQ(b.data, b.far)
		b.prefetchFar(vectors)
		MOVQ(element(arg("offsets"), b.t, 8), b.row)
		ADDQ(b.data, b.row)
		b.takeRow(sums, p)
		INCQ(b.t)
	}, below(b.t, b.end))

	Label(label + "End")
	LEAQ(to, b.row)
	for v, sum := range sums {
		p.move(sum, b.vector(b.row, v, vectorBytes))
	}
}

// vector is where vector v, of some bytes, begins behind base.
func (b *bagLoop) vector(base Op, v, bytes int) Mem {
	m := behind(base, v*bytes)
	if v >= b.half {
		m.Index, m.Scale = b.back.(Register), 1
	}
	return m
}

// prefetchFar asks for some vectors of the row that is ahead, and for the last byte of all.
func (b *bagLoop) prefetchFar(vectors int) {
	step := min(line/b.stored, b.half)
	for v := 0; v < vectors; v += step {
		b.prefetch(b.vector(b.far, v, b.stored).Offset(v / b.half * (step*b.stored - 1)))
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
		from := b.vector(b.row, v, b.stored)
		x := Op(from)
		if b.packed != nil {
			x = b.packed.numbers(from, scale, shift)
		} else if b.scaled || b.greatest || p.mask != nil {
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
