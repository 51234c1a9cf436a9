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
			return decodedFloats.fill(at(row, tail)), decodedFloats.fill(at(row, tail).Offset(4))
		},
		func(from Mem, to Op) { VPMOVZXBD(from, to) },
	},
	{"Int4", 4, 3,
		func(row, tail Register) (scale, shift Op) {
			first, second := XMM(), XMM()
			VMOVD(at(row, tail), first)
			VCVTPH2PS(first, first)
			VPSHUFD(Imm(1), first, second)
			return decodedFloats.fill(first), decodedFloats.fill(second)
		},
		func(from Mem, to Op) {
			VPBROADCASTD(from, to)
			VPSRLVD(table("nibbles", U32(0), U32(4), U32(8), U32(12), U32(16), U32(20), U32(24), U32(28)), to, to)
			VPAND(eightOf("lowNibble", 15), to, to)
		},
	},
	{halves[0].name, 16, -1, nil, halves[0].widen},
	{halves[1].name, 16, -1, nil, halves[1].widen},
}

// decodedFloats are what rows of few bits are decoded to.
var decodedFloats = floats{32, whole}

var (
	decoded    = &family{"(to, data *byte, offsets *int64, n, bytes, step, tail, distance int)", "and those like it are DecodeLoops of columns, here called bytes, that are a multiple of 8, with\nrows of to that are step bytes apart."}
	packedSums = &family{"(data, out *byte, offsets, ends *int64, weights *byte, bags, columns, step, tail, distance, carry int)", "and those like it are PackedBagLoops."}
)

// decodeLoops emits the loops over rows of few bits.
func decodeLoops() {
	for _, p := range packings {
		decode, bags := "decode"+p.name+"AVX2", "addBags"+p.name+"AVX2"
		decoded.function(decode)
		p.decode()
		packedSums.function(bags)
		(&bagLoop{floats: decodedFloats, packed: &p, scaled: true}).emit()
		wire("Packed."+p.name, fmt.Sprintf("PackedLoops{inEights(%s, decode%sFrom), %s}", decode, p.name, bags))
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
	x := YMM()
	p.unpack(from, x)
	if scale != nil {
		VCVTDQ2PS(x, x)
		VMULPS(scale, x, x)
		VADDPS(shift, x, x)
	}
	return x
}

// decode emits the loop that turns rows into float32.
func (p packing) decode() {
	r := newRows("n", "step", "data", "to", "tail")
	to, tail := loaded["to"], loaded["tail"]
	columns, c, end := r.bytes, r.off, r.rest
	r.loop(func() {
		// The lines of the row that is ahead, into the cache of second level: rows
		// that come all at once would drive each other out of the first.
		LEAQ(at(r.far, tail).Offset(p.last), end)
		repeat("ahead", func() {
			PREFETCHT1(Mem{Base: r.far})
			ADDQ(Imm(64), r.far)
		}, below(r.far, end))
		PREFETCHT1(Mem{Base: end})

		scale, shift := p.constants(r.row, tail)
		XORQ(c, c)
		repeat("columns", func() {
			VMOVDQU(p.numbers(Mem{Base: r.row}, scale, shift), element(to, c, 4))
			ADDQ(Imm(uint64(p.bits)), r.row)
			ADDQ(Imm(8), c)
		}, below(c, columns))
		ADDQ(loaded["step"], to)
	})
}
