package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// packing is how the numbers of a row are stored. Eight of them have bits bytes.
type packing struct {
	name string
	bits int
	last int // from the tail to the last byte of a row
	// load makes the scale and the offset of a row, which are in its tail; nil: floats, and
	// the tail is empty.
	load func(row, tail Register) (scale, shift Op)
	// unpack makes eight integers, or floats.
	unpack func(from Mem, to Op)
}

var packings = []packing{
	{"Int8", 8, 7,
		func(row, tail Register) (scale, shift Op) {
			f := floats{32}
			return f.broadcast(at(row, tail)), f.broadcast(at(row, tail).Offset(4))
		},
		func(from Mem, to Op) { VPMOVZXBD(from, to) },
	},
	{"Int4", 4, 3,
		func(row, tail Register) (scale, shift Op) {
			first, second := XMM(), XMM()
			VMOVD(at(row, tail), first)
			VCVTPH2PS(first, first)
			VPSHUFD(Imm(1), first, second)
			return floats{32}.fill(first), floats{32}.fill(second)
		},
		func(from Mem, to Op) {
			VPBROADCASTD(from, to)
			VPSRLVD(table("nibbles", func() {
				for i := range 8 {
					DATA(4*i, U32(4*i))
				}
			}), to, to)
			VPAND(eightOf("lowNibble", 15), to, to)
		},
	},
	{halves[0].name, 16, -1, nil, halves[0].widen},
	{halves[1].name, 16, -1, nil, halves[1].widen},
}

// decodeLoops emits the loops over rows of few bits.
func decodeLoops() {
	for _, p := range packings {
		p.decode()
		p.addBags()
	}
}

// constants are the scale and the offset of a row, if it has them.
func (p packing) constants(row, tail Register) (scale, shift Op) {
	if p.load != nil {
		scale, shift = p.load(row, tail)
	}
	return scale, shift
}

// numbers makes eight numbers of a row.
func (p packing) numbers(from Mem, scale, shift Op) Op {
	x := vector()
	p.unpack(from, x)
	if scale == nil {
		return x
	}
	VCVTDQ2PS(x, x)
	VMULPS(scale, x, x)
	VADDPS(shift, x, x)
	return x
}

// decode emits the loop that turns rows into float32.
func (p packing) decode() {
	name := "decode" + p.name + "AVX2"
	decoded.function(name)
	wire(fmt.Sprintf("PackedLoops{inEights(%s, decode%sFrom), addBags%[2]sAVX2}", name, p.name), "Packed.%s", p.name)
	to, data, offsets, n := load("to"), load("data"), load("offsets"), load("n")
	columns, step, tail, distance := load("columns"), load("step"), load("tail"), load("distance")
	row, c, end := GP64(), GP64(), GP64()
	countdown("row", "rows", n, func() {
		// The lines of the row that is distance ahead, into the cache of second level: rows
		// that come all at once would drive each other out of the first.
		MOVQ(Mem{Base: offsets, Index: distance, Scale: 8}, row)
		ADDQ(data, row)
		LEAQ(at(row, tail).Offset(p.last), end)
		Label("ahead")
		PREFETCHT1(Mem{Base: row})
		ADDQ(Imm(64), row)
		CMPQ(row, end)
		JLT(LabelRef("ahead"))
		PREFETCHT1(Mem{Base: end})

		MOVQ(Mem{Base: offsets}, row)
		ADDQ(data, row)
		scale, shift := p.constants(row, tail)
		XORQ(c, c)
		Label("columns")
		move(p.numbers(Mem{Base: row}, scale, shift), Mem{Base: to, Index: c, Scale: 4})
		ADDQ(Imm(uint64(p.bits)), row)
		ADDQ(Imm(8), c)
		CMPQ(c, columns)
		JLT(LabelRef("columns"))
		ADDQ(step, to)
		ADDQ(Imm(8), offsets)
	})
}

var decoded = &family{"(to, data *byte, offsets *int64, n, columns, step, tail, distance int)", "and those like it are DecodeLoops of columns that are a multiple of 8, with rows of to that\nare step bytes apart."}
