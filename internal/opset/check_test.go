package opset

import (
	"testing"

	"github.com/pkg/errors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gather/dense"
	"gorgonia.org/tensor"
)

// given describes an input.
func given(dt tensor.Dtype, shape ...int) Description {
	return Description{Given: true, Dtype: dt, Shape: shape}
}

func TestCheck(t *testing.T) {
	f32, i64 := tensor.Float32, tensor.Int64
	data, at := given(f32, 3, 4), given(i64, 2)
	for _, c := range []struct {
		name   string
		opset  int
		set    map[string]any
		inputs []Description
		text   string // "" if nothing is wrong
		kind   error
	}{
		{"sound", 2, nil, []Description{data, at}, "", nil},
		{"with the optional input", 2, nil, []Description{data, at, given(f32, 5)}, "", nil},
		{"without dtypes", 2, nil, []Description{given(tensor.Dtype{}, 3, 4), given(tensor.Dtype{}, 2)}, "", nil},
		{"no input", 2, nil, nil, "Take-2: no table, its input 0", dense.ErrShape},
		{"one left out", 2, nil, []Description{data, {}}, "Take-2: no at, its input 1", dense.ErrShape},
		{"data too narrow", 2, nil, []Description{given(f32), at}, "Take-2: table () has rank 0, the least is 1", dense.ErrShape},
		{"data of a later version", 2, nil, []Description{given(tensor.Float64, 3), at}, "Take-2: table of type f64 is not allowed in opset 2, it is since opset 5", dense.ErrDtype},
		{"data of none", 2, nil, []Description{given(tensor.Bool, 3), at}, "Take-2: table of type boolean is not allowed in opset 2, nor in any other, allowed are f32", dense.ErrDtype},
		{"data of a type without a name", 2, nil, []Description{given(tensor.Int8, 3), at}, "Take-2: table of type int8 is not allowed in opset 2, nor in any other, allowed are f32", dense.ErrDtype},
		{"indices of data's type", 2, nil, []Description{data, given(f32, 2)}, "Take-2: at of type f32 is not allowed in opset 2, nor in any other, allowed are i64", dense.ErrDtype},
		{"another type than data's", 5, nil, []Description{data, at, given(tensor.Float64, 5)}, "Take-5: news of type f64, table is of type f32", dense.ErrDtype},
		{"axis too large", 2, map[string]any{"axis": int64(2)}, []Description{data, at}, "Take-2: axis 2 is not in [-2, 1] for data of rank 2", dense.ErrAxis},
		{"axis past an int", 2, map[string]any{"axis": int64(1) << 62}, []Description{data, at}, "Take-2: axis 4611686018427387904 is not in [-2, 1] for data of rank 2", dense.ErrAxis},
		{"the least axis", 2, map[string]any{"axis": int64(-2)}, []Description{data, at}, "", nil},
		{"an axis below it", 2, map[string]any{"axis": int64(-3)}, []Description{data, at}, "Take-2: axis -3 is not in [-2, 1] for data of rank 2", dense.ErrAxis},
		{"too many batch dims", 5, map[string]any{"batch_dims": int64(1)}, []Description{data, at}, "Take-5: batch_dims 1 is not in [0, 0] for data of rank 2 and indices of rank 1", dense.ErrOption},
	} {
		t.Run(c.name, func(t *testing.T) {
			call := call(t, "Take", c.opset)
			call.Parameters = []Parameter{{Name: "table", Rank: 1}, {Name: "at", Role: Indices}, {Name: "news", Role: Alike, Optional: true}}
			require.NoError(t, ReadAttributes(call, c.set, asIs))
			err := call.Check(c.inputs)
			if c.text == "" {
				assert.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, c.text)
			assert.ErrorIs(t, err, c.kind)
		})
	}
	t.Run("a word has no range", func(t *testing.T) {
		c := call(t, "Put", 3)
		require.NoError(t, ReadAttributes(c, nil, asIs))
		assert.NoError(t, c.Check(nil))
	})
	t.Run("what is allowed, behind what is not", func(t *testing.T) {
		c, err := specification(true).Call("Take", 5)
		require.NoError(t, err)
		assert.EqualError(t, c.CheckDtype(Parameter{Name: "table"}, tensor.Bool), "Take-5: table of type boolean (out of f32, f64) is not allowed in opset 5, nor in any other")
	})
}

func TestDescribeNamesTheInput(t *testing.T) {
	c := call(t, "Take", 2)
	c.Parameters = []Parameter{{Name: "table"}}
	bad := errors.New("bad")
	for _, test := range []struct {
		axisInput bool
		inputs    []error
		text      string
	}{
		{false, []error{bad}, "Take-2: table: bad"},
		{false, []error{nil, bad}, "Take-2: input 1: bad"},
		{true, []error{nil, bad}, "Take-2: axis: bad"},
		{true, []error{nil, nil, bad}, "Take-2: input 2: bad"},
	} {
		c.AxisInput = test.axisInput
		_, err := Describe(c, test.inputs, func(err error) (Description, error) { return Description{}, err })
		assert.EqualError(t, err, test.text)
	}
	described, err := Describe(c, []int{3, 4}, func(n int) (Description, error) { return given(tensor.Int, n), nil })
	require.NoError(t, err)
	assert.Equal(t, []Description{given(tensor.Int, 3), given(tensor.Int, 4)}, described)
}

func TestDtypes(t *testing.T) {
	set := Dtypes{tensor.Float32, tensor.Int}
	more, other := set.And(tensor.Bool), set.And(tensor.String)
	assert.Equal(t, Dtypes{tensor.Float32, tensor.Int, tensor.Bool}, more, "not written over")
	assert.True(t, other.Has(tensor.String) && more.Has(tensor.Int))
	assert.False(t, set.Has(tensor.Bool))
	name := func(dt tensor.Dtype) string { return map[tensor.Dtype]string{tensor.Float32: "f32"}[dt] }
	assert.Equal(t, "f32", set.Text(name))
	assert.Empty(t, Dtypes{}.Text(name))
	s := &Specification{TypeName: name}
	assert.Equal(t, []string{"f32", "int", "none"}, []string{s.NameOf(tensor.Float32), s.NameOf(tensor.Int), s.NameOf(tensor.Dtype{})})
}
