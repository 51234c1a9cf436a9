package gather_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gorgonia.org/gather"
	"gorgonia.org/gather/internal/gradtest"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// longIndices are 100 indices of which the 50th alone is given: in print they all
// look alike, and Gorgonia makes one node of constants that do.
func longIndices(fiftieth int64) *tensor.Dense {
	values := make([]int64, 100)
	values[50] = fiftieth
	return dense(values, 100)
}

// TestConstantIndices looks up by two constants that print alike, on both
// machines, with gradients.
func TestConstantIndices(t *testing.T) {
	build := func(in []*G.Node) (*G.Node, error) {
		first, err := gather.Gather(in[0], G.NewConstant(longIndices(1)), 0)
		if err != nil {
			return nil, err
		}
		second, err := gather.Gather(in[0], G.NewConstant(longIndices(2)), 0)
		if err != nil {
			return nil, err
		}
		return G.Add(first, G.Must(G.HadamardProd(second, second)))
	}
	want := slices.Repeat([]float64{10 + 10*10}, 100)
	want[50] = 20 + 30*30
	u := slices.Repeat([]float64{0}, 100)
	u[0], u[50] = 1, 1000
	onMachines(t, func(t *testing.T, m gradtest.Machine) {
		got, err := gradtest.Backward(m, []gradtest.Input{{Value: dense([]float64{10, 20, 30}, 3), Differentiate: true}}, build, u)
		ok(t, err)
		same(t, "values", got.Output, want)
		same(t, "gradient", got.Grads[0], []float64{1 + 2*10, 1000, 1000 * 2 * 30})
	})
}

// constantCalls are each operator with the values of its operands, the second of
// which is the indices.
var constantCalls = []struct {
	name     string
	operands []any
	apply    gradtest.Builder
}{

	{"Gather", []any{dense(offsets(3, 2).Data, 3, 2), dense([]int32{2, -3, 2}, 3)},
		func(in []*G.Node) (*G.Node, error) { return gather.Gather(in[0], in[1], 0) }},
	{"Gather by a scalar", []any{dense(offsets(3, 2).Data, 3, 2), int64(2)},
		func(in []*G.Node) (*G.Node, error) { return gather.Gather(in[0], in[1], 0) }},
	{"Gather by no index", []any{dense(offsets(3, 2).Data, 3, 2), dense([]int64(nil), 0)},
		func(in []*G.Node) (*G.Node, error) { return gather.Gather(in[0], in[1], 0) }},
	{"Gather of one element", []any{dense(offsets(3).Data, 3), 1},
		func(in []*G.Node) (*G.Node, error) { return gather.Gather(in[0], in[1], 0) }},
	{"GatherElements", []any{dense(offsets(3, 2).Data, 3, 2), dense([]uint8{1, 0, 1}, 3, 1)},
		func(in []*G.Node) (*G.Node, error) { return gather.GatherElements(in[0], in[1], 1) }},
	{"GatherND", []any{tensor.New(tensor.WithShape(3, 2), tensor.AsFortran(offsets(3, 2).Data)), dense([]int64{1, 1, -1, 0}, 2, 2)},
		func(in []*G.Node) (*G.Node, error) { return gather.GatherND(in[0], in[1]) }},
	{"ScatterElements", []any{dense(offsets(3, 2).Data, 3, 2), dense([]int64{1, 0, 1}, 3, 1), dense([]float64{7, 8, 9}, 3, 1)},
		func(in []*G.Node) (*G.Node, error) {
			return gather.ScatterElements(in[0], in[1], in[2], 1, gather.WithReduction(gather.Mul))
		}},
	{"ScatterND", []any{dense(offsets(3, 2).Data, 3, 2), dense([]int{1, 1}, 2), 5.0},
		func(in []*G.Node) (*G.Node, error) {
			return gather.ScatterND(in[0], in[1], in[2], gather.WithReduction(gather.Mean))
		}},
	{"ScatterUpdate", []any{dense(offsets(3, 2).Data, 3, 2), int32(-1), dense([]float64{5, 6}, 2)},
		func(in []*G.Node) (*G.Node, error) { return gather.ScatterUpdate(in[0], in[1], in[2], 0) }},
}

// TestConstantOperands gives constants as some of the operands of each operator,
// and wants what input nodes give: values and gradients, on both machines.
func TestConstantOperands(t *testing.T) {
	for _, c := range constantCalls {
		for constants := 1; constants < 1<<len(c.operands)-1; constants++ {
			var all, given []gradtest.Input
			for i, v := range c.operands {
				constant := constants>>i&1 == 1
				in := gradtest.Input{Value: v, Differentiate: i != 1 && !constant}
				all = append(all, in)
				if !constant {
					given = append(given, in)
				}
			}
			build := func(in []*G.Node) (*G.Node, error) {
				operands := make([]*G.Node, len(c.operands))
				for i, v := range c.operands {
					if constants>>i&1 == 1 {
						operands[i] = G.NewConstant(v)
					} else {
						operands[i], in = in[0], in[1:]
					}
				}
				return c.apply(operands)
			}
			t.Run(fmt.Sprintf("%s, %b", c.name, constants), func(t *testing.T) {
				onMachines(t, func(t *testing.T, m gradtest.Machine) {
					want, err := gradtest.Forward(m, all, c.apply)
					ok(t, err)
					if !slices.ContainsFunc(given, func(in gradtest.Input) bool { return in.Differentiate }) {
						got, err := gradtest.Forward(m, given, build)
						ok(t, err)
						same(t, "values", got.Output, want.Output)
						return
					}
					u := offsets(want.Shape...).Data
					want, err = gradtest.Backward(m, all, c.apply, u)
					ok(t, err)
					got, err := gradtest.Backward(m, given, build, u)
					ok(t, err)
					same(t, "values", got.Output, want.Output)
					for i := range given {
						from := slices.IndexFunc(all, func(in gradtest.Input) bool { return in.Value == given[i].Value })
						same(t, fmt.Sprint("gradient of operand ", from), got.Grads[i], want.Grads[from])
					}
				})
			})
		}
	}
}

// TestConstantsAlone gives nothing but constants: one of them must be in a graph.
func TestConstantsAlone(t *testing.T) {
	for _, c := range constantCalls {
		t.Run(c.name, func(t *testing.T) {
			var inputs []gradtest.Input
			for _, v := range c.operands {
				inputs = append(inputs, gradtest.Input{Value: v})
			}
			want, err := gradtest.Forward(gradtest.Tape, inputs, c.apply)
			ok(t, err)
			for in := range c.operands {
				g := G.NewGraph()
				operands := make([]*G.Node, len(c.operands))
				for i, v := range c.operands {
					if operands[i] = G.NewConstant(v); i == in {
						operands[i] = G.NewConstant(v, G.In(g))
					}
				}
				out, err := c.apply(operands)
				ok(t, err)
				var value G.Value
				G.Read(out, &value)
				ok(t, runForward(gradtest.Tape, g))
				got, err := gradtest.Floats(value)
				ok(t, err)
				same(t, "values", got, want.Output)
			}
			operands := make([]*G.Node, len(c.operands))
			for i, v := range c.operands {
				operands[i] = G.NewConstant(v)
			}
			if out, err := c.apply(operands); err == nil || !strings.Contains(err.Error(), "constants without a graph") {
				t.Errorf("constants without a graph gave %v, %v", out, err)
			}
		})
	}
}

// TestConstantOfFailure builds what cannot work with constants. Nothing may stay
// in the graph: LispMachine would take an input that nothing uses for a cost.
func TestConstantOfFailure(t *testing.T) {
	g := G.NewGraph()
	data := input(g, "data", dense(offsets(3, 2).Data, 3, 2))
	elsewhere := G.NewConstant(dense([]int64{1}, 1), G.In(G.NewGraph()))
	for name, apply := range map[string]func() (*G.Node, error){
		"an axis that is not there": func() (*G.Node, error) { return gather.Gather(data, G.NewConstant(dense([]int64{1}, 1)), 2) },
		"indices of floats":         func() (*G.Node, error) { return gather.Gather(data, G.NewConstant(1.5), 0) },
		"another graph":             func() (*G.Node, error) { return gather.Gather(data, elsewhere, 0) },
		"updates of another dtype": func() (*G.Node, error) {
			return gather.ScatterUpdate(data, G.NewConstant(int64(1)), G.NewConstant(dense([]float32{1, 2}, 2)), 0)
		},
		"updates of another shape": func() (*G.Node, error) {
			return gather.ScatterUpdate(data, G.NewConstant(int64(1)), G.NewConstant(dense([]float64{1, 2, 3}, 3)), 0)
		},
		"a vector of ids for GatherTree": func() (*G.Node, error) {
			ids := G.NewConstant(dense([]int64{1}, 1))
			return gather.GatherTree(data, ids, ids, ids)
		},
	} {
		if n, err := apply(); err == nil {
			t.Errorf("%s: no error, but %v", name, n)
		}
	}
	if all := g.AllNodes(); len(all) != 1 {
		t.Errorf("the graph has %v, want data alone", all)
	}
}

// TestConstantTree gives GatherTree constants alone but for one, all integers.
func TestConstantTree(t *testing.T) {
	onMachines(t, func(t *testing.T, m gradtest.Machine) {
		g := G.NewGraph()
		steps := input(g, "steps", dense([]int32{5, 6, 7, 9, 8, 9}, 3, 1, 2))
		out, err := gather.GatherTree(steps, G.NewConstant(dense([]int32{0, 0, 0, 0, 0, 1}, 3, 1, 2)),
			G.NewConstant(dense([]int32{3}, 1)), G.NewConstant(int32(9)))
		ok(t, err)
		var beams G.Value
		G.Read(out, &beams) // LispMachine fails if an integer is the end of a graph
		ok(t, runForward(m, g))
		same(t, "beams", beams.(*tensor.Dense).Int32s(), []int32{5, 5, 7, 9, 8, 9})
	})
}

// TestUnnamedIndices refuses input nodes without a name as indices, scalars too:
// two of them are one node already. As data or updates one is allowed.
func TestUnnamedIndices(t *testing.T) {
	g := G.NewGraph()
	data := G.NewMatrix(g, tensor.Float64, G.WithShape(3, 2))
	vector := G.NewVector(g, tensor.Int64, G.WithShape(2))
	matrix := G.NewMatrix(g, tensor.Int64, G.WithShape(3, 2))
	scalar := G.NewScalar(g, tensor.Int64)
	cube := G.NewTensor(g, tensor.Int64, 3, G.WithShape(2, 2, 2), G.WithName("cube"))
	unnamedCube := G.NewTensor(g, tensor.Int64, 3, G.WithShape(2, 2, 2))
	updates := G.NewMatrix(g, tensor.Float64, G.WithShape(2, 2))
	row := G.NewVector(g, tensor.Float64, G.WithShape(2))
	named := G.NewMatrix(g, tensor.Float64, G.WithShape(3, 2), G.WithName("named"))
	for name, c := range map[string]struct {
		argument string
		apply    func() (*G.Node, error)
	}{
		"Gather":          {"indices", func() (*G.Node, error) { return gather.Gather(data, vector, 0) }},
		"Gather, scalar":  {"indices", func() (*G.Node, error) { return gather.Gather(data, scalar, 0) }},
		"GatherElements":  {"indices", func() (*G.Node, error) { return gather.GatherElements(data, matrix, 0) }},
		"GatherND":        {"indices", func() (*G.Node, error) { return gather.GatherND(data, vector) }},
		"ScatterElements": {"indices", func() (*G.Node, error) { return gather.ScatterElements(data, matrix, named, 0) }},
		"ScatterND":       {"indices", func() (*G.Node, error) { return gather.ScatterND(data, vector, scalar) }},
		"ScatterUpdate":   {"indices", func() (*G.Node, error) { return gather.ScatterUpdate(data, vector, updates, 0) }},
		"ScatterUpdate, scalar": {"indices", func() (*G.Node, error) {
			return gather.ScatterUpdate(data, scalar, row, 0)
		}},
		"GatherTree": {"parentIDs", func() (*G.Node, error) { return gather.GatherTree(cube, unnamedCube, vector, scalar) }},
	} {
		op, _, _ := strings.Cut(name, ",")
		_, err := c.apply()
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		for _, part := range []string{op + ": " + c.argument + " are an input node without a name", "gorgonia.WithName", "gorgonia.NewConstant"} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: no %q in %v", name, part, err)
			}
		}
	}
	g = G.NewGraph()
	data, updates = G.NewMatrix(g, tensor.Float64, G.WithShape(3, 2)), G.NewMatrix(g, tensor.Float64, G.WithShape(2, 2))
	out, err := gather.ScatterUpdate(data, input(g, "vector", dense([]int64{2, 0}, 2)), updates, 0)
	ok(t, err)
	ok(t, G.Let(data, dense(offsets(3, 2).Data, 3, 2)))
	ok(t, G.Let(updates, dense([]float64{10, 20, 30, 40}, 2, 2)))
	ok(t, runForward(gradtest.Tape, g))
	same(t, "values", floats(t, out.Value()), []float64{30, 40, 2, 3, 10, 20})
}

// floats are the values of a node, in row-major order.
func floats(t *testing.T, v G.Value) []float64 {
	t.Helper()
	values, err := gradtest.Floats(v)
	ok(t, err)
	return values
}

// TestConstantNodes counts the nodes that constants become.
func TestConstantNodes(t *testing.T) {
	g := G.NewGraph()
	data := input(g, "data", dense([]float64{1, 2, 3}, 3))
	rows := dense([]int64{2, 0}, 2)
	pick := func(indices *G.Node) *G.Node {
		t.Helper()
		out, err := gather.Gather(data, indices, 0)
		ok(t, err)
		return out
	}
	first := pick(G.NewConstant(rows))
	for what, again := range map[string]*G.Node{
		"another constant of the same tensor": pick(G.NewConstant(rows)),
		"one with a name":                     pick(G.NewConstant(rows, G.WithName("rows"))),
		"one in the graph":                    pick(G.NewConstant(rows, G.In(g))),
	} {
		if again != first {
			t.Errorf("%s: %v and %v are two nodes", what, first, again)
		}
	}
	constant := G.NewConstant(dense([]int64{1, 1}, 2))
	if once, again := pick(constant), pick(constant); once != again {
		t.Errorf("one constant became two nodes, of %v and %v", once, again)
	}
	distinct := []*G.Node{
		first, pick(constant), pick(G.NewConstant(dense([]int64{2, 0}, 2))), // as rows, but another tensor
		pick(G.NewConstant(dense([]int32{2, 0}, 2))), pick(G.NewConstant(dense([]int{2, 0}, 2))),
		pick(G.NewConstant(dense([]int64{2, 0}, 2, 1))),
		pick(G.NewConstant(int64(2))), pick(G.NewConstant(int32(2))), pick(G.NewConstant(int64(0))),
	}
	names := map[string]bool{}
	for i, n := range distinct {
		if slices.Index(distinct, n) != i {
			t.Errorf("lookup %d is lookup %d", i, slices.Index(distinct, n))
		}
		names[operandNames(n)[1]] = true
	}
	if len(names) != len(distinct) {
		t.Errorf("the constants' names are %v, not %d different ones", names, len(distinct))
	}
	if got, want := len(g.Inputs()), 1+len(distinct); got != want {
		t.Errorf("the graph has %d inputs, want %d", got, want)
	}
}

// TestConstantNameTaken has input nodes of the names that constants would get.
func TestConstantNameTaken(t *testing.T) {
	g := G.NewGraph()
	data := input(g, "data", dense([]float64{1, 2, 3}, 3))
	for i := range 3 {
		input(g, fmt.Sprint("gather: constant ", i), dense([]int64{0, 0}, 2))
	}
	rows := dense([]int64{2, 1}, 2)
	out, err := gather.Gather(data, G.NewConstant(rows), 0)
	ok(t, err)
	ok(t, runForward(gradtest.Tape, g))
	same(t, "values", floats(t, out.Value()), []float64{3, 2})
	if !slices.Equal(rows.Int64s(), []int64{2, 1}) || !rows.Shape().Eq(tensor.Shape{2}) {
		t.Errorf("the constant has become %v", rows)
	}
}

// TestConstantLet gives a constant's node another value: the next operator of that
// constant gets a node of its own.
func TestConstantLet(t *testing.T) {
	g := G.NewGraph()
	data := input(g, "data", dense([]float64{1, 2, 3}, 3))
	constant := G.NewConstant(dense([]int64{2, 1}, 2))
	first, err := gather.Gather(data, constant, 0)
	ok(t, err)
	ok(t, G.Let(g.ByName(operandNames(first)[1])[0], dense([]int64{0, 0}, 2)))
	second, err := gather.Gather(data, constant, 0)
	ok(t, err)
	ok(t, runForward(gradtest.Tape, g))
	same(t, "after Let", floats(t, first.Value()), []float64{1, 1})
	same(t, "the constant", floats(t, second.Value()), []float64{3, 2})
}

// TestConstantReset runs a machine again and again, and makes operators of the
// same constants between its runs.
func TestConstantReset(t *testing.T) {
	g := G.NewGraph()
	data := input(g, "data", dense([]float64{1, 2, 3}, 3))
	constant := G.NewConstant(dense([]int64{2, 1, 2}, 3))
	out, err := gather.Gather(data, constant, 0)
	ok(t, err)
	grads, err := G.Grad(G.Must(G.Sum(G.Must(G.Square(out)))), data)
	ok(t, err)
	var value, grad G.Value
	G.Read(out, &value)
	G.Read(grads[0], &grad)
	machine := G.NewTapeMachine(g, G.BindDualValues(data))
	defer machine.Close()
	for run := range 3 {
		ok(t, G.Let(data, dense([]float64{float64(run), 10, 20}, 3)))
		ok(t, machine.RunAll())
		same(t, "values", floats(t, value), []float64{20, 10, 20})
		same(t, "gradient", floats(t, grad), []float64{0, 20, 80})
		machine.Reset()
		if again, err := gather.Gather(data, constant, 0); err != nil || again != out {
			t.Errorf("run %d: the same operator is %v, %v", run, again, err)
		}
	}
}

// TestConstantElsewhere uses one constant in Gorgonia's own operators and in two
// graphs, too.
func TestConstantElsewhere(t *testing.T) {
	weights := G.NewConstant(dense([]float64{1, 10, 100}, 3))
	for range 2 {
		g := G.NewGraph()
		data := input(g, "data", dense([]float64{1, 2, 3}, 3))
		product := G.Must(G.HadamardProd(data, weights))
		out, err := gather.Gather(weights, G.NewConstant([]int{2, 0}[0], G.In(g)), 0)
		ok(t, err)
		ok(t, runForward(gradtest.Tape, g))
		same(t, "product", floats(t, product.Value()), []float64{1, 20, 300})
		same(t, "picked", floats(t, out.Value()), []float64{100})
	}
}

// TestConstantInGraph leaves a constant alone that AddNode has put into the graph:
// Gorgonia has merged it by then with those that print alike.
func TestConstantInGraph(t *testing.T) {
	g := G.NewGraph()
	data := input(g, "data", dense([]float64{1, 2, 3}, 3))
	out, err := gather.Gather(data, g.AddNode(G.NewConstant(dense([]int64{2, 1}, 2))), 0)
	ok(t, err)
	ok(t, runForward(gradtest.Tape, g))
	same(t, "values", floats(t, out.Value()), []float64{3, 2})
	if n := len(g.Inputs()); n != 1 {
		t.Errorf("the graph has %d inputs, want 1", n)
	}
}
