package diff_test

import (
	"math/rand"
	"slices"
	"testing"

	"gorgonia.org/gather"
	"gorgonia.org/gather/internal/cases"
	"gorgonia.org/gather/internal/oracle"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// adjoint is a gather, with what its gradient operator is to give.
type adjoint struct {
	cases.Gather
	name    string
	apply   func(data, indices *G.Node) (*G.Node, error)
	results []int // the shape of the gather's result, and so of updates
}

// adjoints are one of each kind, with duplicates and negative indices.
var adjoints = []adjoint{
	{
		name: "Gather", Gather: cases.Gather{Op: "Gather", Data: []int{3, 4}, Axis: 1, Indices: oracle.From([]int64{3, 0, -1, 3, 1, -4}, 3, 2)}, results: []int{3, 3, 2},
		apply: func(data, indices *G.Node) (*G.Node, error) { return gather.Gather(data, indices, 1) },
	},
	{
		name: "Gather with batch dims", Gather: cases.Gather{Op: "Gather", Data: []int{2, 3, 4}, Axis: 2, BatchDims: 1, Indices: oracle.From([]int64{3, 3, -4, 0, 0, -1}, 2, 3)}, results: []int{2, 3, 3},
		apply: func(data, indices *G.Node) (*G.Node, error) {
			return gather.Gather(data, indices, 2, gather.WithBatchDims(1))
		},
	},
	{
		name: "Gather filling with zeros", Gather: cases.Gather{Op: "Gather", Data: []int{3, 4}, Policy: oracle.Policy{ZeroFill: true}, Indices: oracle.From([]int64{2, 3, 2, -4, -1}, 5)}, results: []int{5, 4},
		apply: func(data, indices *G.Node) (*G.Node, error) {
			return gather.Gather(data, indices, 0, gather.WithOutOfRange(gather.ZeroFill))
		},
	},
	{
		name: "GatherElements", Gather: cases.Gather{Op: "GatherElements", Data: []int{3, 4}, Indices: oracle.From([]int64{2, 0, -1, 2, 2, 0, 1, 0}, 4, 2)}, results: []int{4, 2},
		apply: func(data, indices *G.Node) (*G.Node, error) { return gather.GatherElements(data, indices, 0) },
	},
	{
		name: "GatherND", Gather: cases.Gather{Op: "GatherND", Data: []int{2, 3, 4}, Indices: oracle.From([]int64{1, 2, 0, 0, -1, -1, 1, 2}, 4, 2)}, results: []int{4, 4},
		apply: func(data, indices *G.Node) (*G.Node, error) { return gather.GatherND(data, indices) },
	},
	{
		name: "GatherND to a scalar", Gather: cases.Gather{Op: "GatherND", Data: []int{3, 4}, Indices: oracle.From([]int64{1, -1}, 2)}, results: []int{},
		apply: func(data, indices *G.Node) (*G.Node, error) { return gather.GatherND(data, indices) },
	},
	{
		name: "GatherND with fused batch dims", Gather: cases.Gather{Op: "GatherND", Data: []int{2, 3, 4}, BatchDims: 2, Fused: true, Indices: oracle.From([]int64{1, 0, -1, 3, 2, 1}, 2, 3, 1)}, results: []int{6},
		apply: func(data, indices *G.Node) (*G.Node, error) {
			return gather.GatherND(data, indices, gather.WithBatchDims(2), gather.WithFusedBatchDims())
		},
	},
	{
		name: "Gather padded", Gather: cases.Gather{Op: "Gather", Data: []int{3, 4}, Policy: oracle.Policy{Padding: oracle.Padding{Padded: true, ID: -1}}, Indices: oracle.From([]int64{2, -1, 2, -3, -1}, 5)}, results: []int{5, 4},
		apply: func(data, indices *G.Node) (*G.Node, error) {
			return gather.Gather(data, indices, 0, gather.WithPadding(-1))
		},
	},
	{
		name: "GatherND padded", Gather: cases.Gather{Op: "GatherND", Data: []int{2, 3, 4}, Policy: oracle.Policy{Padding: oracle.Padding{Padded: true, ID: -1}}, Indices: oracle.From([]int64{1, 2, -1, 9, 1, -1, 1, 2}, 4, 2)}, results: []int{4, 4},
		apply: func(data, indices *G.Node) (*G.Node, error) {
			return gather.GatherND(data, indices, gather.WithPadding(-1))
		},
	},
	{
		name: "Gather clamped", Gather: cases.Gather{Op: "Gather", Data: []int{3, 4}, Policy: oracle.Policy{Clamp: true}, Indices: oracle.From([]int64{2, 3, 2, -4, -1}, 5)}, results: []int{5, 4},
		apply: func(data, indices *G.Node) (*G.Node, error) {
			return gather.Gather(data, indices, 0, gather.WithOutOfRange(gather.Clamp))
		},
	},
}

// op is the operator of the gather, as a node of it holds it.
func (a adjoint) op(t *testing.T, dt tensor.Dtype) G.Op {
	t.Helper()
	g := G.NewGraph()
	data := G.NewTensor(g, dt, len(a.Data), G.WithShape(a.Data...), G.WithName("data"))
	n, err := a.apply(data, G.NodeFromAny(g, a.indexTensor(), G.WithName("indices")))
	ok(t, err)
	return n.Op()
}

func (a adjoint) indexTensor() *tensor.Dense { return tensorOf(a.Indices.Data, a.Indices.Shape...) }

// scatter is the adjoint by the oracle.
func scatter[T any](a adjoint, updates []T, add func(a, b T) T) []T {
	dst, _ := cases.Added(a.Gather, make([]T, size(a.Data)), updates, add)
	return dst
}

// pick is the gather itself by the oracle.
func pick(a adjoint, data []float64) []float64 {
	out, _ := cases.Gathered(a.Gather, data)
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
