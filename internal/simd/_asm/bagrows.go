package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// addScaledRows emits the sum of rows, each times a number.
func addScaledRows(f floats) {
	name := f.name("addScaledRows")
	wire(name, "Bags[num.Float%d].AddScaledRows", f.bits)
	r := rowsAndPlaces(scaledRows, name)
	scales := load("scales")
	r.mask()
	r.loop(func() {
		scale := f.broadcast(element(scales, r.t, f.size()))
		r.columns(func(p part) {
			x := p.load(at(r.item, r.off))
			f.mul(scale, x, x)
			sum := p.load(at(r.row, r.off))
			f.add(sum, x, sum)
			p.store(sum, at(r.row, r.off))
		}, 0, nil)
	})
}

// dotRows emits the dot products of rows.
func dotRows(f floats) {
	name := f.name("dotRows")
	wire(name, "Bags[num.Float%d].DotRows", f.bits)
	r := rowsAndPlaces(dottedRows, name)
	out := load("out")
	s := f.sixteen(r.bytes)
	r.loop(func() {
		sum := s.sum(r.off, func(disp int, p part) Op {
			if disp%64 == 0 {
				PREFETCHT1(at(r.far, r.off).Offset(disp))
			}
			x, y := p.load(at(r.row, r.off).Offset(disp)), p.load(at(r.item, r.off).Offset(disp))
			f.mul(y, x, x)
			return x
		})
		f.moveOne(sum, element(out, r.t, f.size()))
	})
}

var (
	scaledRows = &family{"(data, items *byte, offsets, places *int64, scales *byte, n, bytes, step, distance int)", "and the other are the AddScaledRows of floatBagLoopsGo."}
	dottedRows = &family{"(data, items *byte, offsets, places *int64, out *byte, n, bytes, step, distance int)", "and the other are the DotRows of floatBagLoopsGo."}
)
