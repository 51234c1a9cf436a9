package onnx

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gather"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Each operator, attribute and default once, on data that is its own offsets.
func TestValues(t *testing.T) {
	type in = []*tensor.Dense
	square := of(iota32(9), 3, 3)
	cases := []struct {
		name   string
		node   Node
		inputs in
		shape  tensor.Shape
		want   any
	}{
		{"Gather-1, a negative index", Node{OpType: "Gather", Opset: 1}, in{floats, of(i64(-1), 1)}, tensor.Shape{1, 4}, f32(8, 9, 10, 11)},
		{"Gather-11, axis from the end", Node{OpType: "Gather", Opset: 11, Attributes: set{"axis": int64(-1)}}, in{floats, rows}, tensor.Shape{3, 2}, f32(2, 0, 6, 4, 10, 8)},
		{"Gather-13, axis as an int", Node{OpType: "Gather", Opset: 13, Attributes: set{"axis": 1}}, in{floats, of([]int32{3}, 1, 1)}, tensor.Shape{3, 1, 1}, f32(3, 7, 11)},
		{"Gather-13, scalar index", Node{OpType: "Gather", Opset: 14}, in{floats, of(i64(1))}, tensor.Shape{4}, f32(4, 5, 6, 7)},
		{"Gather-13, scalar result", Node{OpType: "Gather", Opset: 13}, in{of(iota32(5), 5), of(i64(-2))}, tensor.Shape{}, float32(3)},
		{"Gather-13, no index", Node{OpType: "Gather", Opset: 13}, in{floats, of(i64(), 0)}, tensor.Shape{0, 4}, nil},
		{"GatherElements-11", Node{OpType: "GatherElements", Opset: 11}, in{floats, elements2}, tensor.Shape{2, 4}, f32(8, 1, 6, 7, 0, 9, 6, 3)},
		{"GatherElements-13, shorter than data beside the axis", Node{OpType: "GatherElements", Opset: 13, Attributes: set{"axis": int64(1)}}, in{floats, of([]int32{-1, 0, 3, 3, 3}, 1, 5)}, tensor.Shape{1, 5}, f32(3, 0, 3, 3, 3)},
		{"GatherND-11", Node{OpType: "GatherND", Opset: 11}, in{floats, tuples2}, tensor.Shape{2}, f32(8, 5)},
		{"GatherND-12, batch_dims 0", Node{OpType: "GatherND", Opset: 12}, in{floats, of(i64(-1), 1, 1)}, tensor.Shape{1, 4}, f32(8, 9, 10, 11)},
		{"GatherND-13, batch_dims 1", Node{OpType: "GatherND", Opset: 13, Attributes: set{"batch_dims": int64(1)}}, in{floats, of(i64(1, 0, -1), 3, 1)}, tensor.Shape{3}, f32(1, 4, 11)},
		{"Scatter-9", Node{OpType: "Scatter", Opset: 10}, in{square, of(i64(1, 0, 2), 1, 3), of(f32(50, 60, 70), 1, 3)}, tensor.Shape{3, 3}, f32(0, 60, 2, 50, 4, 5, 6, 7, 70)},
		{"Scatter-9, a negative index", Node{OpType: "Scatter", Opset: 9, Attributes: set{"axis": int64(1)}}, in{square, of(i64(-1), 1, 1), of(f32(50), 1, 1)}, tensor.Shape{3, 3}, f32(0, 1, 50, 3, 4, 5, 6, 7, 8)},
		{"ScatterElements-11", Node{OpType: "ScatterElements", Opset: 11, Attributes: set{"axis": int64(-1)}}, in{square, of(i64(2, 0), 1, 2), of(f32(50, 60), 1, 2)}, tensor.Shape{3, 3}, f32(60, 1, 50, 3, 4, 5, 6, 7, 8)},
		{"ScatterElements-13, the last duplicate wins", Node{OpType: "ScatterElements", Opset: 13, Attributes: set{"axis": int64(1)}}, in{square, of(i64(2, 2), 1, 2), of(f32(50, 60), 1, 2)}, tensor.Shape{3, 3}, f32(0, 1, 60, 3, 4, 5, 6, 7, 8)},
		{"ScatterElements-16, add", Node{OpType: "ScatterElements", Opset: 16, Attributes: set{"axis": int64(1), "reduction": "add"}}, in{square, of(i64(2, 2), 1, 2), of(f32(50, 60), 1, 2)}, tensor.Shape{3, 3}, f32(0, 1, 112, 3, 4, 5, 6, 7, 8)},
		{"ScatterElements-16, mul", Node{OpType: "ScatterElements", Opset: 16, Attributes: set{"axis": int64(1), "reduction": "mul"}}, in{square, of(i64(2, 2), 1, 2), of(f32(5, 6), 1, 2)}, tensor.Shape{3, 3}, f32(0, 1, 60, 3, 4, 5, 6, 7, 8)},
		{"ScatterElements-18, min", Node{OpType: "ScatterElements", Opset: 18, Attributes: set{"axis": int64(1), "reduction": "min"}}, in{square, of(i64(2, 2), 1, 2), of(f32(-5, 6), 1, 2)}, tensor.Shape{3, 3}, f32(0, 1, -5, 3, 4, 5, 6, 7, 8)},
		{"ScatterElements-18, max", Node{OpType: "ScatterElements", Opset: 18, Attributes: set{"axis": int64(1), "reduction": "max"}}, in{square, of(i64(2, 0), 1, 2), of(f32(1, 6), 1, 2)}, tensor.Shape{3, 3}, f32(6, 1, 2, 3, 4, 5, 6, 7, 8)},
		{"ScatterND-11", Node{OpType: "ScatterND", Opset: 11}, in{square, of(i64(-1), 1, 1), of(f32(50, 60, 70), 1, 3)}, tensor.Shape{3, 3}, f32(0, 1, 2, 3, 4, 5, 50, 60, 70)},
		{"ScatterND-13, one element", Node{OpType: "ScatterND", Opset: 13}, in{square, of(i64(1, 1), 2), of(f32(50))}, tensor.Shape{3, 3}, f32(0, 1, 2, 3, 50, 5, 6, 7, 8)},
		{"ScatterND-16, add", Node{OpType: "ScatterND", Opset: 17, Attributes: set{"reduction": "add"}}, in{square, of(i64(0, 0), 2, 1), of(iota32(6), 2, 3)}, tensor.Shape{3, 3}, f32(3, 6, 9, 3, 4, 5, 6, 7, 8)},
		{"ScatterND-18, max", Node{OpType: "ScatterND", Opset: 18, Attributes: set{"reduction": "max"}}, in{square, of(i64(0, 0), 2, 1), of(iota32(6), 2, 3)}, tensor.Shape{3, 3}, f32(3, 4, 5, 3, 4, 5, 6, 7, 8)},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := both(t, c.node, c.inputs...)
			require.NoError(t, err)
			assert.Equal(t, c.shape, append(tensor.Shape{}, got.Shape()...))
			assert.Equal(t, c.want, values(got))
		})
	}
}

// Every version takes every dtype that its row lists, as data and as indices.
func TestDtypesOfEachVersion(t *testing.T) {
	for op, list := range versions {
		if _, ok := operators[op]; !ok {
			continue // Constant and Identity
		}
		if op == blocks1 {
			continue // the result is of the dtype of scales: see TestGatherBlockQuantized
		}
		for _, v := range list {
			for _, dt := range v.Data {
				for _, index := range v.Index {
					t.Run(fmt.Sprintf("%s-%d ", op, v.Since)+dtypeName(dt)+" "+dtypeName(index), func(t *testing.T) {
						at, tuples, starts := of(i64(1, 1, 0, 0), 1, 4), of(i64(2, 0), 1, 2), of(i64(1, 0, 0), 3)
						if index == tensor.Int32 {
							at = of([]int32{1, 1, 0, 0}, 1, 4)
						}
						inputs := map[string][]*tensor.Dense{
							"Gather":          {sample(dt, 3, 4), at},
							"GatherElements":  {sample(dt, 3, 4), at},
							"GatherND":        {sample(dt, 3, 4), tuples},
							"Scatter":         {sample(dt, 3, 4), at, sample(dt, 1, 4)},
							"ScatterElements": {sample(dt, 3, 4), at, sample(dt, 1, 4)},
							"ScatterND":       {sample(dt, 3, 4), tuples, sample(dt, 1)},
							features1:         {sample(dt, 3, 4), of(i64(1, 0), 2)},
							"TensorScatter":   {sample(dt, 3, 4), sample(dt, 3, 2), starts},
						}[op]
						n := Node{OpType: op, Opset: v.Since}
						if op == "TensorScatter" {
							n.Attributes = set{"axis": int64(1)}
						}
						if v.Instead != "" {
							return
						}
						got, err := both(t, n, inputs...)
						require.NoError(t, err)
						assert.Equal(t, dt, got.Dtype())
					})
				}
			}
		}
	}
}

func TestIndexOutOfRange(t *testing.T) {
	for _, n := range []Node{{OpType: "Gather", Opset: 1}, {OpType: "Gather", Opset: 11}, {OpType: "Gather", Opset: 13}} {
		for _, index := range []int64{3, -4, math.MinInt64, math.MaxInt64, 1 << 33} {
			_, err := both(t, n, floats, of(i64(0, index), 2))
			bad, ok := gather.AsIndexError(err)
			require.True(t, ok, "%v", err)
			assert.Equal(t, &dense.IndexError{Op: "Gather", Position: []int{1}, Index: index, Axis: 0, Size: 3}, bad)
		}
	}
}

// Inputs that are missing in other ways than by their number.
func TestNilInputs(t *testing.T) {
	var none *tensor.Dense
	_, err := Eval(Node{OpType: "Gather", Opset: 13}, none, rows)
	assert.ErrorIs(t, err, dense.ErrShape)
	_, err = Eval(Node{OpType: "Gather", Opset: 13}, nil, nil)
	assert.ErrorIs(t, err, dense.ErrShape)
	_, err = Eval(Node{OpType: "Gather", Opset: 13})
	assert.ErrorIs(t, err, dense.ErrShape)
	_, err = Apply(Node{OpType: "Gather", Opset: 13})
	assert.ErrorIs(t, err, dense.ErrShape)
	_, err = Apply(Node{OpType: "Gather", Opset: 13}, nil, nil)
	assert.ErrorIs(t, err, dense.ErrShape)
}

// A gradient reaches what Apply built like any other operator.
func TestApplyTrains(t *testing.T) {
	g := gorgonia.NewGraph()
	data := gorgonia.NewMatrix(g, tensor.Float64, gorgonia.WithShape(2, 3), gorgonia.WithName("data"))
	i := gorgonia.NewMatrix(g, tensor.Int64, gorgonia.WithShape(2, 1), gorgonia.WithName("i"))
	picked, err := Apply(Node{OpType: "GatherElements", Opset: 13, Attributes: set{"axis": int64(1)}}, data, i)
	require.NoError(t, err)
	cost := gorgonia.Must(gorgonia.Sum(gorgonia.Must(gorgonia.Square(picked))))
	grads, err := gorgonia.Grad(cost, data)
	require.NoError(t, err)
	require.NoError(t, gorgonia.Let(data, of([]float64{1, 2, 3, 4, 5, 6}, 2, 3)))
	require.NoError(t, gorgonia.Let(i, of(i64(-1, 0), 2, 1)))
	machine := gorgonia.NewTapeMachine(g)
	defer machine.Close()
	require.NoError(t, machine.RunAll())
	assert.Equal(t, []float64{0, 0, 6, 8, 0, 0}, grads[0].Value().Data())
}

// ScatterND takes tuples of length 0, each of which names the whole of data, as
// ONNX Runtime's and TensorFlow's tests have it; GatherND wants at least one
// coordinate.
func TestTuplesOfLengthZero(t *testing.T) {
	data, empty := of(f32(1, 2, 3, 4), 2, 2), func(shape ...int) *tensor.Dense { return of(i64(), shape...) }
	twice := of(f32(10, 20, 30, 40, 50, 60, 70, 80), 2, 2, 2)
	for _, c := range []struct {
		name    string
		node    Node
		indices *tensor.Dense
		updates *tensor.Dense
		want    []float32
	}{
		{"11, one tuple", Node{OpType: "ScatterND", Opset: 11}, empty(0), of(f32(10, 20, 30, 40), 2, 2), f32(10, 20, 30, 40)},
		{"13, the last of two", Node{OpType: "ScatterND", Opset: 13}, empty(2, 0), twice, f32(50, 60, 70, 80)},
		{"16, add", Node{OpType: "ScatterND", Opset: 16, Attributes: set{"reduction": "add"}}, empty(2, 0), twice, f32(61, 82, 103, 124)},
		{"16, mul", Node{OpType: "ScatterND", Opset: 16, Attributes: set{"reduction": "mul"}}, empty(2, 0), twice, f32(500, 2400, 6300, 12800)},
		{"18, min", Node{OpType: "ScatterND", Opset: 18, Attributes: set{"reduction": "min"}}, empty(2, 0), twice, f32(1, 2, 3, 4)},
		{"18, max", Node{OpType: "ScatterND", Opset: 18, Attributes: set{"reduction": "max"}}, empty(2, 1, 0), of(f32(10, 20, 30, 40, 50, 60, 70, 80), 2, 1, 2, 2), f32(50, 60, 70, 80)},
		{"18, no tuples", Node{OpType: "ScatterND", Opset: 18}, empty(0, 0), of(f32(), 0, 2, 2), f32(1, 2, 3, 4)},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := both(t, c.node, data, c.indices, c.updates)
			require.NoError(t, err)
			assert.Equal(t, c.want, got.Float32s())
		})
	}
	for _, opset := range []int{11, 12, 13} {
		_, err := both(t, Node{OpType: "GatherND", Opset: opset}, data, empty(2, 0))
		assert.ErrorIs(t, err, dense.ErrShape)
	}
}
