package transformer

import (
	"math"
	"testing"

	"github.com/advancedclimatesystems/gonnx/ops"
	"github.com/advancedclimatesystems/gonnx/ops/opset13"
	"github.com/pkg/errors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/gonnx/internal/protos"
	"gorgonia.org/tensor"
)

func TestErrors(t *testing.T) {
	x := of([]float32{1, 2, 3, 4, 5, 6}, 2, 3)
	row := of([]float32{1, 2, 3}, 3)
	masked := tensor.New(tensor.WithShape(2), tensor.WithBacking([]float32{1, 2}, []bool{true, false}))
	cases := []struct {
		name string
		use
		is   error // nil: any
		says string
	}{
		{"an operator of nobody", use{opType: "Gelu", opset: 20}, ops.ErrUnsupportedOperator, "base is nil"},
		{"before its first opset", use{opType: "LayerNormalization", opset: 16}, ops.ErrUnsupportedOpsetVersion, "it came with 17"},
		{"opset 0", use{opType: "Clip", opset: 0}, ops.ErrUnsupportedOpsetVersion, "it came with 1"},
		{"an unknown attribute", use{opType: "Erf", opset: 13, attributes: protos.Attributes{"speed": 1}, inputs: []tensor.Tensor{x}}, dense.ErrOption, `"speed"`},
		{"an attribute of an older version", use{opType: "Clip", opset: 11, attributes: protos.Attributes{"min": float32(0)}, inputs: []tensor.Tensor{x}}, dense.ErrOption, `"min"`},
		{"an attribute of another kind", use{opType: "ReduceSum", opset: 13, attributes: protos.Attributes{"keepdims": "yes"}, inputs: []tensor.Tensor{x}}, dense.ErrOption, "int64 is allowed"},
		{"too many outputs", use{opType: "Erf", opset: 13, outputs: 2, inputs: []tensor.Tensor{x}}, dense.ErrShape, "2 outputs"},
		{"no inputs", use{opType: "Expand", opset: 13}, dense.ErrShape, "0 inputs, it takes 2"},
		{"too many inputs", use{opType: "Identity", opset: 13, inputs: []tensor.Tensor{x, x}}, dense.ErrShape, "2 inputs, it takes 1"},
		{"a nil input", use{opType: "Erf", opset: 13, inputs: []tensor.Tensor{nil}}, dense.ErrShape, "no input, its input 0"},
		{"a nil *Dense", use{opType: "Erf", opset: 13, inputs: []tensor.Tensor{(*tensor.Dense)(nil)}}, dense.ErrShape, "no input"},
		{"a mask", use{opType: "Erf", opset: 13, inputs: []tensor.Tensor{masked}}, dense.ErrLayout, "masked"},
		{"a dtype that came later", use{opType: "Erf", opset: 12, inputs: []tensor.Tensor{of([]dense.BF16{1}, 1)}}, dense.ErrDtype, "BF16"},
		{"a dtype that went", use{opType: "Erf", opset: 13, inputs: []tensor.Tensor{list(1)}}, dense.ErrDtype, "int64"},
		{"dtypes that differ", use{opType: "Clip", opset: 13, inputs: []tensor.Tensor{x, of([]float64{1})}}, dense.ErrDtype, "must agree"},
		{"Clip: a bound that is no scalar", use{opType: "Clip", opset: 13, inputs: []tensor.Tensor{x, row}}, dense.ErrShape, "scalar"},
		{"Clip-6 of integers", use{opType: "Clip", opset: 10, inputs: []tensor.Tensor{list(1)}}, dense.ErrDtype, "int64"},
		{"Expand: shapes that do not fit", use{opType: "Expand", opset: 13, inputs: []tensor.Tensor{x, list(2, 2)}}, dense.ErrShape, "broadcast"},
		{"Expand: 3 to 0", use{opType: "Expand", opset: 13, inputs: []tensor.Tensor{row, list(0)}}, dense.ErrShape, "broadcast"},
		{"Expand: a negative dim", use{opType: "Expand", opset: 13, inputs: []tensor.Tensor{x, list(-1, 3)}}, dense.ErrShape, "shape[0] is -1"},
		{"Expand: a shape that is no list", use{opType: "Expand", opset: 13, inputs: []tensor.Tensor{x, of([]int64{2, 3}, 1, 2)}}, dense.ErrShape, "list"},
		{"Expand: more than memory", use{opType: "Expand", opset: 13, inputs: []tensor.Tensor{of([]float32{1}, 1), list(1<<20, 1<<20)}}, dense.ErrShape, "larger than"},
		{"Expand: a product that wraps to 0", use{opType: "Expand", opset: 13, inputs: []tensor.Tensor{of([]float32{1}, 1), list(1<<31, 1<<31, 1<<2)}}, nil, ""},
		{"Expand: int32 shape", use{opType: "Expand", opset: 13, inputs: []tensor.Tensor{x, of([]int32{2, 3}, 2)}}, dense.ErrDtype, "int32"},
		{"MatMul: shapes that do not fit", use{opType: "MatMul", opset: 13, inputs: []tensor.Tensor{x, x}}, dense.ErrShape, "3 columns, 2 rows"},
		{"MatMul: batches that do not fit", use{opType: "MatMul", opset: 13, inputs: []tensor.Tensor{of([]float32{1, 2}, 2, 1, 1), of([]float32{1, 2, 3}, 3, 1, 1)}}, dense.ErrShape, "broadcast"},
		{"MatMul of a scalar", use{opType: "MatMul", opset: 13, inputs: []tensor.Tensor{x, of([]float32{1})}}, dense.ErrShape, "scalars"},
		{"MatMul: more than memory", use{opType: "MatMul", opset: 13, inputs: []tensor.Tensor{of(make([]float32, 1<<17), 1<<17, 1), of(make([]float32, 1<<17), 1, 1<<17)}}, dense.ErrShape, "larger than"},
		{"MatMul-1 of integers", use{opType: "MatMul", opset: 8, inputs: []tensor.Tensor{list(1), list(1)}}, dense.ErrDtype, "int64"},
		{"ReduceSum: an axis out of range", use{opType: "ReduceSum", opset: 13, inputs: []tensor.Tensor{x, list(2)}}, dense.ErrAxis, "[-2, 1]"},
		{"ReduceSum: the least int64 as axis", use{opType: "ReduceSum", opset: 13, inputs: []tensor.Tensor{x, list(math.MinInt64)}}, dense.ErrAxis, "not in"},
		{"ReduceSum: an axis twice", use{opType: "ReduceSum", opset: 13, inputs: []tensor.Tensor{x, list(1, -1)}}, dense.ErrAxis, "twice"},
		{"ReduceSum: axes that are no list", use{opType: "ReduceSum", opset: 13, inputs: []tensor.Tensor{x, of([]int64{1})}}, dense.ErrShape, "list"},
		{"ReduceSum-1: a negative axis", use{opType: "ReduceSum", opset: 10, attributes: protos.Attributes{"axes": []int64{-1}}, inputs: []tensor.Tensor{x}}, dense.ErrAxis, "since opset 11"},
		{"ReduceSum of a scalar: no axis", use{opType: "ReduceSum", opset: 13, inputs: []tensor.Tensor{of([]int64{1}), list(0)}}, dense.ErrAxis, "rank 0"},
		{"Where: a condition that is no bool", use{opType: "Where", opset: 16, inputs: []tensor.Tensor{list(1), x, x}}, dense.ErrDtype, "condition"},
		{"Where: dtypes that differ", use{opType: "Where", opset: 16, inputs: []tensor.Tensor{of([]bool{true}, 1), x, list(1)}}, dense.ErrDtype, "must agree"},
		{"Where: shapes that do not fit", use{opType: "Where", opset: 16, inputs: []tensor.Tensor{of([]bool{true, true}, 2), x, x}}, dense.ErrShape, "broadcast"},
		{"LayerNormalization of a scalar", use{opType: "LayerNormalization", opset: 17, inputs: []tensor.Tensor{of([]float32{1}), of([]float32{1})}}, dense.ErrAxis, "rank 0"},
		{"LayerNormalization: an axis out of range", use{opType: "LayerNormalization", opset: 17, attributes: protos.Attributes{"axis": 2}, inputs: []tensor.Tensor{x, row}}, dense.ErrAxis, "[-2, 1]"},
		{"LayerNormalization: a Scale that does not fit", use{opType: "LayerNormalization", opset: 17, inputs: []tensor.Tensor{x, of([]float32{1, 2}, 2)}}, dense.ErrShape, "Scale"},
		{"LayerNormalization: a B of higher rank", use{opType: "LayerNormalization", opset: 17, inputs: []tensor.Tensor{row, row, of([]float32{1, 2, 3}, 1, 3)}}, dense.ErrShape, "B has shape"},
		{"LayerNormalization: stash_type", use{opType: "LayerNormalization", opset: 17, attributes: protos.Attributes{"stash_type": 10}, inputs: []tensor.Tensor{x, row}}, dense.ErrOption, "stash_type is 10"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := c.run()
			require.Error(t, err)
			if c.is != nil {
				assert.True(t, errors.Is(err, c.is), "%v", err)
			}
			assert.ErrorContains(t, err, c.says)
		})
	}
}

// TestVersions asks for every operator in every opset.
func TestVersions(t *testing.T) {
	first := map[string]int{"Clip": 1, "Erf": 9, "Expand": 8, "Identity": 1, "LayerNormalization": 17, "MatMul": 1, "ReduceSum": 1, "Where": 9}
	require.Len(t, versions, len(first))
	for opType, since := range first {
		for opset := 1; opset <= 28; opset++ {
			op, err := Operators(opset13.GetOperator, opset)(opType)
			if opset < since {
				assert.Error(t, err)
				continue
			}
			require.NoError(t, err)
			assert.LessOrEqual(t, op.GetMinInputs(), op.GetMaxInputs())
			assert.Len(t, op.GetInputTypeConstraints(), op.GetMaxInputs())
			for _, dtypes := range op.GetInputTypeConstraints() {
				assert.NotEmpty(t, dtypes)
			}
			assert.Contains(t, op.String(), opType+"-")
		}
	}
	op, err := Operators(opset13.GetOperator, 17)("Add")
	require.NoError(t, err)
	assert.IsType(t, &opset13.Add{}, op)
}

// TestDomain: an operator of another domain with a name of ONNX's is not ONNX's.
func TestDomain(t *testing.T) {
	op, err := Operators(nil, 17)("LayerNormalization")
	require.NoError(t, err)
	n := use{opType: "LayerNormalization"}.node()
	n.Domain = "com.example"
	assert.ErrorContains(t, op.Init(n), "com.example")
	n.Domain = "ai.onnx"
	assert.NoError(t, op.Init(n))
}
