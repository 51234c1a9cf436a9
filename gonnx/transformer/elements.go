package transformer

import (
	"math"
	"reflect"
	"unsafe"

	"github.com/pkg/errors"
	"github.com/x448/float16"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/gonnx/internal/node"
	"gorgonia.org/tensor"
)

// pack is the tensor itself where it is row-major without holes, else a copy that
// is. Column-major tensors, transposed ones and slices come from users, and out of
// gonnx's operators.
func pack(t tensor.Tensor) (*tensor.Dense, error) {
	d, ok := t.(*tensor.Dense)
	if !ok {
		return nil, errors.Wrapf(dense.ErrLayout, "%T, a *tensor.Dense is needed", t)
	}
	if len(d.Mask()) > 0 {
		return nil, errors.Wrap(dense.ErrLayout, "masked, unmasked tensors are allowed")
	}
	shape, strides := d.Shape(), d.Strides()
	packed, stride := len(strides) == len(shape), 1
	for i := len(shape) - 1; i >= 0; i-- {
		packed = packed && (strides[i] == stride || shape[i] < 2)
		stride *= shape[i]
	}
	if packed || len(shape) == 0 || stride == 0 {
		return d, nil
	}
	rows := make([]int64, shape[0])
	for i := range rows {
		rows[i] = int64(i)
	}
	return dense.Gather(d, tensor.New(tensor.WithShape(len(rows)), tensor.WithBacking(rows)), 0)
}

// elements are those of a packed tensor, whose dtype is that of T or, where values
// are only moved, one as wide.
func elements[T any](d *tensor.Dense) []T {
	n := size(d.Shape())
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(d.Raw))), n)
}

// size is the number of elements. Shape's own TotalSize is another for a scalar.
func size(shape tensor.Shape) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// blank is a tensor of zeros. Its memory is a slice of its own type, without which
// the garbage collector would not see strings.
func blank(shape tensor.Shape, dt tensor.Dtype) (*tensor.Dense, error) {
	if !node.Affordable(shape, int(dt.Size())) {
		return nil, errors.Wrapf(dense.ErrShape, "a result of shape %v and dtype %v is larger than %d bytes", shape, dt, int64(node.MaxBytes))
	}
	backing := reflect.MakeSlice(reflect.SliceOf(dt.Type), size(shape), size(shape)).Interface()
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(backing)), nil
}

// newDense makes a tensor of a slice.
func newDense[T any](shape tensor.Shape, values []T) *tensor.Dense {
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(values))
}

// halfwidth are the 16-bit floats, whose arithmetic is done in float32.
type halfwidth interface{ float16.Float16 | dense.BF16 }

// widen is the value as a float32.
func widen[T halfwidth](x T) float32 {
	switch x := any(x).(type) {
	case float16.Float16:
		return x.Float32()
	case dense.BF16:
		return math.Float32frombits(uint32(x) << 16)
	}
	panic("unreachable: there are two such types")
}

// narrow rounds to nearest even.
func narrow[T halfwidth](x float32) (y T) {
	switch y := any(&y).(type) {
	case *float16.Float16:
		*y = float16.Fromfloat32(x)
	case *dense.BF16:
		*y = bfloat(x)
	}
	return y
}

// bfloat rounds to nearest even. A NaN stays one: its upper half alone may be that
// of an infinity.
func bfloat(x float32) dense.BF16 {
	b := math.Float32bits(x)
	if x != x {
		return dense.BF16(b>>16 | 1<<6)
	}
	return dense.BF16((b + 0x7fff + b>>16&1) >> 16)
}
