package graph

import (
	"strings"
	"testing"

	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/plan"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestExplain puts names into errors that begin with an operator's.
func TestExplain(t *testing.T) {
	op := &Operator{names: []string{"items", "item ids"}}
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

// placed is an error with a place.
type placed struct{ error }

// Unwrap is the error without it.
func (p placed) Unwrap() error { return p.error }

// TestPlace puts the errors of a node's runs into those of the first place that it
// was given, behind the names of its operands, and leaves other nodes alone.
func TestPlace(t *testing.T) {
	g := G.NewGraph()
	x := G.NewVector(g, tensor.Float32, G.WithShape(3), G.WithName("x"))
	in := func(name string) func(error) error {
		return func(err error) error { return placed{errors.WithMessage(err, name)} }
	}
	Place(x, in("nowhere"))
	op := &Operator{names: []string{"items"}, description: Description{
		Operands: []Operand{{Rank: 1, Dtype: tensor.Float32}},
		Result:   Operand{Rank: 1, Dtype: tensor.Float32},
		Shape:    func(in ...tensor.Shape) (tensor.Shape, error) { return in[0], nil },
	}}
	applied, err := G.ApplyOp(op, x)
	if err != nil {
		t.Fatal(err)
	}
	Place(applied, in("first"))
	Place(applied, in("second"))
	err = Explain(op, errors.New("Gather: data is masked"))
	if _, ok := err.(placed); !ok || err.Error() != "first: Gather(items): data is masked" {
		t.Errorf("got %v", err)
	}
	if err := Explain(op, nil); err != nil {
		t.Errorf("no error became %v", err)
	}
	_, err = core.Gather(&plan.Params{Op: plan.Gather}, nil, tensor.New(tensor.WithBacking([]float32{1, 2, 3})), tensor.New(tensor.WithBacking([]int{5, 6})))
	if bad, ok := As[*core.IndexError](Explain(op, err)); !ok || bad.Error() != "Gather(items): indices[0]: 5 out of range [-3, 3) for data axis 0; see WithOutOfRange" {
		t.Errorf("got %v, %v", bad, ok)
	}
}
