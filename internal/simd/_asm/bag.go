package main

import (
	"fmt"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// bagLoops emits the loops over bags of rows.
func bagLoops() {
	wire("bagLoopsOfKinds(i.Combine)", "Bags") // which has been assigned before
	eachFloats(func(f floats) {
		for _, k := range bagKinds {
			bags(f, k)
		}
		addScaledRows(f)
		dotRows(f)
	})
}

// bagKind is what becomes of the rows of a bag.
type bagKind struct {
	name     string
	scaled   bool // each row has a scale
	greatest bool // the greatest of the rows, not their sum
}

var reducedBags = &family{"(data, out *byte, offsets, ends *int64, scales *byte, bags, bytes, step, distance, carry int)", "and those like it are the BagLoops of their names of floatBagLoopsGo."}

var bagKinds = []bagKind{
	{name: "addBags"},
	{name: "addScaledBags", scaled: true},
	{name: "maxBags", greatest: true},
}

// bags emits the loop over bags: some vectors of columns at a time, which stay in registers while all rows of
// a bag are taken in.
func bags(f floats, k bagKind) {
	name := f.name(k.name)
	reducedBags.function(name)
	wire(name, "Bags[num.Float%d].%s", f.bits, strings.TrimSuffix(title(k.name), "Bags"))
	b := &bagLoop{
		floats: f, bagKind: k,
		data: load("data"), out: load("out"), offsets: load("offsets"), ends: load("ends"), bytes: load("bytes"),
		ahead: load("distance"), first: GP64(), end: GP64(),
		off: GP64(), t: GP64(), row: GP64(), far: GP64(), column: GP64(),
	}
	if k.scaled {
		b.scales = load("scales")
	}
	LEAQ(Mem{Base: b.offsets, Index: b.ahead, Scale: 8}, b.ahead)
	rest := GP64()
	MOVQ(b.bytes, rest)
	ANDQ(Imm(uint64(vectorBytes-1)), rest)
	last := f.tail(rest)
	b.start()
	XORQ(b.first, b.first)
	countdown("bag", "bags", param("bags"), func() {
		MOVQ(Mem{Base: b.ends}, b.end)
		XORQ(b.off, b.off)
		for vectors := 8; vectors >= 1; vectors /= 2 {
			label, next := fmt.Sprintf("vectors%d", vectors), fmt.Sprintf("below%d", vectors)
			Label(label)
			LEAQ(Mem{Base: b.off, Disp: vectors * vectorBytes}, b.row)
			CMPQ(b.row, b.bytes)
			JGT(LabelRef(next))
			b.columns(label, vectors, f.unmasked())
			if vectors == 8 {
				JMP(LabelRef(label))
			}
			Label(next)
		}
		CMPQ(b.off, b.bytes)
		JGE(LabelRef("nextBag"))
		b.columns("tail", 1, last)

		Label("nextBag")
		MOVQ(b.end, b.first)
		ADDQ(Imm(8), b.ends)
		ADDQ(param("step"), b.out)
		MOVQ(I32(0), param("carry"))
	})
}

type bagLoop struct {
	floats
	bagKind
	data, out, offsets, ends, scales, bytes Register
	ahead                                   Register // the offsets that are distance ahead
	first, end                              Register // the bag's offsets
	off, t, row, far, column                Register
	lowest                                  Op // what a greatest value starts from
}

// start makes the constants that the loop needs.
func (b *bagLoop) start() {
	if !b.greatest {
		return
	}
	name, value := fmt.Sprintf("lowest%d", b.bits), Constant(U32(0xff800000))
	if b.bits == 64 {
		value = U64(0xfff0000000000000)
	}
	b.lowest = b.broadcast(table(name, func() { DATA(0, value) }))
}

// columns takes some vectors of columns from the offset off on through all rows
// of a bag.
func (b *bagLoop) columns(label string, vectors int, part tail) {
	sums := make([]Op, vectors)
	for v := range sums {
		sums[v] = vector()
	}
	column := func(base Register, v int) Mem { return Mem{Base: base, Disp: v * vectorBytes} }

	LEAQ(Mem{Base: b.out, Index: b.off, Scale: 1}, b.column)
	CMPQ(param("carry"), Imm(0))
	JNE(LabelRef(label + "Carry"))
	for _, sum := range sums {
		if b.greatest {
			VMOVAPS(b.lowest, sum)
		} else {
			b.clear(sum)
		}
	}
	JMP(LabelRef(label + "Start"))
	Label(label + "Carry")
	for v, sum := range sums {
		part.load(column(b.column, v), sum)
	}
	Label(label + "Start")

	MOVQ(b.first, b.t)
	CMPQ(b.t, b.end)
	JGE(LabelRef(label + "End"))
	LEAQ(Mem{Base: b.data, Index: b.off, Scale: 1}, b.column)
	Label(label + "Row")
	MOVQ(Mem{Base: b.offsets, Index: b.t, Scale: 8}, b.row)
	ADDQ(b.column, b.row)
	MOVQ(Mem{Base: b.ahead, Index: b.t, Scale: 8}, b.far)
	ADDQ(b.column, b.far)
	for line := 0; line < vectors*vectorBytes; line += 64 {
		PREFETCHT1(Mem{Base: b.far, Disp: line})
	}
	var scale Op
	if b.scaled {
		scale = b.broadcast(Mem{Base: b.scales, Index: b.t, Scale: uint8(b.size())})
	}
	for v, sum := range sums {
		from := column(b.row, v)
		switch {
		case b.greatest:
			x := vector()
			part.load(from, x)
			b.greater(x, sum)
		case part.mask != nil || b.scaled:
			x := vector()
			part.load(from, x)
			if b.scaled {
				b.mul(scale, x, x)
				b.add(sum, x, sum)
			} else {
				b.add(x, sum, sum)
			}
		default:
			b.add(from, sum, sum)
		}
	}
	INCQ(b.t)
	CMPQ(b.t, b.end)
	JLT(LabelRef(label + "Row"))

	Label(label + "End")
	LEAQ(Mem{Base: b.out, Index: b.off, Scale: 1}, b.column)
	for v, sum := range sums {
		part.store(sum, column(b.column, v))
	}
	ADDQ(U32(uint32(vectors*vectorBytes)), b.off)
}

// greater makes most the greater of most and x. The instruction alone gives the
// second where both are zero, of whatever sign, or one is NaN: here zeros give
// the positive one, and NaN stays.
func (f floats) greater(x, most Op) {
	const equal, unordered = 0x00, 0x03
	both := vector()
	f.max(most, x, most) // most if either is NaN
	f.and(x, most, both)
	same, nan := vector(), vector()
	pick(f, VCMPPS, VCMPPD)(Imm(equal), x, most, same)
	pick(f, VCMPPS, VCMPPD)(Imm(unordered), x, x, nan)
	pick(f, VBLENDVPS, VBLENDVPD)(same, both, most, most)
	pick(f, VBLENDVPS, VBLENDVPD)(nan, x, most, most)
}
