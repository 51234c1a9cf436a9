package openvino

import (
	"testing"

	"gorgonia.org/gather/internal/opset/opsettest"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// operation is a layer's operator with inputs still to come.
func operation(l Layer) opsettest.Operation {
	return opsettest.Operation{
		Apply: func(inputs ...*gorgonia.Node) (*gorgonia.Node, error) { return Apply(l, inputs...) },
		Eval:  func(inputs ...tensor.Tensor) (*tensor.Dense, error) { return Eval(l, inputs...) },
	}
}

// both computes a layer by Eval and by Apply, which must agree.
func both(t *testing.T, l Layer, inputs ...*tensor.Dense) (*tensor.Dense, error) {
	t.Helper()
	return operation(l).Both(t, inputs...)
}

// applied runs a layer's operator in a graph.
func applied(l Layer, inputs ...*tensor.Dense) (*tensor.Dense, error) {
	return operation(l).Applied(inputs...)
}

// What makes tensors, and tells their memory.
var (
	input  = opsettest.Input
	of     = opsettest.Of
	iota32 = opsettest.Iota32
	memory = opsettest.Memory
)

func f32(values ...float32) []float32 { return values }
func i32(values ...int32) []int32     { return values }
func i64(values ...int64) []int64     { return values }
