package gather_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"gorgonia.org/gather"
	gatherdense "gorgonia.org/gather/dense"
	"gorgonia.org/gather/diff"
	"gorgonia.org/gather/internal/cases"
	"gorgonia.org/gather/internal/gradtest"
	"gorgonia.org/gather/internal/oracle"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestErrors builds what cannot work. Every error names the operator, and what
// is wrong.
func TestErrors(t *testing.T) {
	g := G.NewGraph()
	node := func(g *G.ExprGraph, name string, dt tensor.Dtype, shape ...int) *G.Node {
		return G.NewTensor(g, dt, len(shape), G.WithShape(shape...), G.WithName(name))
	}
	data := node(g, "data", tensor.Float64, 2, 3, 5)
	vector := node(g, "vector", tensor.Int64, 4)
	pairs := node(g, "pairs", tensor.Int64, 4, 2)
	batched := node(g, "batched", tensor.Int64, 2, 4, 2)
	elements := node(g, "elements", tensor.Int64, 2, 3, 9)
	scalar := G.NewScalar(g, tensor.Float64, G.WithName("scalar"))
	index := G.NewScalar(g, tensor.Int64, G.WithName("index"))
	floats := node(g, "floats", tensor.Float64, 2, 3, 9)
	bools := node(g, "bools", tensor.Bool, 2, 3, 9)
	pointers := node(g, "pointers", dtypeOf[unsafe.Pointer](), 2, 3)
	typeless := G.NewUniqueNode(G.In(g), G.WithName("typeless"))
	shapeless := G.NewTensor(g, tensor.Float64, 3, G.WithName("shapeless"))
	elsewhere := node(G.NewGraph(), "elsewhere", tensor.Int64, 4)

	along := func(f func(_, _ *G.Node, _ int, _ ...gather.Option) (*G.Node, error)) applyFunc { return applyFunc(f) }
	gatherOf, elementsOf := along(gather.Gather), along(gather.GatherElements)
	nd := func(data, indices *G.Node, _ int, opts ...gather.Option) (*G.Node, error) {
		return gather.GatherND(data, indices, opts...)
	}
	batch := gather.WithBatchDims
	for _, c := range []struct {
		name          string
		apply         applyFunc
		data, indices *G.Node
		axis          int
		opts          []gather.Option
		want          error
		text          string
	}{
		{"no data", gatherOf, nil, vector, 0, nil, nil, "Gather: data is nil"},
		{"no indices", elementsOf, data, nil, 0, nil, nil, "GatherElements: indices is nil"},
		{"no type", nd, typeless, vector, 0, nil, nil, "GatherND: data"},
		{"no shape", gatherOf, shapeless, vector, 0, nil, nil, "Gather: data"},
		{"two graphs", gatherOf, data, elsewhere, 0, nil, nil, "different graphs"},

		{"axis too large", gatherOf, data, vector, 3, nil, gather.ErrAxis, "Gather: axis 3 is not in [-3, 2]"},
		{"axis too small", elementsOf, data, elements, -4, nil, gather.ErrAxis, "GatherElements: axis -4 is not in [-3, 2]"},
		{"scalar data", gatherOf, scalar, vector, 0, nil, gather.ErrShape, "Gather: data is a scalar"},
		{"scalar data of GatherND", nd, scalar, vector, 0, nil, gather.ErrShape, "GatherND: data is a scalar"},

		{"batch dims beyond the axis", gatherOf, data, batched, 0, []gather.Option{batch(1)}, gather.ErrShape, "Gather: batch_dims 1 exceeds axis 0"},
		{"batch dims beyond the indices", gatherOf, data, vector, 2, []gather.Option{batch(2)}, gather.ErrShape, "Gather: batch_dims 2 is not in [-1, 1]"},
		{"negative batch dims beyond the indices", gatherOf, data, vector, 2, []gather.Option{batch(-2)}, gather.ErrShape, "Gather: batch_dims -2 is not in [-1, 1]"},
		{"unequal batch dims", gatherOf, data, vector, 1, []gather.Option{batch(1)}, gather.ErrShape, "Gather: batch dim 0 is 2 in data (2, 3, 5) but 4 in indices"},

		{"rank of indices", elementsOf, data, pairs, 0, nil, gather.ErrShape, "GatherElements: indices (4, 2) has rank 2"},
		{"indices larger beside the axis", elementsOf, data, elements, 0, nil, gather.ErrShape, "GatherElements: indices (2, 3, 9) has 9 at axis 2"},

		{"scalar indices", nd, data, index, 0, nil, gather.ErrShape, "GatherND: indices is a scalar"},
		{"tuples too long", nd, data, vector, 0, nil, gather.ErrShape, "GatherND: the last dim of indices (4) is 4, allowed is 1 to 3"},
		{"tuples too long behind batch dims", nd, data, node(g, "triples", tensor.Int64, 2, 3), 0, []gather.Option{batch(1)}, gather.ErrShape, "is 3, allowed is 1 to 2"},
		{"tuples of nothing", nd, data, node(g, "empty tuples", tensor.Int64, 4, 0), 0, nil, gather.ErrShape, "is 0, allowed is 1 to 3"},
		{"negative batch dims", nd, data, batched, 0, []gather.Option{batch(-1)}, gather.ErrShape, "GatherND: batch_dims -1 is not in [0, 3)"},
		{"all of the indices are batch dims", nd, data, vector, 0, []gather.Option{batch(1)}, gather.ErrShape, "GatherND: batch_dims 1 is not in [0, 1)"},
		{"unequal batch dims of GatherND", nd, data, pairs, 0, []gather.Option{batch(1)}, gather.ErrShape, "GatherND: batch dim 0 is 2 in data"},

		{"float indices", gatherOf, data, floats, 0, nil, gather.ErrDtype, "Gather: indices have dtype float64"},
		{"bool indices", elementsOf, data, bools, 2, nil, gather.ErrDtype, "GatherElements: indices have dtype bool"},
		{"data of pointers", nd, pointers, pairs, 0, nil, gather.ErrDtype, "GatherND: data"},

		{"fused batch dims", gatherOf, data, vector, 0, []gather.Option{gather.WithFusedBatchDims()}, gather.ErrOption, "Gather: WithFusedBatchDims"},
		{"batch dims", elementsOf, data, elements, 2, []gather.Option{batch(0)}, gather.ErrOption, "GatherElements: WithBatchDims"},
		{"fused batch dims of GatherElements", elementsOf, data, elements, 2, []gather.Option{gather.WithFusedBatchDims()}, gather.ErrOption, "GatherElements: WithFusedBatchDims"},
		{"a policy that does not exist", nd, data, pairs, 0, []gather.Option{gather.WithOutOfRange(9)}, gather.ErrOption, "GatherND: WithOutOfRange(9)"},
		{"a dst", gatherOf, data, vector, 0, []gather.Option{gatherdense.WithReuse(dense(make([]float64, 60), 4, 3, 5))}, gather.ErrOption, "Gather: WithReuse"},
		{"no dst", nd, data, pairs, 0, []gather.Option{gatherdense.WithReuse(nil)}, gather.ErrOption, "GatherND: WithReuse"},
	} {
		t.Run(c.name, func(t *testing.T) {
			n, err := c.apply(c.data, c.indices, c.axis, c.opts...)
			if err == nil {
				t.Fatalf("no error, but the node %v", n)
			}
			for _, sentinel := range []error{gather.ErrShape, gather.ErrAxis, gather.ErrDtype, gather.ErrOption, gather.ErrLayout} {
				if got := errors.Is(err, sentinel); got != (sentinel == c.want) {
					t.Errorf("errors.Is(%q, %q) is %v", err, sentinel, got)
				}
			}
			if !strings.Contains(err.Error(), c.text) {
				t.Errorf("error %q, want one with %q", err, c.text)
			}
		})
	}
}

// applyFunc is Gather or GatherElements; of GatherND the axis is not used.
type applyFunc func(data, indices *G.Node, axis int, opts ...gather.Option) (*G.Node, error)

// TestPointers refuses data that holds pointers in any form: as bytes they
// would be hidden from the garbage collector.
func TestPointers(t *testing.T) {
	for _, c := range []struct {
		name string
		dt   tensor.Dtype
	}{
		{"pointer", dtypeOf[*int]()},
		{"slice", dtypeOf[[]byte]()},
		{"struct with a string", dtypeOf[struct{ S string }]()},
		{"unsafe.Pointer", dtypeOf[unsafe.Pointer]()},
		{"interface", dtypeOf[any]()},
		{"nothing at all", dtypeOf[struct{}]()},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := G.NewGraph()
			data := G.NewVector(g, c.dt, G.WithShape(3), G.WithName("data"))
			if _, err := gather.Gather(data, input(g, "indices", dense([]int64{1}, 1)), 0); !errors.Is(err, gather.ErrDtype) {
				t.Errorf("got %v, want ErrDtype", err)
			}
		})
	}
}

// TestDoErrors calls an operator with values that Gorgonia would not give it.
func TestDoErrors(t *testing.T) {
	g := G.NewGraph()
	data, indices := dense([]float64{1, 2, 3, 4}, 2, 2), dense([]int64{1}, 1)
	gathered, err := gather.Gather(input(g, "data", data), input(g, "indices", indices), 0)
	ok(t, err)
	added, err := diff.ScatterAdd(gathered.Op(), gathered, input(g, "more indices", indices), []int{2, 2})
	ok(t, err)
	for _, op := range []G.Op{gathered.Op(), added.Op()} {
		for _, c := range []struct {
			name   string
			values []G.Value
		}{
			{"none", nil},
			{"one", []G.Value{data}},
			{"three", []G.Value{data, indices, indices}},
			{"nil", []G.Value{data, nil}},
			{"a shape that does not fit", []G.Value{dense([]float64{1, 2}, 1, 2), dense([]int64{0, 0, 0, 0}, 2, 2, 1)}},
			{"a scalar for a tensor", []G.Value{G.NewF64(1), indices}},
			{"float indices", []G.Value{data, dense([]float64{1}, 1)}},
		} {
			if strings.HasPrefix(op.String(), "Gather") && c.name == "a shape that does not fit" {
				continue // it is one that fits
			}
			t.Run(op.String()+" "+c.name, func(t *testing.T) {
				if out, err := op.Do(c.values...); err == nil {
					t.Errorf("no error, but %v", out)
				}
			})
		}
	}
}

// TestWithoutValue runs a graph in which the indices have no value.
func TestWithoutValue(t *testing.T) {
	g := G.NewGraph()
	_, err := gather.Gather(input(g, "data", dense([]float64{1, 2}, 2)), G.NewVector(g, tensor.Int64, G.WithShape(1), G.WithName("indices")), 0)
	ok(t, err)
	if err := runForward(gradtest.Tape, g); err == nil {
		t.Error("no error")
	}
}

// TestScatterErrors builds what cannot work.
func TestScatterErrors(t *testing.T) {
	g := G.NewGraph()
	node := func(name string, dt tensor.Dtype, shape ...int) *G.Node {
		return G.NewTensor(g, dt, len(shape), G.WithShape(shape...), G.WithName(name))
	}
	data, indices, updates := node("data", tensor.Float64, 3, 4), node("indices", tensor.Int64, 2, 4), node("updates", tensor.Float64, 2, 4)
	rows, vector := node("rows", tensor.Int64, 2, 1), node("vector", tensor.Int64, 2)
	words, newWords := node("words", tensor.String, 3, 4), node("new words", tensor.String, 2, 4)
	turns, newTurns := node("turns", tensor.Complex64, 3, 4), node("new turns", tensor.Complex64, 2, 4)
	flags, newFlags := node("flags", tensor.Bool, 3, 4), node("new flags", tensor.Bool, 2, 4)
	type apply = func(opts ...gather.Option) (*G.Node, error)
	elements := func(d, i, u *G.Node, axis int) apply {
		return func(opts ...gather.Option) (*G.Node, error) { return gather.ScatterElements(d, i, u, axis, opts...) }
	}
	nd := func(d, i, u *G.Node) apply {
		return func(opts ...gather.Option) (*G.Node, error) { return gather.ScatterND(d, i, u, opts...) }
	}
	along := func(d, i, u *G.Node, axis int) apply {
		return func(opts ...gather.Option) (*G.Node, error) { return gather.ScatterUpdate(d, i, u, axis, opts...) }
	}
	reduction := gather.WithReduction
	for _, c := range []struct {
		name  string
		apply apply
		opts  []gather.Option
		want  error
		text  string
	}{
		{"no data", elements(nil, indices, updates, 0), nil, nil, "ScatterElements: data is nil"},
		{"no indices", nd(data, nil, updates), nil, nil, "ScatterND: indices is nil"},
		{"no updates", along(data, vector, nil, 0), nil, nil, "ScatterUpdate: updates is nil"},
		{"two graphs", elements(data, indices, G.NewMatrix(G.NewGraph(), tensor.Float64, G.WithShape(2, 4), G.WithName("elsewhere")), 0), nil, nil, "different graphs"},
		{"axis", elements(data, indices, updates, 2), nil, gather.ErrAxis, "ScatterElements: axis 2 is not in [-2, 1]"},
		{"indices too wide", elements(data, node("wide", tensor.Int64, 2, 5), updates, 0), nil, gather.ErrShape, "has 5 at axis 1, at most 4 is allowed"},
		{"updates of another shape", elements(data, indices, data, 0), nil, gather.ErrShape, "updates (3, 4) must have the shape of indices (2, 4)"},
		{"updates of another shape than slices of data", nd(data, rows, node("short", tensor.Float64, 2, 3)), nil, gather.ErrShape, "ScatterND: updates (2, 3) must have the shape (2, 4)"},
		{"updates of another shape than slices along an axis", along(data, vector, updates, 1), nil, gather.ErrShape, "ScatterUpdate: updates (2, 4) must have the shape (3, 2)"},
		{"float indices", elements(data, updates, updates, 0), nil, gather.ErrDtype, "ScatterElements: indices have dtype float64, allowed are int, int8"},
		{"updates of another dtype", elements(data, indices, newWords, 0), nil, gather.ErrDtype, "ScatterElements: updates have dtype string, data has float64"},
		{"a sum of strings", elements(words, indices, newWords, 0), []gather.Option{reduction(gather.Add)}, gather.ErrDtype, "ScatterElements: values of dtype string have no reduction add, allowed is none (overwrite)"},
		{"the least of strings", nd(words, rows, newWords), []gather.Option{reduction(gather.Min)}, gather.ErrDtype, "ScatterND: values of dtype string have no reduction min"},
		{"the greatest complex number", elements(turns, indices, newTurns, 0), []gather.Option{reduction(gather.Max)}, gather.ErrDtype, "ScatterElements: values of dtype complex64 have no reduction max, allowed is none (overwrite), add, sub, mul, mean"},
		{"the mean of bools", elements(flags, indices, newFlags, 0), []gather.Option{reduction(gather.Mean)}, gather.ErrDtype, "ScatterElements: values of dtype bool have no reduction mean, allowed is none (overwrite), add, sub, mul, min, max"},
		{"an unknown reduction", elements(data, indices, updates, 0), []gather.Option{reduction(8)}, gather.ErrOption, "ScatterElements: WithReduction(reduction 8)"},
		{"the reduction of bags", along(data, vector, updates, 0), []gather.Option{reduction(gather.SqrtN)}, gather.ErrOption, "ScatterUpdate: WithReduction(sqrtn), allowed are none, add"},
		{"the product of strings", along(words, vector, newWords, 0), []gather.Option{reduction(gather.Mul)}, gather.ErrDtype, "ScatterUpdate: values of dtype string have no reduction mul"},
		{"batch dims", nd(data, rows, updates), []gather.Option{gather.WithBatchDims(1)}, gather.ErrOption, "ScatterND: WithBatchDims does not apply"},
		{"a policy", elements(data, indices, updates, 0), []gather.Option{gather.WithOutOfRange(gather.ZeroFill)}, gather.ErrOption, "ScatterElements: WithOutOfRange(ZeroFill), allowed are Reject and Skip"},
	} {
		t.Run(c.name, func(t *testing.T) {
			n, err := c.apply(c.opts...)
			if err == nil {
				t.Fatalf("no error, but the node %v", n)
			}
			if c.want != nil && !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
				t.Errorf("got %q, want %v with %q", err, c.want, c.text)
			}
		})
	}
}

// TestScatterMessages is a step of a graph neural network: neighbours are read,
// weighted, and summed where the edges lead. Data of the sum is the input
// itself, whose gradient comes by three ways.
func TestScatterMessages(t *testing.T) {
	build := func(in []*G.Node) (*G.Node, error) {
		members, from, to, weights := in[0], in[1], in[2], in[3]
		messages, err := gather.Gather(members, from, 0)
		if err != nil {
			return nil, err
		}
		weighted, err := G.HadamardProd(messages, weights)
		if err != nil {
			return nil, err
		}
		sums, err := gather.ScatterND(members, to, weighted, gather.WithReduction(gather.Add))
		if err != nil {
			return nil, err
		}
		return G.HadamardProd(sums, members)
	}
	rng := newRand(6)
	_, err := gradtest.Graph([]gradtest.Input{
		{Value: dense(gradtest.Normals(rng, 8), 4, 2), Differentiate: true},
		{Value: dense([]int64{0, 1, 3, 3, -1}, 5)},
		{Value: dense([]int64{1, 0, 1, -4, 2}, 5, 1)},
		{Value: dense(gradtest.Normals(rng, 10), 5, 2), Differentiate: true},
	}, build, rng)
	ok(t, err)
}

// TestBadIndex runs graphs with indices out of range, and finds the exact
// IndexError in what RunAll returns.
func TestBadIndex(t *testing.T) {
	positive := oracle.Policy{NonNegative: true}
	gatherOf := func(axis int, policy oracle.Policy, indices []int64, shape ...int) call {
		return call{op: "Gather", axis: axis, policy: policy, indices: oracle.From(indices, shape...)}
	}
	elementsOf := func(axis int, policy oracle.Policy, indices []int64, shape ...int) call {
		return call{op: "GatherElements", axis: axis, policy: policy, indices: oracle.From(indices, shape...)}
	}
	ndOf := func(batchDims int, policy oracle.Policy, indices []int64, shape ...int) call {
		return call{op: "GatherND", batchDims: batchDims, policy: policy, indices: oracle.From(indices, shape...)}
	}
	var none oracle.Policy
	for _, c := range []struct {
		name string
		call call
		want gather.IndexError
	}{
		{"the size of the axis", gatherOf(1, none, []int64{0, 3, 4, 9}, 2, 2), gather.IndexError{Position: []int{1, 0}, Index: 4, Axis: 1, Size: 4}},
		{"one below the least", gatherOf(0, none, []int64{-3, -4}, 2), gather.IndexError{Position: []int{1}, Index: -4, Axis: 0, Size: 3}},
		{"a scalar", gatherOf(-1, none, []int64{4}), gather.IndexError{Position: []int{}, Index: 4, Axis: 1, Size: 4}},
		{"in the next row, had it not been checked", gatherOf(1, none, []int64{7}, 1), gather.IndexError{Position: []int{0}, Index: 7, Axis: 1, Size: 4}},
		{"the least int64", gatherOf(0, none, []int64{math.MinInt64}, 1), gather.IndexError{Position: []int{0}, Index: math.MinInt64, Axis: 0, Size: 3}},
		{"the greatest int64", gatherOf(0, none, []int64{math.MaxInt64}, 1), gather.IndexError{Position: []int{0}, Index: math.MaxInt64, Axis: 0, Size: 3}},
		{"in range after a cut to 32 bits", gatherOf(0, none, []int64{1<<32 + 1}, 1), gather.IndexError{Position: []int{0}, Index: 1<<32 + 1, Axis: 0, Size: 3}},
		{"negative where it may not be", gatherOf(1, positive, []int64{3, -1}, 2), gather.IndexError{Position: []int{1}, Index: -1, Axis: 1, Size: 4, NonNegative: true}},

		{"the size of the axis", elementsOf(0, none, []int64{0, 1, 2, 3}, 1, 4), gather.IndexError{Position: []int{0, 3}, Index: 3, Axis: 0, Size: 3}},
		{"one below the least", elementsOf(1, none, []int64{0, -5, 0}, 3, 1), gather.IndexError{Position: []int{1, 0}, Index: -5, Axis: 1, Size: 4}},
		{"the least int64", elementsOf(1, none, []int64{0, 0, math.MinInt64}, 3, 1), gather.IndexError{Position: []int{2, 0}, Index: math.MinInt64, Axis: 1, Size: 4}},
		{"negative where it may not be", elementsOf(1, positive, []int64{0, -1, 0}, 3, 1), gather.IndexError{Position: []int{1, 0}, Index: -1, Axis: 1, Size: 4, NonNegative: true}},

		{"the first component", ndOf(0, none, []int64{2, 3, 3, 0, 5, 5}, 3, 2), gather.IndexError{Position: []int{1, 0}, Index: 3, Axis: 0, Size: 3}},
		{"the second component", ndOf(0, none, []int64{2, 3, 0, 4}, 2, 2), gather.IndexError{Position: []int{1, 1}, Index: 4, Axis: 1, Size: 4}},
		{"behind a batch dim", ndOf(1, none, []int64{0, 3, -5}, 3, 1), gather.IndexError{Position: []int{2, 0}, Index: -5, Axis: 1, Size: 4}},
		{"one tuple alone", ndOf(0, none, []int64{-4, 0}, 2), gather.IndexError{Position: []int{0}, Index: -4, Axis: 0, Size: 3}},
		{"negative where it may not be", ndOf(0, positive, []int64{0, -1}, 1, 2), gather.IndexError{Position: []int{0, 1}, Index: -1, Axis: 1, Size: 4, NonNegative: true}},
	} {
		t.Run(c.call.op+", "+c.name, func(t *testing.T) {
			want := c.want
			want.Op, want.Operands = c.call.op, []string{"input 0", "input 1"}
			if _, bad := c.call.forward(offsets(3, 4)); bad == nil || bad.Axis != want.Axis || bad.Index != want.Index || !reflect.DeepEqual(bad.Position, want.Position) {
				t.Fatalf("the oracle has %v", bad)
			}
			onFailingMachines(t, func(t *testing.T, m gradtest.Machine) {
				inputs := []gradtest.Input{{Value: dense(offsets(3, 4).Data, 3, 4)}, {Value: dense(c.call.indices.Data, c.call.indices.Shape...)}}
				_, err := gradtest.Forward(m, inputs, c.call.build)
				got, found := gather.AsIndexError(err)
				if !found || !reflect.DeepEqual(*got, want) {
					t.Fatalf("got %+v in %v, want %+v", got, err, want)
				}
			})
		})
	}
}

// TestBadIndexOfGradient applies a gradient operator to bad indices.
func TestBadIndexOfGradient(t *testing.T) {
	c := call{op: "Gather", indices: oracle.From([]int64{0, 1}, 2)}
	a := newAllocated(t, c, c.indexTensor())
	add := scatterAddOf(t, a.op, dense(make([]float64, 8), 2, 4), c.indexTensor(), 3, 4)
	_, err := add.Do(dense(make([]float64, 8), 2, 4), dense([]int64{0, 3}, 2))
	want := gather.IndexError{Op: "Gather", Position: []int{1}, Index: 3, Axis: 0, Size: 3, Operands: []string{"data", "indices"}}
	if got, found := gather.AsIndexError(err); !found || !reflect.DeepEqual(*got, want) {
		t.Errorf("got %v, want %v", err, want)
	}
}

// TestAsIndexError looks into errors that hold one in several ways, or not.
func TestAsIndexError(t *testing.T) {
	index := &gather.IndexError{Op: "Gather", Position: []int{2}, Index: 7, Axis: 1, Size: 3}
	for _, c := range []struct {
		name  string
		err   error
		found bool
	}{
		{"itself", index, true},
		{"wrapped", fmt.Errorf("wrapped: %w", index), true},
		{"in a type without Unwrap", noUnwrap{index}, true},
		{"in that, wrapped on both sides", fmt.Errorf("out: %w", noUnwrap{fmt.Errorf("in: %w", index)}), true},
		{"in that twice", noUnwrap{noUnwrap{index}}, true},
		{"another error", errors.New("another"), false},
		{"another error in a type without Unwrap", noUnwrap{errors.New("another")}, false},
		{"nothing in a type without Unwrap", noUnwrap{nil}, false},
		{"nil", nil, false},
		{"a nil one", (*gather.IndexError)(nil), false},
		{"in a type that holds itself", holdsItself{}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, found := gather.AsIndexError(c.err)
			if found != c.found || found && got != index {
				t.Errorf("got %v, %v", got, found)
			}
		})
	}
	if text, want := index.Error(), "Gather: indices[2]: 7 out of range [-3, 3) for data axis 1; see WithOutOfRange"; text != want {
		t.Errorf("the error reads %q, want %q", text, want)
	}
}

// noUnwrap wraps an error like the errors of Gorgonia's machines.
type noUnwrap struct{ err error }

func (e noUnwrap) Error() string { return fmt.Sprint("wrapped: ", e.err) }

func (e noUnwrap) Err() error { return e.err }

// TestGoodRunAfterBadOne runs a graph with a bad index, replaces it, and runs
// the graph again.
func TestGoodRunAfterBadOne(t *testing.T) {
	onFailingMachines(t, func(t *testing.T, m gradtest.Machine) {
		g := G.NewGraph()
		indices := input(g, "indices", dense([]int64{2}, 1))
		out, err := gather.Gather(input(g, "data", dense([]float64{1, 2}, 2)), indices, 0)
		ok(t, err)
		if _, found := gather.AsIndexError(runForward(m, g)); !found {
			t.Fatal("no IndexError")
		}
		ok(t, G.Let(indices, dense([]int64{-1}, 1)))
		ok(t, runForward(m, g))
		same(t, "values", elements[float64](t, out.Value()), []float64{2})
	})
}

// holdsItself is an error without an end.
type holdsItself struct{}

func (holdsItself) Error() string { return "holds itself" }

func (holdsItself) Err() error { return holdsItself{} }

// TestScatterBadIndex runs graphs with an index out of range: the error says
// where it stands.
func TestScatterBadIndex(t *testing.T) {
	for _, c := range []struct {
		name string
		call scatterCall
		want gather.IndexError
	}{
		{"ScatterElements", scatterCall{cases.Scatter{Op: "ScatterElements", Axis: 1, Data: []int{2, 3}, Indices: oracle.From([]int64{0, 1, 2, 3}, 2, 2), Updates: []int{2, 2}}},
			gather.IndexError{Op: "ScatterElements", Position: []int{1, 1}, Index: 3, Axis: 1, Size: 3}},
		{"ScatterND", scatterCall{cases.Scatter{Op: "ScatterND", Data: []int{2, 3}, Indices: oracle.From([]int64{0, 2, 1, -4}, 2, 2), Updates: []int{2}}},
			gather.IndexError{Op: "ScatterND", Position: []int{1, 1}, Index: -4, Axis: 1, Size: 3}},
		{"ScatterUpdate", scatterCall{cases.Scatter{Op: "ScatterUpdate", Data: []int{2, 3}, Indices: oracle.From([]int64{2}), Updates: []int{3}}},
			gather.IndexError{Op: "ScatterUpdate", Position: []int{}, Index: 2, Axis: 0, Size: 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.want.Operands = []string{"input 0", "input 2", "input 1"} // in the order of the operator
			onFailingMachines(t, func(t *testing.T, m gradtest.Machine) {
				_, err := gradtest.Forward(m, c.call.inputs(dense(offsets(2, 3).Data, 2, 3), dense(offsets(c.call.Updates...).Data, c.call.Updates...)), c.call.build)
				bad, found := gather.AsIndexError(err)
				if !found || fmt.Sprintf("%+v", *bad) != fmt.Sprintf("%+v", c.want) {
					t.Errorf("error %v, want %v", err, &c.want)
				}
			})
		})
	}
}
