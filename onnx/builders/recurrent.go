package builders

import (
	"slices"
	"strings"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/onnx"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// LSTM runs long short-term memories over the steps of X, forward, in reverse or
// both:
//
//	X (steps, batch, size), W (directions, 4 hidden, size), R (directions, 4 hidden, hidden),
//	B (directions, 8 hidden), initial_h and initial_c (directions, batch, hidden)
//	→ Y (steps, directions, batch, hidden), Y_h and Y_c (directions, batch, hidden)
//
// With layout 1, since opset 14, batch is the first axis of X, Y and the states.
// The gates are in ONNX's order: input, output, forget, cell. activations may be
// Sigmoid, Tanh and Relu. Sequences that sequence_lens says to be shorter than X have
// states of 0 behind their end, and run from there in reverse. Peepholes, clip and
// input_forget are refused. Opsets from 7 on; float and double.
func LSTM(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return recurrentOf("LSTM", n, inputs, "Sigmoid", "Tanh", "Tanh")
}

// GRU runs gated recurrent units: see [LSTM], of which it has all but c. The gates
// are update, reset, hidden, of which the last takes the reset state or, with
// linear_before_reset, resets its product with the state.
func GRU(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return recurrentOf("GRU", n, inputs, "Sigmoid", "Tanh")
}

// RNN runs units without gates: see [LSTM], of which it has all but c.
func RNN(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return recurrentOf("RNN", n, inputs, "Tanh")
}

func recurrentOf(op string, n onnx.Node, inputs []*G.Node, activations ...string) ([]*G.Node, error) {
	return buildAll(op, n, inputs, func(c *call) ([]*G.Node, error) {
		r, err := c.recurrence(activations)
		if err != nil {
			return nil, err
		}
		var passes []*G.Node
		for d := range r.directions {
			y, err := r.direction(d)
			if err != nil {
				return nil, err
			}
			passes = append(passes, y)
		}
		return r.outputs(passes)
	})
}

// A recurrence is a node of one of these operators.
type recurrence struct {
	*call
	recurrent
	directions int
	names      []string // of the activations, those of each direction behind each other
	batchFirst bool
	x          *G.Node // (steps, batch, size)
}

func (c *call) recurrence(activations []string) (*recurrence, error) {
	r := &recurrence{call: c, recurrent: recurrent{cell: c.op}}
	var err error
	if r.batchFirst, err = c.boolean("layout", false); err != nil {
		return nil, err
	}
	if r.linear, err = c.boolean("linear_before_reset", false); err != nil {
		return nil, err
	}
	direction, err := c.text("direction", "forward", "forward", "reverse", "bidirectional")
	if err != nil {
		return nil, err
	}
	r.directions, r.reverse = 1, direction == "reverse"
	if direction == "bidirectional" {
		r.directions = 2
	}
	x := c.shape(0)
	if len(x) != 3 || len(c.shape(2)) != 3 {
		return nil, fault.Errorf(dense.ErrShape, "X of shape %v and R of shape %v, ranks of 3 are allowed", x, c.shape(2))
	}
	r.steps, r.batch, r.hidden = x[0], x[1], c.shape(2)[2]
	if r.batchFirst {
		r.steps, r.batch = x[1], x[0]
	}
	if r.steps == 0 {
		return nil, fault.Errorf(dense.ErrShape, "X of shape %v has no steps", x)
	}
	if err := r.check(x[2]); err != nil {
		return nil, err
	}
	if err := r.activations(activations); err != nil {
		return nil, err
	}
	r.x = c.inputs[0]
	if r.batchFirst {
		if r.x, err = apply(copying{permuted(x.Clone(), []int{1, 0, 2})}, r.x); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// check compares the inputs with what they must be, and refuses what is not
// supported.
func (r *recurrence) check(size int) error {
	if hidden, err := r.integer("hidden_size", r.hidden); err != nil || hidden != r.hidden {
		return orOption(err, "hidden_size is %d, R has %d", hidden, r.hidden)
	}
	for _, name := range []string{"clip", "activation_alpha", "activation_beta"} {
		if _, given := r.node.Attributes[name]; given {
			return fault.Errorf(dense.ErrOption, "%s is not supported", name)
		}
	}
	if couple, err := r.boolean("input_forget", false); err != nil || couple {
		return orOption(err, "input_forget is not supported")
	}
	if r.input(7) != nil {
		return fault.Errorf(dense.ErrOption, "peepholes, the input P, are not supported")
	}
	states := tensor.Shape{r.directions, r.batch, r.hidden}
	if r.batchFirst {
		states[0], states[1] = states[1], states[0]
	}
	rows := r.gates() * r.hidden
	for i, want := range []tensor.Shape{
		1: {r.directions, rows, size}, 2: {r.directions, rows, r.hidden}, 3: {r.directions, 2 * rows}, 5: states, 6: states,
	} {
		if want != nil && r.input(i) != nil && !slices.Equal(r.shape(i), want) {
			return fault.Errorf(dense.ErrShape, "input %d of shape %v, %v is allowed", i, r.shape(i), want)
		}
	}
	return nil
}

// activations are those of the attribute, in any case of letters.
func (r *recurrence) activations(defaults []string) error {
	r.names = slices.Repeat(defaults, r.directions)
	given, ok := r.node.Attributes["activations"]
	if !ok {
		return nil
	}
	list, ok := given.([]string)
	if !ok {
		return r.wrongKind("activations", given, "a list of strings")
	}
	if len(list) != len(r.names) {
		return fault.Errorf(dense.ErrOption, "%d activations, %d are needed", len(list), len(r.names))
	}
	allowed := []string{"Sigmoid", "Tanh", "Relu"}
	for i, name := range list {
		at := slices.IndexFunc(allowed, func(s string) bool { return strings.EqualFold(s, name) })
		if at < 0 {
			return fault.Errorf(dense.ErrOption, "activation %q is not supported, %s are", fault.Cut(name), strings.Join(allowed, ", "))
		}
		r.names[i] = allowed[at]
	}
	return nil
}

// direction is the pass over the steps in one direction.
func (r *recurrence) direction(d int) (*G.Node, error) {
	f := r.recurrent
	f.reverse = f.reverse || d == 1
	names := r.names[d*len(r.names)/r.directions:][:len(r.names)/r.directions]
	f.gate, f.candidate, f.state = names[0], names[min(1, len(names)-1)], names[len(names)-1]
	rows := f.gates() * f.hidden
	w, err := r.part(1, d, tensor.Shape{rows, r.shape(1)[2]}, 0)
	if err != nil {
		return nil, err
	}
	z, err := apply(product{transposeB: true}, r.x, w)
	if err != nil {
		return nil, err
	}
	recurrentRows, err := r.part(2, d, tensor.Shape{rows, f.hidden}, 0)
	if err != nil {
		return nil, err
	}
	operands := []*G.Node{nil, recurrentRows}
	for i, there := range []*bool{&f.startH, &f.startC} {
		if *there = r.input(5+i) != nil; *there {
			start, err := r.start(5+i, d)
			if err != nil {
				return nil, err
			}
			operands = append(operands, start)
		}
	}
	if r.input(3) != nil {
		own, last, err := r.biases(d, rows)
		if err != nil {
			return nil, err
		}
		if z, err = apply(pairing{"Add"}, z, own); err != nil {
			return nil, err
		}
		if f.bias = last != nil; f.bias {
			operands = append(operands, last)
		}
	}
	if f.reverse && r.input(4) != nil {
		// Each sequence from its end, as one that runs forward.
		f.reverse = false
		if z, err = r.rowsOf(z, lengths{reverse: true}); err != nil {
			return nil, err
		}
	}
	operands[0] = z
	return apply(f, operands...)
}

// part is what an input has for a direction, from offset on.
func (r *recurrence) part(i, d int, shape tensor.Shape, offset int) (*G.Node, error) {
	whole := r.shape(i).Clone()
	return apply(copying{places{part: shape, whole: whole, steps: rowMajor(shape), offset: d*count(whole[1:]) + offset}}, r.inputs[i])
}

// start is the state of a direction at the start.
func (r *recurrence) start(i, d int) (*G.Node, error) {
	if !r.batchFirst {
		return r.part(i, d, tensor.Shape{r.batch, r.hidden}, 0)
	}
	p := places{part: tensor.Shape{r.batch, r.hidden}, whole: r.shape(i).Clone(), steps: []int{r.directions * r.hidden, 1}, offset: d * r.hidden}
	return apply(copying{p}, r.inputs[i])
}

// biases are the sum of both biases of a direction, without the recurrent one of
// the last gate where that is linear, and that one.
func (r *recurrence) biases(d, rows int) (sum, last *G.Node, err error) {
	own, err := r.part(3, d, tensor.Shape{rows}, 0)
	if err != nil {
		return nil, nil, err
	}
	n := rows
	if r.linear {
		n = 2 * r.hidden
		if last, err = r.part(3, d, tensor.Shape{r.hidden}, rows+n); err != nil {
			return nil, nil, err
		}
	}
	other, err := r.part(3, d, tensor.Shape{n}, rows)
	if err == nil && n < rows {
		other, err = apply(padding{places: within(tensor.Shape{n}, tensor.Shape{rows}, []int{0})}, other)
	}
	if err != nil {
		return nil, nil, err
	}
	sum, err = apply(pairing{"Add"}, own, other)
	return sum, last, err
}
