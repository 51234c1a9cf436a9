package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// packing is how the numbers of a row are stored. Eight of them have bits bytes.
type packing struct {
	name string
	bits int
	last int // from the tail to the last byte of a row
	// load makes the scale and the offset of a row, which are in its tail. Floats have none.
	load func(row, tail Op) (scale, shift Op)
	// unpack makes eight integers, or floats.
	unpack func(from Mem) Op
}

var packings = []packing{
	{"Int8", 8, 7, func(row, tail Op) (scale, shift Op) {
		return float32s.fill(at(row, tail)), float32s.fill(at(row, tail).Offset(4))
	}, func(from Mem) Op {
		x := YMM()
		VPMOVZXBD(from, x)
		return x
	}},
	{"Int4", 4, 3, func(row, tail Op) (scale, shift Op) {
		first, second := XMM(), XMM()
		VMOVD(at(row, tail), first)
		VCVTPH2PS(first, first)
		VPSHUFD(Imm(1), first, second)
		return float32s.fill(first), float32s.fill(second)
	}, func(from Mem) Op {
		x := YMM()
		VPBROADCASTD(from, x)
		VPSRLVD(table("nibbles", U32(0), U32(4), U32(8), U32(12), U32(16), U32(20), U32(24), U32(28)), x, x)
		VPAND(eightOf("lowNibble", 15), x, x)
		return x
	}},
	{"Float16", 16, -1, nothing, func(from Mem) Op { return loadFloat16(whole, from) }},
	{"BFloat16", 16, -1, nothing, func(from Mem) Op { return loadBFloat16(whole, from) }},
}

func nothing(row, tail Op) (scale, shift Op) { return nil, nil }

// decodeLoops emits the loops over rows of few bits.
func decodeLoops() {
	for _, p := range packings {
		decode, bags := "decode"+p.name+"AVX2", "addBags"+p.name+"AVX2"
		decodedRows.function(decode)
		p.decode()
		packedBags.function(bags)
		// Short rows go into the cache of first level: all that are ahead have room there.
		(&bagLoop{floats: float32s, packed: &p, scaled: true, prefetch: PREFETCHT0, stored: p.bits, made: vectorBytes, unit: 8, most: 8}).emit()
		wire("Packed."+p.name, fmt.Sprintf("PackedLoops{inEights(%s, decode%sFrom), %s}", decode, p.name, bags))
	}
}

// numbers makes eight numbers of a row.
func (p packing) numbers(from Mem, scale, shift Op) Op {
	x := p.unpack(from)
	if scale != nil {
		VCVTDQ2PS(x, x)
		float32s.add(shift, float32s.mul(scale, x))
	}
	return x
}

// decode emits the loop that turns rows into float32.
func (p packing) decode() {
	r := newRows("n", "step", "data", "to", "tail")
	to, tail, c, end := arg("to"), arg("tail"), r.off, r.rest
	r.loop(func() {
		// Into the cache of second level: rows that come all at once would drive each other out of the first.
		LEAQ(at(r.far, tail).Offset(p.last), end)
		repeat("ahead", func() {
			PREFETCHT1(behind(r.far, 0))
			ADDQ(Imm(64), r.far)
		}, below(r.far, end))
		PREFETCHT1(behind(end, 0))
		scale, shift := p.load(r.row, tail)
		XORQ(c, c)
		repeat("columns", func() {
			VMOVDQU(p.numbers(behind(r.row, 0), scale, shift), element(to, c, 4))
			ADDQ(Imm(uint64(p.bits)), r.row)
			ADDQ(Imm(8), c)
		}, below(c, r.bytes))
		ADDQ(arg("step"), to)
	})
}
