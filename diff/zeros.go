package diff

import (
	"fmt"
	"slices"

	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/elem"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/gather/shapes"
	"gorgonia.org/tensor"
)

// zeros is a tensor to add a gradient to: dst, which is cleared, or a new one if dst
// is nil.
func zeros(op fmt.Stringer, dst *tensor.Dense, p plan.Params, shape tensor.Shape, dt tensor.Dtype) (*tensor.Dense, error) {
	if dst == nil {
		if err := core.Fits(p.Op.String(), "a result", shape, dt); err != nil {
			return nil, err
		}
		return tensor.NewDense(dt, shape.Clone()), nil
	}
	if !slices.Equal(dst.Shape(), shape) {
		return nil, fault.Errorf(shapes.ErrShape, "%v: the preallocated value does not have the shape %v", fault.Operator(op), fault.Shape(shape))
	}
	if dst.Dtype() != dt {
		return nil, fault.Errorf(elem.ErrDtype, "%v: the preallocated value has dtype %v, the result %v", fault.Operator(op), elem.Name(dst.Dtype()), elem.Name(dt))
	}
	mem := dst.Uint8s()
	if len(mem) != shape.TotalSize()*int(dt.Size()) {
		return nil, fault.Errorf(core.ErrLayout, "%v: the preallocated value is a view into a larger tensor", fault.Operator(op))
	}
	par.Clear(mem)
	return dst, nil
}
