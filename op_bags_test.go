package gather_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"gorgonia.org/gather"
	gatherdense "gorgonia.org/gather/dense"
	"gorgonia.org/gather/diff"
	"gorgonia.org/gather/internal/gradtest"
	"gorgonia.org/gather/internal/oracle"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// bagCase is a bag in a graph. Its inputs are (table, indices, borders, weights), or
// what the operator has of them.
type bagCase struct {
	name     string
	table    []int
	indices  oracle.Array[int64]
	borders  []int64
	weighted bool
	opts     []gather.Option
	rule     oracle.BagRule
	bags     [][]int
	apply    func(in []*G.Node, opts ...gather.Option) (*G.Node, error)
}

func offsetsOf(in []*G.Node, opts ...gather.Option) (*G.Node, error) {
	return gather.EmbeddingBagOffsets(in[0], in[1], in[2], at(in, 3), opts...)
}

func packedOf(in []*G.Node, opts ...gather.Option) (*G.Node, error) {
	return gather.EmbeddingBagPacked(in[0], in[1], at(in, 2), opts...)
}

func segmentsOf(n int) func(in []*G.Node, opts ...gather.Option) (*G.Node, error) {
	return func(in []*G.Node, opts ...gather.Option) (*G.Node, error) {
		return gather.EmbeddingSegments(in[0], in[1], in[2], at(in, 3), n, opts...)
	}
}

// at is a node that may be left out.
func at(in []*G.Node, i int) *G.Node {
	if i < len(in) {
		return in[i]
	}
	return nil
}

// bagCases are bags of every operator and reduction: with empty bags, duplicates,
// positions in no bag, skipped ones and weights.
func bagCases() []bagCase {
	var all []bagCase
	list := oracle.From([]int64{3, 0, 3, -1, 2, 2, -4}, 7)
	far := oracle.From([]int64{3, 9, 3, -9, 2, 2, 9}, 7)
	matrix := oracle.From([]int64{3, 0, 3, -1, 2, 2}, 2, 3)
	offsets, ids := []int64{1, 3, 3, 6}, []int64{0, 0, 2, 2, 2, 3, 4}
	for _, r := range []oracle.Reduction{oracle.Add, oracle.Mean, oracle.SqrtN, oracle.Max} {
		for _, weighted := range []bool{false, true} {
			if weighted && r == oracle.Max {
				continue
			}
			reduction := gather.WithReduction(gather.Reduction(r))
			rule := oracle.BagRule{Reduction: r, Default: -1}
			add := func(c bagCase) {
				c.name = fmt.Sprintf("%s %v weights %v", c.name, r, weighted)
				c.opts, c.weighted = append(c.opts, reduction), weighted
				all = append(all, c)
			}
			add(bagCase{name: "offsets", table: []int{4, 3}, indices: list, borders: offsets, rule: rule, bags: oracle.OffsetBags(7, offsets), apply: offsetsOf})
			add(bagCase{name: "packed", table: []int{4, 2, 2}, indices: matrix, rule: rule, bags: oracle.PackedBags(2, 3), apply: packedOf})
			add(bagCase{name: "segments", table: []int{4}, indices: list, borders: ids, rule: rule, bags: oracle.SegmentBags(ids, 6), apply: segmentsOf(6)})
			rule.Default = 1
			add(bagCase{name: "offsets, default", table: []int{4, 3}, indices: list, borders: offsets, rule: rule, opts: []gather.Option{gather.WithDefaultIndex(1)},
				bags: oracle.OffsetBags(7, offsets), apply: offsetsOf})
			lengths, behind := []int64{2, 0, 4, 1}, []int64{1, 3, 3, 6, 7}
			add(bagCase{name: "lengths, default", table: []int{4, 3}, indices: list, borders: lengths, rule: rule, opts: []gather.Option{gather.WithDefaultIndex(1), gather.WithLengths()},
				bags: oracle.LengthBags(lengths), apply: offsetsOf})
			add(bagCase{name: "last offset, default", table: []int{4, 3}, indices: list, borders: behind, rule: rule, opts: []gather.Option{gather.WithDefaultIndex(1), gather.WithLastOffset()},
				bags: oracle.OffsetBags(7, behind[:4]), apply: offsetsOf})
			rule.ZeroFill = true
			add(bagCase{name: "segments, default, skipped", table: []int{4, 3}, indices: far, borders: ids, rule: rule,
				opts: []gather.Option{gather.WithDefaultIndex(1), gather.WithOutOfRange(gather.ZeroFill)}, bags: oracle.SegmentBags(ids, 5), apply: segmentsOf(5)})
		}
	}
	ids = ids[:4]
	return append(all, bagCase{name: "SegmentMax", table: []int{4, 3}, indices: oracle.From([]int64{0, 1, 2, 3}, 4), borders: ids,
		rule: oracle.BagRule{Reduction: oracle.Max, Default: -1}, bags: oracle.SegmentBags(ids, 4),
		apply: func(in []*G.Node, opts ...gather.Option) (*G.Node, error) {
			return gather.SegmentMax(in[0], in[1], 4, opts...)
		}})
}

// inputs are the graph's: the table has no ties.
func (c *bagCase) inputs() []gradtest.Input {
	rng := newRand(7)
	n := 1
	for _, d := range c.table {
		n *= d
	}
	in := []gradtest.Input{{Value: dense(gradtest.Normals(rng, n), c.table...), Differentiate: true}}
	if c.name != "SegmentMax" {
		in = append(in, gradtest.Input{Value: dense(c.indices.Data, c.indices.Shape...)})
	}
	if c.borders != nil {
		in = append(in, gradtest.Input{Value: dense(c.borders, len(c.borders))})
	}
	if c.weighted {
		in = append(in, gradtest.Input{Value: dense(gradtest.Normals(rng, len(c.indices.Data)), c.indices.Shape...), Differentiate: true})
	}
	return in
}

func (c *bagCase) build(in []*G.Node) (*G.Node, error) { return c.apply(in, c.opts...) }

func (c *bagCase) weights(in []gradtest.Input) []float64 {
	if !c.weighted {
		return nil
	}
	return in[len(in)-1].Value.(*tensor.Dense).Float64s()
}

// TestBags runs each case on both machines, compares values and gradients of the
// table with the oracle exactly, and all gradients with finite differences.
func TestBags(t *testing.T) {
	for _, c := range bagCases() {
		t.Run(c.name, func(t *testing.T) {
			in := c.inputs()
			_, err := gradtest.Graph(in, c.build, newRand(1))
			ok(t, err)
			if c.normalized() {
				c.nearFormula(t, in)
				return
			}
			table := oracle.From(in[0].Value.(*tensor.Dense).Float64s(), c.table...)
			want, bad := oracle.Bag(table, c.indices, c.bags, c.weights(in), c.rule, oracle.Floats[float64]())
			if bad != nil {
				t.Fatal(bad)
			}
			u := gradtest.Integers(newRand(2), len(want.Data))
			gradient, _ := oracle.AddBag(oracle.New[float64](c.table...), oracle.From(u, want.Shape...), table, c.indices, c.bags, c.weights(in), c.rule, oracle.Floats[float64]())
			for _, m := range []gradtest.Machine{gradtest.Tape, gradtest.Lisp} {
				got, err := gradtest.Backward(m, in, c.build, u)
				ok(t, err)
				same(t, "values", got.Output, want.Data)
				same(t, "gradient", got.Grads[0], gradient.Data)
			}
		})
	}
}

// normalized tells whether the bag's weights are divided: the formulas hold but for rounding.
func (c *bagCase) normalized() bool {
	return c.rule.Reduction == oracle.SqrtN || c.rule.Reduction == oracle.Mean && c.weighted
}

// nearFormula compares a weighted mean, or SqrtN, and its gradients with the formulas.
func (c *bagCase) nearFormula(t *testing.T, in []gradtest.Input) {
	table, weights := oracle.From(in[0].Value.(*tensor.Dense).Float64s(), c.table...), c.weights(in)
	want, bad := oracle.WeightedBag(table, c.indices, c.bags, weights, c.rule)
	if bad != nil {
		t.Fatal(bad)
	}
	u := gradtest.Integers(newRand(2), len(want.Values.Data))
	grad := oracle.From(u, want.Values.Shape...)
	ofTable, _ := oracle.AddWeightedBag(oracle.New[float64](c.table...), grad, c.indices, c.bags, weights, c.rule)
	for _, m := range []gradtest.Machine{gradtest.Tape, gradtest.Lisp} {
		got, err := gradtest.Backward(m, in, c.build, u)
		ok(t, err)
		near(t, "values", got.Output, want)
		near(t, "gradient", got.Grads[0], ofTable)
		if c.weighted {
			ofWeights, _ := oracle.WeightsOfBag(grad, table, c.indices, c.bags, weights, c.rule)
			near(t, "gradient of weights", got.Grads[len(in)-1], ofWeights)
		}
	}
}

func near(t *testing.T, what string, got []float64, want oracle.Near) {
	t.Helper()
	for i, x := range got {
		if bound := 0x1p-48 * want.Terms.Data[i]; !(math.Abs(x-want.Values.Data[i]) <= bound) {
			t.Errorf("%s: element %d is %v, want %v", what, i, x, want.Values.Data[i])
		}
	}
}

// TestBagsOfFloat32 compares the machines on float32.
func TestBagsOfFloat32(t *testing.T) {
	for _, c := range bagCases() {
		t.Run(c.name, func(t *testing.T) {
			in := c.inputs()
			for i := range in {
				if d := in[i].Value.(*tensor.Dense); in[i].Differentiate {
					narrow := make([]float32, d.Size())
					for j, x := range d.Float64s() {
						narrow[j] = float32(x)
					}
					in[i].Value = dense(narrow, d.Shape()...)
				}
			}
			_, err := gradtest.Graph(in, c.build, newRand(1))
			ok(t, err)
		})
	}
}

// TestBagGradientsTwice differentiates the gradient operators, and what their
// gradients are made of, with fresh variables, by finite differences on both
// machines. Those of sums and means are linear and have gradients of any order;
// that of Max refuses, and that of the weights of a mean and of SqrtN.
func TestBagGradientsTwice(t *testing.T) {
	for _, c := range bagCases() {
		t.Run(c.name, func(t *testing.T) {
			in := c.inputs()
			g := G.NewGraph()
			var nodes []*G.Node
			for i, x := range in {
				nodes = append(nodes, input(g, fmt.Sprint("operand ", i), x.Value))
			}
			out, err := c.build(nodes)
			ok(t, err)
			op, last := out.Op(), len(in)
			grad := dense(gradtest.Normals(newRand(3), out.Shape().TotalSize()), out.Shape()...)
			inputs := append([]gradtest.Input{{Value: grad, Differentiate: true}}, in...)
			// What is an operand of the sum alone would be a loose end without it.
			table := func(in []*G.Node) (*G.Node, error) {
				made, err := diff.BagGradTable(op, in[0], in[1:]...)
				if err != nil {
					return nil, err
				}
				return G.Add(made, in[1])
			}
			_, err = gradtest.Graph(inputs, table, newRand(4))
			if c.rule.Reduction == oracle.Max {
				if err == nil {
					t.Error("the gradient of max has a gradient")
				}
				return
			}
			ok(t, err)
			weights := func(in []*G.Node) (*G.Node, error) {
				made, err := diff.BagGradWeights(op, in[0], in[1:]...)
				if err != nil {
					return nil, err
				}
				return G.Add(made, in[last])
			}
			if c.weighted {
				_, err = gradtest.Graph(inputs, weights, newRand(5))
				if !c.normalized() {
					ok(t, err)
				} else if err == nil || !strings.Contains(err.Error(), "the gradient of the weights of a "+c.rule.Reduction.String()+" has no gradient here") {
					t.Errorf("the gradient of divided weights: %v", err)
				}
			}
			cotangent := input(g, "cotangent", grad)
			made, err := diff.BagGradTable(op, cotangent, nodes...)
			ok(t, err)
			if c.weighted && c.normalized() {
				return // below is the gradient of weights
			}
			// The gradients of the gradient of the table: a bag of a tangent, and the
			// gradient of its weights.
			second := func(in []*G.Node) (*G.Node, error) {
				gradients, err := made.Op().(G.SDOp).SymDiff(append(G.Nodes{in[0]}, in[2:]...), nil, in[1])
				if err != nil {
					return nil, err
				}
				if !c.weighted {
					return G.Add(gradients[0], in[0])
				}
				return G.Add(G.Must(G.Sum(gradients[0])), G.Must(G.Sum(gradients[last-1])))
			}
			_, err = gradtest.Graph(inputs, second, newRand(6))
			ok(t, err)
		})
	}
}

// TestBagAdjointIdentity demands <bag x, u> = <x, gradient u> for random integers,
// exactly.
func TestBagAdjointIdentity(t *testing.T) {
	for _, c := range bagCases() {
		if c.rule.Reduction != oracle.Add || c.weighted {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			in := c.inputs()
			n := len(in[0].Value.(*tensor.Dense).Float64s())
			forward := func(x []float64) ([]float64, error) {
				in[0].Value = dense(x, c.table...)
				r, err := gradtest.Forward(gradtest.Tape, in, c.build)
				return r.Output, err
			}
			backward := func(u []float64) ([]float64, error) {
				r, err := gradtest.Backward(gradtest.Tape, in, c.build, u)
				return r.Grads[0], err
			}
			ok(t, gradtest.AdjointIdentity(forward, backward, n, newRand(8)))
		})
	}
}

// TestBagHash demands that operators of bags which differ in any field, and their
// gradients, have different hashes.
func TestBagHash(t *testing.T) {
	g := G.NewGraph()
	node := func(name string, dt tensor.Dtype, shape ...int) *G.Node {
		return G.NewTensor(g, dt, len(shape), G.WithShape(shape...), G.WithName(name))
	}
	table, table32, wide := node("table", tensor.Float64, 3, 3), node("table32", tensor.Float32, 3, 3), node("wide", tensor.Float64, 3, 3, 3)
	long := node("long", tensor.Float64, 4, 3)
	idx, idx32, matrix := node("idx", tensor.Int64, 3), node("idx32", tensor.Int32, 3), node("matrix", tensor.Int64, 3, 3)
	first, first32 := node("first", tensor.Int64, 3), node("first32", tensor.Int32, 3)
	weights, weights2 := node("weights", tensor.Float64, 3), node("weights of two axes", tensor.Float64, 3, 3)
	mean, most, sqrtN := gather.WithReduction(gather.Mean), gather.WithReduction(gather.Max), gather.WithReduction(gather.SqrtN)
	zeros, positive := gather.WithOutOfRange(gather.ZeroFill), gather.WithNonNegativeIndices()
	all := []built{}
	add := func(name string, out *G.Node, err error, inputs ...*G.Node) {
		t.Helper()
		ok(t, err)
		all = append(all, built{name: name, out: out})
		made, err := diff.BagGradTable(out.Op(), out, inputs...)
		ok(t, err)
		all = append(all, built{name: "gradient of " + name, out: made})
		if last := inputs[len(inputs)-1]; last == weights || last == weights2 {
			made, err := diff.BagGradWeights(out.Op(), out, inputs...)
			ok(t, err)
			all = append(all, built{name: "weights of " + name, out: made})
		}
	}
	for name, opts := range map[string][]gather.Option{
		"": nil, "mean": {mean}, "max": {most}, "sqrtn": {sqrtN}, "default 0": {gather.WithDefaultIndex(0)}, "default 1": {gather.WithDefaultIndex(1)},
		"policy": {zeros}, "non-negative": {positive}, "both": {zeros, positive},
	} {
		out, err := gather.EmbeddingBagOffsets(table, idx, first, nil, opts...)
		add("offsets "+name, out, err, table, idx, first)
		out, err = gather.EmbeddingSegments(table, idx, first, nil, 3, opts...)
		add("segments "+name, out, err, table, idx, first)
	}
	for name, opts := range map[string][]gather.Option{"lengths": {gather.WithLengths()}, "last offset": {gather.WithLastOffset()}} {
		out, err := gather.EmbeddingBagOffsets(table, idx, first, nil, opts...)
		add("offsets "+name, out, err, table, idx, first)
	}
	for name, opts := range map[string][]gather.Option{"mean": {mean}, "sqrtn": {sqrtN}} {
		out, err := gather.EmbeddingBagOffsets(table, idx, first, weights, opts...)
		add("offsets weights "+name, out, err, table, idx, first, weights)
		out, err = gather.EmbeddingBagPacked(table, matrix, weights2, opts...)
		add("packed weights "+name, out, err, table, matrix, weights2)
	}
	for name, opts := range map[string][]gather.Option{"": nil, "mean": {mean}, "max": {most}, "sqrtn": {sqrtN}, "policy": {zeros}, "non-negative": {positive}} {
		out, err := gather.EmbeddingBagPacked(table, matrix, nil, opts...)
		add("packed "+name, out, err, table, matrix)
	}
	out, err := gather.EmbeddingBagOffsets(table, idx, first, weights)
	add("offsets weights", out, err, table, idx, first, weights)
	out, err = gather.EmbeddingBagPacked(table, matrix, weights2)
	add("packed weights", out, err, table, matrix, weights2)
	out, err = gather.EmbeddingSegments(table, idx, first, weights, 3)
	add("segments weights", out, err, table, idx, first, weights)
	out, err = gather.EmbeddingSegments(table, idx, first, nil, 4)
	add("4 segments", out, err, table, idx, first)
	for name, data := range map[string]*G.Node{"dtype": table32, "rank": wide, "rows": long} {
		out, err := gather.EmbeddingBagOffsets(data, idx, first, nil)
		if name == "rows" { // of the gradient alone: the operator knows ranks
			made, err := diff.BagGradTable(out.Op(), out, data, idx, first)
			ok(t, err)
			all = append(all, built{name: "gradient, rows", out: made})
			continue
		}
		add("offsets "+name, out, err, data, idx, first)
	}
	out, err = gather.EmbeddingBagOffsets(table, idx32, first, nil)
	add("offsets, index dtype", out, err, table, idx32, first)
	out, err = gather.EmbeddingBagOffsets(table, idx, first32, nil)
	add("offsets, offset dtype", out, err, table, idx, first32)
	for name, opts := range map[string][]gather.Option{"": nil, "lowest": {gather.WithFillMode(gather.FillLowest)}} {
		out, err := gather.SegmentMax(table, first, 3, opts...)
		add("SegmentMax "+name, out, err, table, first)
	}
	out, err = gather.SegmentMax(table, first, 4)
	add("SegmentMax 4", out, err, table, first)
	distinct(t, all)
}

// TestBagsRefused has what can be known to be wrong when a graph is built.
func TestBagsRefused(t *testing.T) {
	g := G.NewGraph()
	node := func(name string, dt tensor.Dtype, shape ...int) *G.Node {
		return G.NewTensor(g, dt, len(shape), G.WithShape(shape...), G.WithName(name))
	}
	table, idx, first := node("table", tensor.Float64, 3, 2), node("idx", tensor.Int64, 5), node("first", tensor.Int64, 4)
	weights, unnamed := node("weights", tensor.Float64, 5), G.NewVector(g, tensor.Int64, G.WithShape(5))
	offsets := func(table, idx, first, weights *G.Node, opts ...gather.Option) error {
		_, err := gather.EmbeddingBagOffsets(table, idx, first, weights, opts...)
		return err
	}
	segments := func(ids *G.Node, n int, opts ...gather.Option) error {
		_, err := gather.EmbeddingSegments(table, idx, ids, nil, n, opts...)
		return err
	}
	most := func(n int, opts ...gather.Option) error {
		_, err := gather.SegmentMax(table, node("three", tensor.Int64, 3), n, opts...)
		return err
	}
	packed := func(opts ...gather.Option) error {
		_, err := gather.EmbeddingBagPacked(table, node("matrix", tensor.Int64, 5, 2), nil, opts...)
		return err
	}
	for text, c := range map[string]struct {
		err, is error
	}{
		"EmbeddingBagOffsets: table is nil, a node is needed":                                                                         {offsets(nil, idx, first, nil), nil},
		"EmbeddingBagOffsets: offsets is nil, a node is needed":                                                                       {offsets(table, idx, nil, nil), nil},
		"EmbeddingBagOffsets: offsets (3, 2) have rank 2, 1 is needed":                                                                {offsets(table, idx, table, nil), gather.ErrShape},
		"EmbeddingBagOffsets: weights (4) must have the shape of indices (5)":                                                         {offsets(table, idx, first, node("short", tensor.Float64, 4)), gather.ErrShape},
		"EmbeddingBagOffsets: weights have dtype float32, table has float64":                                                          {offsets(table, idx, first, node("w32", tensor.Float32, 5)), gather.ErrDtype},
		"EmbeddingBagOffsets: offsets have dtype float64, integers are needed":                                                        {offsets(table, idx, node("f", tensor.Float64, 5), nil), gather.ErrDtype},
		"EmbeddingBagOffsets: values of dtype bool have no reduction add, allowed is none":                                            {offsets(node("flags", tensor.Bool, 3), idx, first, nil), gather.ErrDtype},
		"EmbeddingBagOffsets: values of dtype complex128 have no reduction max, allowed is add, mean":                                 {offsets(node("waves", tensor.Complex128, 3), idx, first, nil, gather.WithReduction(gather.Max)), gather.ErrDtype},
		"EmbeddingBagOffsets: values of dtype complex128 have no reduction sqrtn, allowed is add, mean":                               {offsets(node("sea", tensor.Complex128, 3), idx, first, nil, gather.WithReduction(gather.SqrtN)), gather.ErrDtype},
		"EmbeddingBagOffsets: values of dtype int32 have no reduction sqrtn, allowed is add, mean, max":                               {offsets(node("counts", tensor.Int32, 3), idx, first, nil, gather.WithReduction(gather.SqrtN)), gather.ErrDtype},
		"EmbeddingBagOffsets: values of dtype int32 have no mean with weights, real floats have one":                                  {offsets(node("ints", tensor.Int32, 3), idx, first, node("int weights", tensor.Int32, 5), gather.WithReduction(gather.Mean)), gather.ErrDtype},
		"EmbeddingBagOffsets: values of dtype complex64 have no mean with weights, real floats have one":                              {offsets(node("c", tensor.Complex64, 3), idx, first, node("c weights", tensor.Complex64, 5), gather.WithReduction(gather.Mean)), gather.ErrDtype},
		"EmbeddingBagOffsets: weights do not apply to WithReduction(max), only to add, mean and sqrtn":                                {offsets(table, idx, first, weights, gather.WithReduction(gather.Max)), gather.ErrOption},
		"EmbeddingBagOffsets: WithLengths and WithLastOffset are given, one of them is allowed":                                       {offsets(table, idx, first, nil, gather.WithLastOffset(), gather.WithLengths()), gather.ErrOption},
		"EmbeddingBagOffsets: offsets (0) with WithLastOffset, 1 or more are needed: the last one is the number of indices":           {offsets(table, idx, node("none", tensor.Int64, 0), nil, gather.WithLastOffset()), gather.ErrShape},
		"EmbeddingBagPacked: WithLengths does not apply, the options are: WithOutOfRange, WithNonNegativeIndices, WithReduction":      {packed(gather.WithLengths()), gather.ErrOption},
		"EmbeddingBagPacked: WithLastOffset does not apply, the options are: WithOutOfRange, WithNonNegativeIndices, WithReduction":   {packed(gather.WithLastOffset()), gather.ErrOption},
		"EmbeddingBagOffsets: WithReduction(none), allowed are add, mean, sqrtn and max":                                              {offsets(table, idx, first, nil, gather.WithReduction(gather.None)), gather.ErrOption},
		"EmbeddingBagOffsets: WithReduction(mul), allowed are add, mean, sqrtn and max":                                               {offsets(table, idx, first, nil, gather.WithReduction(gather.Mul)), gather.ErrOption},
		"EmbeddingBagOffsets: WithDefaultIndex(3), the table has 3 rows":                                                              {offsets(table, idx, first, nil, gather.WithDefaultIndex(3)), gather.ErrOption},
		"EmbeddingBagOffsets: WithDefaultIndex(-2), the rows of the table are allowed, and -1 for none":                               {offsets(table, idx, first, nil, gather.WithDefaultIndex(-2)), gather.ErrOption},
		"EmbeddingSegments: WithDefaultIndex(-1), the rows of the table are allowed":                                                  {segments(idx, 3, gather.WithDefaultIndex(-1)), gather.ErrOption},
		"EmbeddingSegments: numSegments is -1, 0 is the least":                                                                        {segments(idx, -1), gather.ErrShape},
		"EmbeddingSegments: segmentIDs (4) must have the shape of indices (5)":                                                        {segments(first, 3), gather.ErrShape},
		"EmbeddingBagPacked: WithDefaultIndex does not apply, the options are: WithOutOfRange, WithNonNegativeIndices, WithReduction": {packed(gather.WithDefaultIndex(0)), gather.ErrOption},
		"SegmentMax: WithReduction does not apply, the options are: WithOutOfRange, WithFillMode, WithEmptySegment":                   {most(3, gather.WithReduction(gather.Max)), gather.ErrOption},
		"SegmentMax: WithFillMode(2), allowed are FillZero and FillLowest":                                                            {most(3, gather.WithFillMode(2)), gather.ErrOption},
		"EmbeddingBagOffsets: WithReuse applies to package dense only":                                                                {offsets(table, idx, first, nil, gatherdense.WithReuse(tensor.New(tensor.Of(tensor.Float64), tensor.WithShape(1)))), gather.ErrOption},
	} {
		if c.err == nil || c.err.Error() != text || c.is != nil && !errors.Is(c.err, c.is) {
			t.Errorf("error %v, want %s", c.err, text)
		}
	}
	for _, err := range []error{offsets(table, unnamed, first, nil), offsets(table, idx, unnamed, nil), segments(unnamed, 3)} {
		if err == nil || !containsAll(err.Error(), "input node without a name") {
			t.Errorf("unnamed operands: %v", err)
		}
	}
	ok(t, offsets(table, idx, first, nil, gather.WithDefaultIndex(-1)))
}

// TestBagErrorsOfRuns has errors that a run finds, on TapeMachine.
func TestBagErrorsOfRuns(t *testing.T) {
	run := func(indices, borders []int64, apply func(in []*G.Node) (*G.Node, error)) error {
		g := G.NewGraph()
		in := []*G.Node{input(g, "table", dense2(3, 2)), input(g, "item ids", dense(indices, len(indices))), input(g, "borders", dense(borders, len(borders)))}
		_, err := apply(in)
		ok(t, err)
		vm := G.NewTapeMachine(g)
		defer vm.Close()
		return vm.RunAll()
	}
	offsets := func(in []*G.Node) (*G.Node, error) { return offsetsOf(in) }
	segments := func(in []*G.Node) (*G.Node, error) { return segmentsOf(2)(in) }
	for text, err := range map[string]error{
		`EmbeddingBagOffsets(table, "item ids", borders): indices[1]: 3 out of range [-3, 3) for data axis 0; gather.WithOutOfRange allows such`: run([]int64{0, 3}, []int64{0}, offsets),
		`EmbeddingSegments(table, "item ids", borders): segmentIDs[1]: 2 out of range [0, 2) for result axis 0; raise numSegments`:               run([]int64{0, 1}, []int64{0, 2}, segments),
	} {
		bad, is := gather.AsIndexError(err)
		if !is || bad.Error() != text {
			t.Errorf("error %v, want %s", err, text)
		}
	}
	for text, err := range map[string]error{
		"offsets[1] is 1, allowed are ascending numbers from 0 to 2, the number of indices; the one before is 2": run([]int64{0, 1}, []int64{2, 1}, offsets),
		"offsets[0] is 3, allowed are ascending numbers from 0 to 2, the number of indices":                      run([]int64{0, 1}, []int64{3}, offsets),
		"segmentIDs[0] is 1 and segmentIDs[1] is 0, they must be ascending":                                      run([]int64{0, 1}, []int64{1, 0}, segments),
	} {
		if err == nil || !containsAll(err.Error(), text) {
			t.Errorf("error %v, want %s", err, text)
		}
	}
}

func containsAll(text string, parts ...string) bool {
	for _, p := range parts {
		if !strings.Contains(text, p) {
			return false
		}
	}
	return true
}
