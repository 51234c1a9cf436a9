package gather_test

import (
	"fmt"
	"slices"
	"testing"

	"gorgonia.org/gather"
	"gorgonia.org/gather/internal/gradtest"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

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
		names[gather.OperandNames(n)[1]] = true
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
	ok(t, G.Let(g.ByName(gather.OperandNames(first)[1])[0], dense([]int64{0, 0}, 2)))
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
