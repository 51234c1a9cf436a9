package onnx

import (
	"fmt"
	"testing"

	"github.com/pkg/errors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/opset/opsettest"
	"gorgonia.org/tensor"
)

// set is one attribute.
type set = map[string]any

// The inputs of the version tests: three-by-four data.
var (
	dataOf    = func(dt tensor.Dtype) *tensor.Dense { return sample(dt, 3, 4) }
	floats    = of(iota32(12), 3, 4)
	rows      = of(i64(2, 0), 2)
	elements2 = of(i64(2, 0, 1, 1, 0, 2, 1, 0), 2, 4) // for GatherElements on axis 0
	tuples2   = of(i64(2, 0, 1, 1), 2, 2)             // for GatherND
	news      = of(iota32(8), 2, 4)
	pair      = of(f32(5, 6), 2)
)

// TestForbidden has, for each version, what that version forbids: by opset, not
// by version, so that it also tells that the opset finds the right one.
func TestForbidden(t *testing.T) {
	type in = []*tensor.Dense
	bf16 := dense.BFloat16
	idx := func(values any, shape ...int) *tensor.Dense { return of(values, shape...) }
	cases := []struct {
		op      string
		opset   int
		what    string // of the VersionError
		attrs   set
		inputs  in
		version int
		since   int
	}{
		{"Gather", 1, "data of type bfloat16", nil, in{dataOf(bf16), rows}, 1, 13},
		{"Gather", 10, "data of type bfloat16", nil, in{dataOf(bf16), rows}, 1, 13},
		{"Gather", 10, "indices of type int16", nil, in{floats, idx([]int16{1}, 1)}, 1, 0},
		{"Gather", 10, `attribute "batch_dims"`, set{"batch_dims": int64(0)}, in{floats, rows}, 1, 0},
		{"Gather", 11, "data of type bfloat16", nil, in{dataOf(bf16), rows}, 11, 13},
		{"Gather", 12, "indices of type int8", nil, in{floats, idx([]int8{1}, 1)}, 11, 0},
		{"Gather", 13, "indices of type uint64", nil, in{floats, idx([]uint64{1}, 1)}, 13, 0},
		{"Gather", 13, "indices of type int", nil, in{floats, idx([]int{1}, 1)}, 13, 0},
		{"Gather", 13, "data of type int", nil, in{dataOf(tensor.Int), rows}, 13, 0},
		{"Gather", 28, `attribute "mode"`, set{"mode": "wrap"}, in{floats, rows}, 13, 0},

		{"GatherElements", 10, "", nil, in{floats, elements2}, 0, 11},
		{"GatherElements", 11, "data of type bfloat16", nil, in{dataOf(bf16), elements2}, 11, 13},
		{"GatherElements", 12, "indices of type uint8", nil, in{floats, idx(make([]uint8, 8), 2, 4)}, 11, 0},
		{"GatherElements", 13, "indices of type int16", nil, in{floats, idx(make([]int16, 8), 2, 4)}, 13, 0},
		{"GatherElements", 13, `attribute "batch_dims"`, set{"batch_dims": int64(0)}, in{floats, elements2}, 13, 0},

		{"GatherND", 10, "", nil, in{floats, tuples2}, 0, 11},
		{"GatherND", 11, `attribute "batch_dims"`, set{"batch_dims": int64(0)}, in{floats, tuples2}, 11, 12},
		{"GatherND", 11, "data of type bfloat16", nil, in{dataOf(bf16), tuples2}, 11, 13},
		{"GatherND", 11, "indices of type int32", nil, in{floats, idx([]int32{1, 1}, 1, 2)}, 11, 0},
		{"GatherND", 12, "data of type bfloat16", nil, in{dataOf(bf16), tuples2}, 12, 13},
		{"GatherND", 12, "indices of type int32", nil, in{floats, idx([]int32{1, 1}, 1, 2)}, 12, 0},
		{"GatherND", 13, "indices of type int32", nil, in{floats, idx([]int32{1, 1}, 1, 2)}, 13, 0},
		{"GatherND", 13, `attribute "axis"`, set{"axis": int64(0)}, in{floats, tuples2}, 13, 0},

		{"Scatter", 8, "", nil, in{floats, elements2, news}, 0, 9},
		{"Scatter", 9, "data of type bfloat16", nil, in{dataOf(bf16), elements2, sample(bf16, 2, 4)}, 9, 0},
		{"Scatter", 10, `attribute "reduction"`, set{"reduction": "none"}, in{floats, elements2, news}, 9, 0},
		{"Scatter", 10, "indices of type int8", nil, in{floats, idx(make([]int8, 8), 2, 4), news}, 9, 0},

		{"ScatterElements", 10, "", nil, in{floats, elements2, news}, 0, 11},
		{"ScatterElements", 11, "data of type bfloat16", nil, in{dataOf(bf16), elements2, sample(bf16, 2, 4)}, 11, 13},
		{"ScatterElements", 12, `attribute "reduction"`, set{"reduction": "none"}, in{floats, elements2, news}, 11, 16},
		{"ScatterElements", 13, `attribute "reduction"`, set{"reduction": "add"}, in{floats, elements2, news}, 13, 16},
		{"ScatterElements", 15, "indices of type int16", nil, in{floats, idx(make([]int16, 8), 2, 4), news}, 13, 0},
		{"ScatterElements", 16, `reduction "max"`, set{"reduction": "max"}, in{floats, elements2, news}, 16, 18},
		{"ScatterElements", 17, `reduction "min"`, set{"reduction": "min"}, in{floats, elements2, news}, 16, 18},
		{"ScatterElements", 17, `reduction "mean"`, set{"reduction": "mean"}, in{floats, elements2, news}, 16, 0},
		{"ScatterElements", 18, `reduction "mean"`, set{"reduction": "mean"}, in{floats, elements2, news}, 18, 0},
		{"ScatterElements", 18, `reduction ""`, set{"reduction": ""}, in{floats, elements2, news}, 18, 0},

		{"ScatterND", 10, "", nil, in{floats, tuples2, pair}, 0, 11},
		{"ScatterND", 11, "data of type bfloat16", nil, in{dataOf(bf16), tuples2, sample(bf16, 2)}, 11, 13},
		{"ScatterND", 11, "indices of type int32", nil, in{floats, idx([]int32{1, 1}, 1, 2), pair}, 11, 0},
		{"ScatterND", 12, `attribute "reduction"`, set{"reduction": "none"}, in{floats, tuples2, pair}, 11, 16},
		{"ScatterND", 13, `attribute "reduction"`, set{"reduction": "mul"}, in{floats, tuples2, pair}, 13, 16},
		{"ScatterND", 16, `reduction "max"`, set{"reduction": "max"}, in{floats, tuples2, pair}, 16, 18},
		{"ScatterND", 16, `reduction "sub"`, set{"reduction": "sub"}, in{floats, tuples2, pair}, 16, 0},
		{"ScatterND", 18, `reduction "mean"`, set{"reduction": "mean"}, in{floats, tuples2, pair}, 18, 0},
		{"ScatterND", 18, "indices of type int32", nil, in{floats, idx([]int32{1, 1}, 1, 2), pair}, 18, 0},
		{"ScatterND", 18, `attribute "axis"`, set{"axis": int64(0)}, in{floats, tuples2, pair}, 18, 0},

		{"TensorScatter", 23, "", nil, in{floats, news}, 0, 24},
		{"TensorScatter", 24, "write_indices of type int32", nil, in{floats, news, idx([]int32{0, 0, 0}, 3)}, 24, 0},
		{"TensorScatter", 24, `mode "ring"`, set{"mode": "ring"}, in{floats, news}, 24, 0},
		{"TensorScatter", 24, `attribute "reduction"`, set{"reduction": "add"}, in{floats, news}, 24, 0},
		{"TensorScatter", 24, "past_cache of type uint", nil, in{sample(tensor.Uint, 3, 4), sample(tensor.Uint, 3, 1)}, 24, 0},
	}
	for _, c := range cases {
		t.Run(fmt.Sprintf("%s in opset %d, %s", c.op, c.opset, c.what), func(t *testing.T) {
			_, err := both(t, Node{OpType: c.op, Opset: c.opset, Attributes: c.attrs}, c.inputs...)
			var bad *VersionError
			require.True(t, errors.As(err, &bad), "%v", err)
			assert.Equal(t, VersionError{Op: c.op, Opset: c.opset, Version: c.version, What: c.what, Since: c.since}, opsettest.Fields(bad))
			if c.since == 0 {
				return
			}
			// What it points to is true.
			_, err = both(t, Node{OpType: c.op, Opset: c.since, Attributes: c.attrs}, c.inputs...)
			assert.False(t, errors.As(err, &bad), "%v", err)
		})
	}
}

// What a version forbids without another one allowing it: ranges and shapes.
func TestForbiddenValues(t *testing.T) {
	type in = []*tensor.Dense
	cases := []struct {
		name   string
		node   Node
		inputs in
		kind   error
	}{
		{"Gather-1, axis too large", Node{OpType: "Gather", Opset: 1, Attributes: set{"axis": int64(2)}}, in{floats, rows}, dense.ErrAxis},
		{"Gather-11, axis too small", Node{OpType: "Gather", Opset: 11, Attributes: set{"axis": int64(-3)}}, in{floats, rows}, dense.ErrAxis},
		{"Gather-13, axis of another kind", Node{OpType: "Gather", Opset: 13, Attributes: set{"axis": "0"}}, in{floats, rows}, dense.ErrOption},
		{"Gather-13, axis past an int", Node{OpType: "Gather", Opset: 13, Attributes: set{"axis": int64(1) << 62}}, in{floats, rows}, dense.ErrAxis},
		{"Gather-13, scalar data", Node{OpType: "Gather", Opset: 13}, in{of(f32(1)), rows}, dense.ErrShape},
		{"Gather-13, one input", Node{OpType: "Gather", Opset: 13}, in{floats}, dense.ErrShape},
		{"Gather-13, three inputs", Node{OpType: "Gather", Opset: 13}, in{floats, rows, rows}, dense.ErrShape},
		{"Gather-13, an input left out", Node{OpType: "Gather", Opset: 13}, in{nil, rows}, dense.ErrShape},
		{"opset 0", Node{OpType: "Gather", Opset: 0}, in{floats, rows}, dense.ErrOption},

		{"GatherElements-11, axis too large", Node{OpType: "GatherElements", Opset: 11, Attributes: set{"axis": int64(2)}}, in{floats, elements2}, dense.ErrAxis},
		{"GatherElements-13, indices of lower rank", Node{OpType: "GatherElements", Opset: 13}, in{floats, rows}, dense.ErrShape},
		{"GatherElements-13, longer than data beside the axis", Node{OpType: "GatherElements", Opset: 13, Attributes: set{"axis": int64(1)}}, in{floats, of(make([]int64, 16), 4, 4)}, dense.ErrShape},

		{"GatherND-11, no coordinate", Node{OpType: "GatherND", Opset: 11}, in{floats, of(i64(), 2, 0)}, dense.ErrShape},
		{"GatherND-11, more coordinates than axes", Node{OpType: "GatherND", Opset: 11}, in{floats, of(i64(0, 0, 0), 1, 3)}, dense.ErrShape},
		{"GatherND-11, scalar indices", Node{OpType: "GatherND", Opset: 11}, in{floats, of(i64(0))}, dense.ErrShape},
		{"GatherND-12, batch_dims below zero", Node{OpType: "GatherND", Opset: 12, Attributes: set{"batch_dims": int64(-1)}}, in{floats, tuples2}, dense.ErrOption},
		{"GatherND-12, batch_dims of all axes", Node{OpType: "GatherND", Opset: 12, Attributes: set{"batch_dims": int64(2)}}, in{floats, of(make([]int64, 12), 3, 4, 1)}, dense.ErrOption},
		{"GatherND-13, batch dims differ", Node{OpType: "GatherND", Opset: 13, Attributes: set{"batch_dims": int64(1)}}, in{floats, of(i64(0, 1), 2, 1)}, dense.ErrShape},
		{"GatherND-13, a word for a number", Node{OpType: "GatherND", Opset: 13, Attributes: set{"batch_dims": "1"}}, in{floats, tuples2}, dense.ErrOption},

		{"Scatter-9, updates of another shape", Node{OpType: "Scatter", Opset: 9}, in{floats, elements2, floats}, dense.ErrShape},
		{"Scatter-10, axis too small", Node{OpType: "Scatter", Opset: 10, Attributes: set{"axis": int64(-3)}}, in{floats, elements2, news}, dense.ErrAxis},
		{"ScatterElements-11, updates of another type", Node{OpType: "ScatterElements", Opset: 11}, in{floats, elements2, sample(tensor.Int32, 2, 4)}, dense.ErrDtype},
		{"ScatterElements-13, axis too large", Node{OpType: "ScatterElements", Opset: 13, Attributes: set{"axis": int64(2)}}, in{floats, elements2, news}, dense.ErrAxis},
		{"ScatterElements-16, a number for a word", Node{OpType: "ScatterElements", Opset: 16, Attributes: set{"reduction": int64(1)}}, in{floats, elements2, news}, dense.ErrOption},
		{"ScatterElements-18, no updates", Node{OpType: "ScatterElements", Opset: 18}, in{floats, elements2}, dense.ErrShape},
		{"ScatterElements-18, adding strings", Node{OpType: "ScatterElements", Opset: 18, Attributes: set{"reduction": "add"}},
			in{sample(tensor.String, 3, 4), elements2, sample(tensor.String, 2, 4)}, dense.ErrDtype},
		{"ScatterElements-18, the greatest complex number", Node{OpType: "ScatterElements", Opset: 18, Attributes: set{"reduction": "max"}},
			in{sample(tensor.Complex64, 3, 4), elements2, sample(tensor.Complex64, 2, 4)}, dense.ErrDtype},
		{"ScatterND-13, updates broadcast", Node{OpType: "ScatterND", Opset: 13}, in{floats, of(i64(1), 1, 1), of(f32(7))}, dense.ErrShape},
		{"ScatterND-18, updates of another type", Node{OpType: "ScatterND", Opset: 18}, in{floats, tuples2, sample(tensor.Float64, 2)}, dense.ErrDtype},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := both(t, c.node, c.inputs...)
			assert.ErrorIs(t, err, c.kind)
		})
	}
}

func TestScatterEndsWithOpset10(t *testing.T) {
	for _, opset := range []int{11, 13, 28} {
		_, err := both(t, Node{OpType: "Scatter", Opset: opset}, floats, elements2, news)
		assert.EqualError(t, err, fmt.Sprintf("Scatter-11: the operator is not allowed in opset %d, use ScatterElements", opset))
	}
}

func TestVersionErrorTexts(t *testing.T) {
	t.Run("sentinels", func(t *testing.T) {
		_, err := Eval(Node{OpType: "Gather", Opset: 11}, dataOf(dense.BFloat16), rows)
		assert.ErrorIs(t, err, dense.ErrDtype)
		_, err = Eval(Node{OpType: "ScatterND", Opset: 18, Attributes: set{"reduction": "mean"}}, floats, tuples2, pair)
		assert.ErrorIs(t, err, dense.ErrOption)
	})
	t.Run("an operator of no version", func(t *testing.T) {
		for _, op := range []string{"Conv", "Constant", "Identity", ""} {
			_, err := Eval(Node{OpType: op, Opset: 13}, floats)
			assert.EqualError(t, err, fmt.Sprintf("operator %q is not supported, allowed are "+
				"Gather, GatherElements, GatherND, Scatter, ScatterElements, ScatterND, TensorScatter, ai.onnx.ml.ArrayFeatureExtractor, com.microsoft.GatherBlockQuantized", op))
		}
	})
	t.Run("what is allowed", func(t *testing.T) {
		for _, c := range []struct {
			node   Node
			inputs []tensor.Tensor
			text   string
		}{
			{Node{OpType: "GatherNd", Opset: 13}, nil, `operator "GatherNd" is not supported, allowed are ` +
				"Gather, GatherElements, GatherND, Scatter, ScatterElements, ScatterND, TensorScatter, ai.onnx.ml.ArrayFeatureExtractor, com.microsoft.GatherBlockQuantized; did you mean GatherND or Gather?"},
			{Node{OpType: "Gather", Opset: 13, Attributes: set{"axs": int64(0)}}, []tensor.Tensor{floats, rows},
				`Gather-13: attribute "axs" is not allowed in opset 13, nor in any other, allowed are axis; did you mean axis?`},
			{Node{OpType: "ScatterND", Opset: 18, Attributes: set{"reduce": "add"}}, []tensor.Tensor{floats, tuples2, pair},
				`ScatterND-18: attribute "reduce" is not allowed in opset 18, nor in any other, allowed are reduction`},
			{Node{OpType: "ScatterND", Opset: 18, Attributes: set{"reduction": "multiply"}}, []tensor.Tensor{floats, tuples2, pair},
				`ScatterND-18: reduction "multiply" is not allowed in opset 18, nor in any other, allowed are none, add, mul, min, max`},
			{Node{OpType: "ScatterND", Opset: 13, Attributes: set{"reductions": "add"}}, []tensor.Tensor{floats, tuples2, pair},
				`ScatterND-13: attribute "reductions" is not allowed in opset 13, nor in any other`},
			{Node{OpType: "Gather", Opset: 13}, []tensor.Tensor{floats, of([]int8{0}, 1)},
				"Gather-13: indices of type int8 is not allowed in opset 13, nor in any other, allowed are int32, int64"},
		} {
			_, err := Eval(c.node, c.inputs...)
			assert.EqualError(t, err, c.text)
		}
	})
}

func TestVersionsAscend(t *testing.T) { opsettest.Table(t, specification, operators) }
