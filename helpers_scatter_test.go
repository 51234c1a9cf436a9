package gather_test

import (
	"fmt"
	"testing"

	"gorgonia.org/gather"
	"gorgonia.org/gather/internal/gradtest"
	"gorgonia.org/gather/internal/oracle"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A scatterCall is a scatter with its options and its indices. Data and updates
// are inputs of the graph.
type scatterCall struct {
	op      string // as ONNX spells it
	axis    int
	data    []int // shape
	indices oracle.Array[int64]
	updates []int // shape
	rule    oracle.Rule
}

// scatterCalls have targets with no, one and several updates, and indices that
// count from the end.
var scatterCalls = []scatterCall{
	{op: "ScatterElements", axis: 1, data: []int{3, 4}, indices: oracle.From([]int64{3, 0, -1, 3, 1, -4, 2, 2, 2, 2}, 2, 5), updates: []int{2, 5}},
	{op: "ScatterElements", axis: -2, data: []int{4, 2}, indices: oracle.From([]int64{3, 0, -1, 3, 1, -4}, 3, 2), updates: []int{3, 2}},
	{op: "ScatterND", data: []int{3, 4, 2}, indices: oracle.From([]int64{2, 3, 0, 0, -1, -1, 2, 3}, 2, 2, 2), updates: []int{2, 2, 2}},
	{op: "ScatterND", data: []int{3, 4}, indices: oracle.From([]int64{2, 0, -1}, 3, 1), updates: []int{3, 4}},
	{op: "ScatterND", data: []int{3, 4}, indices: oracle.From([]int64{2, -1}, 2), updates: []int{}},
	{op: "ScatterND", data: []int{3, 2}, indices: oracle.New[int64](2, 0), updates: []int{2, 3, 2}},
	{op: "ScatterND", data: []int{3, 2}, indices: oracle.New[int64](0), updates: []int{3, 2}},
	{op: "ScatterUpdate", axis: 1, data: []int{2, 4, 3}, indices: oracle.From([]int64{3, 0, -1, 0}, 2, 2), updates: []int{2, 2, 2, 3}},
	{op: "ScatterUpdate", axis: -1, data: []int{2, 4}, indices: oracle.From([]int64{1}), updates: []int{2}},
}

// scatterRules are all reductions, with and without the initial value.
var scatterRules = func() (rules []oracle.Rule) {
	for r := oracle.None; r <= oracle.Mean; r++ {
		rules = append(rules, oracle.Rule{Reduction: r}, oracle.Rule{Reduction: r, NoInit: true})
	}
	return rules
}()

// eachScatter runs a test on each call with each rule that the operator has.
func eachScatter(t *testing.T, test func(t *testing.T, c scatterCall)) {
	for _, c := range scatterCalls {
		for _, rule := range scatterRules {
			if c.op == "ScatterUpdate" && rule != (oracle.Rule{}) {
				continue
			}
			c := c
			c.rule = rule
			t.Run(c.String(), func(t *testing.T) { test(t, c) })
		}
	}
}

// String names the call, for the names of tests.
func (c scatterCall) String() string {
	return fmt.Sprintf("%s %v %v init=%v", c.op, c.data, c.rule.Reduction, !c.rule.NoInit)
}

// apply makes the node.
func (c scatterCall) apply(data, indices, updates *G.Node) (*G.Node, error) {
	opts := []gather.Option{gather.WithReduction(gather.Reduction(c.rule.Reduction)), gather.WithInitValue(!c.rule.NoInit)}
	switch c.op {
	case "ScatterElements":
		return gather.ScatterElements(data, indices, updates, c.axis, opts...)
	case "ScatterND":
		return gather.ScatterND(data, indices, updates, opts...)
	}
	return gather.ScatterUpdate(data, indices, updates, c.axis)
}

// build is apply for package gradtest, whose inputs are data, updates, and
// indices.
func (c scatterCall) build(in []*G.Node) (*G.Node, error) { return c.apply(in[0], in[2], in[1]) }

func (c scatterCall) indexTensor() *tensor.Dense { return dense(c.indices.Data, c.indices.Shape...) }

// inputs are those of build, data and updates to be differentiated.
func (c scatterCall) inputs(data, updates any) []gradtest.Input {
	return []gradtest.Input{{Value: data, Differentiate: true}, {Value: updates, Differentiate: true}, {Value: c.indexTensor()}}
}

// forward is the result by the oracle, backward the gradients of data and of
// updates, where u is that of the result.
func (c scatterCall) forward(x, w []float64) []float64 {
	data, updates := oracle.From(x, c.data...), oracle.From(w, c.updates...)
	var out oracle.Array[float64]
	switch c.op {
	case "ScatterElements":
		out, _ = oracle.ScatterElements(data, c.indices, updates, c.axis, c.rule, oracle.Floats[float64]())
	case "ScatterND":
		out, _ = oracle.ScatterND(data, c.indices, updates, c.rule, oracle.Floats[float64]())
	default:
		out, _ = oracle.ScatterUpdate(data, c.indices, updates, c.axis, false)
	}
	return out.Data
}

func (c scatterCall) backward(u, x, w []float64) (data, updates []float64) {
	g, d, up := oracle.From(u, c.data...), oracle.From(x, c.data...), oracle.From(w, c.updates...)
	arith := oracle.Floats[float64]()
	var gData, gUpdates oracle.Array[float64]
	switch c.op {
	case "ScatterElements":
		gData, gUpdates, _ = oracle.ScatterElementsGrad(g, d, c.indices, up, c.axis, c.rule, arith)
	case "ScatterND":
		gData, gUpdates, _ = oracle.ScatterNDGrad(g, d, c.indices, up, c.rule, arith)
	default:
		gData, gUpdates, _ = oracle.ScatterUpdateGrad(g, d, c.indices, up, c.axis, false, arith)
	}
	return gData.Data, gUpdates.Data
}

// check compares a run with the oracle, exactly.
func (c scatterCall) check(t *testing.T, got gradtest.Result, u, x, w []float64) {
	t.Helper()
	gData, gUpdates := c.backward(u, x, w)
	same(t, "shape", got.Shape, c.data)
	same(t, "values", got.Output, c.forward(x, w))
	same(t, "gradient of data", got.Grads[0], gData)
	same(t, "gradient of updates", got.Grads[1], gUpdates)
}

func product(shape []int) int {
	n := 1
	for _, dim := range shape {
		n *= dim
	}
	return n
}
