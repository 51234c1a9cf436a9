package builders

import (
	"fmt"
	"strings"
	"testing"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestHash demands that two functions that differ in anything differ in their
// hash.
func TestHash(t *testing.T) {
	a := operand{tensor.Float64, tensor.Shape{2, 3}}
	p := places{part: tensor.Shape{2, 3}, whole: tensor.Shape{3, 2}, steps: []int{1, 2}}
	with := func(change func(p *places)) places {
		q := places{p.part.Clone(), p.whole.Clone(), append([]int{}, p.steps...), p.offset}
		change(&q)
		return q
	}
	s := softmax{lines: lines{2, 3, 4}}
	seen := map[uint32]string{}
	list := []*operator{
		{function: copying{p}, in: []operand{a}, out: a}, {function: summing{p}, in: []operand{a}, out: a},
		{function: copying{with(func(p *places) { p.part[0] = 7 })}, in: []operand{a}, out: a},
		{function: copying{with(func(p *places) { p.whole[0] = 7 })}, in: []operand{a}, out: a},
		{function: copying{with(func(p *places) { p.steps[0] = 7 })}, in: []operand{a}, out: a},
		{function: copying{with(func(p *places) { p.offset = 7 })}, in: []operand{a}, out: a},
		{function: pinned{copying{p}, 1, nil}, in: []operand{a}, out: a},
		{function: pinned{copying{p}, 1, []pin{{"shape", []int{1}}}}, in: []operand{a}, out: a},
		{function: pinned{copying{p}, 1, []pin{{"shape", []int{2}}}}, in: []operand{a}, out: a},
		{function: pinned{copying{p}, 1, []pin{{"axes", []int{2}}}}, in: []operand{a}, out: a},
		{function: s, in: []operand{a}, out: a}, {function: softmaxGradient(s), in: []operand{a}, out: a},
		{function: softmax{true, s.lines}, in: []operand{a}, out: a}, {function: softmaxGradient{true, s.lines}, in: []operand{a}, out: a},
		{function: softmax{lines: lines{5, 3, 4}}, in: []operand{a}, out: a}, {function: softmax{lines: lines{2, 5, 4}}, in: []operand{a}, out: a},
		{function: softmax{lines: lines{2, 3, 5}}, in: []operand{a}, out: a},
		{function: product{}, in: []operand{a}, out: a}, {function: product{true, false}, in: []operand{a}, out: a},
		{function: product{false, true}, in: []operand{a}, out: a}, {function: product{true, true}, in: []operand{a}, out: a},
		{function: stacked{}, in: []operand{a}, out: a},
		{function: scaling{1}, in: []operand{a}, out: a}, {function: scaling{1 + 1e-15}, in: []operand{a}, out: a},
		{function: joining{0}, in: []operand{a}, out: a}, {function: joining{1}, in: []operand{a}, out: a},
		{function: casting{tensor.Float32}, in: []operand{a}, out: a}, {function: casting{tensor.Int64}, in: []operand{a}, out: a},
		{function: pointwise{name: "Exp"}, in: []operand{a}, out: a}, {function: pointwise{name: "Log"}, in: []operand{a}, out: a}, {function: slope{name: "Exp"}, in: []operand{a}, out: a},
		{function: pairing{"Add"}, in: []operand{a}, out: a}, {function: pairing{"Mul"}, in: []operand{a}, out: a},
		{function: choosing{}, in: []operand{a}, out: a}, {function: masking{true}, in: []operand{a}, out: a}, {function: masking{false}, in: []operand{a}, out: a},
		{function: comparing{"Less"}, in: []operand{a}, out: a}, {function: comparing{"Equal"}, in: []operand{a}, out: a}, {function: negating{}, in: []operand{a}, out: a},
		{function: pointwise{"Elu", 1, 0}, in: []operand{a}, out: a}, {function: pointwise{"Elu", 2, 0}, in: []operand{a}, out: a},
		{function: pointwise{"Elu", 1, 1}, in: []operand{a}, out: a}, {function: slope{"Elu", 1, 1}, in: []operand{a}, out: a},
		{function: extreme{p, true}, in: []operand{a}, out: a}, {function: extreme{p, false}, in: []operand{a}, out: a}, {function: winners{p}, in: []operand{a}, out: a},
		{function: normalizing{3, 1, true}, in: []operand{a}, out: a}, {function: normalizing{3, 1, false}, in: []operand{a}, out: a},
		{function: normalizing{2, 1, true}, in: []operand{a}, out: a}, {function: normalizing{3, 2, true}, in: []operand{a}, out: a},
		{function: normalizingGradient{3, 1, true}, in: []operand{a}, out: a}, {function: normalizingGradient{3, 1, false}, in: []operand{a}, out: a},
		{function: clipping{true, false}, in: []operand{a}, out: a}, {function: clipping{false, true}, in: []operand{a}, out: a}, {function: clipping{true, true}, in: []operand{a}, out: a},
		{function: clipped{clipping{true, true}, 0}, in: []operand{a}, out: a}, {function: clipped{clipping{true, true}, 1}, in: []operand{a}, out: a},
		{function: clipped{clipping{true, false}, 1}, in: []operand{a}, out: a},
		{function: running{lines: s.lines}, in: []operand{a}, out: a}, {function: running{exclusive: true, lines: s.lines}, in: []operand{a}, out: a},
		{function: running{backward: true, lines: s.lines}, in: []operand{a}, out: a}, {function: running{lines: lines{1, 3, 4}}, in: []operand{a}, out: a},
		{function: picking{lines: s.lines}, in: []operand{a}, out: a}, {function: picking{smallest: true, lines: s.lines}, in: []operand{a}, out: a},
		{function: picking{last: true, lines: s.lines}, in: []operand{a}, out: a}, {function: picking{lines: s.lines, shape: tensor.Shape{1}}, in: []operand{a}, out: a},
		{function: triangle{true, 0}, in: []operand{a}, out: a}, {function: triangle{false, 0}, in: []operand{a}, out: a}, {function: triangle{true, 1}, in: []operand{a}, out: a},
		{function: sequence{a.shape, 0, []int{1}, false}, in: []operand{a}, out: a}, {function: sequence{a.shape, 1, []int{1}, false}, in: []operand{a}, out: a},
		{function: sequence{a.shape, 0, []int{2}, false}, in: []operand{a}, out: a}, {function: sequence{a.shape, 0, []int{1}, true}, in: []operand{a}, out: a},
		{function: examining{true, false, false}, in: []operand{a}, out: a}, {function: examining{false, true, false}, in: []operand{a}, out: a}, {function: examining{false, false, true}, in: []operand{a}, out: a},
		{function: padding{p, false}, in: []operand{a}, out: a}, {function: padding{p, true}, in: []operand{a}, out: a},
		{function: averaging{&window{kernel: []int{1, 2}}, false}, in: []operand{a}, out: a}, {function: averaging{&window{kernel: []int{1, 2}}, true}, in: []operand{a}, out: a},
		{function: averaging{&window{kernel: []int{2, 1}}, false}, in: []operand{a}, out: a}, {function: averaging{&window{strides: []int{1, 2}}, false}, in: []operand{a}, out: a},
		{function: marking{0, 2}, in: []operand{a}, out: a}, {function: marking{1, 2}, in: []operand{a}, out: a}, {function: marking{0, 3}, in: []operand{a}, out: a},
		{function: multiplying{p}, in: []operand{a}, out: a}, {function: others{p}, in: []operand{a}, out: a},
		{function: ranking{s.lines, 1, false, 0}, in: []operand{a}, out: a}, {function: ranking{lines{1, 3, 4}, 1, false, 0}, in: []operand{a}, out: a}, {function: ranking{s.lines, 2, false, 0}, in: []operand{a}, out: a},
		{function: ranking{s.lines, 1, true, 0}, in: []operand{a}, out: a}, {function: ranking{s.lines, 1, false, 1}, in: []operand{a}, out: a},
		{function: spanning{}, in: []operand{a}, out: a}, {function: spanned{true}, in: []operand{a}, out: a}, {function: spanned{false}, in: []operand{a}, out: a},
		{function: integerProduct{}, in: []operand{a}, out: a}, {function: integerProduct{zeroA: true}, in: []operand{a}, out: a}, {function: integerProduct{zeroB: true}, in: []operand{a}, out: a},
		{function: classes{"A", 2, false, 0}, in: []operand{a}, out: a}, {function: classes{"A", 3, false, 0}, in: []operand{a}, out: a}, {function: classes{"A", 2, true, 0}, in: []operand{a}, out: a}, {function: classes{"A", 2, true, 1}, in: []operand{a}, out: a},
		{function: counted{tensor.Float32, 2}, in: []operand{a}, out: a}, {function: counted{tensor.Float64, 2}, in: []operand{a}, out: a}, {function: counted{tensor.Float32, 3}, in: []operand{a}, out: a},
		{function: truePlaces{1}, in: []operand{a}, out: a}, {function: truePlaces{2}, in: []operand{a}, out: a},
		{function: lengths{2, 3, false, false}, in: []operand{a}, out: a}, {function: lengths{3, 3, false, false}, in: []operand{a}, out: a}, {function: lengths{2, 2, false, false}, in: []operand{a}, out: a},
		{function: lengths{2, 3, true, false}, in: []operand{a}, out: a}, {function: lengths{2, 3, false, true}, in: []operand{a}, out: a},
		{function: shares{s}, in: []operand{a}, out: a}, {function: shares{softmax{lines: lines{5, 3, 4}}}, in: []operand{a}, out: a},
		{function: hiding{a.shape, false, 0}, in: []operand{a}, out: a}, {function: hiding{a.shape, true, 0}, in: []operand{a}, out: a}, {function: hiding{a.shape, true, 1}, in: []operand{a}, out: a}, {function: hiding{p.whole, true, 1}, in: []operand{a}, out: a},
		{function: negating{}, in: []operand{a, a}, out: a},
		{function: negating{}, in: []operand{{tensor.Float32, a.shape}}, out: a},
		{function: negating{}, in: []operand{{a.dtype, tensor.Shape{6}}}, out: a},
		{function: negating{}, in: []operand{a}, out: operand{tensor.Float32, a.shape}},
		{function: negating{}, in: []operand{a}, out: operand{a.dtype, tensor.Shape{6}}},
	}
	r := recurrent{"LSTM", 2, 3, 4, false, false, false, false, false, "Sigmoid", "Tanh", "Relu"}
	for _, change := range []func(r *recurrent){
		func(*recurrent) {}, func(r *recurrent) { r.cell = "GRU" }, func(r *recurrent) { r.steps = 7 }, func(r *recurrent) { r.batch = 7 },
		func(r *recurrent) { r.hidden = 7 }, func(r *recurrent) { r.reverse = true }, func(r *recurrent) { r.linear = true },
		func(r *recurrent) { r.startH = true }, func(r *recurrent) { r.startC = true }, func(r *recurrent) { r.bias = true },
		func(r *recurrent) { r.gate = "Tanh" }, func(r *recurrent) { r.candidate = "Relu" }, func(r *recurrent) { r.state = "Tanh" },
	} {
		changed := r
		change(&changed)
		list = append(list, &operator{function: changed, in: []operand{a}, out: a}, &operator{function: recurrentGradient(changed), in: []operand{a}, out: a})
	}
	for _, q := range []scales{{perTensor, s.lines, 0}, {perTensor, lines{1, 9, 1}, 0}, {perAxis, s.lines, 0}, {perAxis, lines{1, 3, 4}, 0}, {perBlock, s.lines, 1}, {perBlock, s.lines, 2}, {perBlock, lines{1, 3, 4}, 1}} {
		list = append(list, &operator{function: dequantizing{q}, in: []operand{a}, out: a})
		for _, to := range quantizedTypes {
			list = append(list, &operator{function: quantizing{q, to}, in: []operand{a}, out: a})
		}
	}
	for _, op := range list {
		op = newOperator(op.function, op.in, op.out)
		text := fmt.Sprint(op.function, op.in, op.out)
		if other, twice := seen[op.Hashcode()]; twice {
			t.Errorf("%s and %s have one hash", text, other)
		}
		seen[op.Hashcode()] = text
	}
}

// TestSecondDerivative is right where it is given, and refused elsewhere.
func TestSecondDerivative(t *testing.T) {
	g := G.NewGraph()
	x := given{tensor.Float64, []int{3}, nil}.node(g, "x")
	y, err := apply(pointwise{name: "Tanh"}, x)
	if err != nil {
		t.Fatal(err)
	}
	u := given{tensor.Float64, []int{3}, nil}.node(g, "u")
	z := G.Must(G.Sum(G.Must(apply(slope{name: "Tanh"}, u, y))))
	if _, err := G.Grad(z, x); err == nil || !strings.Contains(err.Error(), "the second derivative is not supported: gradient of Tanh is part of a gradient") {
		t.Errorf("got %v", err)
	}
}
