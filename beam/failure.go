package gatherbeam

import (
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/pkg/errors"
)

func init() {
	beam.RegisterDoFn(reflect.TypeFor[failShardsFn]())
	beam.RegisterDoFn(reflect.TypeFor[failRowsFn]())
	beam.RegisterDoFn(reflect.TypeFor[failPartsFn]())
}

// Functions that build a pipeline have no place for an error but a panic, which
// nothing here does on bad input. They add a step that fails with it, and give its
// output, which is of the right type and stays empty.

type (
	failShardsFn struct{ Message string }
	failRowsFn   struct{ Message string }
	failPartsFn  struct{ Message string }
)

// ProcessElement is called by Beam.
func (f *failShardsFn) ProcessElement([]byte, func(Shard)) error { return errors.New(f.Message) }

// ProcessElement is called by Beam.
func (f *failRowsFn) ProcessElement([]byte, func(Rows)) error { return errors.New(f.Message) }

// ProcessElement is called by Beam.
func (f *failPartsFn) ProcessElement([]byte, func(Part)) error { return errors.New(f.Message) }

func failShards(s beam.Scope, op string, err error) beam.PCollection {
	return beam.ParDo(s, &failShardsFn{Message: op + ": " + err.Error()}, beam.Impulse(s))
}

func failRows(s beam.Scope, op string, err error) beam.PCollection {
	return beam.ParDo(s, &failRowsFn{Message: op + ": " + err.Error()}, beam.Impulse(s))
}

func failParts(s beam.Scope, op string, err error) beam.PCollection {
	return beam.ParDo(s, &failPartsFn{Message: op + ": " + err.Error()}, beam.Impulse(s))
}

// checkElements refuses a PCollection of other elements.
func checkElements(argument string, c beam.PCollection, want reflect.Type) error {
	if !c.IsValid() {
		return errors.Errorf("%s: no PCollection, one of %v is needed", argument, want)
	}
	if got := c.Type(); got.Type() != want {
		return errors.Errorf("%s: a PCollection of %v, one of %v is needed", argument, got, want)
	}
	return nil
}
