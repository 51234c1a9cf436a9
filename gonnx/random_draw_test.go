//go:build cgo

package gathergonnx

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/advancedclimatesystems/gonnx"
	pb "github.com/advancedclimatesystems/gonnx/onnx"
	"github.com/x448/float16"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/gonnx/internal/protos"
	"gorgonia.org/tensor"
)

// A drawing is a random model under way: a chain of gathers and scatters, each on
// what the one before gives.
type drawing struct {
	*rand.Rand
	opset  int
	dtype  tensor.Dtype
	graph  *pb.GraphProto
	inputs gonnx.Tensors
	used   map[string]bool
	bad    bool // an index is out of range
	empty  bool // a tensor has no elements
}

// dtypesBy are the dtypes of data that ONNX Runtime has kernels for. Strings are not
// among them: its Gather copies the first string of a slice only.
func dtypesBy(opset int, reduces bool) []tensor.Dtype {
	dtypes := []tensor.Dtype{tensor.Float32, tensor.Float64, tensor.Int32, tensor.Int64}
	if reduces {
		return dtypes
	}
	dtypes = append(dtypes, tensor.Bool, tensor.Int8, tensor.Int16, tensor.Uint8, tensor.Uint16, tensor.Uint32, tensor.Uint64, dense.Float16)
	if opset >= 13 {
		dtypes = append(dtypes, dense.BFloat16)
	}
	return dtypes
}

// tensor adds a value to the model, as an input or as an initializer.
func (d *drawing) tensor(x *tensor.Dense) string {
	name := fmt.Sprintf("x%d", len(d.graph.Input)+len(d.graph.Initializer))
	d.empty = d.empty || slices.Contains(x.Shape(), 0)
	if d.IntN(2) == 0 {
		d.graph.Initializer = append(d.graph.Initializer, protos.Tensor(name, x))
		return name
	}
	open := make([]int, x.Dims())
	for i, n := range x.Shape() {
		open[i] = n
		if d.IntN(2) == 0 || n == 0 {
			open[i] = -1
		}
	}
	d.graph.Input = append(d.graph.Input, protos.Value(name, x.Dtype(), open...))
	d.inputs[name] = x
	return name
}

// data draws small integers in the model's dtype.
func (d *drawing) data(shape []int) *tensor.Dense {
	n := 1
	for _, s := range shape {
		n *= s
	}
	return numbered(d.dtype, n, func() int { return d.IntN(9) }, shape)
}

func numbered(dt tensor.Dtype, n int, draw func() int, shape []int) *tensor.Dense {
	switch dt {
	case tensor.Float64:
		return filled(n, shape, func() float64 { return float64(draw()) })
	case tensor.Int32:
		return filled(n, shape, func() int32 { return int32(draw()) })
	case tensor.Int64:
		return filled(n, shape, func() int64 { return int64(draw()) })
	case tensor.Bool:
		return filled(n, shape, func() bool { return draw()%2 == 0 })
	case tensor.Int8:
		return filled(n, shape, func() int8 { return int8(draw()) })
	case tensor.Int16:
		return filled(n, shape, func() int16 { return int16(draw()) })
	case tensor.Uint8:
		return filled(n, shape, func() uint8 { return uint8(draw()) })
	case tensor.Uint16:
		return filled(n, shape, func() uint16 { return uint16(draw()) })
	case tensor.Uint32:
		return filled(n, shape, func() uint32 { return uint32(draw()) })
	case tensor.Uint64:
		return filled(n, shape, func() uint64 { return uint64(draw()) })
	case dense.Float16:
		return filled(n, shape, func() float16.Float16 { return float16.Fromfloat32(float32(draw())) })
	case dense.BFloat16: // of 0, 1 and 2, which are easily written down
		return filled(n, shape, func() dense.BF16 { return []dense.BF16{0, 0x3f80, 0x4000}[draw()%3] })
	}
	return filled(n, shape, func() float32 { return float32(draw()) })
}

func filled[T any](n int, shape []int, draw func() T) *tensor.Dense {
	values := make([]T, n)
	for i := range values {
		values[i] = draw()
	}
	return of(values, shape...)
}

// shape draws dims that mostly differ.
func (d *drawing) shape(rank int) []int {
	shape := make([]int, rank)
	for i := range shape {
		shape[i] = 1 + d.IntN(6)
		if d.IntN(40) == 0 {
			shape[i] = 0
		}
	}
	return shape
}

// index draws one of an axis, from either end, and rarely one that is out of range.
func (d *drawing) index(size int) int64 {
	if size == 0 || d.IntN(400) == 0 {
		d.bad = true
		return int64([]int{size, -size - 1, 1 << 30}[d.IntN(3)])
	}
	return int64(d.IntN(2*size) - size)
}

// indices draws a tensor of them; size says which axis the i-th counts on.
func (d *drawing) indices(shape []int, wide bool, size func(i int) int) *tensor.Dense {
	n := 1
	for _, s := range shape {
		n *= s
	}
	all := make([]int64, n)
	for i := range all {
		all[i] = d.index(size(i))
	}
	if wide || d.IntN(2) == 0 {
		return of(all, shape...)
	}
	narrow := make([]int32, n)
	for i, x := range all {
		narrow[i] = int32(x)
	}
	return of(narrow, shape...)
}

// unique draws indices of a scatter: without a reduction none names a target twice,
// since which of the updates wins is left open. They are then those of one position
// along the axis.
func (d *drawing) unique(attributes protos.Attributes, axis int, shape, smaller []int) *tensor.Dense {
	if r := attributes["reduction"]; r == nil || r == "none" {
		smaller[axis] = min(smaller[axis], 1)
	}
	return d.indices(smaller, false, func(int) int { return shape[axis] })
}
