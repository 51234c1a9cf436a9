package graph

import (
	"strings"
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

// TestNodes tells which node cannot be used, and why.
func TestNodes(t *testing.T) {
	g := G.NewGraph()
	good := G.NewVector(g, tensor.Int64, G.WithShape(4), G.WithName("good"))
	scalar := G.NewScalar(g, tensor.Int64, G.WithName("scalar"))
	elsewhere := G.NewVector(G.NewGraph(), tensor.Int64, G.WithShape(4), G.WithName("elsewhere"))
	shapeless := G.NewMatrix(g, tensor.Int64, G.WithName("shapeless"))
	typeless := G.NewUniqueNode(G.In(g), G.WithName("typeless"))
	variable := G.NewUniqueNode(G.In(g), G.WithShape(2), G.WithType(hm.TypeVariable('a')), G.WithName("variable"))
	for _, c := range []struct {
		name  string
		nodes []*G.Node
		want  string
	}{
		{"good", []*G.Node{good, scalar, good}, ""},
		{"nil", []*G.Node{good, scalar, nil}, "Op: c is nil"},
		{"no type", []*G.Node{typeless, good, good}, "Op: a typeless"},
		{"no shape", []*G.Node{good, shapeless, good}, "Op: b shapeless"},
		{"two graphs", []*G.Node{good, good, elsewhere}, "c elsewhere"},
		{"a type variable", []*G.Node{good, variable, good}, "Op: b variable has no type of a tensor or a scalar, but a"},
		{"no graph", []*G.Node{good, good, good.Clone().(*G.Node)}, "Op: c good is in no graph"},
		{"a zero node", []*G.Node{good, new(G.Node), good}, "Op: b \"%!s(<nil>)()\" has no type"},
		{"constants", []*G.Node{G.NewConstant(1), good, G.NewConstant(2)}, ""},
		{"constants alone", []*G.Node{G.NewConstant(1), G.NewConstant(2), G.NewConstant(3)}, "Op: a, b, c are constants without a graph"},
		{"a constant elsewhere", []*G.Node{good, G.NewConstant(1, G.In(elsewhere.Graph())), good}, "a good and b 1 are of different graphs"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := Nodes("Op", []string{"a", "b", "c"}, c.nodes...)
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// TestShapes refuses another number of inputs than the operator has.
func TestShapes(t *testing.T) {
	in := []G.DimSizer{tensor.Shape{2, 3}, tensor.Shape{}}
	got, err := Shapes(unary{arity: 2}, in)
	if err != nil || len(got) != 2 || !got[0].Eq(tensor.Shape{2, 3}) || len(got[1]) != 0 {
		t.Errorf("got %v, %v", got, err)
	}
	if got, err := Shapes(unary{arity: 1}, in); err == nil {
		t.Errorf("no error, but %v", got)
	}
}
