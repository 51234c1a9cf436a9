package onnx

import (
	"fmt"
	"math/rand"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/x448/float16"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/opset/opsettest"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// operation is a node's operator with inputs still to come.
func operation(n Node) opsettest.Operation {
	return opsettest.Operation{
		Apply: func(inputs ...*gorgonia.Node) (*gorgonia.Node, error) { return Apply(n, inputs...) },
		Eval:  func(inputs ...tensor.Tensor) (*tensor.Dense, error) { return Eval(n, inputs...) },
	}
}

// both computes a node by Eval and by Apply, which must agree. A nil input is an
// optional one that is left out.
func both(t *testing.T, n Node, inputs ...*tensor.Dense) (*tensor.Dense, error) {
	t.Helper()
	return operation(n).Both(t, inputs...)
}

// values are a tensor's elements, also of an empty one, on which Data panics.
func values(d *tensor.Dense) any {
	if d.Shape().TotalSize() == 0 {
		return nil
	}
	return d.Data()
}

// of makes a tensor of a slice of values. No dims make a scalar.
var of = opsettest.Of

func f32(values ...float32) []float32 { return values }
func i64(values ...int64) []int64     { return values }

// iota32 is 0, 1, 2, … as float32.
func iota32(n int) []float32 { return opsettest.Iota32(n).Float32s() }

// sample makes a tensor of any dtype of T, with values that tell its elements
// apart where the dtype can.
func sample(dt tensor.Dtype, shape ...int) *tensor.Dense {
	n := tensor.Shape(shape).TotalSize()
	list := reflect.MakeSlice(reflect.SliceOf(dt.Type), n, n)
	r := rand.New(rand.NewSource(1))
	for i := range n {
		e := list.Index(i)
		switch x := r.Intn(100); e.Kind() {
		case reflect.Bool:
			e.SetBool(x%2 == 0)
		case reflect.String:
			e.SetString(fmt.Sprint(x))
		case reflect.Float32, reflect.Float64:
			e.SetFloat(float64(x))
		case reflect.Complex64, reflect.Complex128:
			e.SetComplex(complex(float64(x), -1))
		case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Int:
			e.SetInt(int64(x))
		default:
			e.SetUint(uint64(x))
		}
	}
	return of(list.Interface(), shape...)
}

func TestSampleTellsElementsApart(t *testing.T) {
	for _, dt := range t16 {
		d := sample(dt, 2, 5)
		require.Equal(t, dt, d.Dtype())
		assert.NotEqual(t, reflect.Zero(reflect.TypeOf(d.Data())).Interface(), d.Data())
	}
	assert.IsType(t, []float16.Float16{}, sample(dense.Float16, 2).Data())
}
