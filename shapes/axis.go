package shapes

import (
	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/fault"
)

// Axis converts a possibly negative axis to one that counts from the front: axis -1 is
// the last one. It accepts -rank <= axis < rank and returns 0 <= a < rank, or an error
// that wraps [ErrAxis].
func Axis(axis, rank int) (int, error) {
	if axis < -rank || axis >= rank {
		return 0, fault.Errorf(ErrAxis, "axis %d is not in [%d, %d] for rank %d", axis, -rank, rank-1, rank)
	}
	if axis < 0 {
		axis += rank
	}
	return axis, nil
}

// dataAxis is Axis for an operator whose data has the given rank; a scalar has
// no axis at all.
func dataAxis(op string, axis, rank int) (a int, err error) {
	if a = axis; uint(a) >= uint(rank) {
		a, err = otherAxis(op, axis, rank)
	}
	return a, err
}

// otherAxis is dataAxis for an axis that does not count from the front.
func otherAxis(op string, axis, rank int) (int, error) {
	if rank == 0 {
		return 0, needsRank1(op, "data")
	}
	a, err := Axis(axis, rank)
	return a, errors.WithMessage(err, op)
}
