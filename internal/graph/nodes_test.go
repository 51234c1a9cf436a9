package graph

import (
	"slices"
	"strings"
	"testing"

	"github.com/chewxy/hm"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestNodes tells which node cannot be used, and why.
func TestNodes(t *testing.T) {
	g := G.NewGraph()
	good := G.NewVector(g, tensor.Int64, G.WithShape(4), G.WithName("good"))
	scalar := G.NewScalar(g, tensor.Int64, G.WithName("scalar"))
	elsewhere := G.NewVector(G.NewGraph(), tensor.Int64, G.WithShape(4), G.WithName("elsewhere"))
	shapeless := G.NewMatrix(g, tensor.Int64, G.WithName("shapeless"))
	typeless := G.NewUniqueNode(G.In(g), G.WithName("typeless"))
	variable := G.NewUniqueNode(G.In(g), G.WithShape(2), G.WithType(hm.TypeVariable('a')), G.WithName("variable"))
	one := G.NewVector(g, tensor.Int64, G.WithShape(4))
	two := G.NewVector(g, tensor.Int64, G.WithShape(4))
	for _, c := range []struct {
		name  string
		nodes []*G.Node
		want  string
	}{
		{"an input without a name", []*G.Node{one, scalar, good}, ""},
		{"two inputs without names", []*G.Node{one, good, two}, "Op: a and c are one input node without a name: name the inputs with gorgonia.WithName"},
		{"good", []*G.Node{good, scalar, good}, ""},
		{"nil", []*G.Node{good, scalar, nil}, "Op: c is nil"},
		{"no type", []*G.Node{typeless, good, good}, "Op: a typeless"},
		{"no shape", []*G.Node{good, shapeless, good}, "Op: b shapeless"},
		{"two graphs", []*G.Node{good, good, elsewhere}, "c elsewhere"},
		{"a type variable", []*G.Node{good, variable, good}, "Op: b variable has no type of a tensor or a scalar, but a"},
		{"no graph", []*G.Node{good, good, good.Clone().(*G.Node)}, "Op: c good is in no graph"},
		{"a zero node", []*G.Node{good, new(G.Node), good}, "Op: b (an input without a name) has no type"},
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

// TestBind puts input nodes into the place of constants.
func TestBind(t *testing.T) {
	g := G.NewGraph()
	x := G.NewVector(g, tensor.Float64, G.WithShape(3), G.WithName("x"))
	v := tensor.New(tensor.WithBacking([]int64{1, 2}))
	got := Bind(x, G.NewConstant(v), G.NewConstant(v), G.NewConstant(2.5))
	if got[0] != x || got[1] != got[2] || got[1].Value() != G.Value(v) || got[1].Graph() != g {
		t.Errorf("got %v", got)
	}
	if got[3].Value().Data() != 2.5 || got[3].Type() != tensor.Float64 || len(got[3].Shape()) != 0 {
		t.Errorf("the scalar is %v of type %v", got[3].Value(), got[3].Type())
	}
	if names := []string{got[1].Name(), got[3].Name()}; !slices.Equal(names, []string{"gather: constant 1", "gather: constant 2"}) {
		t.Errorf("the names are %q", names)
	}
	// A node that Gorgonia finds to be there gives its shape to a pool: it may not be
	// the tensor's own.
	for range 100 {
		Bind(x, G.NewConstant(v))
	}
	if s := v.Shape(); len(s) != 1 || s[0] != 2 {
		t.Errorf("the tensor's shape has become %v", s)
	}
	constants := []*G.Node{G.NewConstant(v), G.NewConstant(1)}
	if got := Bind(constants...); got[0] != constants[0] || got[1] != constants[1] {
		t.Errorf("without a graph: %v", got)
	}
}
