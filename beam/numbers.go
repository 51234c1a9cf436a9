package gatherbeam

import (
	"unsafe"

	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/elem"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/npy"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/tensor"
)

// A dtype that rows may have.
type number struct {
	name  string
	dtype tensor.Dtype
	kind  num.Kind
}

var numbers = []number{
	{"float32", tensor.Float32, num.Float32},
	{"float64", tensor.Float64, num.Float64},
	{"int32", tensor.Int32, num.Int32},
	{"int64", tensor.Int64, num.Int64},
}

// numberOf is the dtype of rows that has a name.
func numberOf(name string) (number, error) {
	for _, n := range numbers {
		if n.name == name {
			return n, nil
		}
	}
	return number{}, fault.Errorf(dense.ErrDtype, "rows of %s, allowed are float32, float64, int32 and int64", fault.Name(name))
}

// nameOf is the name of a dtype that rows may have.
func nameOf(dt tensor.Dtype) (string, error) {
	for _, n := range numbers {
		if n.dtype == dt {
			return n.name, nil
		}
	}
	return "", fault.Errorf(dense.ErrDtype, "rows of %s, allowed are float32, float64, int32 and int64", elem.Name(dt))
}

// bytesOf is how many bytes an array of a dtype and shape has.
func bytesOf(dtype string, shape []int64) (int, error) {
	n, err := numberOf(dtype)
	if err != nil {
		return 0, err
	}
	ints, err := intsOf(shape)
	if err != nil {
		return 0, err
	}
	bytes, err := npy.Header{Kind: n.kind, Shape: ints}.Bytes()
	if err != nil {
		return 0, fault.Errorf(dense.ErrShape, "%v", err)
	}
	if int64(int(bytes)) != bytes {
		return 0, fault.Errorf(dense.ErrShape, "an array of shape %s has %d bytes, more than this machine's memory", fault.Shape(ints), bytes)
	}
	return int(bytes), nil
}

// rowBytes is how many bytes one row has, of a shape (n, d...).
func rowBytes(dtype string, shape []int64) (int, error) {
	if len(shape) == 0 {
		return 0, fault.Errorf(dense.ErrShape, "a scalar has no rows")
	}
	return bytesOf(dtype, append([]int64{1}, shape[1:]...))
}

// intsOf is a shape as this machine counts.
func intsOf(shape []int64) ([]int, error) {
	ints := make([]int, len(shape))
	for axis, n := range shape {
		if ints[axis] = int(n); n < 0 || int64(ints[axis]) != n {
			return nil, fault.Errorf(dense.ErrShape, "axis %d has size %d", axis, n)
		}
	}
	return ints, nil
}

func int64sOf(shape []int) []int64 {
	wide := make([]int64, len(shape))
	for axis, n := range shape {
		wide[axis] = int64(n)
	}
	return wide
}

// withRows is a shape (n, d...) with another n.
func withRows(shape []int64, n int64) []int64 {
	return append([]int64{n}, shape[1:]...)
}

// tensorOf is a tensor of its own with these bytes as its elements.
func tensorOf(dtype string, shape []int64, data []byte) (*tensor.Dense, error) {
	n, err := numberOf(dtype)
	if err != nil {
		return nil, err
	}
	bytes, err := bytesOf(dtype, shape)
	if err != nil {
		return nil, err
	}
	if bytes != len(data) {
		return nil, fault.Errorf(dense.ErrShape, "%d bytes of data, an array of %s of shape %v has %d", len(data), dtype, shape, bytes)
	}
	if err := npy.CheckMachine(); err != nil {
		return nil, err
	}
	ints, err := intsOf(shape)
	if err != nil {
		return nil, err
	}
	var backing any
	switch n.kind {
	case num.Float32:
		backing = elements[float32](data)
	case num.Float64:
		backing = elements[float64](data)
	case num.Int32:
		backing = elements[int32](data)
	default:
		backing = elements[int64](data)
	}
	return tensor.New(tensor.WithShape(ints...), tensor.WithBacking(backing)), nil
}

// elements are the elements of memory that may begin anywhere, in memory of their
// own.
func elements[T any](data []byte) []T {
	var element T
	s := make([]T, len(data)/int(unsafe.Sizeof(element)))
	copy(num.Bytes(s), data)
	return s
}

// dataOf is the dtype, the shape and the elements of a tensor in row-major order,
// as bytes of their own.
func dataOf(op, argument string, t tensor.Tensor) (dtype string, shape []int64, data []byte, err error) {
	defer core.Recover(op, &err)
	if err := npy.CheckMachine(); err != nil {
		return "", nil, nil, errors.WithMessage(err, op)
	}
	if !core.Given(t) {
		return "", nil, nil, errors.Errorf("%s: %s: nil, a tensor is needed", op, argument)
	}
	if dtype, err = nameOf(t.Dtype()); err != nil {
		return "", nil, nil, errors.WithMessagef(err, "%s: %s", op, argument)
	}
	var scratch []byte
	mem, s, err := core.Packed(&scratch, op, argument, t, t.Dtype())
	if err != nil {
		return "", nil, nil, err
	}
	if len(s) == 0 {
		return "", nil, nil, fault.Errorf(dense.ErrShape, "%s: %s: a scalar has no rows", op, argument)
	}
	return dtype, int64sOf(s), append([]byte{}, mem...), nil
}
