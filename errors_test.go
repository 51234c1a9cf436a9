package gather_test

import (
	"errors"
	"strings"
	"testing"
	"unsafe"

	"gorgonia.org/gather"
	gatherdense "gorgonia.org/gather/dense"
	"gorgonia.org/gather/diff"
	"gorgonia.org/gather/internal/gradtest"
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
		{"scalar data", nd, scalar, vector, 0, nil, gather.ErrShape, "GatherND: data is a scalar"},

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
		{"unequal batch dims", nd, data, pairs, 0, []gather.Option{batch(1)}, gather.ErrShape, "GatherND: batch dim 0 is 2 in data"},

		{"float indices", gatherOf, data, floats, 0, nil, gather.ErrDtype, "Gather: indices have dtype float64"},
		{"bool indices", elementsOf, data, bools, 2, nil, gather.ErrDtype, "GatherElements: indices have dtype bool"},
		{"data of pointers", nd, pointers, pairs, 0, nil, gather.ErrDtype, "GatherND: data"},

		{"fused batch dims", gatherOf, data, vector, 0, []gather.Option{gather.WithFusedBatchDims()}, gather.ErrOption, "Gather: WithFusedBatchDims"},
		{"batch dims", elementsOf, data, elements, 2, []gather.Option{batch(0)}, gather.ErrOption, "GatherElements: WithBatchDims"},
		{"fused batch dims", elementsOf, data, elements, 2, []gather.Option{gather.WithFusedBatchDims()}, gather.ErrOption, "GatherElements: WithFusedBatchDims"},
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
