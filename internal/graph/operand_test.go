package graph

import (
	"testing"

	"github.com/chewxy/hm"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestOperand demands a scalar's type to be the bare dtype, as Gorgonia has it.
func TestOperand(t *testing.T) {
	g := G.NewGraph()
	for _, c := range []struct {
		node *G.Node
		want hm.Type
		text string
	}{
		{G.NewScalar(g, tensor.Float32, G.WithName("scalar")), tensor.Float32, "float32/0"},
		{G.NewVector(g, tensor.Int64, G.WithShape(4), G.WithName("vector")), G.TensorType{Dims: 1, Of: tensor.Int64}, "int64/1"},
		{G.NewTensor(g, tensor.Float64, 3, G.WithShape(1, 1, 1), G.WithName("ones")), G.TensorType{Dims: 3, Of: tensor.Float64}, "float64/3"},
	} {
		o := OperandOf(c.node)
		if o.Type() != c.want || o.Type() != c.node.Type() || o.String() != c.text {
			t.Errorf("%v: type %v, text %v; want %v, %v", c.node, o.Type(), o, c.want, c.text)
		}
	}
}
