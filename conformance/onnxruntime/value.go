package onnxruntime

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"github.com/pkg/errors"
	"github.com/x448/float16"
	"gorgonia.org/gather/dense"
	"gorgonia.org/tensor"
)

// DType is an element type, numbered as TensorProto.DataType numbers it.
type DType int

// The element types that ONNX Runtime's CPU kernels of this family know.
const (
	Float    DType = 1
	Uint8    DType = 2
	Int8     DType = 3
	Uint16   DType = 4
	Int16    DType = 5
	Int32    DType = 6
	Int64    DType = 7
	String   DType = 8
	Bool     DType = 9
	Float16  DType = 10
	Double   DType = 11
	Uint32   DType = 12
	Uint64   DType = 13
	BFloat16 DType = 16
)

// dtypes says of each element type how it is called, how wide an element is and which dtype stands for it in Go.
var dtypes = map[DType]struct {
	name  string
	width int
	of    tensor.Dtype
}{
	Float:    {"float", 4, tensor.Float32},
	Uint8:    {"uint8", 1, tensor.Uint8},
	Int8:     {"int8", 1, tensor.Int8},
	Uint16:   {"uint16", 2, tensor.Uint16},
	Int16:    {"int16", 2, tensor.Int16},
	Int32:    {"int32", 4, tensor.Int32},
	Int64:    {"int64", 8, tensor.Int64},
	String:   {"string", 0, tensor.String},
	Bool:     {"bool", 1, tensor.Bool},
	Float16:  {"float16", 2, dense.Float16},
	Double:   {"double", 8, tensor.Float64},
	Uint32:   {"uint32", 4, tensor.Uint32},
	Uint64:   {"uint64", 8, tensor.Uint64},
	BFloat16: {"bfloat16", 2, dense.BFloat16},
}

func (t DType) String() string { return dtypes[t].name }

func (t DType) isFloat() bool { return t == Float || t == Double || t == Float16 || t == BFloat16 }

// Value is a tensor as both sides get it: row-major, the elements as little-endian bytes, or as strings.
type Value struct {
	DType   DType
	Shape   []int
	Bytes   []byte
	Strings []string
}

// elements is the product of a shape's dims: 1 for a scalar.
func elements(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// newValue returns a tensor of zeros or of empty strings.
func newValue(t DType, shape []int) *Value {
	v := &Value{DType: t, Shape: append([]int(nil), shape...)}
	if t == String {
		v.Strings = make([]string, elements(shape))
		return v
	}
	v.Bytes = make([]byte, elements(shape)*dtypes[t].width)
	return v
}

// integers returns a tensor of integers, cut to the width of t.
func integers(t DType, shape []int, xs []int64) *Value {
	v := newValue(t, shape)
	width := dtypes[t].width
	var buf [8]byte
	for i, x := range xs {
		binary.LittleEndian.PutUint64(buf[:], uint64(x))
		copy(v.Bytes[i*width:], buf[:width])
	}
	return v
}

// float returns element i of a tensor of floats.
func (v *Value) float(i int) float64 {
	switch v.DType {
	case Float:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(v.Bytes[4*i:])))
	case Double:
		return math.Float64frombits(binary.LittleEndian.Uint64(v.Bytes[8*i:]))
	case Float16:
		return float64(float16.Frombits(binary.LittleEndian.Uint16(v.Bytes[2*i:])).Float32())
	case BFloat16:
		return float64(math.Float32frombits(uint32(binary.LittleEndian.Uint16(v.Bytes[2*i:])) << 16))
	}
	return 0
}

// widen returns a tensor of 16-bit floats as one of float, which holds all their values: ONNX Runtime's answer
// comes back so. Any other tensor it returns as it is.
func (v *Value) widen() *Value {
	if v.DType != Float16 && v.DType != BFloat16 {
		return v
	}
	out := newValue(Float, v.Shape)
	for i := range len(v.Bytes) / 2 {
		binary.LittleEndian.PutUint32(out.Bytes[4*i:], math.Float32bits(float32(v.float(i))))
	}
	return out
}

// fromDense returns a result of the operators under test, which has to be contiguous and row-major.
func fromDense(d *tensor.Dense) (*Value, error) {
	for t, info := range dtypes {
		if d.Dtype() != info.of {
			continue
		}
		v := &Value{DType: t, Shape: append([]int(nil), d.Shape()...)}
		if elements(v.Shape) == 0 {
			return newValue(t, v.Shape), nil
		}
		if d.DataOrder().IsColMajor() || d.RequiresIterator() {
			return nil, errors.Errorf("the result is not contiguous and row-major: shape %v, strides %v", d.Shape(), d.Strides())
		}
		if t == String {
			v.Strings = append(v.Strings, d.Strings()...)
			return v, nil
		}
		v.Bytes = bytes.Clone(d.Uint8s())
		return v, nil
	}
	return nil, errors.Errorf("the result has the dtype %v", d.Dtype())
}

// compare returns "" where two results agree, or else the first thing in which they differ.
func compare(got, want *Value) string {
	if got.DType != want.DType {
		return fmt.Sprintf("dtype %v, want %v", got.DType, want.DType)
	}
	if fmt.Sprint(got.Shape) != fmt.Sprint(want.Shape) {
		return fmt.Sprintf("shape %v, want %v", got.Shape, want.Shape)
	}
	if at := differing(got, want); len(at) > 0 {
		return fmt.Sprintf("%d of %d elements differ, first at %d: %s, want %s",
			len(at), elements(want.Shape), at[0], got.element(at[0]), want.element(at[0]))
	}
	return ""
}

// differing returns the flat positions at which two tensors of one dtype and shape differ.
func differing(a, b *Value) []int {
	var at []int
	if a.DType == String {
		for i := range a.Strings {
			if a.Strings[i] != b.Strings[i] {
				at = append(at, i)
			}
		}
		return at
	}
	if bytes.Equal(a.Bytes, b.Bytes) {
		return nil
	}
	width := dtypes[a.DType].width
	for i := range len(a.Bytes) / width {
		if bytes.Equal(a.Bytes[i*width:(i+1)*width], b.Bytes[i*width:(i+1)*width]) {
			continue
		}
		if a.DType.isFloat() && math.IsNaN(a.float(i)) && math.IsNaN(b.float(i)) {
			continue
		}
		at = append(at, i)
	}
	return at
}

// element prints element i: strings quoted, floats with their bits, integers in hexadecimal.
func (v *Value) element(i int) string {
	if v.DType == String {
		return fmt.Sprintf("%q", v.Strings[i])
	}
	width := dtypes[v.DType].width
	bits := make([]byte, width)
	for j := range bits {
		bits[j] = v.Bytes[(i+1)*width-1-j]
	}
	if v.DType.isFloat() {
		return fmt.Sprintf("%v (%x)", v.float(i), bits)
	}
	return fmt.Sprintf("%#x", bits)
}

// print returns the dtype, the shape and up to 200 elements.
func (v *Value) print() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v%v", v.DType, v.Shape)
	for i := range min(elements(v.Shape), 200) {
		b.WriteString(" " + v.element(i))
	}
	return b.String()
}
