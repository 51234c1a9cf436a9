package gradtest

import (
	"reflect"
	"runtime"

	"github.com/pkg/errors"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Floats returns the elements of a value in row-major order of its shape, whatever its layout, as float64. The value is a
// tensor, a Gorgonia scalar or a Go number; bool counts as 0 and 1.
func Floats(value any) ([]float64, error) {
	dense, ok := value.(tensor.Tensor)
	if !ok {
		if scalar, ok := value.(G.Scalar); ok {
			value = scalar.Data()
		}
		f, err := toFloat(reflect.ValueOf(value))
		return []float64{f}, err
	}
	shape, strides := dense.Shape(), dense.Strides()
	n := shape.TotalSize()
	if n == 0 {
		// Data panics on a tensor of shape (0).
		return []float64{}, nil
	}
	defer runtime.KeepAlive(dense) // Data holds the memory by an integer for a moment
	elements := reflect.ValueOf(dense.Data())
	if elements.Kind() != reflect.Slice {
		f, err := toFloat(elements)
		return []float64{f}, err
	}
	if len(strides) != len(shape) {
		return nil, errors.Errorf("tensor of shape %v has strides %v", shape, strides)
	}
	out := make([]float64, n)
	for i := range out {
		offset, rest := 0, i
		for axis := len(shape) - 1; axis >= 0; axis-- {
			offset += rest % shape[axis] * strides[axis]
			rest /= shape[axis]
		}
		f, err := toFloat(elements.Index(offset))
		if err != nil {
			return nil, err
		}
		out[i] = f
	}
	return out, nil
}

func toFloat(v reflect.Value) (float64, error) {
	switch {
	case !v.IsValid():
		return 0, errors.New("no value")
	case v.CanFloat():
		return v.Float(), nil
	case v.Kind() == reflect.Bool && v.Bool():
		return 1, nil
	case v.Kind() == reflect.Bool:
		return 0, nil
	case v.CanInt():
		return float64(v.Int()), nil
	}
	// The 16-bit floats are unsigned integers to reflect.
	if half, ok := v.Interface().(interface{ Float32() float32 }); ok {
		return float64(half.Float32()), nil
	}
	if v.CanUint() {
		return float64(v.Uint()), nil
	}
	return 0, errors.Errorf("%v is no real number", v.Type())
}

// valueOf is the opposite of Floats for the dtypes that Gorgonia differentiates: a row-major tensor, or a Go scalar for an
// empty shape.
func valueOf(dt tensor.Dtype, shape tensor.Shape, values []float64) (any, error) {
	switch dt {
	case tensor.Float64:
		if shape.IsScalar() {
			return values[0], nil
		}
		return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(append([]float64{}, values...))), nil
	case tensor.Float32:
		narrow := make([]float32, len(values))
		for i, v := range values {
			narrow[i] = float32(v)
		}
		if shape.IsScalar() {
			return narrow[0], nil
		}
		return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(narrow)), nil
	}
	return nil, errors.Errorf("a gradient needs float32 or float64, not %v", dt)
}
