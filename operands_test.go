package gather_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"gorgonia.org/gather"
	"gorgonia.org/gather/diff"
	"gorgonia.org/gather/internal/gradtest"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestErrorNamesOperands runs a graph with several lookups: the error tells which
// one failed.
func TestErrorNamesOperands(t *testing.T) {
	long := strings.Repeat("a long name ", 1000)
	for _, c := range []struct {
		name  string
		build func(g *G.ExprGraph, items, ids *G.Node) (*G.Node, error)
		want  string
		names []string
	}{
		{"input nodes", func(g *G.ExprGraph, items, ids *G.Node) (*G.Node, error) { return gather.Gather(items, ids, 0) },
			`Gather(items, "item ids"): indices[1]: 3 out of range [-3, 3) for data axis 0`, []string{"items", "item ids"}},
		{"an inner node", func(g *G.ExprGraph, items, ids *G.Node) (*G.Node, error) {
			return gather.Gather(G.Must(G.Square(items)), ids, 0)
		}, `Gather("square(%0)", "item ids"): indices[1]: 3 out of range`, []string{"square(%0)", "item ids"}},
		{"constants", func(g *G.ExprGraph, items, ids *G.Node) (*G.Node, error) {
			return gather.ScatterND(items, G.NewConstant(dense([]int64{0, 3}, 2, 1)), ids)
		}, `ScatterND(items, "gather: constant 1", "item ids"): indices[1 0]: 3 out of range`, nil},
		{"a long name", func(g *G.ExprGraph, items, ids *G.Node) (*G.Node, error) {
			return gather.Gather(items, input(g, long, dense([]int64{4}, 1)), 0)
		}, `Gather(items, "` + long[:80] + `…"): indices[0]: 4 out of range`, []string{"items", long}},
	} {
		t.Run(c.name, func(t *testing.T) {
			onFailingMachines(t, func(t *testing.T, m gradtest.Machine) {
				g := G.NewGraph()
				items := input(g, "items", dense([]float64{1, 2, 3}, 3))
				var ids *G.Node
				if c.name == "constants" {
					ids = input(g, "item ids", dense([]float64{0, 3}, 2))
				} else {
					ids = input(g, "item ids", dense([]int64{0, 3}, 2))
				}
				_, err := c.build(g, items, ids)
				ok(t, err)
				err = runForward(m, g)
				bad, found := gather.AsIndexError(err)
				if !found || !strings.HasPrefix(bad.Error(), c.want) || !strings.Contains(err.Error(), c.want) {
					t.Errorf("got %.400v, want %s", err, c.want)
				}
				if found && c.names != nil && !slices.Equal(bad.Operands, c.names) {
					t.Errorf("operands %.200q, want %.200q", bad.Operands, c.names)
				}
			})
		})
	}
}

// TestErrorOfGradientNamesOperands runs gradient operators on bad indices: they
// name the operands of the operator they belong to.
func TestErrorOfGradientNamesOperands(t *testing.T) {
	g := G.NewGraph()
	items := input(g, "items", dense([]float64{1, 2, 3}, 3))
	ids := input(g, "item ids", dense([]int64{0, 1}, 2))
	values := input(g, "values", dense([]float64{4, 5}, 2))
	tuples := input(g, "tuples", dense([]int64{0, 1}, 2, 1))
	picked, err := gather.Gather(items, ids, 0)
	ok(t, err)
	added, err := diff.ScatterAdd(picked.Op(), values, ids, items.Shape())
	ok(t, err)
	put, err := gather.ScatterND(items, tuples, values, gather.WithReduction(gather.Mul))
	ok(t, err)
	grad, err := diff.ScatterGradUpdates(put.Op(), items, items, tuples, values)
	ok(t, err)
	second, err := grad.Op().(G.SDOp).SymDiff(G.Nodes{items, items, tuples, values}, grad, values)
	ok(t, err)

	x, w, far, farTuple := dense([]float64{1, 2, 3}, 3), dense([]float64{4, 5}, 2), dense([]int64{0, 3}, 2), dense([]int64{0, 3}, 2, 1)
	const gathered, scattered = `Gather(items, "item ids"): indices[1]: 3`, `ScatterND(items, tuples, values): indices[1 0]: 3`
	for _, c := range []struct {
		name string
		node *G.Node
		in   []G.Value
		want string
	}{
		{"ScatterAdd", added, []G.Value{w, far}, gathered},
		{"ScatterGradUpdates", grad, []G.Value{x, x, farTuple, w}, scattered},
		{"the gradient of its gradient", second[0], []G.Value{w, x, farTuple, w}, scattered},
		{"the second derivative", second[3], []G.Value{w, x, x, farTuple, w}, scattered},
	} {
		_, err := c.node.Op().Do(c.in...)
		if bad, found := gather.AsIndexError(err); !found || !strings.HasPrefix(bad.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
		prealloc := tensor.New(tensor.Of(tensor.Float64), tensor.WithShape(c.node.Shape()...))
		_, err = c.node.Op().(G.UsePreallocDoer).UsePreallocDo(prealloc, c.in...)
		if bad, found := gather.AsIndexError(err); !found || !strings.HasPrefix(bad.Error(), c.want) {
			t.Errorf("%s into a given value: got %v, want %s", c.name, err, c.want)
		}
	}
}

// TestOtherErrorsNameOperands runs operators on values that they cannot use.
func TestOtherErrorsNameOperands(t *testing.T) {
	g := G.NewGraph()
	items := input(g, "items", dense([]float64{1, 2, 3}, 3))
	ids := input(g, "item ids", dense([]int64{0, 1}, 2))
	picked, err := gather.Gather(items, ids, 0)
	ok(t, err)
	masked := dense([]float64{1, 2, 3}, 3)
	masked.ResetMask(true)
	_, err = picked.Op().Do(masked, dense([]int64{0}, 1))
	if want := `Gather(items, "item ids"): data is masked, a tensor without a mask is needed`; err == nil || err.Error() != want || !errors.Is(err, gather.ErrLayout) {
		t.Errorf("got %v, want %s", err, want)
	}
	_, err = picked.Op().(G.UsePreallocDoer).UsePreallocDo(dense([]float32{1}, 1), dense([]float64{1, 2}, 2), dense([]int64{0}, 1))
	if want := `Gather(items, "item ids"): dst has dtype float32, the result float64`; err == nil || err.Error() != want || !errors.Is(err, gather.ErrDtype) {
		t.Errorf("got %v, want %s", err, want)
	}
}
