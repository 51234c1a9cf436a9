package gather_test

import (
	"errors"
	"fmt"
	"math/rand"
	"reflect"
	"slices"
	"testing"

	"gorgonia.org/gather"
	"gorgonia.org/gather/internal/cases"
	"gorgonia.org/gather/internal/gradtest"
	"gorgonia.org/gather/internal/memtest"
	"gorgonia.org/gather/internal/oracle"
	"gorgonia.org/gather/internal/race"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// machines are Gorgonia's two: every graph test runs on both.
var machines = []gradtest.Machine{gradtest.Tape, gradtest.Lisp}

// onMachines runs a test on each machine.
func onMachines(t *testing.T, test func(t *testing.T, m gradtest.Machine)) {
	for _, m := range machines {
		memtest.Case(t, m, func(t *testing.T) { test(t, m) })
	}
}

// onFailingMachines runs a test whose run of a graph fails. Under the race
// detector LispMachine is left out: a failing run of it is a data race of
// Gorgonia's own.
func onFailingMachines(t *testing.T, test func(t *testing.T, m gradtest.Machine)) {
	onMachines(t, func(t *testing.T, m gradtest.Machine) {
		if m == gradtest.Lisp && race.Enabled {
			t.Log("left out: a failing run of LispMachine races within Gorgonia")
			return
		}
		test(t, m)
	})
}

// call is a gather with its options and its indices.
type call struct {
	op        string // as ONNX spells it
	axis      int
	batchDims int
	indices   oracle.Array[int64]
	policy    oracle.Policy
	fused     bool
}

// String names the call, for the names of tests.
func (c call) String() string {
	s := fmt.Sprintf("%s axis=%d batch_dims=%d indices=%v", c.op, c.axis, c.batchDims, c.indices.Shape)
	if c.fused {
		s += " fused"
	}
	return s
}

func (c call) options() []gather.Option {
	var opts []gather.Option
	if c.batchDims != 0 {
		opts = append(opts, gather.WithBatchDims(c.batchDims))
	}
	if c.fused {
		opts = append(opts, gather.WithFusedBatchDims())
	}
	if c.policy.NonNegative {
		opts = append(opts, gather.WithNonNegativeIndices())
	}
	if c.policy.ZeroFill {
		opts = append(opts, gather.WithOutOfRange(gather.ZeroFill))
	}
	if c.policy.Clamp {
		opts = append(opts, gather.WithOutOfRange(gather.Clamp))
	}
	return append(opts, withPadding(c.policy.Padding)...)
}

// withPadding is the option for a padding, if there is one.
func withPadding(p oracle.Padding) []gather.Option {
	if !p.Padded {
		return nil
	}
	return []gather.Option{gather.WithPadding(p.ID)}
}

// apply makes the node.
func (c call) apply(data, indices *G.Node) (*G.Node, error) {
	switch c.op {
	case "Gather":
		return gather.Gather(data, indices, c.axis, c.options()...)
	case "GatherElements":
		return gather.GatherElements(data, indices, c.axis, c.options()...)
	}
	return gather.GatherND(data, indices, c.options()...)
}

// build is apply for package gradtest, whose inputs are data and indices.
func (c call) build(in []*G.Node) (*G.Node, error) { return c.apply(in[0], in[1]) }

// of is the call without a graph, on data of a shape.
func (c call) of(data []int) cases.Gather {
	return cases.Gather{Op: c.op, Axis: c.axis, BatchDims: c.batchDims, Fused: c.fused, Data: data, Indices: c.indices, Policy: c.policy}
}

// forward is the result by the oracle.
func (c call) forward(data oracle.Array[float64]) (oracle.Array[float64], *oracle.BadIndex) {
	out, bad := cases.Gathered(c.of(data.Shape), data.Data)
	if bad == nil {
		out.Shape = c.of(data.Shape).Result()
	}
	return out, bad
}

// backward is the gradient of data by the oracle, where u is that of the
// result.
func (c call) backward(t *testing.T, data []int, u []float64) []float64 {
	t.Helper()
	gradient, bad := cases.Added(c.of(data), make([]float64, tensor.ProdInts(data)), u, func(a, b float64) float64 { return a + b })
	if bad != nil {
		t.Fatal(bad)
	}
	return gradient
}

// indexTensor holds the call's indices as int64.
func (c call) indexTensor() *tensor.Dense { return dense(c.indices.Data, c.indices.Shape...) }

// dense makes a tensor on a copy of the values; without a shape, a scalar.
func dense[T any](values []T, shape ...int) *tensor.Dense {
	if len(values) == 0 {
		return tensor.New(tensor.Of(dtypeOf[T]()), tensor.WithShape(shape...))
	}
	if len(shape) == 0 {
		return tensor.New(tensor.FromScalar(values[0]))
	}
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(slices.Clone(values)))
}

func dtypeOf[T any]() tensor.Dtype { return tensor.Dtype{Type: reflect.TypeFor[T]()} }

// offsets are the values 0, 1, 2, … so that each value tells its place.
func offsets(shape ...int) oracle.Array[float64] {
	a := oracle.New[float64](shape...)
	for i := range a.Data {
		a.Data[i] = float64(i)
	}
	return a
}

// ones is the gradient of a sum of n values.
func ones(n int) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = 1
	}
	return values
}

// narrow is the same numbers as float32.
func narrow(values []float64) []float32 {
	out := make([]float32, len(values))
	for i, v := range values {
		out[i] = float32(v)
	}
	return out
}

// randomIndices draws indices in [-n, n) for the axis of size n that each
// position addresses. Drawn from a small range, many of them are duplicates.
func randomIndices(rng *rand.Rand, size func(position []int) int, shape ...int) oracle.Array[int64] {
	a := oracle.New[int64](shape...)
	for p := range oracle.Coordinates(shape) {
		n := size(p)
		a.Set(int64(rng.Intn(2*n)-n), p...)
	}
	return a
}

// input makes a named input node.
func input(g *G.ExprGraph, name string, value any) *G.Node {
	return G.NodeFromAny(g, value, G.WithName(name))
}

// runForward runs a graph on a new machine, without gradients.
func runForward(m gradtest.Machine, g *G.ExprGraph) error {
	var vm G.VM
	if m == gradtest.Tape {
		vm = G.NewTapeMachine(g)
	} else {
		vm = G.NewLispMachine(g, G.ExecuteFwdOnly())
	}
	defer vm.Close()
	return vm.RunAll()
}

// same fails the test unless the values are equal, bit for bit but for NaN.
func same[T comparable](t *testing.T, what string, got, want []T) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// isMachineError is errors.Is for the error of RunAll, whose type has no
// Unwrap.
func isMachineError(err, target error) bool {
	for {
		if errors.Is(err, target) {
			return true
		}
		var wrapped interface{ Err() error }
		if !errors.As(err, &wrapped) {
			return false
		}
		err = wrapped.Err()
	}
}

// newRand is a source of random numbers of its own for each test.
func newRand(seed int64) *rand.Rand { return rand.New(rand.NewSource(seed)) }

// ok fails the test at once if there is an error.
func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%+v", err)
	}
}

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
	{cases.Scatter{Op: "ScatterElements", Axis: 1, Data: []int{3, 4}, Indices: oracle.From([]int64{3, -1, -1, 3, -4, 2, 2, -1}, 2, 4), Updates: []int{2, 4}, Rule: padded}},
	{cases.Scatter{Op: "ScatterND", Data: []int{3, 4, 2}, Indices: oracle.From([]int64{2, 3, -1, 9, 2, -1, 2, 3}, 2, 2, 2), Updates: []int{2, 2, 2}, Rule: padded}},
	{cases.Scatter{Op: "ScatterUpdate", Axis: 1, Data: []int{2, 4, 3}, Indices: oracle.From([]int64{3, 9, -1, 0}, 2, 2), Updates: []int{2, 2, 2, 3}, Rule: oracle.Rule{Skip: true, Padding: padded.Padding}}},
	{cases.Scatter{Op: "ScatterUpdate", Data: []int{2, 3}, Indices: oracle.From([]int64{-1, -1}, 2), Updates: []int{2, 3}, Rule: padded}},
}

// skip leaves bad indices out.
var skip = oracle.Rule{Skip: true}

// padded leaves -1 out, and is an error for other bad indices.
var padded = oracle.Rule{Padding: oracle.Padding{Padded: true, ID: -1}}

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
		t.Run(fmt.Sprintf("%s %v axis=%d indices=%v skip=%v padded=%v", c.Op, c.Data, c.Axis, c.Indices.Shape, c.Rule.Skip, c.Rule.Padded), func(t *testing.T) {
			for _, rule := range scatterRules {
				c := c
				rule.Skip, rule.Padding = c.Rule.Skip, c.Rule.Padding
				c.Rule = rule
				memtest.Case(t, c, func(t *testing.T) { test(t, c) })
			}
		})
	}
}

// String names the call, for the names of tests.
func (c scatterCall) String() string {
	return fmt.Sprintf("%s %v %v init=%v skip=%v padded=%v", c.Op, c.Data, c.Rule.Reduction, !c.Rule.NoInit, c.Rule.Skip, c.Rule.Padded)
}

// apply makes the node.
func (c scatterCall) apply(data, indices, updates *G.Node) (*G.Node, error) {
	opts := []gather.Option{gather.WithReduction(gather.Reduction(c.Rule.Reduction)), gather.WithInitValue(!c.Rule.NoInit)}
	if c.Rule.Skip {
		opts = append(opts, gather.WithOutOfRange(gather.Skip))
	}
	opts = append(opts, withPadding(c.Rule.Padding)...)
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

// operandNames are the names that the operator of a node knows its operands by.
func operandNames(n *G.Node) []string { return n.Op().(interface{ Operands() []string }).Operands() }
