package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// updateRowWise emits row-wise Adagrad: a row has one state.
func updateRowWise(f floats, plain bool) {
	u := newUpdateLoop(f, plain, "rowWiseAdagrad", "RowWiseAdagrad")
	bytes := load("bytes")
	run := f.sixteen(bytes)
	rest, whole := GP64(), bytes
	MOVQ(bytes, rest)
	ANDQ(Imm(uint64(vectorBytes-1)), rest)
	SUBQ(rest, whole)
	last := f.tail(rest)
	u.rows(func() {
		ADDQ(param("table"), u.far)
		MOVQ(param("states"), u.state)
		far := GP64()
		// The state that is distance ahead.
		MOVQ(param("distance"), far)
		ADDQ(u.t, far)
		MOVQ(Mem{Base: u.state, Index: far, Scale: 8}, far)
		MOVQ(Mem{Base: u.state, Index: u.t, Scale: 8}, u.state)
		ADDQ(param("first"), far)
		PREFETCHT1(Mem{Base: far})
		ADDQ(param("first"), u.state)

		sum := run.sum(u.off, func(disp int, part tail) Op {
			if disp%64 == 0 {
				PREFETCHT1(at(u.far, u.off).Offset(disp))
			}
			w, g := vector(), vector()
			if !plain {
				part.load(at(u.row, u.off).Offset(disp), w)
			}
			part.load(at(u.grad, u.off).Offset(disp), g)
			u.gradient(g, w)
			if part.mask != nil && !plain {
				// Scale 0 or l2 times 0 may be NaN where there is no element.
				VPAND(part.mask, g, g)
			}
			f.mul(g, g, g)
			return g
		})
		one, state := XMM(), XMM()
		f.moveOne(Mem{Base: u.c, Disp: columns * f.size()}, one)
		f.divOne(one, sum, sum)
		f.moveOne(Mem{Base: u.state}, state)
		f.addOne(sum, state, state)
		f.moveOne(state, Mem{Base: u.state})
		f.sqrtOne(state, state, state)
		f.addOne(Mem{Base: u.c, Disp: eps * f.size()}, state, state)
		f.moveOne(Mem{Base: u.c, Disp: rate * f.size()}, one)
		f.divOne(state, one, one)
		step := f.fill(one)

		XORQ(u.off, u.off)
		u.vectors(whole, last, func(part tail) {
			w, g := vector(), vector()
			part.load(at(u.row, u.off), w)
			part.load(at(u.grad, u.off), g)
			u.gradient(g, w)
			f.mul(g, step, g)
			f.sub(g, w, w)
			part.store(w, at(u.row, u.off))
		})
	})
}

// sumSquares emits the sums of the squares of rows, in float64.
func sumSquares(f floats) {
	name := f.name("sumSquares")
	squares.function(name)
	wire(name, "Updates[num.Float%d].Squares", f.bits)
	rows, sums, n, bytes := load("rows"), load("sums"), load("n"), load("bytes")
	wide := floats{64}
	if f.bits == 32 {
		ADDQ(bytes, bytes) // as many of float64
	}
	run := wide.sixteen(bytes)
	t, row, off := GP64(), GP64(), GP64()
	eachRow(t, n, func() {
		MOVQ(Mem{Base: rows, Index: t, Scale: 8}, row)
		sum := run.sum(off, func(disp int, part tail) Op {
			x := vector()
			if f.bits == 64 {
				part.load(at(row, off).Offset(disp), x)
			} else {
				// Half as many bytes hold as many elements.
				half := GP64()
				MOVQ(off, half)
				SHRQ(Imm(1), half)
				part.widen(at(row, half).Offset(disp/2), x)
			}
			wide.mul(x, x, x)
			return x
		})
		VMOVSD(sum.(Register), Mem{Base: sums, Index: t, Scale: 8})
	})
}

var squares = &family{"(rows **byte, sums *float64, n, bytes int)", "and the other are sumSquaresGo."}
