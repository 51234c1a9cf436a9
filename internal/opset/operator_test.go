package opset_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/opset"
	"gorgonia.org/gather/internal/opset/opsettest"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Each operator is the one of its name, with the axis and the options of the call.
func TestOperators(t *testing.T) {
	s := &opset.Specification{
		Versions: map[string][]opset.Version{"Op": {{Since: 1, Attributes: []opset.Attribute{
			{Name: "reduction", Default: "sum", Words: []string{"sum"}}, {Name: "axis", Default: int64(1), In: opset.AnyAxis},
		}}}},
		Reductions: map[string]dense.Reduction{"sum": dense.Add},
	}
	of, i64, f32 := opsettest.Of, opsettest.Values[int64], opsettest.Values[float32]
	square := opsettest.Iota32(3, 3)
	for name, c := range map[string]struct {
		op     opset.Operator
		gather bool
		inputs []*tensor.Dense
		want   []float32
	}{
		"Gather":          {opset.Gather, true, []*tensor.Dense{square, of(i64(2), 1)}, f32(2, 5, 8)},
		"GatherElements":  {opset.GatherElements, true, []*tensor.Dense{square, of(i64(2, 1, -1), 3, 1)}, f32(2, 4, 8)},
		"GatherND":        {opset.GatherND, true, []*tensor.Dense{square, of(i64(2), 1)}, f32(6, 7, 8)},
		"ScatterElements": {opset.ScatterElements, false, []*tensor.Dense{square, of(i64(2, 1, -1), 3, 1), of(f32(10, 20, 30), 3, 1)}, f32(0, 1, 12, 3, 24, 5, 6, 7, 38)},
		"ScatterND":       {opset.ScatterND, false, []*tensor.Dense{square, of(i64(2), 1), of(f32(10, 20, 30), 3)}, f32(0, 1, 2, 3, 4, 5, 16, 27, 38)},
	} {
		t.Run(name, func(t *testing.T) {
			call, err := s.Call("Op", 1)
			require.NoError(t, err)
			require.NoError(t, opset.ReadAttributes(call, nil, func(_ *opset.Call, _ opset.Attribute, value any) (any, error) { return value, nil }))
			if c.gather {
				delete(call.Words, "reduction") // no option of a gather
			}
			got, err := opsettest.Operation{
				Apply: func(in ...*gorgonia.Node) (*gorgonia.Node, error) { return c.op.Apply(call, in) },
				Eval:  func(in ...tensor.Tensor) (*tensor.Dense, error) { return c.op.Eval(call, in) },
			}.Both(t, c.inputs...)
			require.NoError(t, err)
			assert.Equal(t, c.want, got.Data())
		})
	}
}

func TestAsDense(t *testing.T) {
	vector := opsettest.Iota32(3)
	got, err := opset.AsDense(vector)
	require.NoError(t, err)
	assert.Same(t, vector, got)
	got, err = opset.AsDense(gorgonia.NewF64(2.5))
	require.NoError(t, err)
	assert.True(t, got.Shape().IsScalar())
	assert.Equal(t, 2.5, got.Data())
	for _, v := range []gorgonia.Value{nil, new(tensor.CS)} {
		_, err := opset.AsDense(v)
		assert.ErrorContains(t, err, "is no tensor")
	}
}
