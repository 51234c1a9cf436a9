package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// rowWise emits row-wise Adagrad: a row has one state.
func (u *updateLoop) rowWise() {
	run := u.sixteen(u.bytes)
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
			if disp%line == 0 {
				PREFETCHT1(at(u.far, u.off).Offset(disp))
			}
			var w Op
			if !u.plain {
				w = p.load(at(u.row, u.off).Offset(disp))
			}
			g := p.load(at(u.grad, u.off).Offset(disp))
			u.gradient(g, w)
			if p.mask != nil && !u.plain {
				// Scale 0 or l2 times 0 may be NaN where there is no element.
				VPAND(p.mask, g, g)
			}
			u.mul(g, g, g)
			return g
		})
		one := u.single()
		number := one.load(u.number(columns))
		one.div(number, sum, sum)
		s := one.load(Mem{Base: state})
		one.add(sum, s, s)
		one.move(s, Mem{Base: state})
		one.sqrt(s, s, s)
		one.add(u.number(eps), s, s)
		one.move(u.number(rate), number)
		one.div(s, number, number)
		step := u.fill(number)

		change := func(p part) {
			w, g := p.load(at(u.row, u.off)), p.load(at(u.grad, u.off))
			u.gradient(g, w)
			u.mul(g, step, g)
			u.sub(g, w, w)
			p.move(w, at(u.row, u.off))
		}
		XORQ(u.off, u.off)
		u.vectors(func() { change(whole) })
		u.masked(change)
	})
}
