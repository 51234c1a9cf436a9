package onnx_test

import (
	"math"
	"sync"
	"testing"

	"github.com/pkg/errors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/onnx"
	"gorgonia.org/gather/onnx/builders"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestEvalWith computes nodes by builders, without a graph.
func TestEvalWith(t *testing.T) {
	columns := tensor.New(tensor.WithShape(2, 3), tensor.AsFortran([]float32{1, 2, 3, 4, 5, 6}))
	three := func(values ...float32) *tensor.Dense { return tensor.New(tensor.WithBacking(values)) }
	scalar := func(x float32) *tensor.Dense { return tensor.New(tensor.FromScalar(x)) }
	for _, c := range []struct {
		name   string
		b      onnx.Builder
		n      onnx.Node
		inputs []tensor.Tensor
		want   []any // nil for an output that there is not
	}{
		{"a column-major input", builders.Neg, onnx.Node{OpType: "Neg", Opset: 13}, []tensor.Tensor{columns}, []any{[]float32{-1, -2, -3, -4, -5, -6}}},
		{"a scalar", builders.Mul, onnx.Node{OpType: "Mul", Opset: 14}, []tensor.Tensor{scalar(3), scalar(5)}, []any{float32(15)}},
		{"an input that is left out", builders.Clip, onnx.Node{OpType: "Clip", Opset: 13}, []tensor.Tensor{three(1, 2, 3), nil, scalar(2)}, []any{[]float32{1, 2, 2}}},
		{"a nil *tensor.Dense", builders.Clip, onnx.Node{OpType: "Clip", Opset: 13}, []tensor.Tensor{three(1, 2, 3), (*tensor.Dense)(nil), scalar(2)}, []any{[]float32{1, 2, 2}}},
		{"an output that nobody uses", builders.Split, onnx.Node{OpType: "Split", Opset: 13, Outputs: []string{"a", "", "c"}}, []tensor.Tensor{three(1, 2, 3)}, []any{[]float32{1}, nil, []float32{3}}},
		{"an input handed through", builders.Dropout, onnx.Node{OpType: "Dropout", Opset: 13}, []tensor.Tensor{three(1, 2)}, []any{[]float32{1, 2}}},
		{"a scalar handed through", builders.Dropout, onnx.Node{OpType: "Dropout", Opset: 13}, []tensor.Tensor{scalar(7)}, []any{float32(7)}},
		{"what shapes the result", builders.Reshape, onnx.Node{OpType: "Reshape", Opset: 13},
			[]tensor.Tensor{columns, tensor.New(tensor.WithShape(1), tensor.WithBacking([]int64{-1}))}, []any{[]float32{1, 2, 3, 4, 5, 6}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := onnx.EvalWith(c.b, c.n, c.inputs...)
			require.NoError(t, err)
			require.Len(t, out, len(c.want))
			for i, want := range c.want {
				if want == nil {
					assert.Nil(t, out[i])
					continue
				}
				assert.Equal(t, want, out[i].Data())
				for _, in := range c.inputs {
					if d, _ := in.(*tensor.Dense); d != nil {
						assert.NotEqual(t, d.Uintptr(), out[i].Uintptr(), "it is the input's memory")
					}
				}
			}
		})
	}
	t.Run("an empty input handed through", func(t *testing.T) {
		out, err := onnx.EvalWith(builders.Dropout, onnx.Node{OpType: "Dropout", Opset: 13}, tensor.New(tensor.Of(tensor.Float32), tensor.WithShape(2, 0)))
		require.NoError(t, err)
		assert.Equal(t, tensor.Shape{2, 0}, out[0].Shape())
	})
}

// What is wrong with a node is its builder's error; nothing panics.
func TestEvalWithErrors(t *testing.T) {
	x := tensor.New(tensor.WithBacking([]float32{1, 2, 3}))
	_, err := onnx.EvalWith(builders.Softmax, onnx.Node{OpType: "Softmax", Opset: 13, Attributes: map[string]any{"axis": int64(1)}}, x)
	assert.EqualError(t, err, "Softmax-13: axis 1 is not in [-1, 0]")
	assert.ErrorIs(t, err, dense.ErrAxis)
	_, err = onnx.EvalWith(builders.Div, onnx.Node{OpType: "Div", Opset: 14}, tensor.New(tensor.WithBacking([]int64{1})), tensor.New(tensor.WithBacking([]int64{0})))
	assert.ErrorContains(t, err, "division by zero")
	huge := tensor.New(tensor.WithBacking([]int64{math.MaxInt32, math.MaxInt32}))
	_, err = onnx.EvalWith(builders.Expand, onnx.Node{OpType: "Expand", Opset: 13}, tensor.New(tensor.WithBacking([]float32{1})), huge)
	assert.ErrorContains(t, err, "Expand", "more than the machine has")
	failing := func(onnx.Node, ...*gorgonia.Node) ([]*gorgonia.Node, error) { return nil, errors.New("no") }
	_, err = onnx.EvalWith(failing, onnx.Node{OpType: "Fail"}, x)
	assert.EqualError(t, err, "no")
	panicking := func(onnx.Node, ...*gorgonia.Node) ([]*gorgonia.Node, error) { panic("no") }
	_, err = onnx.EvalWith(panicking, onnx.Node{OpType: "Panic"}, x)
	assert.ErrorContains(t, err, "its builder panicked: no")
	constant := func(_ onnx.Node, in ...*gorgonia.Node) ([]*gorgonia.Node, error) {
		v := gorgonia.NewVector(in[0].Graph(), tensor.Float32, gorgonia.WithShape(3), gorgonia.WithName("v"), gorgonia.WithValue(x.Clone()))
		other := gorgonia.NewVector(gorgonia.NewGraph(), tensor.Float32, gorgonia.WithShape(3), gorgonia.WithName("v"))
		sum, err := gorgonia.Add(other, other) // in v's graph it would be the same node
		require.NoError(t, err)
		out, err := gorgonia.ApplyOp(panics{sum.Op()}, v, v)
		return []*gorgonia.Node{out}, err
	}
	_, err = onnx.EvalWith(constant, onnx.Node{OpType: "Panic"}, x)
	assert.ErrorContains(t, err, "its operator panicked: boom")
}

// panics is an operator that panics when it is run.
type panics struct{ gorgonia.Op }

func (panics) Do(...gorgonia.Value) (gorgonia.Value, error) { panic("boom") }

// Calls may share their inputs.
func TestEvalWithAtOnce(t *testing.T) {
	x := tensor.New(tensor.WithBacking([]float32{1, 2, 3}))
	var group sync.WaitGroup
	for range 4 {
		group.Add(1)
		go func() {
			defer group.Done()
			for range 20 {
				out, err := onnx.EvalWith(builders.Add, onnx.Node{OpType: "Add", Opset: 14}, x, x)
				if assert.NoError(t, err) {
					assert.Equal(t, []float32{2, 4, 6}, out[0].Data())
				}
			}
		}()
	}
	group.Wait()
}

// BenchmarkEvalWith is what a call costs beside the work.
func BenchmarkEvalWith(b *testing.B) {
	x := tensor.New(tensor.WithBacking([]float32{1, 2, 3}))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := onnx.EvalWith(builders.Add, onnx.Node{OpType: "Add", Opset: 14}, x, x); err != nil {
			b.Fatal(err)
		}
	}
}
