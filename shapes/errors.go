package shapes

import (
	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/tensor"
)

// Sentinels for errors.Is.
var (
	// ErrShape marks errors about ranks, dims and batch dims that do not fit.
	ErrShape = errors.New("shapes do not fit")
	// ErrAxis marks an axis outside [-r, r-1].
	ErrAxis = errors.New("axis out of range")
)

// shapeError is ErrShape with a message that names the operator and what is wrong.
func shapeError(op, format string, args ...any) error {
	return fault.Errorf(ErrShape, op+": "+format, args...)
}

// uncountable is the error for a shape that no tensor can have.
func uncountable(op, argument string, s tensor.Shape) error {
	return fault.Uncountable(ErrShape, op, argument, s)
}

// needsRank1 is the error for a scalar where there must be an axis.
func needsRank1(op, argument string) error {
	return shapeError(op, "%s is a scalar, rank 1 or more is needed%s", argument, fault.ScalarHint(nil, fault.Ones(1)))
}
