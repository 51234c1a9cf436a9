package opset

import (
	"fmt"
	"testing"

	"github.com/pkg/errors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gather/dense"
	"gorgonia.org/tensor"
)

// specification is one of made-up operators, that spells things as two real ones
// do: outOf lists what is allowed behind what is not.
func specification(outOf bool) *Specification {
	f32, f64 := Dtypes{tensor.Float32, tensor.Int}, Dtypes{tensor.Float32, tensor.Float64, tensor.Int}
	index := Dtypes{tensor.Int64}
	axis := Attribute{Name: "axis", Default: int64(-1), In: AnyAxis}
	return &Specification{
		Versions: map[string][]Version{
			"Take": {
				{Since: 2, Data: f32, Index: index, Negatives: Refused, Attributes: []Attribute{axis}},
				{Since: 5, Data: f64, Index: index, Negatives: Released, OutOfRange: dense.ZeroFill, Attributes: []Attribute{axis, {Name: "batch_dims", Default: int64(0), In: ProperBatch}}},
				{Since: 7, Data: f64, Index: index, FusedBatch: true, Attributes: []Attribute{{Name: "batch_dims", In: ProperBatch}}},
			},
			"Put": {
				{Since: 1, Data: f32, Index: index, Negatives: Refused, Attributes: []Attribute{{Name: "reduction", Default: "none", Words: []string{"none", "sum"}}}},
				{Since: 3, Data: f32, Index: index, Negatives: Unstated, Attributes: []Attribute{
					{Name: "reduction", Default: "none", Words: []string{"none", "sum", "max"}},
					{Name: "use_init_val", Default: "true", Words: []string{"true", "false"}},
				}},
			},
			"Old": {{Since: 1}, {Since: 4, Instead: "Take"}},
		},
		Reductions: map[string]dense.Reduction{"none": dense.None, "sum": dense.Add, "max": dense.Max},
		TypeName: func(dt tensor.Dtype) string {
			return map[tensor.Dtype]string{tensor.Float32: "f32", tensor.Float64: "f64", tensor.Int64: "i64", tensor.Bool: "boolean"}[dt]
		},
		Opset: "opset %d",
		Word:  "%s %q",
		OutOf: outOf,
	}
}

// call is a call that must be one.
func call(t *testing.T, op string, opset int) *Call {
	t.Helper()
	c, err := specification(false).Call(op, opset)
	require.NoError(t, err)
	return c
}

func TestCallFindsTheVersion(t *testing.T) {
	for opset, since := range map[int]int{2: 2, 4: 2, 5: 5, 6: 5, 7: 7, 1000: 7} {
		c := call(t, "Take", opset)
		assert.Equal(t, since, c.Version.Since)
		assert.Equal(t, fmt.Sprint("Take-", since), c.Name())
		assert.Equal(t, since == 2, c.NonNegative)
	}
	s := specification(false)
	for _, c := range []struct {
		op    string
		opset int
		text  string
	}{
		{"Take", 1, "Take: the operator is not allowed in opset 1, it is since opset 2"},
		{"Old", 4, "Old-4: the operator is not allowed in opset 4, use Take"},
		{"Take", 0, "Take: opset 0, the first one is 1: set it in the node"},
		{"Take", -1, "Take: opset -1, the first one is 1: set it in the node"},
	} {
		_, err := s.Call(c.op, c.opset)
		assert.EqualError(t, err, c.text)
		assert.Equal(t, c.opset < 1, errors.Is(err, dense.ErrOption))
	}
}

// asIs takes values as they are.
func asIs(_ *Call, _ Attribute, value any) (any, error) { return value, nil }

func TestReadAttributes(t *testing.T) {
	c := call(t, "Take", 5)
	require.NoError(t, ReadAttributes(c, map[string]any{"batch_dims": int64(1)}, asIs))
	assert.Equal(t, map[string]int64{"axis": -1, "batch_dims": 1}, c.Ints)
	assert.Equal(t, -1, c.Axis)
	c = call(t, "Put", 3)
	require.NoError(t, ReadAttributes(c, map[string]any{"reduction": "max"}, asIs))
	assert.Equal(t, map[string]string{"reduction": "max", "use_init_val": "true"}, c.Words)

	read := errors.New("cannot be read")
	assert.Equal(t, read, ReadAttributes(c, map[string]any{"reduction": 1}, func(*Call, Attribute, any) (any, error) { return nil, read }))
	for _, test := range []struct {
		op, text string
		opset    int
		set      map[string]any
	}{
		{"Take", `Take-2: attribute "batch_dims" is not allowed in opset 3, it is since opset 5`, 3, map[string]any{"batch_dims": int64(0)}},
		{"Take", `Take-2: attribute "axs" is not allowed in opset 3, nor in any other, allowed are axis; did you mean axis?`, 3, map[string]any{"axs": nil}},
		{"Take", `Take-7: attribute "axis" is not allowed in opset 7, nor in any other, allowed are batch_dims`, 7, map[string]any{"axis": int64(0)}},
		{"Take", `Take-7: no attribute "batch_dims", which must be set`, 7, nil},
		{"Put", `Put-1: reduction "max" is not allowed in opset 2, it is since opset 3`, 2, map[string]any{"reduction": "max"}},
		{"Put", `Put-1: reduction "mean" is not allowed in opset 2, nor in any other, allowed are none, sum`, 2, map[string]any{"reduction": "mean"}},
	} {
		err := ReadAttributes(call(t, test.op, test.opset), test.set, asIs)
		assert.EqualError(t, err, test.text)
		assert.ErrorIs(t, err, dense.ErrOption)
	}
	c, err := specification(true).Call("Put", 2)
	require.NoError(t, err)
	assert.EqualError(t, ReadAttributes(c, map[string]any{"reduction": "max"}, asIs), `Put-1: reduction "max" (out of none, sum) is not allowed in opset 2, it is since opset 3`)
}

// A negative index is refused by one version, counted by another, and for a
// version of releases it is the release that decides.
func TestNegativeIndex(t *testing.T) {
	bad := &dense.IndexError{Op: "Take", Index: -1, Size: 3}
	for opset, text := range map[int]string{
		2: "Take-2: a negative index is not allowed in opset 2, it is since opset 5 of release 7.1: ",
		6: "Take-5: a negative index is not allowed before release 7.1: ",
	} {
		err := call(t, "Take", opset).NegativeIndex(bad, "7.1")
		assert.EqualError(t, err, text+bad.Error())
		assert.ErrorIs(t, err, bad)
	}
	assert.EqualError(t, call(t, "Put", 1).NegativeIndex(bad, "7.1"), "Put-1: a negative index is not allowed in opset 1, it is since opset 3: "+bad.Error())
}

// The options are tested by what they do: none of them can be read.
func TestOptions(t *testing.T) {
	data := tensor.New(tensor.WithShape(3), tensor.WithBacking([]float32{1, 2, 3}))
	at := func(i int64) *tensor.Dense {
		return tensor.New(tensor.WithShape(1), tensor.WithBacking([]int64{i}))
	}
	take := func(opset int, nonNegative bool, i int64) (any, error) {
		c := call(t, "Take", opset)
		require.NoError(t, ReadAttributes(c, nil, asIs))
		c.NonNegative = nonNegative
		d, err := Gather.Eval(c, []tensor.Tensor{data, at(i)})
		if err != nil {
			return nil, err
		}
		return d.Data(), nil
	}
	for _, c := range []struct {
		opset       int
		nonNegative bool
		index       int64
		want        any
	}{{2, true, -1, nil}, {2, false, -1, []float32{3}}, {2, false, 3, nil}, {5, false, 3, []float32{0}}, {5, true, -1, []float32{0}}} {
		got, err := take(c.opset, c.nonNegative, c.index)
		assert.Equal(t, c.want == nil, err != nil, "%v", c)
		assert.Equal(t, c.want, got, "%v", c)
	}

	c := call(t, "Put", 3)
	require.NoError(t, ReadAttributes(c, map[string]any{"reduction": "sum"}, asIs))
	c.Axis = 0
	news := []tensor.Tensor{data, at(-1), tensor.New(tensor.WithShape(1), tensor.WithBacking([]float32{10}))}
	d, err := ScatterElements.Eval(c, news)
	require.NoError(t, err)
	assert.Equal(t, []float32{1, 2, 13}, d.Data())
	c.Words["use_init_val"] = "false"
	d, err = ScatterElements.Eval(c, news)
	require.NoError(t, err)
	assert.Equal(t, []float32{1, 2, 10}, d.Data())

	c = call(t, "Take", 7)
	require.NoError(t, ReadAttributes(c, map[string]any{"batch_dims": int64(2)}, asIs))
	cube := tensor.New(tensor.WithShape(2, 3, 4), tensor.WithBacking(tensor.Range(tensor.Float32, 0, 24)))
	d, err = GatherND.Eval(c, []tensor.Tensor{cube, tensor.New(tensor.WithShape(2, 3, 1), tensor.WithBacking([]int64{0, 1, 2, 3, 0, 1}))})
	require.NoError(t, err)
	assert.Equal(t, tensor.Shape{6}, d.Shape(), "fused")
	assert.Equal(t, []float32{0, 5, 10, 15, 16, 21}, d.Data())
}
