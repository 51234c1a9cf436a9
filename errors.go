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
	ErrLayout = dense.ErrLayout // a masked tensor, or one on a device
)

// IndexError reports an index that is out of range; of several, the first in
// row-major order of the indices.
type IndexError = dense.IndexError

// AsIndexError finds the [*IndexError] in an error's chain. Unlike errors.As it
// also finds one in what RunAll of a Gorgonia machine returns, which wraps the
// operator's error in a type without Unwrap.
func AsIndexError(err error) (*IndexError, bool) {
	bad, ok := graph.As[*IndexError](err)
	return bad, ok && bad != nil
}
