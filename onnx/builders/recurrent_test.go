package builders

import (
	"fmt"
	"math"
	"math/rand"
	"testing"

	"gorgonia.org/gather/internal/gradtest"
	"gorgonia.org/gather/onnx"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A recurrentCase is one node, whose results are joined to one: of LispMachine
// none may be a loose end.
type recurrentCase struct {
	op         string
	direction  string
	attrs      attributes
	have       string // of B, h and c
	batchFirst bool
	lengths    []int32 // of the sequences, nil for all steps
}

// length is how many steps a sequence has.
func (c recurrentCase) length(b int) int {
	if c.lengths == nil {
		return recurrentSteps
	}
	return int(c.lengths[b])
}

func recurrentCases() []recurrentCase {
	var list []recurrentCase
	for _, op := range []string{"RNN", "GRU", "LSTM"} {
		for _, direction := range []string{"forward", "reverse", "bidirectional"} {
			list = append(list, recurrentCase{op: op, direction: direction}, recurrentCase{op: op, direction: direction, have: "Bhc"})
			if op == "GRU" {
				list = append(list, recurrentCase{op: op, direction: direction, have: "Bh", attrs: attributes{"linear_before_reset": int64(1)}})
			}
		}
		list = append(list, recurrentCase{op: op, direction: "bidirectional", have: "Bhc", batchFirst: true},
			recurrentCase{op: op, direction: "forward", have: "Bhc", lengths: []int32{2, 4, 1}}, recurrentCase{op: op, direction: "reverse", have: "B", lengths: []int32{3, 0, 4}},
			recurrentCase{op: op, direction: "bidirectional", have: "hc", lengths: []int32{4, 4, 4}}, recurrentCase{op: op, direction: "bidirectional", have: "Bhc", batchFirst: true, lengths: []int32{1, 3, 2}})
	}
	return append(list,
		recurrentCase{op: "GRU", direction: "forward", attrs: attributes{"linear_before_reset": int64(1)}},
		recurrentCase{op: "RNN", direction: "bidirectional", have: "Bh", attrs: attributes{"activations": []string{"relu", "sigmoid"}}},
		recurrentCase{op: "GRU", direction: "forward", have: "B", attrs: attributes{"activations": []string{"Tanh", "Sigmoid"}}},
		recurrentCase{op: "LSTM", direction: "reverse", have: "Bc", attrs: attributes{"activations": []string{"Sigmoid", "Sigmoid", "Tanh"}}},
		recurrentCase{op: "LSTM", direction: "forward", have: "h", attrs: attributes{"activations": []string{"Tanh", "Relu", "Sigmoid"}, "hidden_size": int64(2)}},
	)
}

const recurrentSteps, recurrentBatch, recurrentSize, recurrentHidden = 4, 3, 2, 2

// TestRecurrent holds values against the formulas, and gradients against
// differences, on both machines.
func TestRecurrent(t *testing.T) {
	for i, c := range recurrentCases() {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			rng := rand.New(rand.NewSource(int64(i)))
			directions, gates := 1, map[string]int{"RNN": 1, "GRU": 3, "LSTM": 4}[c.op]
			if c.direction == "bidirectional" {
				directions = 2
			}
			x, states := []int{recurrentSteps, recurrentBatch, recurrentSize}, []int{directions, recurrentBatch, recurrentHidden}
			if c.batchFirst {
				x[0], x[1], states[0], states[1] = x[1], x[0], states[1], states[0]
			}
			rows := gates * recurrentHidden
			shapes := [][]int{x, {directions, rows, recurrentSize}, {directions, rows, recurrentHidden}, {directions, 2 * rows}, nil, states, states}
			for i, name := range map[int]string{3: "B", 5: "h", 6: "c"} {
				if !containsRune(c.have, name) || c.op != "LSTM" && i == 6 {
					shapes[i] = nil
				}
			}
			given := make([]*array, len(shapes))
			var inputs []gradtest.Input
			for i, shape := range shapes {
				if shape == nil {
					continue
				}
				a := made(shape, func([]int) float64 { return rng.NormFloat64() })
				given[i] = &a
				inputs = append(inputs, gradtest.Input{Value: value(append([]float64{}, a.values...), shape...), Differentiate: true})
			}
			build := func(in []*G.Node) (*G.Node, error) {
				nodes := make([]*G.Node, len(shapes))
				for i := range shapes {
					if shapes[i] != nil {
						nodes[i], in = in[0], in[1:]
					}
				}
				if c.lengths != nil {
					nodes[4] = G.NewVector(nodes[0].Graph(), tensor.Int32, G.WithName("lengths"), G.WithShape(len(c.lengths)), G.WithValue(value(c.lengths, len(c.lengths))))
				}
				attrs := attributes{"direction": c.direction}
				if c.batchFirst {
					attrs["layout"] = int64(1)
				}
				for name, v := range c.attrs {
					attrs[name] = v
				}
				out, err := builders[c.op](onnx.Node{OpType: c.op, Opset: 14, Attributes: attrs}, nodes...)
				if err != nil {
					return nil, err
				}
				for i, y := range out {
					if out[i], err = reshape(y, tensor.Shape{count(y.Shape())}); err != nil {
						return nil, err
					}
				}
				return apply(joining{0}, out...)
			}
			got, err := gradtest.Graph(inputs, build, rng)
			if err != nil {
				t.Fatal(err)
			}
			want := c.run(given, directions)
			if len(got.Output) != len(want) {
				t.Fatalf("%d values, want %d", len(got.Output), len(want))
			}
			for i, v := range want {
				if !gradtest.Close(got.Output[i], v, 1e-12) {
					t.Fatalf("value %d is %v, want %v", i, got.Output[i], v)
				}
			}
		})
	}
}

func containsRune(s, r string) bool {
	for _, c := range s {
		if string(c) == r {
			return true
		}
	}
	return false
}

var activationsByName = map[string]func(float64) float64{
	"Sigmoid": func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }, "sigmoid": func(x float64) float64 { return 1 / (1 + math.Exp(-x)) },
	"Tanh": math.Tanh, "Relu": func(x float64) float64 { return max(x, 0) }, "relu": func(x float64) float64 { return max(x, 0) },
}

// run are the formulas of the operators' documents, unit by unit: Y, Y_h and Y_c
// behind each other.
func (c recurrentCase) run(in []*array, directions int) []float64 {
	names := map[string][]string{"RNN": {"Tanh"}, "GRU": {"Sigmoid", "Tanh"}, "LSTM": {"Sigmoid", "Tanh", "Tanh"}}[c.op]
	all := append(append([]string{}, names...), names...)
	if given, ok := c.attrs["activations"].([]string); ok {
		all = given
	}
	// By d, step, batch and unit.
	h, cell := map[[4]int]float64{}, map[[4]int]float64{}
	at := func(a *array, d, b, j int) float64 {
		switch {
		case a == nil:
			return 0
		case c.batchFirst:
			return a.at(b, d, j)
		}
		return a.at(d, b, j)
	}
	last := make([][]int, directions)
	for d := range directions {
		last[d] = []int{-1, -1, -1}
		f := func(i int, x float64) float64 { return activationsByName[all[d*len(names)+i]](x) }
		backward := d == 1 || c.direction == "reverse"
		for i := range recurrentSteps {
			for b := range recurrentBatch {
				length := c.length(b)
				if i >= length {
					continue
				}
				step, before := i, i-1
				if backward {
					step, before = length-1-i, length-i
				}
				last[d][b] = step
				previous := func(j int) float64 {
					if i == 0 {
						return at(in[5], d, b, j)
					}
					return h[[4]int{d, before, b, j}]
				}
				// sum is what unit j of a gate gets, with the state scaled.
				fromInput := func(gate, j int) float64 {
					row, sum := gate*recurrentHidden+j, 0.0
					for k := range recurrentSize {
						x := 0.0
						if c.batchFirst {
							x = in[0].at(b, step, k)
						} else {
							x = in[0].at(step, b, k)
						}
						sum += x * in[1].at(d, row, k)
					}
					if in[3] != nil {
						sum += in[3].at(d, row)
					}
					return sum
				}
				fromState := func(gate, j int, scale func(k int) float64) float64 {
					row, sum := gate*recurrentHidden+j, 0.0
					for k := range recurrentHidden {
						sum += previous(k) * scale(k) * in[2].at(d, row, k)
					}
					if in[3] != nil {
						sum += in[3].at(d, in[1].shape[1]+row)
					}
					return sum
				}
				plain := func(int) float64 { return 1 }
				gate := func(g, j int) float64 { return f(0, fromInput(g, j)+fromState(g, j, plain)) }
				for j := range recurrentHidden {
					place := [4]int{d, step, b, j}
					switch c.op {
					case "RNN":
						h[place] = gate(0, j)
					case "GRU":
						z, r := gate(0, j), func(k int) float64 { return gate(1, k) }
						candidate := 0.0
						if c.attrs["linear_before_reset"] == int64(1) {
							candidate = f(1, fromInput(2, j)+r(j)*fromState(2, j, plain))
						} else {
							candidate = f(1, fromInput(2, j)+fromState(2, j, r))
						}
						h[place] = (1-z)*candidate + z*previous(j)
					default:
						old := at(in[6], d, b, j)
						if i > 0 {
							old = cell[[4]int{d, before, b, j}]
						}
						cell[place] = gate(2, j)*old + gate(0, j)*f(1, fromInput(3, j)+fromState(3, j, plain))
						h[place] = gate(1, j) * f(2, cell[place])
					}
				}
			}
		}
	}
	return c.ordered(h, cell, last)
}

// ordered are the states in the order of the results.
func (c recurrentCase) ordered(h, cell map[[4]int]float64, last [][]int) []float64 {
	var list []float64
	shape := []int{recurrentSteps, len(last), recurrentBatch, recurrentHidden}
	if c.batchFirst {
		shape = []int{recurrentBatch, recurrentSteps, len(last), recurrentHidden}
	}
	made(shape, func(at []int) float64 {
		place := [4]int{at[1], at[0], at[2], at[3]}
		if c.batchFirst {
			place = [4]int{at[2], at[1], at[0], at[3]}
		}
		list = append(list, h[place])
		return 0
	})
	states := []map[[4]int]float64{h}
	if c.op == "LSTM" {
		states = append(states, cell)
	}
	for _, s := range states {
		shape := []int{len(last), recurrentBatch, recurrentHidden}
		if c.batchFirst {
			shape[0], shape[1] = shape[1], shape[0]
		}
		made(shape, func(at []int) float64 {
			d, b := at[0], at[1]
			if c.batchFirst {
				d, b = b, d
			}
			list = append(list, s[[4]int{d, last[d][b], b, at[2]}])
			return 0
		})
	}
	return list
}

func TestRecurrentErrors(t *testing.T) {
	none := given{}
	good := func(more ...given) []given { return append([]given{f32(4, 3, 2), f32(1, 8, 2), f32(1, 8, 2)}, more...) }
	for _, c := range []struct {
		op    string
		attrs attributes
		in    []given
		want  string // the whole text
	}{
		{"LSTM", nil, []given{f32(4, 3), f32(1, 8, 2), f32(1, 8, 2)}, "LSTM-14: X of shape (4, 3) and R of shape (1, 8, 2), ranks of 3 are allowed"},
		{"LSTM", nil, []given{f32(0, 3, 2), f32(1, 8, 2), f32(1, 8, 2)}, "LSTM-14: X of shape (0, 3, 2) has no steps"},
		{"LSTM", nil, []given{f32(4, 3, 2), f32(1, 6, 2), f32(1, 8, 2)}, "LSTM-14: input 1 of shape (1, 6, 2), (1, 8, 2) is allowed"},
		{"GRU", nil, []given{f32(4, 3, 2), f32(1, 6, 2), f32(1, 8, 2)}, "GRU-14: input 2 of shape (1, 8, 2), (1, 6, 2) is allowed"},
		{"LSTM", attributes{"direction": "bidirectional"}, good(), "LSTM-14: input 1 of shape (1, 8, 2), (2, 8, 2) is allowed"},
		{"LSTM", attributes{"direction": "both"}, good(), `LSTM-14: direction is "both", forward, reverse, bidirectional are allowed`},
		{"LSTM", attributes{"hidden_size": int64(3)}, good(), "LSTM-14: hidden_size is 3, R has 2"},
		{"LSTM", attributes{"clip": float32(3)}, good(), "LSTM-14: clip is not supported"},
		{"LSTM", attributes{"input_forget": int64(1)}, good(), "LSTM-14: input_forget is not supported"},
		{"LSTM", attributes{"activations": []string{"Tanh"}}, good(), "LSTM-14: 1 activations, 3 are needed"},
		{"LSTM", attributes{"activations": []string{"Tanh", "Elu", "Tanh"}}, good(), `LSTM-14: activation "Elu" is not supported, Sigmoid, Tanh, Relu are`},
		{"LSTM", nil, good(none, none, none, none, f32(1, 6)), "LSTM-14: peepholes, the input P, are not supported"},
		{"LSTM", nil, good(f32(1, 8)), "LSTM-14: input 3 of shape (1, 8), (1, 16) is allowed"},
		{"LSTM", nil, good(none, typed(tensor.Int32, 4)), "LSTM-14: rows of 3 sequences of up to 4 steps, reverse false, last false: sequence_lens of shape (4), (3) is allowed"},
		{"LSTM", nil, good(none, typed(tensor.Int64, 3)), "LSTM-14: rows of 3 sequences of up to 4 steps, reverse false, last false: sequence_lens of type int64, int32 is allowed"},
		{"LSTM", attributes{"layout": int64(1)}, good(none, none, f32(1, 3, 2)), "LSTM-14: input 5 of shape (1, 3, 2), (4, 1, 2) is allowed"},
	} {
		_, err := use(c.op, 14, c.attrs, c.in...)
		if err == nil || err.Error() != c.want {
			t.Errorf("%s %v: got  %v\nwant %s", c.op, c.attrs, err, c.want)
		}
	}
}
