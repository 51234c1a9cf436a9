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
		decode, bags := "decode"+p.name+"AVX2", "addBags"+p.name+"AVX2"
		p.decode(decode)
		(&bagLoop{floats: floats{32}, packed: &p, scaled: true}).emit(packedSums, bags)
		wire(fmt.Sprintf("PackedLoops{inEights(%s, decode%sFrom), %s}", decode, p.name, bags), "Packed.%s", p.name)
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
func (p packing) decode(name string) {
	r := newRows(decoded, name).inRegisters()
	r.data = load("data")
	to, tail := load("to"), load("tail")
	columns, c, end := r.bytes, r.off, r.rest
	r.loop(func() {
		// The lines of the row that is ahead, into the cache of second level: rows
		// that come all at once would drive each other out of the first.
		LEAQ(at(r.far, tail).Offset(p.last), end)
		Label("ahead")
		PREFETCHT1(Mem{Base: r.far})
		ADDQ(Imm(64), r.far)
		below(r.far, end)("ahead")
		PREFETCHT1(Mem{Base: end})

		scale, shift := p.constants(r.row, tail)
		XORQ(c, c)
		Label("columns")
		VMOVDQU(p.numbers(Mem{Base: r.row}, scale, shift), element(to, c, 4))
		ADDQ(Imm(uint64(p.bits)), r.row)
		ADDQ(Imm(8), c)
		below(c, columns)("columns")
		ADDQ(r.step, to)
	})
}

var (
	decoded    = &family{"(to, data *byte, offsets *int64, n, bytes, step, tail, distance int)", "and those like it are DecodeLoops of columns, here called bytes, that are a multiple of 8, with\nrows of to that are step bytes apart."}
	packedSums = &family{"(data, out *byte, offsets, ends *int64, weights *byte, bags, columns, step, tail, distance, carry int)", "and those like it are PackedBagLoops."}
)
