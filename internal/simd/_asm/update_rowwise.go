package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// updateRowWise emits row-wise Adagrad: a row has one state.
func updateRowWise(f floats, plain bool) {
	u := newUpdateLoop(f, plain, "rowWiseAdagrad", "RowWiseAdagrad")
	run := f.sixteen(u.bytes)
	state := GP64()
	u.eachRow(func() {
		// The state that is distance ahead.
		far := u.rest
		MOVQ(param("states"), state)
		MOVQ(param("distance"), far)
		ADDQ(u.t, far)
		MOVQ(element(state, far, 8), far)
		MOVQ(element(state, u.t, 8), state)
		ADDQ(param("first"), far)
		PREFETCHT1(Mem{Base: far})
		ADDQ(param("first"), state)

		sum := run.sum(u.off, func(disp int, p part) Op {
			if disp%64 == 0 {
				PREFETCHT1(at(u.far, u.off).Offset(disp))
			}
			var w Op
			if !plain {
				w = p.load(at(u.row, u.off).Offset(disp))
			}
			g := p.load(at(u.grad, u.off).Offset(disp))
			u.gradient(g, w)
			if p.mask != nil && !plain {
				// Scale 0 or l2 times 0 may be NaN where there is no element.
				VPAND(p.mask, g, g)
			}
			f.mul(g, g, g)
			return g
		})
		one, s := XMM(), XMM()
		f.moveOne(Mem{Base: u.c, Disp: columns * f.size()}, one)
		f.divOne(one, sum, sum)
		f.moveOne(Mem{Base: state}, s)
		f.addOne(sum, s, s)
		f.moveOne(s, Mem{Base: state})
		f.sqrtOne(s, s, s)
		f.addOne(Mem{Base: u.c, Disp: eps * f.size()}, s, s)
		f.moveOne(Mem{Base: u.c, Disp: rate * f.size()}, one)
		f.divOne(s, one, one)
		step := f.fill(one)

		change := func(p part) {
			w, g := p.load(at(u.row, u.off)), p.load(at(u.grad, u.off))
			u.gradient(g, w)
			f.mul(g, step, g)
			f.sub(g, w, w)
			p.store(w, at(u.row, u.off))
		}
		XORQ(u.off, u.off)
		u.vectors(func() { change(whole) })
		u.masked(change)
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
		sum := run.sum(off, func(disp int, p part) Op {
			var x Op
			if f.bits == 64 {
				x = p.load(at(row, off).Offset(disp))
			} else {
				// Half as many bytes hold as many elements.
				half := GP64()
				MOVQ(off, half)
				SHRQ(Imm(1), half)
				x = p.widen(at(row, half).Offset(disp / 2))
			}
			wide.mul(x, x, x)
			return x
		})
		VMOVSD(sum.(Register), Mem{Base: sums, Index: t, Scale: 8})
	})
}

var squares = &family{"(rows **byte, sums *float64, n, bytes int)", "and the other are sumSquaresGo."}
