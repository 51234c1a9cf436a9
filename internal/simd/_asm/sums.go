package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// A sixteen adds up something of all elements of a row, in sixteen sums: element c goes into sum c%16. They
// are added in a fixed order, so that vectors of any width, and a plain loop, give the same bits.
type sixteen struct {
	floats
	whole Op // the bytes of the row in runs of sixteen
	rest  Op // those behind
}

// sixteen divides rows of some bytes.
func (f floats) sixteen(bytes Op) sixteen {
	s := sixteen{f, GP64(), GP64()}
	run := 16 * f.size()
	MOVQ(bytes, s.rest)
	ANDQ(Imm(uint64(run-1)), s.rest)
	MOVQ(bytes, s.whole)
	SUBQ(s.rest, s.whole)
	return s
}

// sum emits the loop over a row and returns a register with the total. term makes a vector of what is added, of the elements
// disp bytes behind the offset off: a masked one must be zero where it is masked. To add zero changes nothing: a sum that
// began as +0 is never -0. It prefetches the row that is far, if any.
func (s sixteen) sum(off, far Op, term func(disp int, p part) Op) Op {
	run := 16 * s.size()
	sums := make([]Op, run/vectorBytes)
	for v := range sums {
		sums[v] = setZero(YMM())
	}
	add := func(disp int, p part) {
		if far != nil && disp%line == 0 {
			PREFETCHT1(at(far, off).Offset(disp))
		}
		sum := sums[disp/vectorBytes]
		s.add(sum, term(disp, p), sum)
	}
	XORQ(off, off)
	loop("sixteen", "sixteenCheck", func() {
		for disp := 0; disp < run; disp += vectorBytes {
			add(disp, whole)
		}
		ADDQ(U32(uint32(run)), off)
	}, below(off, s.whole))
	TESTQ(s.rest, s.rest)
	JZ(LabelRef("total"))
	for disp := 0; disp < run; disp += vectorBytes {
		add(disp, masked(128, disp, s.rest))
	}
	Label("total")
	return s.total(sums)
}

// total adds the second half of the sums to the first, until one is left.
func (s sixteen) total(sums []Op) Op {
	for len(sums) > 1 {
		half := len(sums) / 2
		for v := range half {
			s.add(sums[half+v], sums[v])
		}
		sums = sums[:half]
	}
	one, high := sums[0].(VecVirtual).AsX(), XMM()
	VEXTRACTF128(Imm(1), sums[0], high)
	s.add(high, one)
	VPERMILPD(Imm(1), one, high)
	if s.bits == 32 {
		s.add(high, one)
		VMOVSHDUP(one, high)
	}
	return s.single().add(high, one)
}

// dotRows emits the dot products of rows.
func dotRows(f floats) {
	dottedRows.function(f.name("dotRows"), f.field("Bags", "DotRows"))
	r := newRows("data", "items", "places", "out")
	s := f.sixteen(r.bytes)
	r.loop(func() {
		sum := s.sum(r.off, r.far, func(disp int, p part) Op {
			x := p.load(at(r.row, r.off).Offset(disp))
			return f.mul(p.operand(at(r.item, r.off).Offset(disp)), x)
		})
		f.single().move(sum, element(arg("out"), r.t, f.size()))
	})
}

// sumSquares emits the sums of the squares of rows, in float64.
func sumSquares(f floats) {
	squaredRows.function(f.name("sumSquares"), f.field("Updates", "Squares"))
	rows, sums, n, bytes := load("rows"), load("sums"), load("n"), load("bytes")
	if f.bits == 32 {
		ADDQ(bytes, bytes) // as many of float64
	}
	run, t, row, off := float64s.sixteen(bytes), GP64(), GP64(), GP64()
	eachRow(t, n, func() {
		MOVQ(element(rows, t, 8), row)
		sum := run.sum(off, nil, func(disp int, p part) Op {
			x := f.widened(p, row, off, disp)
			return float64s.mul(x, x)
		})
		float64s.single().move(sum, element(sums, t, 8))
	})
}

// widened are floats of a row, as float64 of which a part of a row of float64 would begin at an offset.
func (f floats) widened(p part, row, off Op, disp int) Op {
	if f.bits == 64 {
		return p.load(at(row, off).Offset(disp))
	}
	half, to := GP64(), YMM() // half as many bytes hold as many elements
	MOVQ(off, half)
	SHRQ(Imm(1), half)
	var from Op = at(row, half).Offset(disp / 2)
	if p.mask != nil {
		narrow, high := XMM(), XMM() // the lower halves of the mask's words, which have 64 bits
		VEXTRACTF128(Imm(1), p.mask, high)
		VSHUFPS(Imm(0x88), high, p.mask.(VecVirtual).AsX(), narrow)
		VMASKMOVPS(from, narrow, narrow)
		from = narrow
	}
	VCVTPS2PD(from, to)
	return to
}

// rowWise emits row-wise Adagrad: a row has one state.
func (u *updateLoop) rowWise() {
	run := u.sixteen(u.bytes)
	state := GP64()
	u.loop(func() {
		MOVQ(element(arg("grads"), u.t, 8), u.grad)
		far := u.rest // the state that is distance ahead
		MOVQ(arg("states"), state)
		MOVQ(arg("distance"), far)
		ADDQ(u.t, far)
		MOVQ(element(state, far, 8), far)
		MOVQ(element(state, u.t, 8), state)
		ADDQ(arg("first"), far)
		PREFETCHT1(behind(far, 0))
		ADDQ(arg("first"), state)

		sum := run.sum(u.off, u.far, func(disp int, p part) Op {
			g := u.gradient(p, disp)
			if p.mask != nil && !u.plain {
				// Scale 0 or l2 times 0 may be NaN where there is no element.
				VPAND(p.mask, g, g)
			}
			return u.mul(g, g)
		})
		one := u.single()
		number := one.load(u.number(columns))
		one.div(number, sum)
		s := one.add(sum, one.load(behind(state, 0)))
		one.move(s, behind(state, 0))
		u.pick(VSQRTSS, VSQRTSD, s, s, s)
		one.add(u.number(eps), s)
		one.move(u.number(rate), number)
		step := u.fill(one.div(s, number))

		change := func(p part) {
			w, g := p.load(at(u.row, u.off)), u.gradient(p, 0)
			u.mul(g, step, g)
			p.move(u.sub(g, w), at(u.row, u.off))
		}
		XORQ(u.off, u.off)
		u.runs("vector", "whole", vectorBytes, func() { change(whole) })
		u.masked(change)
	})
}
