package core

import (
	"fmt"

	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/plan"
)

// ErrLayout marks a tensor whose memory the operators cannot use: a masked or
// sparse one, one on a device, or a dst that overlaps an input.
var ErrLayout = errors.New("tensor not usable")

// Recover makes a panic the error of its operator. A kernel that panics has a bug,
// or another goroutine has changed a tensor that it works on: neither may end the
// program, wherever the panic was. Nobody knows how far the kernel came: what it
// was to write, data of a scatter in place too, is undefined.
func Recover(op string, err *error) {
	switch cause := recover().(type) {
	case nil:
	case callbackPanic:
		*err = errors.WithMessage(cause.error, op)
	case error:
		*err = errors.Wrapf(cause, panicked, op)
	default:
		*err = errors.Wrapf(errors.Errorf("%v", cause), panicked, op)
	}
}

const panicked = "%s: a tensor was changed during the call, or this is a bug; what was to be written is undefined"

// callbackPanic is the panic of a function that the caller gave.
type callbackPanic struct{ error }

// InCallback, deferred around the call of a function that the caller gave, has Recover name it.
func InCallback(name string) {
	if cause := recover(); cause != nil {
		err, ok := cause.(error)
		if !ok {
			err = errors.Errorf("%v", cause)
		}
		panic(callbackPanic{errors.WithMessagef(err, "the function of %s has panicked", name)})
	}
}

// IndexError reports an index that is out of range. Of several, it is the first
// one in row-major order of the indices, or in that in which GatherTree reads parents.
type IndexError struct {
	Op       string // the operator, as ONNX spells it
	Position []int  // where the index stands in the indices tensor; empty for a scalar
	Index    int64  // its value; a uint64 above the greatest int64 is given as that
	Axis     int    // the axis of data that it addresses
	Size     int    // the size of that axis
	// NonNegative tells that only 0 <= Index < Size was allowed, and not
	// -Size <= Index < Size.
	NonNegative bool
	// Argument is the argument that holds the index: "segmentIDs", which address an axis of the
	// result, "classes" of package nn, "parentIDs" of GatherTree, or "ids" of a table; empty stands for the indices.
	Argument string
	// Changed tells that Index is in range now: it was not when it was read, and another
	// goroutine has changed the indices during the call.
	Changed bool
	// Operands are the names of the nodes that the operator is applied to, in a
	// graph; there are none without one. An operator's gradient gives the names of
	// the operator's own operands.
	Operands []string
}

// Error names the operator, the index and what is allowed:
//
//	GatherND: indices[2 1]: 7 out of range [-3, 3) for data axis 1; see WithOutOfRange
//	Gather(items, "item ids"): indices[1]: 3 out of range [-3, 3) for data axis 0; see WithOutOfRange
func (e *IndexError) Error() string {
	if e == nil {
		return "<nil>"
	}
	where, of := "indices", "data axis"
	switch {
	case e.Argument == treeArguments[1]:
		where = e.Argument
	case e.Argument == "classes":
		where, of = e.Argument, "scores axis"
	case e.Argument == "ids":
		where, of = e.Argument, "table axis"
	case e.Argument != "":
		where, of = e.Argument, "result axis"
	}
	if len(e.Position) > 0 {
		where += fmt.Sprint(e.Position)
	}
	least, call := e.least(), fault.Call(e.Op, e.Operands)
	if e.Changed {
		return fmt.Sprintf("%s: %s: out of range [%d, %d) for %s %d when it was read, and %d now: it was changed during the call", call, where, least, e.Size, of, e.Axis, e.Index)
	}
	text := fmt.Sprintf("%s: %s: %d out of range [%d, %d) for %s %d", call, where, e.Index, least, e.Size, of, e.Axis)
	switch {
	case e.Size == 0:
		text += ", which is empty"
	case e.Argument == "classes" && e.Index < 0:
		text += fmt.Sprintf("; WithIgnored(%d) leaves such examples out", e.Index)
	case e.Argument == "segmentIDs" && e.Index >= int64(e.Size):
		text += "; raise numSegments"
	case e.Argument == "" && hasPolicy(e.Op):
		text += "; see WithOutOfRange"
	}
	return text
}

// hasPolicy reports whether the caller of an operator may choose what is done with an index
// that is out of range.
func hasPolicy(name string) bool {
	for op := range plan.SegmentMax {
		if op.String() == name {
			return op != plan.GatherTree
		}
	}
	return false
}

// stacked is the error with a stack trace. It says whether the index has been changed.
func (e *IndexError) stacked() error {
	e.Changed = int64(e.least()) <= e.Index && e.Index < int64(e.Size)
	return errors.WithStack(e)
}

// least is the least index that was allowed.
func (e *IndexError) least() int {
	if e.NonNegative {
		return 0
	}
	return -e.Size
}
