package diff_test

import (
	"math/rand"
	"slices"
	"testing"

	"gorgonia.org/gather"
	"gorgonia.org/gather/internal/oracle"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// adjoint is a gather of data of a shape, with what its gradient operator is to
// give.
type adjoint struct {
	name    string
	gather  string // as ONNX spells it
	data    []int  // the shape
	indices oracle.Array[int64]
	apply   func(data, indices *G.Node) (*G.Node, error)
	results []int // the shape of the gather's result, and so of updates
	policy  oracle.Policy
	axis, b int
}

// adjoints are one of each kind, with duplicates and negative indices.
var adjoints = []adjoint{
	{
		name: "Gather", gather: "Gather", data: []int{3, 4}, axis: 1, indices: oracle.From([]int64{3, 0, -1, 3, 1, -4}, 3, 2), results: []int{3, 3, 2},
		apply: func(data, indices *G.Node) (*G.Node, error) { return gather.Gather(data, indices, 1) },
	},
	{
		name: "Gather with batch dims", gather: "Gather", data: []int{2, 3, 4}, axis: 2, b: 1, indices: oracle.From([]int64{3, 3, -4, 0, 0, -1}, 2, 3), results: []int{2, 3, 3},
		apply: func(data, indices *G.Node) (*G.Node, error) {
			return gather.Gather(data, indices, 2, gather.WithBatchDims(1))
		},
	},
	{
		name: "Gather filling with zeros", gather: "Gather", data: []int{3, 4}, policy: oracle.Policy{ZeroFill: true}, indices: oracle.From([]int64{2, 3, 2, -4, -1}, 5), results: []int{5, 4},
		apply: func(data, indices *G.Node) (*G.Node, error) {
			return gather.Gather(data, indices, 0, gather.WithOutOfRange(gather.ZeroFill))
		},
	},
	{
		name: "GatherElements", gather: "GatherElements", data: []int{3, 4}, indices: oracle.From([]int64{2, 0, -1, 2, 2, 0, 1, 0}, 4, 2), results: []int{4, 2},
		apply: func(data, indices *G.Node) (*G.Node, error) { return gather.GatherElements(data, indices, 0) },
	},
	{
		name: "GatherND", gather: "GatherND", data: []int{2, 3, 4}, indices: oracle.From([]int64{1, 2, 0, 0, -1, -1, 1, 2}, 4, 2), results: []int{4, 4},
		apply: func(data, indices *G.Node) (*G.Node, error) { return gather.GatherND(data, indices) },
	},
	{
		name: "GatherND to a scalar", gather: "GatherND", data: []int{3, 4}, indices: oracle.From([]int64{1, -1}, 2), results: []int{},
		apply: func(data, indices *G.Node) (*G.Node, error) { return gather.GatherND(data, indices) },
	},
	{
		name: "GatherND with fused batch dims", gather: "GatherND", data: []int{2, 3, 4}, b: 2, indices: oracle.From([]int64{1, 0, -1, 3, 2, 1}, 2, 3, 1), results: []int{6},
		apply: func(data, indices *G.Node) (*G.Node, error) {
			return gather.GatherND(data, indices, gather.WithBatchDims(2), gather.WithFusedBatchDims())
		},
	},
}

// op is the operator of the gather, as a node of it holds it.
func (a adjoint) op(t *testing.T, dt tensor.Dtype) G.Op {
	t.Helper()
	g := G.NewGraph()
	data := G.NewTensor(g, dt, len(a.data), G.WithShape(a.data...), G.WithName("data"))
	n, err := a.apply(data, G.NodeFromAny(g, a.indexTensor(), G.WithName("indices")))
	ok(t, err)
	return n.Op()
}

func (a adjoint) indexTensor() *tensor.Dense { return tensorOf(a.indices.Data, a.indices.Shape...) }

// scatter is the adjoint by the oracle.
func scatter[T any](a adjoint, updates []T, add func(a, b T) T) []T {
	dst := oracle.New[T](a.data...)
	u := oracle.From(updates, a.results...)
	switch a.gather {
	case "GatherElements":
		dst, _ = oracle.AddGatherElements(dst, u, a.indices, a.axis, a.policy, add)
	case "GatherND":
		if a.b > 1 {
			u.Shape = a.indices.Shape[:len(a.indices.Shape)-1] // not fused
		}
		dst, _ = oracle.AddGatherND(dst, u, a.indices, a.b, a.policy, add)
	default:
		dst, _ = oracle.AddGather(dst, u, a.indices, a.axis, a.b, a.policy, add)
	}
	return dst.Data
}

// pick is the gather itself by the oracle.
func pick(a adjoint, data []float64) []float64 {
	d := oracle.From(data, a.data...)
	var out oracle.Array[float64]
	switch a.gather {
	case "GatherElements":
		out, _ = oracle.GatherElements(d, a.indices, a.axis, a.policy)
	case "GatherND":
		out, _ = oracle.GatherND(d, a.indices, a.b, a.policy)
	default:
		out, _ = oracle.Gather(d, a.indices, a.axis, a.b, a.policy)
	}
	return out.Data
}

// tensorOf makes a tensor on a copy of the values; without a shape, a scalar.
func tensorOf[T any](values []T, shape ...int) *tensor.Dense {
	if len(shape) == 0 {
		return tensor.New(tensor.FromScalar(values[0]))
	}
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(slices.Clone(values)))
}

func size(shape []int) int {
	n := 1
	for _, dim := range shape {
		n *= dim
	}
	return n
}

func newRand(seed int64) *rand.Rand { return rand.New(rand.NewSource(seed)) }

func same[T comparable](t *testing.T, what string, got, want []T) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%+v", err)
	}
}
