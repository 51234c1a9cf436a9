package gather_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gorgonia.org/gather"
	"gorgonia.org/gather/diff"
	"gorgonia.org/gather/internal/gradtest"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/gorgonia/encoding/dot"
	"gorgonia.org/tensor"
)

// built is an operator applied to inputs.
type built struct {
	name               string
	data, indices, out *G.Node
}

// differing builds operators of which no two are the same: each differs from
// another one in a single field, as its name says. The dims are all 3, so that
// the shapes tell nothing apart.
func differing(t *testing.T, g *G.ExprGraph) []built {
	t.Helper()
	node := func(name string, dt tensor.Dtype, shape ...int) *G.Node {
		return G.NewTensor(g, dt, len(shape), G.WithShape(shape...), G.WithName(name))
	}
	cube, cube32 := node("cube", tensor.Float64, 3, 3, 3), node("cube32", tensor.Float32, 3, 3, 3)
	wide := node("wide", tensor.Float64, 3, 3, 3, 3)
	idx, idx32 := node("idx", tensor.Int64, 3, 3, 3), node("idx32", tensor.Int32, 3, 3, 3)
	column := node("column", tensor.Int64, 3, 3, 3, 3)
	one, two := gather.WithBatchDims(1), gather.WithBatchDims(2)
	zeros, positive := gather.WithOutOfRange(gather.ZeroFill), gather.WithNonNegativeIndices()
	pairs, pairs32 := node("pairs", tensor.Int64, 3, 3, 1), node("pairs32", tensor.Int32, 3, 3, 1)
	lists := node("lists", tensor.Int64, 3, 3, 3, 1)

	along := func(apply func(data, indices *G.Node, axis int, opts ...gather.Option) (*G.Node, error), axis int) func(data, indices *G.Node, opts ...gather.Option) (*G.Node, error) {
		return func(data, indices *G.Node, opts ...gather.Option) (*G.Node, error) {
			return apply(data, indices, axis, opts...)
		}
	}
	axis2, axis1 := along(gather.Gather, 2), along(gather.Gather, 1)
	elements2, elements1 := along(gather.GatherElements, 2), along(gather.GatherElements, 1)
	nd := gather.GatherND
	var all []built
	for _, c := range []struct {
		name          string
		apply         func(data, indices *G.Node, opts ...gather.Option) (*G.Node, error)
		data, indices *G.Node
		opts          []gather.Option
	}{
		{"Gather", axis2, cube, idx, nil},
		{"Gather, axis", axis1, cube, idx, nil},
		{"Gather, batch dims", axis2, cube, idx, []gather.Option{one}},
		{"Gather, more batch dims", axis2, cube, idx, []gather.Option{two}},
		{"Gather, policy", axis2, cube, idx, []gather.Option{zeros}},
		{"Gather, another policy", axis2, cube, idx, []gather.Option{gather.WithOutOfRange(gather.Clamp)}},
		{"Gather, padding", axis2, cube, idx, []gather.Option{gather.WithPadding(-1)}},
		{"Gather, another padding", axis2, cube, idx, []gather.Option{gather.WithPadding(0)}},
		{"Gather, non-negative", axis2, cube, idx, []gather.Option{positive}},
		{"Gather, policy and non-negative", axis2, cube, idx, []gather.Option{positive, zeros}},
		{"Gather, index dtype", axis2, cube, idx32, nil},
		{"Gather, index rank", axis2, cube, column, nil},
		{"Gather, data dtype", axis2, cube32, idx, nil},
		{"Gather, data rank", axis2, wide, idx, nil},
		{"Elements", elements2, cube, idx, nil},
		{"Elements, axis", elements1, cube, idx, nil},
		{"Elements, policy", elements2, cube, idx, []gather.Option{zeros}},
		{"Elements, another policy", elements2, cube, idx, []gather.Option{gather.WithOutOfRange(gather.Clamp)}},
		{"Elements, padding", elements2, cube, idx, []gather.Option{gather.WithPadding(-1)}},
		{"Elements, non-negative", elements2, cube, idx, []gather.Option{positive}},
		{"Elements, index dtype", elements2, cube, idx32, nil},
		{"Elements, data dtype", elements2, cube32, idx, nil},
		{"Elements, ranks", elements2, wide, column, nil},
		{"ND", nd, cube, pairs, nil},
		{"ND, batch dims", nd, cube, pairs, []gather.Option{one}},
		{"ND, more batch dims", nd, wide, lists, []gather.Option{two}},
		{"ND, fused", nd, wide, lists, []gather.Option{two, gather.WithFusedBatchDims()}},
		{"ND, policy", nd, cube, pairs, []gather.Option{zeros}},
		{"ND, another policy", nd, cube, pairs, []gather.Option{gather.WithOutOfRange(gather.Clamp)}},
		{"ND, padding", nd, cube, pairs, []gather.Option{gather.WithPadding(-1)}},
		{"ND, non-negative", nd, cube, pairs, []gather.Option{positive}},
		{"ND, index dtype", nd, cube, pairs32, nil},
		{"ND, index rank", nd, cube, lists, nil},
		{"ND, data dtype", nd, cube32, pairs, nil},
		{"ND, data rank", nd, wide, pairs, nil},
		{"ND, longer tuples", nd, cube, idx, nil},
	} {
		out, err := c.apply(c.data, c.indices, c.opts...)
		ok(t, err)
		all = append(all, built{c.name, c.data, c.indices, out})
	}
	return all
}

// TestHash demands that operators which differ in any field have different
// hashes: Gorgonia makes one node of operators with one hash and one input.
func TestHash(t *testing.T) {
	distinct(t, differing(t, G.NewGraph()))
}

// TestHashOfGradients demands the same of the gradient operators. The shape of
// data is one of their fields.
func TestHashOfGradients(t *testing.T) {
	g := G.NewGraph()
	var gradients []built
	for _, b := range differing(t, g) {
		out, err := diff.ScatterAdd(b.out.Op(), b.out, b.indices, b.data.Shape())
		ok(t, err)
		gradients = append(gradients, built{name: b.name, out: out})
	}
	indices := G.NewVector(g, tensor.Int64, G.WithShape(2), G.WithName("vector"))
	updates := G.NewMatrix(g, tensor.Float64, G.WithShape(2, 3), G.WithName("updates"))
	for _, rows := range []int{4, 5} {
		data := G.NewMatrix(g, tensor.Float64, G.WithShape(rows, 3), G.WithName(fmt.Sprint(rows, " rows")))
		gathered, err := gather.Gather(data, indices, 0)
		ok(t, err)
		out, err := diff.ScatterAdd(gathered.Op(), updates, indices, data.Shape())
		ok(t, err)
		gradients = append(gradients, built{name: fmt.Sprint(rows, " rows"), out: out})
	}
	distinct(t, gradients)
}

// distinct demands different hashes and nodes.
func distinct(t *testing.T, all []built) {
	t.Helper()
	hashes, nodes := map[uint32]string{}, map[*G.Node]string{}
	for _, b := range all {
		hash := b.out.Op().Hashcode()
		if other, taken := hashes[hash]; taken {
			t.Errorf("%q and %q have one hash", b.name, other)
		}
		if other, taken := nodes[b.out]; taken {
			t.Errorf("%q and %q are one node", b.name, other)
		}
		hashes[hash], nodes[b.out] = b.name, b.name
	}
}

// TestMerge has operators that are the same, however they were asked for, and
// therefore become one node.
func TestMerge(t *testing.T) {
	g := G.NewGraph()
	cube := G.NewTensor(g, tensor.Float64, 3, G.WithShape(2, 3, 4), G.WithName("cube"))
	same := G.NewTensor(g, tensor.Int64, 3, G.WithShape(2, 3, 1), G.WithName("indices"))
	for _, c := range []struct {
		name          string
		first, second func() (*G.Node, error)
	}{
		{"twice the same",
			func() (*G.Node, error) { return gather.Gather(cube, same, 1) },
			func() (*G.Node, error) { return gather.Gather(cube, same, 1) }},
		{"axis from the end",
			func() (*G.Node, error) { return gather.Gather(cube, same, -1) },
			func() (*G.Node, error) { return gather.Gather(cube, same, 2) }},
		{"axis of GatherElements from the end",
			func() (*G.Node, error) { return gather.GatherElements(cube, same, -3) },
			func() (*G.Node, error) { return gather.GatherElements(cube, same, 0) }},
		{"batch dims from the end",
			func() (*G.Node, error) { return gather.Gather(cube, same, 2, gather.WithBatchDims(-2)) },
			func() (*G.Node, error) { return gather.Gather(cube, same, 2, gather.WithBatchDims(1)) }},
		{"a default spelt out",
			func() (*G.Node, error) {
				return gather.GatherND(cube, same, gather.WithOutOfRange(gather.Reject), gather.WithBatchDims(0))
			},
			func() (*G.Node, error) { return gather.GatherND(cube, same) }},
		{"the last of an option counts",
			func() (*G.Node, error) {
				return gather.GatherND(cube, same, gather.WithBatchDims(2), gather.WithBatchDims(1))
			},
			func() (*G.Node, error) { return gather.GatherND(cube, same, gather.WithBatchDims(1)) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			first, err := c.first()
			ok(t, err)
			second, err := c.second()
			ok(t, err)
			if first != second {
				t.Errorf("%v and %v are two nodes", first, second)
			}
			if first.Op().Hashcode() != second.Op().Hashcode() {
				t.Errorf("%v and %v have different hashes", first.Op(), second.Op())
			}
		})
	}
}

// TestHashTrap is the trap that Gorgonia's SoftMax falls into: two operators on
// one input which differ in a field alone, in one graph. Each must have its own
// result and its own gradient.
func TestHashTrap(t *testing.T) {
	build := func(in []*G.Node) (*G.Node, error) {
		strict, err := gather.Gather(in[0], in[1], 0, gather.WithOutOfRange(gather.ZeroFill))
		if err != nil {
			return nil, err
		}
		positive, err := gather.Gather(in[0], in[1], 0, gather.WithOutOfRange(gather.ZeroFill), gather.WithNonNegativeIndices())
		if err != nil {
			return nil, err
		}
		return G.Sub(strict, positive)
	}
	onMachines(t, func(t *testing.T, m gradtest.Machine) {
		got, err := gradtest.Backward(m, []gradtest.Input{
			{Value: dense([]float64{1, 2, 3}, 3), Differentiate: true}, {Value: dense([]int64{0, -1, 7}, 3)},
		}, build, []float64{10, 20, 30})
		ok(t, err)
		same(t, "values", got.Output, []float64{0, 3, 0})
		same(t, "gradient", got.Grads[0], []float64{0, 0, 20})
	})
}

// TestDOT prints graphs with operators and gradients in both of Gorgonia's DOT
// forms. The labels are HTML, so the operators' text must not hold its marks.
func TestDOT(t *testing.T) {
	g := G.NewGraph()
	data := input(g, "data", dense([]float64{1, 2, 3, 4}, 2, 2))
	out, err := gather.Gather(data, input(g, "rows", dense([]int64{1, -1}, 2)), -2, gather.WithNonNegativeIndices())
	ok(t, err)
	out, err = gather.GatherElements(out, input(g, "columns", dense([]int64{1, 0}, 2, 1)), 1)
	ok(t, err)
	out, err = gather.GatherND(out, input(g, "tuples", dense([]int64{1, 0}, 2, 1)), gather.WithBatchDims(1), gather.WithOutOfRange(gather.ZeroFill))
	ok(t, err)
	_, err = G.Grad(G.Must(G.Sum(out)), data)
	ok(t, err)
	marshalled, err := dot.Marshal(g)
	ok(t, err)
	for form, text := range map[string]string{"ToDot": g.ToDot(), "dot.Marshal": string(marshalled)} {
		for _, want := range []string{
			"Gather(axis=0, non_negative=true)", "GatherElements(axis=1)", "GatherND(batch_dims=1, out_of_range=zeros)",
			"ScatterAdd into (2, 2), adjoint of Gather(axis=0, non_negative=true)",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%s has no %q:\n%s", form, want, text)
			}
		}
	}
	for _, n := range g.AllNodes() {
		if n.Op() != nil && strings.ContainsAny(n.Op().String(), "<>&\"") {
			t.Errorf("%v holds marks of HTML", n.Op())
		}
	}
}

// TestGatherTreeHash has two dtypes, which are two operators.
func TestGatherTreeHash(t *testing.T) {
	g := G.NewGraph()
	in := treeInputs(g)
	first, err := gather.GatherTree(in[0], in[1], in[2], in[3])
	ok(t, err)
	steps := G.NewTensor(g, tensor.Int32, 3, G.WithShape(3, 1, 2), G.WithName("int32 steps"))
	second, err := gather.GatherTree(steps, steps, G.NewVector(g, tensor.Int32, G.WithShape(1), G.WithName("int32 lengths")), G.NewScalar(g, tensor.Int32, G.WithName("int32 end")))
	ok(t, err)
	distinct(t, []built{{name: "float64", out: first}, {name: "int32", out: second}})
}

// TestNamesAreNotHashed gives operators that differ in their operands' names alone
// one hash and one text.
func TestNamesAreNotHashed(t *testing.T) {
	g := G.NewGraph()
	var ops []G.Op
	for _, name := range []string{"a", "b"} {
		x, idx := input(g, "x"+name, dense([]float64{1, 2, 3}, 3)), input(g, "i"+name, dense([]int64{0, 1}, 2))
		n, err := gather.Gather(x, idx, 0)
		ok(t, err)
		ops = append(ops, n.Op())
	}
	if ops[0].Hashcode() != ops[1].Hashcode() || ops[0].String() != ops[1].String() {
		t.Errorf("%v and %v differ", ops[0], ops[1])
	}
}

// TestScatterHash demands different hashes of operators that differ in any
// field.
func TestScatterHash(t *testing.T) {
	g := G.NewGraph()
	node := func(name string, dt tensor.Dtype, rank int) *G.Node {
		return G.NewTensor(g, dt, rank, G.WithShape([]int{1, 1, 1, 1}[:rank]...), G.WithName(name))
	}
	square, index, again := node("square", tensor.Float64, 2), node("index", tensor.Int64, 2), node("again", tensor.Float64, 2)
	var all []built
	add := func(name string, out *G.Node, err error) {
		t.Helper()
		ok(t, err)
		all = append(all, built{name: name, out: out})
	}
	elements := func(name string, data, indices, updates *G.Node, axis int, opts ...gather.Option) {
		t.Helper()
		out, err := gather.ScatterElements(data, indices, updates, axis, opts...)
		add("elements "+name, out, err)
	}
	elements("", square, index, again, 0)
	elements("axis", square, index, again, 1)
	elements("non-negative", square, index, again, 0, gather.WithNonNegativeIndices())
	elements("skip", square, index, again, 0, gather.WithOutOfRange(gather.Skip))
	elements("padding", square, index, again, 0, gather.WithPadding(-1))
	elements("another padding", square, index, again, 0, gather.WithPadding(0))
	elements("no init", square, index, again, 0, gather.WithInitValue(false))
	for r := gather.Add; r <= gather.Mean; r++ {
		elements(r.String(), square, index, again, 0, gather.WithReduction(r))
		elements(r.String()+", no init", square, index, again, 0, gather.WithReduction(r), gather.WithInitValue(false))
	}
	elements("index dtype", square, node("index32", tensor.Int32, 2), again, 0)
	elements("data dtype", node("square32", tensor.Float32, 2), index, node("again32", tensor.Float32, 2), 0)
	elements("rank", node("cube", tensor.Float64, 3), node("index3", tensor.Int64, 3), node("again3", tensor.Float64, 3), 0)
	nd := func(name string, indices, updates *G.Node, opts ...gather.Option) {
		t.Helper()
		out, err := gather.ScatterND(square, indices, updates, opts...)
		add("nd "+name, out, err)
	}
	pair := node("pair", tensor.Int64, 1)
	nd("", index, again)
	nd("add", index, again, gather.WithReduction(gather.Add))
	nd("skip", index, again, gather.WithOutOfRange(gather.Skip))
	nd("padding", index, again, gather.WithPadding(-1))
	nd("another padding", index, again, gather.WithPadding(0))
	nd("rank of indices", pair, node("row", tensor.Float64, 1))
	update := func(name string, indices *G.Node, axis int, opts ...gather.Option) {
		t.Helper()
		out, err := gather.ScatterUpdate(square, indices, again, axis, opts...)
		add("update "+name, out, err)
	}
	update("", pair, 0)
	update("axis", pair, 1)
	update("non-negative", pair, 0, gather.WithNonNegativeIndices())
	update("skip", pair, 0, gather.WithOutOfRange(gather.Skip))
	update("padding", pair, 0, gather.WithPadding(-1))
	update("another padding", pair, 0, gather.WithPadding(0))
	update("index dtype", node("pair32", tensor.Int32, 1), 0)
	for r := gather.Add; r <= gather.Mean; r++ {
		update(r.String(), pair, 0, gather.WithReduction(r))
		update(r.String()+", no init", pair, 0, gather.WithReduction(r), gather.WithInitValue(false))
	}
	distinct(t, all)

	first, err := gather.ScatterElements(square, index, again, -2, gather.WithReduction(gather.None), gather.WithInitValue(true))
	ok(t, err)
	if first != all[0].out {
		t.Error("defaults spelt out, and the axis from the end, are another node")
	}
}

// TestSegmentHash demands different hashes of operators of segments that differ in any
// field, and of their gradients.
func TestSegmentHash(t *testing.T) {
	g := G.NewGraph()
	node := func(name string, dt tensor.Dtype, rank int) *G.Node {
		return G.NewTensor(g, dt, rank, G.WithShape([]int{3, 3, 3}[:rank]...), G.WithName(name))
	}
	rows, rows32, wide := node("rows", tensor.Float64, 2), node("rows32", tensor.Float32, 2), node("wide", tensor.Float64, 3)
	ids, ids32 := node("ids", tensor.Int64, 1), node("ids32", tensor.Int32, 1)
	var all, gradients []built
	for name, apply := range segmentFuncs {
		type variant struct {
			name      string
			data, ids *G.Node
			segments  int
			opts      []gather.Option
		}
		variants := []variant{
			{"", rows, ids, 3, nil},
			{"segments", rows, ids, 4, nil},
			{"skip", rows, ids, 3, []gather.Option{gather.WithOutOfRange(gather.Skip)}},
			{"padding", rows, ids, 3, []gather.Option{gather.WithPadding(-1)}},
			{"another padding", rows, ids, 3, []gather.Option{gather.WithPadding(0)}},
			{"data dtype", rows32, ids, 3, nil},
			{"index dtype", rows, ids32, 3, nil},
			{"rank", wide, ids, 3, nil},
		}
		if name != "SegmentSoftmax" {
			for _, x := range []float64{1, -1, 0.1, math.Inf(1), math.NaN(), math.Copysign(0, -1)} {
				variants = append(variants, variant{fmt.Sprint("empty ", x), rows, ids, 3, []gather.Option{gather.WithEmptySegment(x)}})
			}
		}
		if name == "SegmentMax" {
			variants = append(variants, variant{"lowest", rows, ids, 3, []gather.Option{gather.WithFillMode(gather.FillLowest)}})
		}
		for _, v := range variants {
			out, err := apply(v.data, v.ids, v.segments, v.opts...)
			ok(t, err)
			all = append(all, built{name: name + " " + v.name, out: out})
			if name != "SegmentSoftmax" && (strings.HasPrefix(v.name, "empty") || v.name == "lowest") || v.name == "segments" {
				continue // an empty segment has no gradient, and the gradient's shape says how many segments there are
			}
			grads, err := out.Op().(G.SDOp).SymDiff(G.Nodes{v.data, v.ids}, out, out)
			ok(t, err)
			gradients = append(gradients, built{name: "gradient of " + name + " " + v.name, out: grads[0]})
		}
	}
	distinct(t, append(all, gradients...))

	first, err := gather.SegmentSum(rows, ids, 3)
	ok(t, err)
	second, err := gather.SegmentSum(rows, ids, 3, gather.WithEmptySegment(0), gather.WithOutOfRange(gather.Reject))
	ok(t, err)
	if first != second {
		t.Error("defaults spelt out are another node")
	}
}
