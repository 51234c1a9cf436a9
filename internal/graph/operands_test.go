package graph

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"gorgonia.org/gather/internal/core"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

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

// named is an operator with names.
type named struct {
	unary
	Names
}

// TestExplain puts names into errors that begin with an operator's.
func TestExplain(t *testing.T) {
	op := &named{Names: Names{operands: []string{"items", "item ids"}}}
	for text, want := range map[string]string{
		"Gather: data is masked":         `Gather(items, "item ids"): data is masked`,
		"Gather(axis=0): 1 inputs":       "Gather(axis=0): 1 inputs",
		"no operator":                    "no operator",
		"two words: are no operator":     "two words: are no operator",
		"ScatterND: updates: of a shape": `ScatterND(items, "item ids"): updates: of a shape`,
	} {
		err := errors.New(text)
		got := Explain(op, err)
		if got.Error() != want || !errors.Is(got, err) {
			t.Errorf("got %v, want %s", got, want)
		}
		if again := Explain(unary{}, err); again != err {
			t.Errorf("without names %v has become %v", err, again)
		}
	}
	bad := &core.IndexError{Op: "Gather", Position: []int{1}, Index: 3, Size: 3}
	if got, want := Explain(op, bad).Error(), `Gather(items, "item ids"): indices[1]: 3 out of range`; !strings.HasPrefix(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
	bad.Operands[0] = "changed"
	if op.Operands()[0] != "items" {
		t.Error("an error shares its names with the operator")
	}
	if Explain(op, nil) != nil {
		t.Error("no error became one")
	}
}
