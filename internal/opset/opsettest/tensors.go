package opsettest

import (
	"bytes"
	"encoding/binary"
	"reflect"
	"runtime"

	"gorgonia.org/tensor"
)

// Of makes a tensor of a slice of values. No dims make a scalar.
func Of(values any, shape ...int) *tensor.Dense {
	if tensor.Shape(shape).TotalSize() == 0 {
		return tensor.New(tensor.Of(tensor.Dtype{Type: reflect.TypeOf(values).Elem()}), tensor.WithShape(shape...))
	}
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(values))
}

// Iota32 is 0, 1, 2, … as float32, of the shape.
func Iota32(shape ...int) *tensor.Dense {
	values := make([]float32, tensor.Shape(shape).TotalSize())
	for i := range values {
		values[i] = float32(i)
	}
	return Of(values, shape...)
}

// Values are values of one type, as a slice.
func Values[T any](values ...T) []T { return values }

// Memory are a tensor's elements in row-major order, little-endian, so that any
// NaN is equal to itself; or the elements themselves, where they are of no fixed
// size. Data panics on an empty tensor.
func Memory(d *tensor.Dense) any {
	defer runtime.KeepAlive(d) // Data holds the memory by an integer for a moment
	if d.Shape().TotalSize() == 0 {
		return []byte(nil)
	}
	switch d.Dtype() {
	case tensor.String, tensor.Int, tensor.Uint:
		return d.Data()
	}
	var b bytes.Buffer
	if err := binary.Write(&b, binary.LittleEndian, d.Data()); err != nil {
		panic(err)
	}
	return b.Bytes()
}
