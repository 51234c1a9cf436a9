package dense

import (
	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/elem"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/gather/shapes"
)

// Sentinels for errors.Is. The error itself says which operator and argument
// it is about, the value found and what is allowed.
var (
	// ErrShape marks ranks, dims and batch dims that do not fit.
	ErrShape = shapes.ErrShape
	// ErrAxis marks an axis outside [-r, r-1].
	ErrAxis = shapes.ErrAxis
	// ErrDtype marks a dtype that the operator or its argument does not take.
	ErrDtype = elem.ErrDtype
	// ErrOption marks an option that the operator does not have.
	ErrOption = plan.ErrOption
	// ErrLayout marks a tensor whose memory the operators cannot use: a masked
	// or sparse one, one on a device, or a dst that overlaps an input, see [WithReuse].
	ErrLayout = core.ErrLayout
	// ErrMaxBytes marks an array that is larger than [WithMaxBytes] allows.
	ErrMaxBytes = errors.New("more memory than WithMaxBytes allows")
)

// IndexError reports an index that is out of range. Of several, it is the first
// one in row-major order of the indices. Its fields are
//
//	Op          string   // the operator, as ONNX spells it
//	Position    []int    // where the index stands in the indices tensor; empty for a scalar
//	Index       int64    // its value; a uint64 above the greatest int64 is given as that
//	Axis        int      // the axis of data that it addresses
//	Size        int      // the size of that axis
//	NonNegative bool     // only 0 <= Index < Size was allowed, not -Size <= Index < Size
//	Argument    string   // "segmentIDs", "classes", "parentIDs" or, of a table, "ids", if one of those is out of range; else ""
//	Changed     bool     // Index is in range now: it was changed during the call
//	Operands    []string // the names of the operator's inputs in a graph; nil without one
//
// Find it by errors.As:
//
//	var bad *dense.IndexError
//	if errors.As(err, &bad) {
//		fmt.Println("index", bad.Index, "of an axis of size", bad.Size)
//	}
type IndexError = core.IndexError
