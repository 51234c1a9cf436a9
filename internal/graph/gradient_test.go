package graph

import (
	"slices"
	"strings"
	"testing"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// differentiated runs a graph on a LispMachine, so that its inputs have
// gradients, and returns the input.
func differentiated(t *testing.T, value any, cost func(n *G.Node) *G.Node) *G.Node {
	t.Helper()
	g := G.NewGraph()
	n := G.NodeFromAny(g, value, G.WithName("input"))
	cost(n)
	vm := G.NewLispMachine(g)
	defer vm.Close()
	if err := vm.RunAll(); err != nil {
		t.Fatal(err)
	}
	return n
}

func sumOfSquares(n *G.Node) *G.Node { return G.Must(G.Sum(G.Must(G.Square(n)))) }

func matrix(values ...float64) *tensor.Dense {
	return tensor.New(tensor.WithShape(2, 3), tensor.WithBacking(values))
}

// TestGradient writes to the gradient that a node holds.
func TestGradient(t *testing.T) {
	for _, c := range []struct {
		name  string
		value any
		cost  func(n *G.Node) *G.Node
		shape tensor.Shape
		want  []float64 // in the order of the memory
	}{
		{"tensor", matrix(1, 2, 3, 4, 5, 6), sumOfSquares, tensor.Shape{2, 3}, []float64{2, 4, 6, 8, 10, 12}},
		{"in another shape", matrix(1, 2, 3, 4, 5, 6), sumOfSquares, tensor.Shape{3, 2}, []float64{2, 4, 6, 8, 10, 12}},
		{"as a vector", matrix(1, 2, 3, 4, 5, 6), sumOfSquares, tensor.Shape{6}, []float64{2, 4, 6, 8, 10, 12}},
		{"column-major", tensor.New(tensor.WithShape(2, 3), tensor.AsFortran([]float64{1, 2, 3, 4, 5, 6})), sumOfSquares, tensor.Shape{2, 3}, []float64{2, 8, 4, 10, 6, 12}},
		{"scalar", 3.0, func(n *G.Node) *G.Node { return G.Must(G.Square(n)) }, tensor.Shape{}, []float64{6}},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := differentiated(t, c.value, c.cost)
			d, write, err := Gradient(n, c.shape)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(d.Shape(), c.shape) {
				t.Errorf("shape %v, want %v", d.Shape(), c.shape)
			}
			memory := d.Float64s()
			if !slices.Equal(memory, c.want) {
				t.Errorf("gradient %v, want %v", memory, c.want)
			}
			memory[0] += 100
			write()
			again, write, err := Gradient(n, c.shape)
			if err != nil || again.Float64s()[0] != c.want[0]+100 {
				t.Errorf("after adding 100 to the first of %v: %v, %v", c.want, again, err)
			}
			write()
		})
	}
}

// TestGradientErrors asks for a gradient in a shape that it cannot have.
func TestGradientErrors(t *testing.T) {
	columnMajor := tensor.New(tensor.WithShape(2, 3), tensor.AsFortran([]float64{1, 2, 3, 4, 5, 6}))
	square := func(n *G.Node) *G.Node { return G.Must(G.Square(n)) }
	for _, c := range []struct {
		name  string
		node  *G.Node
		shape tensor.Shape
	}{
		{"another size", differentiated(t, matrix(1, 2, 3, 4, 5, 6), sumOfSquares), tensor.Shape{2, 2}},
		{"a larger size", differentiated(t, matrix(1, 2, 3, 4, 5, 6), sumOfSquares), tensor.Shape{2, 4}},
		{"a scalar", differentiated(t, matrix(1, 2, 3, 4, 5, 6), sumOfSquares), tensor.Shape{}},
		{"column-major in another shape", differentiated(t, columnMajor, sumOfSquares), tensor.Shape{6}},
		{"a scalar's as a vector", differentiated(t, 3.0, square), tensor.Shape{1}},
		{"none", G.NewMatrix(G.NewGraph(), tensor.Float64, G.WithShape(2, 3), G.WithName("input")), tensor.Shape{2, 3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, write, err := Gradient(c.node, c.shape)
			if err == nil || d != nil || write != nil {
				t.Fatalf("got %v, %v", d, err)
			}
			if c.name != "none" && !strings.Contains(err.Error(), "fit") {
				t.Errorf("the error does not say what does not fit: %v", err)
			}
		})
	}
}

// TestAccumulate adds to gradients, of a tensor and of scalars.
func TestAccumulate(t *testing.T) {
	square := func(n *G.Node) *G.Node { return G.Must(G.Square(n)) }
	columnMajor := tensor.New(tensor.WithShape(2, 3), tensor.AsFortran([]float64{1, 2, 3, 4, 5, 6}))
	for _, c := range []struct {
		name  string
		value any
		cost  func(n *G.Node) *G.Node
		add   G.Value
		want  []float64
	}{
		{"tensor", matrix(1, 2, 3, 4, 5, 6), sumOfSquares, matrix(100, 200, 300, 400, 500, 600), []float64{102, 204, 306, 408, 510, 612}},
		{"column-major", columnMajor, sumOfSquares, matrix(100, 200, 300, 400, 500, 600), []float64{102, 408, 204, 510, 306, 612}},
		{"scalar", 3.0, square, G.NewF64(100), []float64{106}},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := differentiated(t, c.value, c.cost)
			if err := Accumulate(n, c.add); err != nil {
				t.Fatal(err)
			}
			d, write, err := Gradient(n, c.add.Shape())
			if err != nil || !slices.Equal(d.Float64s(), c.want) {
				t.Errorf("got %v, %v; want %v", d, err, c.want)
			}
			write()
		})
	}
	t.Run("float32 scalar", func(t *testing.T) {
		n := differentiated(t, float32(3), square)
		if err := Accumulate(n, G.NewF32(100)); err != nil {
			t.Fatal(err)
		}
		if v, err := n.Grad(); err != nil || v.Data() != float32(106) {
			t.Errorf("got %v, %v; want 106", v, err)
		}
	})
}
