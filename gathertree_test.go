package gather_test

import (
	"errors"
	"strings"
	"testing"

	"gorgonia.org/gather"
	"gorgonia.org/gather/internal/gradtest"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// treeInputs are the inputs of a GatherTree of two beams and three steps: beam 0
// ends with 5, which came from beam 1, which came from beam 0.
func treeInputs(g *G.ExprGraph) []*G.Node {
	return []*G.Node{
		input(g, "steps", dense([]float64{1, 2, 3, 4, 5, 6}, 3, 1, 2)),
		input(g, "parents", dense([]float64{9, 9, 0, 0, 1, 1}, 3, 1, 2)),
		input(g, "lengths", dense([]float64{3}, 1)),
		G.NodeFromAny(g, 0.0, G.WithName("end")),
	}
}

// TestGatherTree runs it on both machines, in float64, whose end token is one of
// Gorgonia's scalars, and in int16, of which Gorgonia has no scalar.
func TestGatherTree(t *testing.T) {
	onMachines(t, func(t *testing.T, m gradtest.Machine) {
		g := G.NewGraph()
		in := treeInputs(g)
		out, err := gather.GatherTree(in[0], in[1], in[2], in[3])
		ok(t, err)
		var value G.Value
		G.Read(out, &value)
		ok(t, runForward(m, g))
		same(t, "beams", value.Data().([]float64), []float64{1, 1, 4, 4, 5, 6})
	})
	onMachines(t, func(t *testing.T, m gradtest.Machine) {
		g := G.NewGraph()
		end := G.NewScalar(g, tensor.Int16, G.WithName("end"), G.WithValue(dense([]int16{7})))
		out, err := gather.GatherTree(input(g, "steps", dense([]int16{1, 7, 3, 4}, 2, 2, 1)), input(g, "parents", dense([]int16{0, 0, 0, 0}, 2, 2, 1)),
			input(g, "lengths", dense([]int16{1, 2}, 2)), end)
		ok(t, err)
		var value G.Value
		G.Read(out, &value)
		ok(t, runForward(m, g))
		same(t, "beams", value.Data().([]int16), []int16{1, 7, 7, 7})
	})
}

// TestGatherTreeHasNoGradient asks for one on TapeMachine, where it is an error,
// and goes backward through it on LispMachine, where nothing is added.
func TestGatherTreeHasNoGradient(t *testing.T) {
	g := G.NewGraph()
	in := treeInputs(g)
	weights := input(g, "weights", dense([]float64{10, 20, 30, 40, 50, 60}, 3, 1, 2))
	out, err := gather.GatherTree(in[0], in[1], in[2], in[3])
	ok(t, err)
	cost := G.Must(G.Sum(G.Must(G.HadamardProd(out, weights))))
	if grads, err := G.Grad(cost, weights, in[0]); err == nil || !strings.Contains(err.Error(), "steps") {
		t.Errorf("gradients %v and error %v, want an error that names the node", grads, err)
	}

	onMachines(t, func(t *testing.T, m gradtest.Machine) {
		got, err := gradtest.Backward(m, []gradtest.Input{
			{Value: dense([]float64{1, 2, 3, 4, 5, 6}, 3, 1, 2)}, {Value: dense([]float64{9, 9, 0, 0, 1, 1}, 3, 1, 2)},
			{Value: dense([]float64{3}, 1)}, {Value: 0.0},
			{Value: dense([]float64{10, 20, 30, 40, 50, 60}, 3, 1, 2), Differentiate: true},
		}, func(in []*G.Node) (*G.Node, error) {
			beams, err := gather.GatherTree(in[0], in[1], in[2], in[3])
			if err != nil {
				return nil, err
			}
			return G.HadamardProd(beams, in[4])
		}, []float64{1, 2, 3, 4, 5, 6})
		ok(t, err)
		same(t, "gradient of what the beams are multiplied with", got.Grads[4], []float64{1, 2, 12, 16, 25, 36})
	})
}

// TestGatherTreeErrors builds and runs what cannot work.
func TestGatherTreeErrors(t *testing.T) {
	g := G.NewGraph()
	in := treeInputs(g)
	ints := input(g, "ints", dense([]int32{3}, 1))
	for _, c := range []struct {
		name  string
		nodes [4]*G.Node
		want  error
		text  string
	}{
		{"no steps", [4]*G.Node{nil, in[1], in[2], in[3]}, nil, "GatherTree: stepIDs is nil"},
		{"no end", [4]*G.Node{in[0], in[1], in[2], nil}, nil, "GatherTree: endToken is nil"},
		{"parents of another shape", [4]*G.Node{in[0], in[2], in[2], in[3]}, gather.ErrShape, "GatherTree: parent_ids (1) must have the shape of step_ids (3, 1, 2)"},
		{"an end token with a dim", [4]*G.Node{in[0], in[1], in[2], in[2]}, gather.ErrShape, "GatherTree: end_token (1) must be a scalar"},
		{"another dtype", [4]*G.Node{in[0], in[1], ints, in[3]}, gather.ErrDtype, "GatherTree: max_seq_len has dtype int32, step_ids has float64"},
	} {
		t.Run(c.name, func(t *testing.T) {
			n, err := gather.GatherTree(c.nodes[0], c.nodes[1], c.nodes[2], c.nodes[3])
			if err == nil {
				t.Fatalf("no error, but the node %v", n)
			}
			if c.want != nil && !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
				t.Errorf("got %q, want %v with %q", err, c.want, c.text)
			}
		})
	}
	t.Run("a parent that is no beam", func(t *testing.T) {
		out, err := gather.GatherTree(in[0], in[1], in[2], in[3])
		ok(t, err)
		_, err = out.Op().Do(in[0].Value(), dense([]float64{0, 0, 0, 2, 1, 1}, 3, 1, 2), in[2].Value(), in[3].Value())
		if bad, found := gather.AsIndexError(err); !found || bad.Index != 2 || bad.Size != 2 || bad.Axis != 2 || len(bad.Position) != 3 || bad.Position[2] != 1 {
			t.Errorf("error %v, want an IndexError for the parent 2", err)
		}
	})
}

// TestGatherTreePrealloc runs it into a given value.
func TestGatherTreePrealloc(t *testing.T) {
	g := G.NewGraph()
	in := treeInputs(g)
	out, err := gather.GatherTree(in[0], in[1], in[2], in[3])
	ok(t, err)
	values := []G.Value{in[0].Value(), in[1].Value(), in[2].Value(), in[3].Value()}
	op, into := out.Op().(G.UsePreallocDoer), preallocated([]int{3, 1, 2})
	got, err := op.UsePreallocDo(into, values...)
	ok(t, err)
	if got != into {
		t.Error("the result is not the value given")
	}
	same(t, "beams", got.Data().([]float64), []float64{1, 1, 4, 4, 5, 6})
	noAllocations(t, func() { _, err = op.UsePreallocDo(into, values...) })
	ok(t, err)
	if _, err := op.UsePreallocDo(preallocated([]int{3, 2}), values...); !errors.Is(err, gather.ErrShape) {
		t.Errorf("error %v, want %v", err, gather.ErrShape)
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
