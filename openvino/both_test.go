package openvino

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"reflect"
	"testing"

	"github.com/pkg/errors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gather"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// both computes a layer by Eval and by Apply on a TapeMachine, and demands that
// the two agree: in the value bit for bit, or in the error.
func both(t *testing.T, l Layer, inputs ...*tensor.Dense) (*tensor.Dense, error) {
	t.Helper()
	tensors := make([]tensor.Tensor, len(inputs))
	for i, in := range inputs {
		tensors[i] = in
	}
	want, wantErr := Eval(l, tensors...)
	got, err := applied(l, inputs...)
	if wantErr == nil {
		require.NoError(t, err)
		assert.Equal(t, want.Dtype(), got.Dtype())
		assert.Equal(t, want.Shape(), got.Shape())
		assert.Equal(t, memory(want), memory(got))
		return want, nil
	}
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

// applied runs a layer's operator in a graph.
func applied(l Layer, inputs ...*tensor.Dense) (*tensor.Dense, error) {
	g := gorgonia.NewGraph()
	nodes := make([]*gorgonia.Node, len(inputs))
	for i, in := range inputs {
		nodes[i] = input(g, fmt.Sprintf("input %d", i), in)
	}
	out, err := Apply(l, nodes...)
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

// input makes an input node with its value bound.
func input(g *gorgonia.ExprGraph, name string, value *tensor.Dense) *gorgonia.Node {
	var n *gorgonia.Node
	if value.Dims() == 0 {
		n = gorgonia.NewScalar(g, value.Dtype(), gorgonia.WithName(name))
	} else {
		n = gorgonia.NewTensor(g, value.Dtype(), value.Dims(), gorgonia.WithShape(value.Shape()...), gorgonia.WithName(name))
	}
	if err := gorgonia.Let(n, value); err != nil {
		panic(err)
	}
	return n
}

// asDense is the value of a node as a tensor; Gorgonia gives scalars as types of
// its own.
func asDense(v gorgonia.Value) (*tensor.Dense, error) {
	switch x := v.(type) {
	case *tensor.Dense:
		return x, nil
	case gorgonia.Scalar:
		return tensor.New(tensor.FromScalar(x.Data())), nil
	}
	return nil, errors.Errorf("the value is a %T", v)
}

// memory are a tensor's elements in row-major order, little-endian, so that any
// NaN is equal to itself; or the elements themselves, where they are of no fixed
// size. Data panics on an empty tensor.
func memory(d *tensor.Dense) any {
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

// of makes a tensor of a slice of values. No dims make a scalar.
func of(values any, shape ...int) *tensor.Dense {
	dt := tensor.Dtype{Type: reflect.TypeOf(values).Elem()}
	if tensor.Shape(shape).TotalSize() == 0 {
		return tensor.New(tensor.Of(dt), tensor.WithShape(shape...))
	}
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(values))
}

func f32(values ...float32) []float32 { return values }
func i32(values ...int32) []int32     { return values }
func i64(values ...int64) []int64     { return values }

// iota32 is 0, 1, 2, … as float32, of the shape.
func iota32(shape ...int) *tensor.Dense {
	values := make([]float32, tensor.Shape(shape).TotalSize())
	for i := range values {
		values[i] = float32(i)
	}
	return of(values, shape...)
}
