package onnx

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gather"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/graph"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

var (
	circular = set{"mode": "circular"}
	// A cache for five samples with three positions of two values: the batch is
	// longer than the sequence, where a modulo in the wrong place shows.
	longBatch = of(iota32(30), 5, 3, 2)
)

// negated is -1, -2, -3, …
func negated(n int) []float32 {
	list := make([]float32, n)
	for i := range list {
		list[i] = -1 - float32(i)
	}
	return list
}

func TestTensorScatter(t *testing.T) {
	cases := []struct {
		name  string
		attrs set
		cache *tensor.Dense
		news  *tensor.Dense
		at    *tensor.Dense
		want  any
	}{
		{"without write_indices", nil, of(iota32(12), 2, 3, 2), of(negated(8), 2, 2, 2), nil,
			f32(-1, -2, -3, -4, 4, 5, -5, -6, -7, -8, 10, 11)},
		{"linear", set{"mode": "linear"}, of(iota32(12), 2, 3, 2), of(negated(8), 2, 2, 2), of(i64(1, 0), 2),
			f32(0, 1, -1, -2, -3, -4, -5, -6, -7, -8, 10, 11)},
		{"circular, across the end", circular, of(iota32(12), 2, 3, 2), of(negated(8), 2, 2, 2), of(i64(2, 1), 2),
			f32(-3, -4, 2, 3, -1, -2, 6, 7, -5, -6, -7, -8)},
		{"circular, the whole cache", circular, of(iota32(6), 1, 3, 2), of(negated(6), 1, 3, 2), of(i64(2), 1),
			f32(-3, -4, -5, -6, -1, -2)},
		{"circular, far past the end", circular, of(iota32(6), 1, 3, 2), of(negated(2), 1, 1, 2), of(i64(math.MaxInt64), 1), // 2^63-1 = 1 mod 3
			f32(0, 1, -1, -2, 4, 5)},
		{"circular, a batch longer than the sequence", circular, longBatch, of(negated(10), 5, 1, 2), of(i64(0, 1, 2, 3, 4), 5),
			f32(-1, -2, 2, 3, 4, 5, 6, 7, -3, -4, 10, 11, 12, 13, 14, 15, -5, -6, -7, -8, 20, 21, 22, 23, 24, 25, -9, -10, 28, 29)},
		{"the sequence last", set{"axis": int64(-1)}, of(iota32(12), 2, 2, 3), of(negated(4), 2, 2, 1), of(i64(2, 0), 2),
			f32(0, 1, -1, 3, 4, -2, -3, 7, 8, -4, 10, 11)},
		{"the sequence before two axes", set{"axis": int64(1)}, of(iota32(12), 2, 3, 2, 1), of(negated(4), 2, 1, 2, 1), of(i64(2, 0), 2),
			f32(0, 1, 2, 3, -1, -2, -3, -4, 8, 9, 10, 11)},
		{"rank 2", set{"axis": int64(1)}, of(iota32(6), 2, 3), of(negated(4), 2, 2), of(i64(1, 0), 2),
			f32(0, -1, -2, -3, -4, 5)},
		{"strings", nil, of([]string{"a", "b", "c"}, 1, 3, 1), of([]string{"z"}, 1, 1, 1), of(i64(1), 1), []string{"a", "z", "c"}},
		{"an empty update at the very end", nil, of(iota32(6), 1, 3, 2), of(f32(), 1, 0, 2), of(i64(3), 1), iota32(6)},
		{"an empty update of an empty cache", circular, of(f32(), 2, 0, 3), of(f32(), 2, 0, 3), of(i64(4, 0), 2), nil},
		{"no sample", nil, of(f32(), 0, 2, 3), of(f32(), 0, 1, 3), of(i64(), 0), nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			inputs := []*tensor.Dense{c.cache, c.news, c.at}
			if c.at == nil {
				short, err := both(t, Node{OpType: "TensorScatter", Opset: 24, Attributes: c.attrs}, inputs[:2]...)
				require.NoError(t, err, "left out at the end of the list")
				assert.Equal(t, c.want, short.Data())
			}
			got, err := both(t, Node{OpType: "TensorScatter", Opset: 24, Attributes: c.attrs}, inputs...)
			require.NoError(t, err)
			assert.Equal(t, c.want, values(got))
		})
	}
}

func TestTensorScatterErrors(t *testing.T) {
	cache, news := of(iota32(12), 2, 3, 2), of(negated(8), 2, 2, 2)
	cases := []struct {
		name   string
		attrs  set
		inputs []*tensor.Dense
		kind   error
		text   string
	}{
		{"the batch as the sequence", set{"axis": int64(0)}, []*tensor.Dense{cache, news}, dense.ErrAxis, "axis 0 is the batch"},
		{"the batch from the end", set{"axis": int64(-3)}, []*tensor.Dense{cache, news}, dense.ErrAxis, "axis -3 is the batch"},
		{"axis too large", set{"axis": int64(3)}, []*tensor.Dense{cache, news}, dense.ErrAxis, "axis 3 is not in [-3, 2]"},
		{"a vector", nil, []*tensor.Dense{pair, pair}, dense.ErrShape, "has rank 1, the least is 2"},
		{"an update of another rank", nil, []*tensor.Dense{cache, floats}, dense.ErrShape, "has not the rank"},
		{"an update longer than the cache", nil, []*tensor.Dense{cache, of(iota32(16), 2, 4, 2)}, dense.ErrShape, "dim 1 of update (2, 4, 2) does not fit"},
		{"an update for fewer samples", nil, []*tensor.Dense{cache, of(iota32(2), 1, 1, 2)}, dense.ErrShape, "dim 0 of update"},
		{"an update of another type", nil, []*tensor.Dense{cache, sample(tensor.Float64, 2, 2, 2)}, dense.ErrDtype, "update of type double, past_cache is of type float"},
		{"write_indices for more samples", nil, []*tensor.Dense{cache, news, of(i64(0, 0, 0), 3)}, dense.ErrShape, "write_indices (3)"},
		{"write_indices as a column", nil, []*tensor.Dense{cache, news, of(i64(0, 0), 2, 1)}, dense.ErrShape, "write_indices (2, 1)"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := both(t, Node{OpType: "TensorScatter", Opset: 24, Attributes: c.attrs}, c.inputs...)
			assert.ErrorIs(t, err, c.kind)
			assert.ErrorContains(t, err, c.text)
		})
	}
	ranges := []struct {
		name  string
		attrs set
		index int64
		bad   int64 // the position reported
	}{
		{"linear, past the end", nil, 2, 3},
		{"linear, far past the end", nil, 7, 7},
		{"linear, the last int64", nil, math.MaxInt64, math.MaxInt64},
		{"linear, negative", nil, -1, -1},
		{"circular, negative", circular, -1, -1},
		{"circular, the first int64", circular, math.MinInt64, math.MinInt64},
	}
	for _, c := range ranges {
		t.Run(c.name, func(t *testing.T) {
			_, err := both(t, Node{OpType: "TensorScatter", Opset: 24, Attributes: c.attrs}, cache, news, of(i64(0, c.index), 2))
			bad, ok := gather.AsIndexError(err)
			require.True(t, ok, "%v", err)
			assert.Equal(t, &dense.IndexError{Op: "TensorScatter", Position: []int{1}, Index: c.bad, Axis: 1, Size: 3, NonNegative: true}, bad)
		})
	}
}

// write_indices may be any view of a vector.
func TestTensorScatterViews(t *testing.T) {
	all := of(i64(1, 9, 0, 9), 4)
	view, err := all.Slice(gorgonia.S(0, 4, 2))
	require.NoError(t, err)
	got, err := both(t, Node{OpType: "TensorScatter", Opset: 24}, of(iota32(12), 2, 3, 2), of(negated(8), 2, 2, 2), view.(*tensor.Dense))
	require.NoError(t, err)
	assert.Equal(t, f32(0, 1, -1, -2, -3, -4, -5, -6, -7, -8, 10, 11), got.Data())
}

// What was overwritten has no gradient, and each update has that of the place it
// went to, on both machines, also when the indices are themselves computed.
func TestTensorScatterGradient(t *testing.T) {
	weights := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	build := func() (g *gorgonia.ExprGraph, cache, news, cost *gorgonia.Node) {
		g = gorgonia.NewGraph()
		cache = gorgonia.NewTensor(g, tensor.Float64, 3, gorgonia.WithShape(2, 3, 2), gorgonia.WithName("cache"))
		news = gorgonia.NewTensor(g, tensor.Float64, 3, gorgonia.WithShape(2, 2, 2), gorgonia.WithName("news"))
		starts := gorgonia.NewVector(g, tensor.Int64, gorgonia.WithShape(3), gorgonia.WithName("starts"))
		order := gorgonia.NewVector(g, tensor.Int64, gorgonia.WithShape(2), gorgonia.WithName("order"))
		weight := gorgonia.NewTensor(g, tensor.Float64, 3, gorgonia.WithShape(2, 3, 2), gorgonia.WithName("weight"))
		for n, v := range map[*gorgonia.Node]*tensor.Dense{
			cache:  sample(tensor.Float64, 2, 3, 2),
			news:   sample(tensor.Float64, 2, 2, 2),
			starts: of(i64(1, 9, 2), 3),
			order:  of(i64(2, 0), 2),
			weight: of(weights, 2, 3, 2),
		} {
			require.NoError(t, gorgonia.Let(n, v))
		}
		at, err := Apply(Node{OpType: "Gather", Opset: 13}, starts, order) // 2, 1
		require.NoError(t, err)
		out, err := Apply(Node{OpType: "TensorScatter", Opset: 24, Attributes: circular}, cache, news, at)
		require.NoError(t, err)
		cost = gorgonia.Must(gorgonia.Sum(gorgonia.Must(gorgonia.HadamardProd(out, weight))))
		return g, cache, news, cost
	}
	wantCache := []float64{0, 0, 3, 4, 0, 0, 7, 8, 0, 0, 0, 0}
	wantNews := []float64{5, 6, 1, 2, 9, 10, 11, 12}
	t.Run("TapeMachine", func(t *testing.T) {
		g, cache, news, cost := build()
		grads, err := gorgonia.Grad(cost, cache, news)
		require.NoError(t, err)
		machine := gorgonia.NewTapeMachine(g)
		defer machine.Close()
		require.NoError(t, machine.RunAll())
		assert.Equal(t, wantCache, grads[0].Value().Data())
		assert.Equal(t, wantNews, grads[1].Value().Data())
	})
	t.Run("LispMachine", func(t *testing.T) {
		g, cache, news, _ := build()
		machine := gorgonia.NewLispMachine(g)
		defer machine.Close()
		require.NoError(t, machine.RunAll())
		for n, want := range map[*gorgonia.Node][]float64{cache: wantCache, news: wantNews} {
			grad, err := n.Grad()
			require.NoError(t, err)
			assert.Equal(t, want, grad.Data(), n.Name())
		}
	})
	t.Run("without write_indices", func(t *testing.T) {
		g := gorgonia.NewGraph()
		cache := gorgonia.NewMatrix(g, tensor.Float64, gorgonia.WithShape(2, 3), gorgonia.WithName("cache"))
		news := gorgonia.NewMatrix(g, tensor.Float64, gorgonia.WithShape(2, 1), gorgonia.WithName("news"))
		out, err := Apply(Node{OpType: "TensorScatter", Opset: 24, Attributes: set{"axis": int64(1)}}, cache, news)
		require.NoError(t, err)
		grads, err := gorgonia.Grad(gorgonia.Must(gorgonia.Sum(gorgonia.Must(gorgonia.Square(out)))), cache, news)
		require.NoError(t, err)
		require.NoError(t, gorgonia.Let(cache, of([]float64{1, 2, 3, 4, 5, 6}, 2, 3)))
		require.NoError(t, gorgonia.Let(news, of([]float64{7, 8}, 2, 1)))
		machine := gorgonia.NewTapeMachine(g)
		defer machine.Close()
		require.NoError(t, machine.RunAll())
		assert.Equal(t, []float64{0, 4, 6, 0, 10, 12}, grads[0].Value().Data())
		assert.Equal(t, []float64{14, 16}, grads[1].Value().Data())
	})
}

// Two operators that differ in anything must not become one node.
func TestWriteTuplesHash(t *testing.T) {
	type fields struct {
		writes
		given bool
		in    graph.Operand
	}
	of := func(change func(*fields)) writeTuples {
		f := fields{writes{update: tensor.Shape{2, 3, 4}, axis: 1, size: 5}, false, graph.Operand{Rank: 1, Dtype: tensor.Int64}}
		change(&f)
		return writeTuples{graph.New(describeTuples(f.writes, f.given, f.in))}
	}
	for name, change := range map[string]func(*fields){
		"update":    func(f *fields) { f.update = tensor.Shape{3, 2, 4} },
		"axis":      func(f *fields) { f.axis = 2 },
		"size":      func(f *fields) { f.size = 6 },
		"circular":  func(f *fields) { f.circular = true },
		"given":     func(f *fields) { f.given = true },
		"in, dtype": func(f *fields) { f.in.Dtype = tensor.Float32 },
		"in, rank":  func(f *fields) { f.in.Rank = 2 },
	} {
		t.Run(name, func(t *testing.T) {
			same := func(*fields) {}
			a, b, c := of(same), of(same), of(change)
			assert.Equal(t, a.Hashcode(), b.Hashcode())
			assert.NotEqual(t, a.Hashcode(), c.Hashcode())
			assert.NotEqual(t, a.String(), c.String())
		})
	}
}

// The operator defends itself against values that a machine would not give it.
func TestWriteTuplesBadInputs(t *testing.T) {
	op := tuplesOf(writes{update: tensor.Shape{2, 1, 3}, axis: 1, size: 5})
	for name, in := range map[string][]gorgonia.Value{
		"none":              nil,
		"two":               {rows, rows},
		"another dtype":     {of([]int32{0, 0}, 2)},
		"another length":    {of(i64(0, 0, 0), 3)},
		"a Gorgonia scalar": {gorgonia.NewI64(0)},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := op.Do(in...)
			assert.Error(t, err)
		})
	}
	_, err := op.SymDiff(nil, nil, nil)
	assert.Error(t, err)
}

// tuplesOf is the operator for write_indices that are given.
func tuplesOf(w writes) *writeTuples {
	return &writeTuples{graph.New(describeTuples(w, true, graph.Operand{Rank: 1, Dtype: tensor.Int64}))}
}
