package gather_test

import (
	"fmt"
	"strings"
	"testing"

	"gorgonia.org/gather"
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
			rule.ZeroFill, rule.Padding = false, oracle.Padding{Padded: true, ID: -1}
			padding := gather.WithPadding(-1)
			add(bagCase{name: "offsets, default, padded", table: []int{4, 3}, indices: oracle.From([]int64{-1, -1, -1, 3, -1, 2, -4}, 7), borders: offsets, rule: rule,
				opts: []gather.Option{gather.WithDefaultIndex(1), padding}, bags: oracle.OffsetBags(7, offsets), apply: offsetsOf})
			rule.Default = -1
			add(bagCase{name: "packed, padded", table: []int{4, 2, 2}, indices: matrix, rule: rule, opts: []gather.Option{padding}, bags: oracle.PackedBags(2, 3), apply: packedOf})
			add(bagCase{name: "segments, padded", table: []int{4}, indices: list, borders: ids, rule: rule, opts: []gather.Option{padding}, bags: oracle.SegmentBags(ids, 6), apply: segmentsOf(6)})
		}
	}
	padded := []int64{0, -1, 0, 2}
	most := func(in []*G.Node, opts ...gather.Option) (*G.Node, error) {
		return gather.SegmentMax(in[0], in[1], 4, opts...)
	}
	all = append(all, bagCase{name: "SegmentMax, padded", table: []int{4, 3}, indices: oracle.From([]int64{0, 1, 2, 3}, 4), borders: padded,
		rule: oracle.BagRule{Reduction: oracle.Max, Default: -1}, opts: []gather.Option{gather.WithPadding(-1)}, bags: oracle.SegmentBags(padded, 4), apply: most})
	ids = ids[:4]
	return append(all, bagCase{name: "SegmentMax", table: []int{4, 3}, indices: oracle.From([]int64{0, 1, 2, 3}, 4), borders: ids,
		rule: oracle.BagRule{Reduction: oracle.Max, Default: -1}, bags: oracle.SegmentBags(ids, 4),
		apply: most})
}

// inputs are the graph's: the table has no ties.
func (c *bagCase) inputs() []gradtest.Input {
	rng := newRand(7)
	n := 1
	for _, d := range c.table {
		n *= d
	}
	in := []gradtest.Input{{Value: dense(gradtest.Normals(rng, n), c.table...), Differentiate: true}}
	if !strings.HasPrefix(c.name, "SegmentMax") {
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
