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
	for _, x := range halves {
		reducedBags.function("sumBags"+x.of+"AVX2", "Bags[num."+x.of+"].Add")
		(&bagLoop{floats: float32s, half: x.newSum(), prefetch: PREFETCHT1, stored: 16, made: 16, unit: 16, most: 8, overlap: 2*vectorBytes - 1}).emit()
	}
	for _, f := range bothFloats {
		for _, b := range []*bagLoop{{name: "add"}, {name: "addScaled", scaled: true}, {name: "max", greatest: true}} {
			reducedBags.function(f.name(b.name+"Bags"), f.field("Bags", title(b.name)))
			b.floats, b.prefetch, b.most, b.overlap = f, PREFETCHT1, 8, 2*vectorBytes-1
			b.stored, b.made, b.unit = vectorBytes, vectorBytes, vectorBytes
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
	*rows                    // of data; of packed ones bytes are columns
	name                     string
	packed                   *packing // nil: the rows hold the floats themselves
	half                     *halfSum // or, as the results do, halves
	scaled, greatest         bool     // each row has a weight; the greatest of the rows is wanted, not their sum
	stored, made             int      // how many bytes of data make a vector, and how many of out it makes
	unit, most               int      // how many that are of rows.bytes, and how many vectors are in registers
	prefetch                 func(Op) // into the cache of first or second level
	first, end, column, data Op       // the offsets of the bag, the first of some columns, and where they begin in data
	tail                     Op       // of a packed row, behind data
	back                     Op       // is added to where vectors from apart on begin, so that the last ends with the row
	apart, overlap           int      // where those vectors begin, and how much of rows.bytes they may overlap the others: packed ones do not
	sign                     Op       // what changes signs
}

// emit emits the function that has begun.
func (b *bagLoop) emit() {
	b.rows = newRows("out", "ends", "weights")
	b.first, b.end, b.column, b.data, b.tail, b.back = GP64(), GP64(), GP64(), GP64(), GP64(), GP64()
	XORQ(b.first, b.first)
	if b.greatest {
		b.sign = b.minusZero(YMM())
	}
	countdown("bag", "bags", arg("bags"), func() {
		MOVQ(behind(arg("ends"), 0), b.end)
		MOVQ(arg("data"), b.data)
		if b.packed != nil {
			MOVQ(arg("tail"), b.tail)
		}
		XORQ(b.column, b.column)
		below(b.rows.bytes, Imm(uint64(b.unit)))(LabelRef("rest")) // which is all of a short row
		for vectors := b.most; vectors > 1; vectors /= 2 {
			label, next := fmt.Sprint("vectors", vectors), fmt.Sprint("below", vectors)
			Label(label)
			XORQ(b.row, b.row)
			MOVQ(b.rows.bytes, b.back)
			SUBQ(b.column, b.back)
			SUBQ(U32(uint32(vectors*b.unit)), b.back)
			CMOVQGT(b.row, b.back)
			CMPQ(b.back, I32(-min(b.overlap, vectors/2*b.unit-vectors/4))) // four or more leave what fits into half as many to the next loop
			JLT(LabelRef(next))
			b.columns(label, vectors, part{bytes: b.made})
			LEAQ(at(b.column, b.back).Offset(vectors*b.unit), b.column)
			LEAQ(at(b.data, b.back).Offset(vectors*b.stored), b.data)
			if b.packed != nil {
				SUBQ(U32(uint32(vectors*b.stored)), b.tail)
			}
			if vectors == b.most {
				JMP(LabelRef(label))
			}
			Label(next)
		}
		Label("rest")
		MOVQ(b.rows.bytes, b.row)
		SUBQ(b.column, b.row)
		JLE(LabelRef("nextBag"))
		MOVQ(b.row, b.back) // which tells halves how many are left
		SHLQ(Imm(uint64(log2(b.made/b.unit))), b.row)
		b.columns("last", 1, part{b.made, masked(64, 0, b.row).mask})
		if b.packed != nil { // whose vectors do not overlap: this one may have been whole
			ADDQ(Imm(uint64(b.unit)), b.column)
			ADDQ(Imm(uint64(b.stored)), b.data)
			SUBQ(Imm(uint64(b.stored)), b.tail)
			JMP(LabelRef("rest"))
		}
		Label("nextBag")
		MOVQ(b.end, b.first)
		ADDQ(Imm(8), arg("ends"))
		ADDQ(arg("step"), arg("out"))
		MOVQ(I32(0), arg("carry"))
	})
}

// columns takes some vectors of columns through all rows of a bag.
func (b *bagLoop) columns(label string, vectors int, p part) {
	b.apart = max(1, vectors>>min(b.overlap, 1))
	sums, to := make([]Op, vectors), element(arg("out"), b.column, b.made/b.unit)
	for v := range sums {
		sums[v] = setZero(YMM())
	}
	MOVQ(b.first, b.t)
	LEAQ(to, b.row)
	CMPQ(arg("carry"), Imm(0))
	if b.greatest { // begins with the first row
		JNE(LabelRef(label + "Carry"))
		CMPQ(b.t, b.end)
		JGE(LabelRef(label + "Store"))
		b.findRow(vectors)
		INCQ(b.t)
		Label(label + "Carry")
	} else {
		JEQ(LabelRef(label + "Start"))
	}
	for v, sum := range sums {
		b.load(p, b.vector(b.row, v, b.made), sum)
	}
	Label(label + "Start")
	CMPQ(b.t, b.end)
	JGE(LabelRef(label + "End"))
	repeat(label+"Row", func() {
		b.findRow(vectors)
		b.takeRow(sums, p)
		INCQ(b.t)
	}, below(b.t, b.end))

	Label(label + "End")
	if b.greatest {
		for _, v := range sums {
			VXORPS(b.sign, v, v)
		}
		Label(label + "Store")
	}
	LEAQ(to, b.row)
	for v, sum := range sums {
		to := b.vector(b.row, v, b.made)
		if b.half != nil {
			b.half.narrow(p, sum, to, b.back)
		} else {
			p.move(sum, to)
		}
	}
}

// load loads a vector of a result, or of the greatest values. These are the least of the negatives: signs are changed.
func (b *bagLoop) load(p part, from Mem, to Op) Op {
	switch {
	case b.half != nil:
		b.half.widen(p, from, b.back, to)
		if b.half.enlarge != nil {
			VMULPS(b.half.enlarge, to, to)
		}
	case b.greatest:
		VXORPS(p.operand(from), b.sign, to)
	default:
		p.move(from, to)
	}
	return to
}

// vector is where vector v, of some bytes, begins behind base.
func (b *bagLoop) vector(base Op, v, bytes int) Mem {
	m := behind(base, v*bytes)
	if v >= b.apart {
		m.Index, m.Scale = b.back.(Register), 1
	}
	return m
}

// findRow makes row the next one. It asks for some vectors of the row that is ahead, and for the last byte of all.
func (b *bagLoop) findRow(vectors int) {
	b.find(b.data, b.row, b.far)
	step := min(line/b.stored, b.apart)
	for v := 0; v < vectors; v += step {
		b.prefetch(b.vector(b.far, v, b.stored).Offset(v / b.apart * (step*b.stored - 1)))
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
		switch {
		case b.half != nil:
			b.half.add(p, from, b.back, sum)
		case b.greatest:
			b.least(b.load(p, from, YMM()), sum)
		case b.packed != nil:
			b.add(sum, b.mul(weight, b.packed.numbers(from, scale, shift)), sum)
		case b.scaled:
			b.add(sum, b.mul(weight, p.load(from)), sum)
		default:
			b.add(p.operand(from), sum)
		}
	}
}
