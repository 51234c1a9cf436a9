package graph

import (
	"testing"

	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/plan"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

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
	op := &named{Names: Names{operands: []string{"items"}}}
	op.setPlace(in("first"))
	op.setPlace(in("second"))
	err := Explain(op, errors.New("Gather: data is masked"))
	if _, ok := err.(placed); !ok || err.Error() != "first: Gather(items): data is masked" {
		t.Errorf("got %v", err)
	}
	if err := Explain(op, nil); err != nil {
		t.Errorf("no error became %v", err)
	}
	_, err = core.Gather(plan.Params{Op: plan.Gather}, nil, tensor.New(tensor.WithBacking([]float32{1, 2, 3})), tensor.New(tensor.WithBacking([]int{5, 6})))
	if bad, ok := As[*core.IndexError](Explain(op, err)); !ok || bad.Error() != "Gather(items): indices[0]: 5 out of range [-3, 3) for data axis 0" {
		t.Errorf("got %v, %v", bad, ok)
	}
}

// machine is an error like that of a machine, without Unwrap.
type machine struct{ cause error }

func (m machine) Error() string { return "machine: " + m.cause.Error() }
func (m machine) Err() error    { return m.cause }

// endless is an error that holds itself.
type endless struct{}

func (e endless) Error() string { return "endless" }
func (e endless) Err() error    { return e }

// TestAs finds an error through those of a machine.
func TestAs(t *testing.T) {
	want := placed{errors.New("inner")}
	for _, err := range []error{want, machine{want}, machine{errors.Wrap(machine{want}, "instruction")}, errors.WithMessage(machine{want}, "run")} {
		if got, ok := As[placed](err); !ok || got != want {
			t.Errorf("%v: got %v, %v", err, got, ok)
		}
	}
	for _, err := range []error{nil, errors.New("other"), machine{errors.New("other")}, endless{}} {
		if got, ok := As[placed](err); ok {
			t.Errorf("%v: got %v", err, got)
		}
	}
}
