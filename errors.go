package gather

import (
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/graph"
)

// Sentinels for errors.Is. The error itself names the operator, the argument,
// the value and what is allowed.
var (
	ErrShape  = dense.ErrShape  // ranks, dims or batch dims that do not fit
	ErrAxis   = dense.ErrAxis   // an axis outside [-r, r-1]
	ErrDtype  = dense.ErrDtype  // a dtype that the argument does not take
	ErrOption = dense.ErrOption // an option that the operator does not have
	ErrLayout = dense.ErrLayout // a masked or sparse tensor, or one on a device
)

// IndexError reports an index that is out of range; of several, the first in
// row-major order of the indices, or in that of [GatherTree]. Its text is like
//
//	GatherND(items, tuples): indices[2 1]: 7 out of range [-3, 3) for data axis 1; see WithOutOfRange
//
// and its fields are
//
//	Op          string   // the operator, as ONNX spells it
//	Position    []int    // where the index stands in the indices; empty for a scalar
//	Index       int64    // its value; a uint64 above the greatest int64 is given as that
//	Axis        int      // the axis of data that it addresses
//	Size        int      // the size of that axis
//	NonNegative bool     // only 0 <= Index < Size was allowed, not -Size <= Index < Size
//	Argument    string   // "segmentIDs", "classes", "parentIDs" or, of a table, "ids", if one of those is out of range; else ""
//	Changed     bool     // Index is in range now: it was changed during the call
//	Operands    []string // the names of the nodes that the operator was applied to
//
// Find it by errors.As, or by [AsIndexError] in an error of RunAll:
//
//	var bad *gather.IndexError
//	if errors.As(err, &bad) {
//		fmt.Println("index", bad.Index, "of an axis of size", bad.Size)
//	}
type IndexError = dense.IndexError

// AsIndexError finds the [*IndexError] in an error's chain. Unlike errors.As it
// also finds one in what RunAll of a Gorgonia machine returns, which wraps the
// operator's error in a type without Unwrap.
func AsIndexError(err error) (*IndexError, bool) {
	bad, ok := graph.As[*IndexError](err)
	return bad, ok && bad != nil
}
