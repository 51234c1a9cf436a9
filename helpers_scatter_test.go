package gather_test

import (
	"fmt"
	"testing"

	"gorgonia.org/gather"
	"gorgonia.org/gather/internal/cases"
	"gorgonia.org/gather/internal/gradtest"
	"gorgonia.org/gather/internal/oracle"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A scatterCall is a scatter whose data and updates are inputs of a graph.
type scatterCall struct{ cases.Scatter }

// scatterCalls have targets with no, one and several updates, and indices that
// count from the end.
var scatterCalls = []scatterCall{
	{cases.Scatter{Op: "ScatterElements", Axis: 1, Data: []int{3, 4}, Indices: oracle.From([]int64{3, 0, -1, 3, 1, -4, 2, 2, 2, 2}, 2, 5), Updates: []int{2, 5}}},
	{cases.Scatter{Op: "ScatterElements", Axis: -2, Data: []int{4, 2}, Indices: oracle.From([]int64{3, 0, -1, 3, 1, -4}, 3, 2), Updates: []int{3, 2}}},
	{cases.Scatter{Op: "ScatterND", Data: []int{3, 4, 2}, Indices: oracle.From([]int64{2, 3, 0, 0, -1, -1, 2, 3}, 2, 2, 2), Updates: []int{2, 2, 2}}},
	{cases.Scatter{Op: "ScatterND", Data: []int{3, 4}, Indices: oracle.From([]int64{2, 0, -1}, 3, 1), Updates: []int{3, 4}}},
	{cases.Scatter{Op: "ScatterND", Data: []int{3, 4}, Indices: oracle.From([]int64{2, -1}, 2), Updates: []int{}}},
	{cases.Scatter{Op: "ScatterND", Data: []int{3, 2}, Indices: oracle.New[int64](2, 0), Updates: []int{2, 3, 2}}},
	{cases.Scatter{Op: "ScatterND", Data: []int{3, 2}, Indices: oracle.New[int64](0), Updates: []int{3, 2}}},
	{cases.Scatter{Op: "ScatterUpdate", Axis: 1, Data: []int{2, 4, 3}, Indices: oracle.From([]int64{3, 0, -1, 0}, 2, 2), Updates: []int{2, 2, 2, 3}}},
	{cases.Scatter{Op: "ScatterUpdate", Axis: -1, Data: []int{2, 4}, Indices: oracle.From([]int64{1}), Updates: []int{2}}},
	{cases.Scatter{Op: "ScatterElements", Axis: 1, Data: []int{3, 4}, Indices: oracle.From([]int64{3, 4, -1, 3, -5, 2, 2, 9}, 2, 4), Updates: []int{2, 4}, Rule: skip}},
	{cases.Scatter{Op: "ScatterND", Data: []int{3, 4, 2}, Indices: oracle.From([]int64{2, 3, 0, 4, -1, -1, -4, 3}, 2, 2, 2), Updates: []int{2, 2, 2}, Rule: skip}},
	{cases.Scatter{Op: "ScatterUpdate", Axis: 1, Data: []int{2, 4, 3}, Indices: oracle.From([]int64{3, -5, -1, 0}, 2, 2), Updates: []int{2, 2, 2, 3}, Rule: skip}},
	{cases.Scatter{Op: "ScatterUpdate", Data: []int{2, 3}, Indices: oracle.From([]int64{2, 2}, 2), Updates: []int{2, 3}, Rule: skip}},
}

// skip leaves bad indices out.
var skip = oracle.Rule{Skip: true}

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
			c := c
			rule.Skip = c.Rule.Skip
			c.Rule = rule
			t.Run(c.String(), func(t *testing.T) { test(t, c) })
		}
	}
}

// String names the call, for the names of tests.
func (c scatterCall) String() string {
	return fmt.Sprintf("%s %v %v init=%v skip=%v", c.Op, c.Data, c.Rule.Reduction, !c.Rule.NoInit, c.Rule.Skip)
}

// apply makes the node.
func (c scatterCall) apply(data, indices, updates *G.Node) (*G.Node, error) {
	opts := []gather.Option{gather.WithReduction(gather.Reduction(c.Rule.Reduction)), gather.WithInitValue(!c.Rule.NoInit)}
	if c.Rule.Skip {
		opts = append(opts, gather.WithOutOfRange(gather.Skip))
	}
	switch c.Op {
	case "ScatterElements":
		return gather.ScatterElements(data, indices, updates, c.Axis, opts...)
	case "ScatterND":
		return gather.ScatterND(data, indices, updates, opts...)
	}
	return gather.ScatterUpdate(data, indices, updates, c.Axis, opts...)
}

// build is apply for package gradtest, whose inputs are data, updates, and
// indices.
func (c scatterCall) build(in []*G.Node) (*G.Node, error) { return c.apply(in[0], in[2], in[1]) }

func (c scatterCall) indexTensor() *tensor.Dense { return dense(c.Indices.Data, c.Indices.Shape...) }

// inputs are those of build, data and updates to be differentiated.
func (c scatterCall) inputs(data, updates any) []gradtest.Input {
	return []gradtest.Input{{Value: data, Differentiate: true}, {Value: updates, Differentiate: true}, {Value: c.indexTensor()}}
}

// forward is the result by the oracle, backward the gradients of data and of
// updates, where u is that of the result.
func (c scatterCall) forward(x, w []float64) []float64 {
	out, _ := cases.Scattered(c.Scatter, x, w, oracle.Floats[float64]())
	return out
}

func (c scatterCall) backward(u, x, w []float64) (data, updates []float64) {
	return cases.Gradients(c.Scatter, u, x, w, oracle.Floats[float64]())
}

// check compares a run with the oracle, exactly.
func (c scatterCall) check(t *testing.T, got gradtest.Result, u, x, w []float64) {
	t.Helper()
	gData, gUpdates := c.backward(u, x, w)
	same(t, "shape", got.Shape, c.Data)
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
