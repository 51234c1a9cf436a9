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
		u.step(w, m, v)
	}},
}

// step is w -= rate * (g / (sqrt(s) + eps)).
func (u *updateLoop) step(w, g, s Op) {
	root := u.add(u.eps, u.pick(VSQRTPS, VSQRTPD, s, YMM()))
	u.sub(u.mul(u.div(root, g, root), u.rate, root), w)
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

// gradient makes the gradient of the elements that are disp bytes behind off.
func (u *updateLoop) gradient(p part, disp int) Op {
	g := u.add(p.operand(at(u.grad, u.off).Offset(disp)), u.zero, YMM())
	if !u.plain {
		u.mul(g, u.scale, g)
		decay := u.mul(p.operand(at(u.row, u.off).Offset(disp)), u.l2, YMM())
		u.add(u.pick(VANDPS, VANDPD, u.decays, decay, decay), g)
	}
	return g
}

// elementwise emits an update element by element.
func (u *updateLoop) elementwise(o optimizer) {
	if o.states == 2 {
		u.first, u.second = u.fill(u.number(firstMoment)), u.fill(u.number(secondMoment))
	}
	u.loop(func() {
		MOVQ(element(arg("grads"), u.t, 8), u.grad)
		memory, far := []Op{u.row}, []Op{u.far}
		for _, name := range []string{"first", "second"}[:o.states] {
			state, ahead := GP64(), GP64()
			u.find(arg(name), state, ahead)
			memory, far = append(memory, state), append(far, ahead)
		}
		update := func(p part, disps ...int) {
			for _, row := range far {
				PREFETCHT1(at(row, u.off))
			}
			for _, disp := range disps {
				var v []Op // the elements, and their states
				for _, m := range memory {
					v = append(v, p.load(at(m, u.off).Offset(disp)))
				}
				o.body(u, v[0], u.gradient(p, disp), v[1:])
				for i, m := range memory {
					p.move(v[i], at(m, u.off).Offset(disp))
				}
			}
		}
		XORQ(u.off, u.off)
		u.runs("line", "lineCheck", line, func() { update(whole, 0, vectorBytes) })
		u.runs("vector", "whole", vectorBytes, func() { update(whole, 0) })
		u.masked(func(p part) { update(p, 0) })
	})
}
