package onnxruntime

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// examples has for each difference a case that shows it, so that one that ONNX Runtime no longer has is noticed
// however rarely random cases hit it.
var examples = map[string]*Case{
	"tuples of length 0": example("GatherND", nil,
		floats([]int{2}, 1, 2), int64s([]int{3, 0})),
	"batch dims that differ": example("GatherND", Attributes{"batch_dims": int64(1)},
		floats([]int{2, 2}, 1, 2, 3, 4), int64s([]int{4, 1}, 0, 1, 0, 1)),
	"batch_dims out of range": example("GatherND", Attributes{"batch_dims": int64(-1)},
		floats([]int{0}), int64s([]int{4, 1}, 0, 0, 0, 0)),
	"bad index of an empty slice": example("GatherND", nil,
		floats([]int{2, 0}), int64s([]int{1, 1}, 2)),
	"Gather of slices of strings": example("Gather", nil,
		words([]int{2, 2}, "a", "b", "c", "d"), int64s([]int{1}, 1)),
	"reduction of strings": example("ScatterElements", Attributes{"reduction": "add"},
		words([]int{1}, "a"), int64s([]int{1}, 0), words([]int{1}, "b")),
	"NaN under min and max": example("ScatterND", Attributes{"reduction": "max"},
		floats([]int{1}, math.NaN()), int64s([]int{1, 1}, 0), floats([]int{1}, 3)),
	"sign of zero under min and max": example("ScatterND", Attributes{"reduction": "max"},
		floats([]int{1}, 0), int64s([]int{1, 1}, 0), floats([]int{1}, math.Copysign(0, -1))),
	"reduction that the version lacks": example("ScatterElements", Attributes{"reduction": "mean"},
		floats([]int{1}, 2), int64s([]int{1}, 0), floats([]int{1}, 4)),
}

// example returns a case at opset 18.
func example(op string, attrs Attributes, inputs ...*Value) *Case {
	return &Case{OpType: op, Opset: 18, Attributes: attrs, Inputs: inputs}
}

func floats(shape []int, xs ...float64) *Value {
	v := newValue(Double, shape)
	for i, x := range xs {
		v.putFloat(i, x)
	}
	return v
}

func int64s(shape []int, xs ...int64) *Value { return integers(Int64, shape, xs) }

func words(shape []int, xs ...string) *Value {
	return &Value{DType: String, Shape: shape, Strings: xs}
}

func TestDifferences(t *testing.T) {
	r := openRuntime(t)
	for _, d := range differences {
		t.Run(d.name, func(t *testing.T) {
			c := examples[d.name]
			require.NotNil(t, c, "no example")
			ours := eval(c)
			theirs, err := r.Run(c)
			require.NoError(t, err)
			what := disagreement(ours, theirs)
			require.NotEmpty(t, what, "a listed difference that no longer occurs")
			require.Equal(t, d.name, explain(c, ours, theirs, what))
		})
	}
	require.Len(t, examples, len(differences))
}
