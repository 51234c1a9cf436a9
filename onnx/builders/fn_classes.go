package builders

import (
	"fmt"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/tensor"
)

// classes are the places of targets (b, …) among n classes, as (b, 1, …): int64 in
// [0, n), and n, which is no place, for those that are ignored.
type classes struct {
	op      string // the loss, for errors
	n       int
	ignores bool
	ignore  int
}

func (f classes) String() string {
	if f.ignores {
		return fmt.Sprintf("%s of %d classes, ignoring %d", f.op, f.n, f.ignore)
	}
	return fmt.Sprintf("%s of %d classes", f.op, f.n)
}

func (f classes) result(in []operand) (operand, error) {
	if dt := in[0].dtype; dt != tensor.Int32 && dt != tensor.Int64 {
		return in[0], fault.Errorf(dense.ErrDtype, "a target of type %v, int32 and int64 are allowed", typeName(dt))
	}
	shape := in[0].shape
	return operand{tensor.Int64, append(tensor.Shape{shape[0], 1}, shape[1:]...)}, nil
}

func (f classes) run(out *tensor.Dense, in []*tensor.Dense) error {
	dst := elements[int64](out)
	for i, x := range integersOf(in[0]) {
		switch {
		case f.ignores && x == f.ignore:
			x = f.n
		case x < 0 || x >= f.n:
			return fault.Errorf(dense.ErrShape, "target %d is %d, the classes are in [0, %d)", i, x, f.n)
		}
		dst[i] = int64(x)
	}
	return nil
}

func (f classes) gradients([]operand, operand) []*term { return make([]*term, 1) }

// counted is 1 for each place below n, and 0 for others.
type counted struct {
	dtype tensor.Dtype
	n     int
}

func (f counted) String() string {
	return fmt.Sprintf("1 as %v for places below %d", typeName(f.dtype), f.n)
}

func (f counted) result(in []operand) (operand, error) { return operand{f.dtype, in[0].shape}, nil }

func (f counted) run(out *tensor.Dense, in []*tensor.Dense) error {
	if f.dtype == tensor.Float32 {
		countPlaces(f.n, elements[float32](out), elements[int64](in[0]))
	} else {
		countPlaces(f.n, elements[float64](out), elements[int64](in[0]))
	}
	return nil
}

func countPlaces[T float](n int, dst []T, places []int64) {
	for i, x := range places {
		if x < int64(n) {
			dst[i] = 1
		}
	}
}

func (f counted) gradients([]operand, operand) []*term { return make([]*term, 1) }
