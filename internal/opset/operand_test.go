package opset

import (
	"testing"

	"github.com/chewxy/hm"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

func TestDescribeNode(t *testing.T) {
	g := gorgonia.NewGraph()
	name := gorgonia.WithName
	vector := gorgonia.NewVector(g, tensor.Float32, gorgonia.WithShape(3), name("v"))
	for what, c := range map[string]struct {
		node *gorgonia.Node
		want Description
	}{
		"a vector":            {vector, Description{true, tensor.Float32, tensor.Shape{3}}},
		"a scalar":            {gorgonia.NewScalar(g, tensor.Int64, name("s")), Description{true, tensor.Int64, tensor.Shape{}}},
		"a node of no graph":  {vector.Clone().(*gorgonia.Node), Description{true, tensor.Float32, tensor.Shape{3}}},
		"a constant":          {gorgonia.NewConstant(tensor.New(tensor.WithBacking([]int{1, 2}))), Description{true, tensor.Int, tensor.Shape{2}}},
		"an input left out":   {nil, Description{}},
		"of a vector of ones": {gorgonia.NewTensor(g, tensor.Bool, 2, gorgonia.WithShape(1, 1), name("o")), Description{true, tensor.Bool, tensor.Shape{1, 1}}},
	} {
		got, err := DescribeNode(c.node)
		require.NoError(t, err, what)
		assert.Equal(t, c.want.Given, got.Given, what)
		assert.Equal(t, c.want.Dtype, got.Dtype, what)
		assert.ElementsMatch(t, c.want.Shape, got.Shape, what)
	}
	for what, c := range map[string]struct {
		node *gorgonia.Node
		kind error
		text string
	}{
		"the zero Node":   {new(gorgonia.Node), dense.ErrDtype, `the node "" has no type`},
		"no type":         {gorgonia.NewUniqueNode(gorgonia.In(g), name("a")), dense.ErrDtype, "the node a has no type"},
		"a type variable": {gorgonia.NewUniqueNode(gorgonia.In(g), name("b"), gorgonia.WithType(hm.TypeVariable('x'))), dense.ErrDtype, "the node b is of type x,"},
		"a tensor of a variable": {gorgonia.NewUniqueNode(gorgonia.In(g), name("c"), gorgonia.WithType(gorgonia.TensorType{Dims: 1, Of: hm.TypeVariable('x')})), dense.ErrDtype,
			"a dtype or a tensor of one is allowed"},
		"a function": {gorgonia.NewUniqueNode(gorgonia.In(g), name("d"), gorgonia.WithType(hm.NewFnType(tensor.Float32, tensor.Float32))), dense.ErrDtype, "the node d is of type float32"},
		"no shape":   {gorgonia.NewMatrix(g, tensor.Float32, name("e")), dense.ErrShape, "the node e of 2 dims has no shape"},
	} {
		got, err := DescribeNode(c.node)
		assert.ErrorIs(t, err, c.kind, what)
		assert.ErrorContains(t, err, c.text, what)
		assert.Equal(t, Description{}, got, what)
	}
}

// wrapped is a tensor of another package, which package tensor allows.
type wrapped struct{ *tensor.Dense }

func TestDescribeTensor(t *testing.T) {
	d := tensor.New(tensor.WithShape(2, 3), tensor.WithBacking(make([]float32, 6)))
	got, err := DescribeTensor(d)
	require.NoError(t, err)
	assert.Equal(t, Description{true, tensor.Float32, tensor.Shape{2, 3}}, got)
	got, err = DescribeTensor(tensor.New(tensor.Of(tensor.Int8), tensor.WithShape(0, 3)))
	require.NoError(t, err)
	assert.Equal(t, Description{true, tensor.Int8, tensor.Shape{0, 3}}, got)
	for _, none := range []tensor.Tensor{nil, (*tensor.Dense)(nil)} {
		got, err := DescribeTensor(none)
		assert.NoError(t, err)
		assert.Equal(t, Description{}, got)
	}
	masked := tensor.New(tensor.WithShape(2), tensor.WithBacking([]float32{1, 2}, []bool{true, false}))
	for what, c := range map[string]struct {
		t    tensor.Tensor
		kind error
		text string
	}{
		"the zero Dense":   {&tensor.Dense{}, dense.ErrDtype, "without a dtype"},
		"sparse":           {tensor.CSRFromCoord(tensor.Shape{2, 2}, []int{0}, []int{1}, []float64{1}), dense.ErrLayout, "a *tensor.CS, a *tensor.Dense is needed"},
		"nil, of a sparse": {(*tensor.CS)(nil), dense.ErrLayout, "a *tensor.CS, a *tensor.Dense is needed"},
		"wrapped":          {wrapped{d}, dense.ErrLayout, "a *tensor.Dense is needed"},
		"wrapped nil":      {wrapped{}, dense.ErrLayout, "a *tensor.Dense is needed"},
		"masked":           {masked, dense.ErrLayout, "masked"},
	} {
		got, err := DescribeTensor(c.t)
		assert.ErrorIs(t, err, c.kind, what)
		assert.ErrorContains(t, err, c.text, what)
		assert.Equal(t, Description{}, got, what)
	}
}
