package embedding

import (
	"math"
	"slices"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/elem"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/tensor"
)

// checkMade refuses a dtype, a shape and first values that a new table cannot have.
func checkMade(op string, dt tensor.Dtype, rows, dim int, init Init) (tensor.Shape, num.Kind, error) {
	kind := elem.KindOf(dt)
	switch {
	case kind != num.Float32 && kind != num.Float64:
		return nil, 0, fault.Errorf(dense.ErrDtype, "%s: dtype %v, allowed are float32 and float64", op, elem.Name(dt))
	case rows < 0:
		return nil, 0, fault.Errorf(dense.ErrShape, "%s: rows %d, none may be negative", op, rows)
	case dim < 0:
		return nil, 0, fault.Errorf(dense.ErrShape, "%s: dim %d, it may not be negative", op, dim)
	}
	shape := tensor.Shape{rows, dim}
	if init.kind == fromRows {
		if err := checkEmptyRows(op, "calls of FromRows", shape); err != nil {
			return nil, 0, err
		}
	}
	return shape, kind, init.check(op, kind)
}

// maxEmptyRows bounds what takes memory or time for each row where rows have no numbers:
// memory bounds their number otherwise, and a file of some hundred bytes can have any.
const maxEmptyRows = 1 << 20

// checkEmptyRows refuses a table of too many rows without numbers; what is made for each
// of them.
func checkEmptyRows(op, what string, shape tensor.Shape) error {
	if shape[0] <= maxEmptyRows || !slices.Contains(shape[1:], 0) {
		return nil
	}
	return fault.Errorf(dense.ErrShape, "%s: %s for %d rows of a table of shape %v, whose rows have no numbers: at most %d of such are allowed",
		op, what, shape[0], fault.Shape(shape), maxEmptyRows)
}

// checkRow refuses rows that no memory holds, also if there are none: no file can say how
// many bytes they have.
func checkRow(shape tensor.Shape) error {
	columns := 1
	for _, n := range shape[1:] {
		if n > 0 && columns > math.MaxInt/16/n {
			return fault.Errorf(dense.ErrShape, "a row of a table of shape %v is larger than any memory", fault.Shape(shape))
		}
		columns *= n
	}
	return nil
}
