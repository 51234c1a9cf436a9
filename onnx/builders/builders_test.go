package builders

import (
	"fmt"
	"math"
	"math/rand"
	"slices"
	"testing"

	"gorgonia.org/gather/internal/gradtest"
	"gorgonia.org/gather/internal/turns"
	"gorgonia.org/gather/onnx"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A check is one use of a builder. shapes are those of its float inputs, lists
// the integers that follow them as input nodes.
type check struct {
	op     string
	opset  int
	attrs  map[string]any
	shapes [][]int
	lists  [][]int64
	among  []string // outputs
	axis   int      // along which the parts of Split are joined again
	want   func(in []array) array
	at     func(rng *rand.Rand) float64 // the values of inputs; nil for normal ones
}

func (c check) String() string {
	return fmt.Sprint(c.op, " opset ", c.opset, " ", c.attrs, c.shapes, c.lists)
}

// build adds the node to the graph of its inputs.
func (c check) build(inputs []*G.Node) (*G.Node, error) {
	nodes := slices.Clone(inputs)
	for i, list := range c.lists {
		nodes = append(nodes, listNode(inputs[0].Graph(), fmt.Sprint("list ", i), list))
	}
	out, err := builders[c.op](onnx.Node{OpType: c.op, Opset: c.opset, Attributes: c.attrs, Outputs: c.among}, nodes...)
	if err != nil {
		return nil, err
	}
	if len(out) == 1 || c.op == "TopK" {
		return out[0], nil
	}
	// LispMachine takes loose ends for costs: all parts of a Split are used, in
	// the opposite order.
	slices.Reverse(out)
	return apply(joining{c.axis}, out...)
}

// listNode is an input node with its value bound, as a model's initializer has.
func listNode(g *G.ExprGraph, name string, list []int64) *G.Node {
	if list == nil {
		return nil
	}
	value := tensor.New(tensor.WithShape(len(list)), tensor.WithBacking(list))
	return G.NewVector(g, tensor.Int64, G.WithShape(len(list)), G.WithName(name), G.WithValue(value))
}

// inputs draws the values.
func (c check) inputs(rng *rand.Rand) ([]gradtest.Input, []array) {
	var inputs []gradtest.Input
	var arrays []array
	for _, shape := range c.shapes {
		n := 1
		for _, d := range shape {
			n *= d
		}
		values := make([]float64, n)
		for i := range values {
			values[i] = rng.NormFloat64()
			if c.at != nil {
				values[i] = c.at(rng)
			}
		}
		arrays = append(arrays, array{shape, slices.Clone(values)})
		var value any = tensor.New(tensor.WithShape(shape...), tensor.WithBacking(values))
		if len(shape) == 0 {
			value = values[0]
		}
		inputs = append(inputs, gradtest.Input{Value: value, Differentiate: true})
	}
	return inputs, arrays
}

// away draws numbers that are not near zero, where functions have kinks.
func away(rng *rand.Rand) float64 {
	return math.Copysign(0.3+rng.Float64(), rng.NormFloat64())
}

func positives(rng *rand.Rand) float64 { return 0.3 + rng.Float64() }

// TestBuilders holds every builder against the oracle and against differences,
// on both machines.
func TestBuilders(t *testing.T) {
	tried := map[string]int{}
	for i, c := range checks() {
		if tried[c.op]++; !turns.Case(2, tried[c.op]+1) {
			continue
		}
		t.Run(c.String(), func(t *testing.T) {
			rng := rand.New(rand.NewSource(int64(i)))
			inputs, arrays := c.inputs(rng)
			got, err := gradtest.Graph(inputs, c.build, rng)
			if err != nil {
				t.Fatal(err)
			}
			want := c.want(arrays)
			if !slices.Equal(got.Shape, want.shape) && len(got.Shape)+len(want.shape) > 0 {
				t.Fatalf("shape %v, want %v", got.Shape, want.shape)
			}
			for i, v := range want.values {
				if !gradtest.Close(got.Output[i], v, 1e-12) {
					t.Fatalf("got %v\nwant %v", got.Output, want.values)
				}
			}
		})
	}
	for op := range builders {
		switch op {
		case "Where", "Dropout", "Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual", "Not", "And", "Or", "Xor", "IsNaN", "IsInf",
			"ArgMax", "ArgMin", "CastLike", "OneHot", "LSTM", "GRU", "RNN", "SplitToSequence", "SequenceAt",
			"QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear", "MatMulInteger",
			"NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss", "Compress", "Attention", "RotaryEmbedding":
			continue // in tests of their own
		}
		if tried[op] == 0 {
			t.Errorf("%s is not tried", op)
		}
	}
}

func ints(list ...int64) []int64 { return list }
