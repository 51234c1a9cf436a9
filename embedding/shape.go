package embedding

import (
	"math"

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
	return tensor.Shape{rows, dim}, kind, init.check(op, kind)
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
