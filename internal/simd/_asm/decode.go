package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// decodeLoops emits the loops that turn rows of 8 and of 4 bits into float32.
func decodeLoops() {
	decodeRows(8, func(row, tail Register, scale, shift VecVirtual) {
		VBROADCASTSS(Mem{Base: row, Index: tail, Scale: 1}, scale)
		VBROADCASTSS(Mem{Base: row, Index: tail, Scale: 1, Disp: 4}, shift)
	}, func(q Mem, to VecVirtual) { VPMOVZXBD(q, to) })

	var shifts, ones Op // of the nibbles in a word
	decodeRows(4, func(row, tail Register, scale, shift VecVirtual) {
		VMOVD(Mem{Base: row, Index: tail, Scale: 1}, scale.AsX())
		VCVTPH2PS(scale.AsX(), scale.AsX())
		VPSHUFD(Imm(1), scale.AsX(), shift.AsX())
		VBROADCASTSS(scale.AsX(), scale)
		VBROADCASTSS(shift.AsX(), shift)
	}, func(q Mem, to VecVirtual) {
		if shifts == nil {
			shifts = table("nibbles", func() {
				for i := range 8 {
					DATA(4*i, U32(4*i))
				}
			})
			ones = table("lowNibble", func() {
				for i := range 8 {
					DATA(4*i, U32(15))
				}
			})
		}
		VPBROADCASTD(q, to)
		VPSRLVD(shifts, to, to)
		VPAND(ones, to, to)
	})
}

// decodeRows emits the loop over rows whose columns have so many bits: load makes the
// scale and the offset of a row, unpack eight of its columns as integers.
func decodeRows(bits int, load func(row, tail Register, scale, shift VecVirtual), unpack func(q Mem, to VecVirtual)) {
	name := fmt.Sprintf("decodeInt%dAVX2", bits)
	TEXT(name, NOSPLIT, "func(to, data *byte, offsets *int64, n, columns, step, tail, distance int)")
	Doc(name+" turns columns, a multiple of 8, of rows at offsets into float32. It is", "",
		"	for t, offset := range offsets[:n] {",
		"		for c := range columns { to[t*step+4*c] = float32(q[offset, c]*scale[t]) + offset[t] }",
		"	}", "",
		"with scale and offset tail bytes behind the first column. It reads, and needs to be",
		"there, distance more offsets.")
	Pragma("noescape")
	param := func(name string) Register { return Load(Param(name), GP64()) }
	to, data, offsets, n := param("to"), param("data"), param("offsets"), param("n")
	columns, step, tail, distance := param("columns"), param("step"), param("tail"), param("distance")
	row, c, end := GP64(), GP64(), GP64()
	scale, shift, x := YMM(), YMM(), YMM()
	JMP(LabelRef("rows"))

	Label("row")
	// The lines of the row that is distance ahead, into the cache of second level: rows
	// that come all at once would drive each other out of the first.
	MOVQ(Mem{Base: offsets, Index: distance, Scale: 8}, row)
	ADDQ(data, row)
	LEAQ(Mem{Base: row, Index: tail, Scale: 1, Disp: 3}, end)
	Label("ahead")
	PREFETCHT1(Mem{Base: row})
	ADDQ(Imm(64), row)
	CMPQ(row, end)
	JLT(LabelRef("ahead"))
	PREFETCHT1(Mem{Base: end})

	MOVQ(Mem{Base: offsets}, row)
	ADDQ(data, row)
	load(row, tail, scale, shift)
	XORQ(c, c)
	Label("columns")
	unpack(Mem{Base: row}, x)
	VCVTDQ2PS(x, x)
	VMULPS(scale, x, x)
	VADDPS(shift, x, x)
	VMOVUPS(x, Mem{Base: to, Index: c, Scale: 4})
	ADDQ(Imm(uint64(bits)), row)
	ADDQ(Imm(8), c)
	CMPQ(c, columns)
	JLT(LabelRef("columns"))
	ADDQ(step, to)
	ADDQ(Imm(8), offsets)
	Label("rows")
	DECQ(n)
	JGE(LabelRef("row"))
	VZEROUPPER()
	RET()
}
