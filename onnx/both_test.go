package onnx

import (
	"fmt"
	"math/rand"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/x448/float16"
	"gorgonia.org/gather"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// both computes a node by Eval and by Apply on a TapeMachine, and demands that
// the two agree: in the value bit for bit, or in the error. A nil input is an
// optional one that is left out.
func both(t *testing.T, n Node, inputs ...*tensor.Dense) (*tensor.Dense, error) {
	t.Helper()
	tensors := make([]tensor.Tensor, len(inputs))
	for i, in := range inputs {
		if in != nil {
			tensors[i] = in
		}
	}
	want, wantErr := Eval(n, tensors...)
	got, err := applied(n, inputs...)
	if wantErr != nil {
		require.Error(t, err, "Eval fails with: %v", wantErr)
		wanted, isIndex := gather.AsIndexError(wantErr)
		if !isIndex {
			assert.Equal(t, wantErr.Error(), err.Error())
			return nil, wantErr
		}
		found, ok := gather.AsIndexError(err)
		require.True(t, ok, "no IndexError in %v", err)
		found.Operands = nil // the names of nodes, of which Eval has none
		assert.Equal(t, wanted, found)
		return nil, wantErr
	}
	require.NoError(t, err)
	assert.Equal(t, want.Dtype(), got.Dtype())
	assert.Equal(t, want.Shape(), got.Shape())
	assert.Equal(t, values(want), values(got))
	return want, nil
}

// applied runs a node's operator in a graph.
func applied(n Node, inputs ...*tensor.Dense) (*tensor.Dense, error) {
	g := gorgonia.NewGraph()
	nodes := make([]*gorgonia.Node, len(inputs))
	for i, in := range inputs {
		if in == nil {
			continue
		}
		name := fmt.Sprintf("input_%d", i)
		if in.Dims() == 0 {
			nodes[i] = gorgonia.NewScalar(g, in.Dtype(), gorgonia.WithName(name))
		} else {
			nodes[i] = gorgonia.NewTensor(g, in.Dtype(), in.Dims(), gorgonia.WithShape(in.Shape()...), gorgonia.WithName(name))
		}
		if err := gorgonia.Let(nodes[i], in); err != nil {
			return nil, err
		}
	}
	out, err := Apply(n, nodes...)
	if err != nil {
		return nil, err
	}
	machine := gorgonia.NewTapeMachine(g)
	defer machine.Close()
	if err := machine.RunAll(); err != nil {
		return nil, err
	}
	return asDense(out.Value())
}

// values are a tensor's elements, also of an empty one, on which Data panics.
func values(d *tensor.Dense) any {
	if d.Shape().TotalSize() == 0 {
		return nil
	}
	return d.Data()
}

// of makes a tensor of the values, which must be a slice.
func of(values any, shape ...int) *tensor.Dense {
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(values))
}

func f32(values ...float32) []float32 { return values }
func i64(values ...int64) []int64     { return values }

// iota32 is 0, 1, 2, … as float32.
func iota32(n int) []float32 {
	list := make([]float32, n)
	for i := range list {
		list[i] = float32(i)
	}
	return list
}

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
