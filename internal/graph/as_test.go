package graph

import (
	"testing"

	"github.com/pkg/errors"
)

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
