package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// updateLoops emits the loops that change rows of a table by their gradients: of float32, also without scale and decay.
func updateLoops() {
	for _, f := range bothFloats {
		for _, rules := range pick(f, [][]string{{"Rules"}, {"Plain"}}, [][]string{{"Rules", "Plain"}}) {
			for _, o := range optimizers {
				newUpdateLoop(f, rules, o.name, o.field).elementwise(o)
			}
			newUpdateLoop(f, rules, "rowWiseAdagrad", "RowWiseAdagrad").rowWise()
		}
		sumSquares(f)
	}
}

// optimizer is an update element by element.
type optimizer struct {
	name, field string
	states      int // how many states each element has
	body        func(u *updateLoop, w, g Op, states []Op)
}

var optimizers = []optimizer{
	{"sgd", "SGD", 0, func(u *updateLoop, w, g Op, _ []Op) { u.sub(u.mul(g, u.rate, g), w) }},
	{"adagrad", "Adagrad", 1, func(u *updateLoop, w, g Op, states []Op) {
		u.step(w, g, u.add(u.mul(g, g, YMM()), states[0]))
	}},
	{"adam", "Adam", 2, func(u *updateLoop, w, g Op, states []Op) {
		m, v := states[0], states[1]
		square := u.mul(g, g, YMM())
		change := u.sub(m, g, YMM())
		u.add(u.mul(change, u.first, change), m)
		u.sub(v, square)
		u.add(u.mul(square, u.second, square), v)
		change = YMM()
		VMOVAPS(m, change)
		u.step(w, change, v)
	}},
}

// step is w -= rate * (g / (sqrt(s) + eps)). It overwrites g.
func (u *updateLoop) step(w, g, s Op) {
	root := u.add(u.eps, u.pick(VSQRTPS, VSQRTPD, s, YMM()))
	u.sub(u.mul(u.div(root, g), u.rate, g), w)
}

// The numbers that c points to, in this order.
const (
	rate = iota
	eps
	scale
	l2
	firstMoment
	secondMoment
	columns
)

// An updateLoop changes rows. One that is plain takes the gradients as they are: most steps have no scale and no decay. A row's
// new numbers then wait for less, and the processor, which looks only some hundred instructions ahead, works on more rows at a
// time: see benchmarks/results/assembly.md.
type updateLoop struct {
	floats
	*rows
	plain                               bool
	grad                                Op
	rate, eps, scale, l2, first, second Op
	decays, zero                        Op // decays is all ones where l2 is not zero
}

// newUpdateLoop begins a function that is a field of some rules.
func newUpdateLoop(f floats, rules []string, name, field string) *updateLoop {
	u := &updateLoop{floats: f, plain: rules[0] == "Plain"}
	name += map[bool]string{false: "Rows", true: "RowsPlain"}[u.plain]
	var fields []string
	for _, r := range rules {
		fields = append(fields, f.field("Updates", r+"."+field))
	}
	updatedRows.function(f.name(name), fields...)
	u.rows, u.grad = newRows("grads", "c"), GP64()
	u.rate, u.eps, u.zero = f.fill(u.number(rate)), f.fill(u.number(eps)), setZero(YMM())
	u.mask()
	if !u.plain {
		u.scale, u.l2, u.decays = f.fill(u.number(scale)), f.fill(u.number(l2)), YMM()
		f.pick(VCMPPS, VCMPPD, Imm(4), u.zero, u.l2, u.decays) // not equal
	}
	return u
}

// number is one of the numbers of c.
func (u *updateLoop) number(i int) Mem { return behind(arg("c"), i*u.size()) }

// gradient makes the gradient of the elements w.
func (u *updateLoop) gradient(g, w Op) {
	u.add(g, u.zero, g)
	if !u.plain {
		u.mul(g, u.scale, g)
		decay := u.mul(w, u.l2, YMM())
		u.add(u.pick(VANDPS, VANDPD, u.decays, decay, decay), g)
	}
}

// elementwise emits an update element by element.
func (u *updateLoop) elementwise(o optimizer) {
	if o.states == 2 {
		u.first, u.second = u.fill(u.number(firstMoment)), u.fill(u.number(secondMoment))
	}
	memory, far := []Op{u.row}, []Op{u.far}
	for range o.states {
		memory, far = append(memory, GP64()), append(far, GP64())
	}
	u.loop(func() {
		MOVQ(element(arg("grads"), u.t, 8), u.grad)
		for i, name := range []string{"first", "second"}[:o.states] {
			u.find(arg(name), memory[1+i], far[1+i])
		}
		update := func(p part, disps ...int) {
			for _, row := range far {
				PREFETCHT1(at(row, u.off))
			}
			for _, disp := range disps {
				w, g := p.load(at(u.row, u.off).Offset(disp)), p.load(at(u.grad, u.off).Offset(disp))
				var states []Op
				for _, m := range memory[1:] {
					states = append(states, p.load(at(m, u.off).Offset(disp)))
				}
				u.gradient(g, w)
				o.body(u, w, g, states)
				for i, v := range append([]Op{w}, states...) {
					p.move(v, at(memory[i], u.off).Offset(disp))
				}
			}
		}
		left := func(p part) { update(p, 0) }
		XORQ(u.off, u.off)
		u.runs("line", "lineCheck", line, func() { update(whole, 0, vectorBytes) })
		u.runs("vector", "whole", vectorBytes, func() { left(whole) })
		u.masked(left)
	})
}
