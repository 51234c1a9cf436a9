package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// updateLoops emits the loops that change rows of a table by their gradients: of float32, also
// without scale and decay.
func updateLoops() {
	eachFloats(func(f floats) {
		for _, plain := range pick(f, []bool{false, true}, []bool{false}) {
			for _, o := range optimizers {
				update(f, o, plain)
			}
			updateRowWise(f, plain)
		}
		sumSquares(f)
	})
}

var updates = &family{"(data, first, second *byte, grads **byte, offsets, states *int64, c *byte, n, bytes, distance int)", `and those like it are UpdateLoops: see sgdRowsGo, adagradRowsGo, rowWiseAdagradRowsGo and
adamRowsGo. The plain ones leave out scale and l2.`}

// optimizer is an update element by element.
type optimizer struct {
	name, field string
	states      int // how many states each element has
	body        func(u *updateLoop, w, g Op, states []Op)
}

var optimizers = []optimizer{
	{"sgd", "SGD", 0, func(u *updateLoop, w, g Op, _ []Op) {
		u.mul(g, u.rate, g)
		u.sub(g, w, w)
	}},
	{"adagrad", "Adagrad", 1, func(u *updateLoop, w, g Op, states []Op) {
		s := states[0]
		square := vector()
		u.mul(g, g, square)
		u.add(square, s, s)
		u.step(w, g, s)
	}},
	{"adam", "Adam", 2, func(u *updateLoop, w, g Op, states []Op) {
		m, v := states[0], states[1]
		square, change := vector(), vector()
		u.mul(g, g, square)
		u.sub(m, g, change)
		u.mul(change, u.first, change)
		u.add(change, m, m)
		u.sub(v, square, square)
		u.mul(square, u.second, square)
		u.add(square, v, v)
		change = vector()
		VMOVAPS(m, change)
		u.step(w, change, v)
	}},
}

// step is w -= rate * (g / (sqrt(s) + eps)). It overwrites g.
func (u *updateLoop) step(w, g, s Op) {
	root := vector()
	u.sqrt(s, root)
	u.add(u.eps, root, root)
	u.div(root, g, g)
	u.mul(g, u.rate, g)
	u.sub(g, w, w)
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

// An updateLoop changes rows. One that is plain takes the gradients as they are: most
// steps have no scale and no decay. A row's new numbers then wait for less, and the
// processor, which looks only some hundred instructions ahead, works on more rows at a
// time: see benchmarks/results/assembly.md.
type updateLoop struct {
	floats
	*rows
	plain                               bool
	grads, grad, c                      Register
	rate, eps, scale, l2, first, second Op
	decays, zero                        Op // decays is all ones where l2 is not zero
}

func newUpdateLoop(f floats, plain bool, name, field string) *updateLoop {
	rules := []string{"Rules", "Plain"}
	name += "Rows"
	if plain {
		name += "Plain"
		rules = rules[1:]
	} else if f.bits == 32 {
		rules = rules[:1]
	}
	name = f.name(name)
	for _, r := range rules {
		wire(name, "Updates[num.Float%d].%s.%s", f.bits, r, field)
	}
	u := &updateLoop{floats: f, rows: newRows(updates, name), plain: plain, grads: load("grads"), c: load("c"), grad: GP64()}
	u.rate, u.eps, u.zero = u.number(rate), u.number(eps), vector()
	f.clear(u.zero)
	u.mask()
	if plain {
		return u
	}
	u.scale, u.l2, u.decays = u.number(scale), u.number(l2), vector()
	const notEqual = 0x04
	pick(f, VCMPPS, VCMPPD)(Imm(notEqual), u.zero, u.l2, u.decays)
	return u
}

// number is one of the numbers of c, in all elements of a vector.
func (u *updateLoop) number(i int) Op { return u.broadcast(Mem{Base: u.c, Disp: i * u.size()}) }

// gradient makes the gradient of the elements w.
func (u *updateLoop) gradient(g, w Op) {
	u.add(g, u.zero, g)
	if u.plain {
		return
	}
	decay := vector()
	u.mul(g, u.scale, g)
	u.mul(w, u.l2, decay)
	u.and(u.decays, decay, decay)
	u.add(decay, g, g)
}

// eachRow emits the loop over rows and their gradients.
func (u *updateLoop) eachRow(body func()) {
	u.loop(func() {
		MOVQ(element(u.grads, u.t, 8), u.grad)
		body()
	})
}

// update emits an update element by element.
func update(f floats, o optimizer, plain bool) {
	u := newUpdateLoop(f, plain, o.name, o.field)
	if o.states == 2 {
		u.first, u.second = u.number(firstMoment), u.number(secondMoment)
	}
	memory := []Register{u.row}
	far := []Register{u.far}
	for range o.states {
		memory, far = append(memory, GP64()), append(far, GP64())
	}
	u.eachRow(func() {
		for i, name := range []string{"first", "second"}[:o.states] {
			u.find(param(name), memory[1+i], far[1+i])
		}
		one := func(disp int, p part) {
			w, g := p.load(at(u.row, u.off).Offset(disp)), p.load(at(u.grad, u.off).Offset(disp))
			var states []Op
			for _, m := range memory[1:] {
				states = append(states, p.load(at(m, u.off).Offset(disp)))
			}
			u.gradient(g, w)
			o.body(u, w, g, states)
			for i, v := range append([]Op{w}, states...) {
				p.store(v, at(memory[i], u.off).Offset(disp))
			}
		}
		prefetch := func() {
			for _, row := range far {
				PREFETCHT1(at(row, u.off))
			}
		}
		XORQ(u.off, u.off)
		loop("line", "lineCheck", func() {
			prefetch()
			one(0, whole)
			one(vectorBytes, whole)
			ADDQ(Imm(line), u.off)
		}, func(to LabelRef) {
			LEAQ(Mem{Base: u.off, Disp: line}, u.rest)
			CMPQ(u.rest, u.bytes)
			JLE(to)
		})
		left := func(p part) {
			prefetch()
			one(0, p)
		}
		u.vectors(func() { left(whole) })
		u.masked(left)
	})
}
