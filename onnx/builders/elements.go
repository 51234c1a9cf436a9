package builders

import (
	"math"
	"unsafe"

	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/opset"
	"gorgonia.org/gather/onnx"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A number is a Go type that arithmetic is done in.
type number interface {
	integer | float
}

type integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

type float interface{ float32 | float64 }

// isFloat reports whether values of the dtype have gradients here.
func isFloat(dt tensor.Dtype) bool { return dt == tensor.Float32 || dt == tensor.Float64 }

// typeName is how ONNX spells a dtype.
func typeName(dt tensor.Dtype) string { return onnx.TypeName(dt) }

// size counts the elements of a shape.
func size(shape tensor.Shape) (int, error) {
	n, empty := 1, false
	for _, d := range shape {
		if d < 0 {
			return 0, fault.Errorf(dense.ErrShape, "a shape %v", shape)
		}
		if d == 0 {
			empty = true
			continue
		}
		if n > math.MaxInt/16/d {
			return 0, fault.Errorf(dense.ErrShape, "a shape %v is too large", shape)
		}
		n *= d
	}
	if empty {
		return 0, nil
	}
	return n, nil
}

// count is the number of elements of a shape whose size was checked.
func count(shape tensor.Shape) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// newTensor makes a tensor of zeros.
func newTensor(o operand) *tensor.Dense {
	if o.dtype == tensor.String {
		// Strings in the bytes that NewDense makes would be lost to the garbage
		// collector.
		return tensor.New(tensor.WithShape(o.shape.Clone()...), tensor.WithBacking(make([]string, count(o.shape))))
	}
	return tensor.NewDense(o.dtype, o.shape) // which copies the shape
}

// elements are the values of a packed tensor, as a slice of their type or of
// another type of the same size.
func elements[T any](t *tensor.Dense) []T {
	n := count(t.Shape())
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(t.Raw))), n)
}

// packed is a value as a row-major tensor without holes: the value's own memory
// where that is so already.
func packed(v G.Value) (*tensor.Dense, error) {
	switch v := v.(type) {
	case G.Scalar:
		return tensor.New(tensor.FromScalar(v.Data())), nil
	case *tensor.Dense:
		if d, err := opset.DescribeTensor(v); err != nil {
			return nil, err
		} else if !d.Given {
			return nil, errors.New("a nil *tensor.Dense")
		}
		if isPacked(v) {
			return v, nil
		}
		// A gather of all rows in their order packs, in every dtype and layout.
		rows := tensor.New(tensor.WithShape(v.Shape()[0]), tensor.WithBacking(tensor.Range(tensor.Int, 0, v.Shape()[0])))
		return dense.Gather(v, rows, 0)
	}
	return nil, errors.Errorf("a %T is no tensor", v)
}

// isPacked reports whether a tensor's elements lie in row-major order without
// holes. Package tensor makes tensors with fewer strides than dims where at most
// one dim is larger than one.
func isPacked(t *tensor.Dense) bool {
	shape, strides := t.Shape(), t.Strides()
	if len(shape) == 0 || count(shape) == 0 {
		return true
	}
	if len(t.Mask()) > 0 {
		return false
	}
	if len(strides) != len(shape) {
		return len(strides) == 0 || strides[0] == 1
	}
	step := 1
	for d := len(shape) - 1; d >= 0; d-- {
		if shape[d] > 1 && strides[d] != step {
			return false
		}
		step *= shape[d]
	}
	return true
}

// rowMajor are the steps of the axes of a packed tensor.
func rowMajor(shape tensor.Shape) []int {
	steps := make([]int, len(shape))
	step := 1
	for d := len(shape) - 1; d >= 0; d-- {
		steps[d] = step
		step *= shape[d]
	}
	return steps
}
