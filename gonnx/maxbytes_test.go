package gathergonnx

import (
	"fmt"
	"testing"

	"github.com/advancedclimatesystems/gonnx"
	pb "github.com/advancedclimatesystems/gonnx/onnx"
	"github.com/advancedclimatesystems/gonnx/ops/opset13"
	"github.com/pkg/errors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/gonnx/internal/protos"
	"gorgonia.org/tensor"
)

// growing are nodes that make much of little: n is how much. Its result has at least 4n
// bytes, and none of its tensors more than 64 times n.
var growing = []struct {
	opType     string
	attributes func(n int64) protos.Attributes
	inputs     func(n int64) []tensor.Tensor
}{
	{"Expand", nil, func(n int64) []tensor.Tensor { return []tensor.Tensor{of([]float32{1}, 1), list(n)} }},
	{"Tile", nil, func(n int64) []tensor.Tensor { return []tensor.Tensor{of([]float32{1}, 1), list(n)} }},
	{"Pad", nil, func(n int64) []tensor.Tensor { return []tensor.Tensor{of([]float32{1}, 1), list(n/2, n/2)} }},
	{"Pad", func(int64) protos.Attributes { return protos.Attributes{"mode": "edge"} }, func(n int64) []tensor.Tensor { return []tensor.Tensor{of([]float32{1}, 1), list(n/2, n/2)} }},
	{"OneHot", nil, func(n int64) []tensor.Tensor {
		return []tensor.Tensor{list(1), list(n), of([]float32{0, 1}, 2)}
	}},
	{"ConstantOfShape", nil, func(n int64) []tensor.Tensor { return []tensor.Tensor{list(n)} }},
	{"Range", nil, func(n int64) []tensor.Tensor { return []tensor.Tensor{scalar(0), scalar(n), scalar(1)} }},
	{"ConvTranspose", func(n int64) protos.Attributes { return protos.Attributes{"strides": []int64{n}} }, func(int64) []tensor.Tensor {
		return []tensor.Tensor{of(make([]float32, 2), 1, 1, 2), of(make([]float32, 2), 1, 1, 2)}
	}},
	{"Conv", func(n int64) protos.Attributes { return protos.Attributes{"pads": []int64{n, 0}} }, func(int64) []tensor.Tensor {
		return []tensor.Tensor{of(make([]float32, 3), 1, 1, 3), of(make([]float32, 2), 1, 1, 2)}
	}},
}

// squared are nodes whose result has a number of elements for each pair of the elements of
// two inputs.
var squared = []struct {
	opType     string
	attributes protos.Attributes
	inputs     func(n int) []tensor.Tensor
}{
	{"Add", nil, func(n int) []tensor.Tensor { return []tensor.Tensor{zeros(n, 1), zeros(1, n)} }},
	{"Where", nil, func(n int) []tensor.Tensor {
		return []tensor.Tensor{of([]bool{true}, 1), zeros(n, 1), zeros(1, n)}
	}},
	{"Einsum", protos.Attributes{"equation": "i,j->ij"}, func(n int) []tensor.Tensor { return []tensor.Tensor{zeros(n), zeros(n)} }},
	{"Mod", protos.Attributes{"fmod": 1}, func(n int) []tensor.Tensor { return []tensor.Tensor{zeros(n, 1), zeros(1, n)} }},
	{"MatMul", nil, func(n int) []tensor.Tensor { return []tensor.Tensor{zeros(n, 1), zeros(1, n)} }},
	{"Gemm", nil, func(n int) []tensor.Tensor { return []tensor.Tensor{zeros(n, 1), zeros(1, n), zeros(1)} }},
	{"Gather", nil, func(n int) []tensor.Tensor { return []tensor.Tensor{zeros(1, n), longs(n)} }},
	{"GatherND", nil, func(n int) []tensor.Tensor { return []tensor.Tensor{zeros(1, n), longs(n, 1)} }},
	{"Max", nil, func(n int) []tensor.Tensor { return []tensor.Tensor{zeros(n, 1), zeros(1, n)} }},
}

func zeros(shape ...int) *tensor.Dense {
	return tensor.New(tensor.WithShape(shape...), tensor.Of(tensor.Float32))
}
func scalar(n int64) *tensor.Dense { return tensor.New(tensor.FromScalar(n)) }
func longs(shape ...int) *tensor.Dense {
	return tensor.New(tensor.WithShape(shape...), tensor.Of(tensor.Int64))
}

// ofConstants is a model of one node whose inputs are initializers.
func ofConstants(t *testing.T, opType string, attributes protos.Attributes, inputs []tensor.Tensor) *Model {
	t.Helper()
	g := &pb.GraphProto{Output: []*pb.ValueInfoProto{protos.Untyped("y")}}
	var names []string
	for i, in := range inputs {
		names = append(names, fmt.Sprint("x", i))
		g.Initializer = append(g.Initializer, protos.Tensor(names[i], in.(*tensor.Dense)))
	}
	g.Node = []*pb.NodeProto{protos.Node(opType, names, []string{"y"}, attributes)}
	m, err := Load(protos.Bytes(protos.Model(13, g)))
	require.NoError(t, err)
	return m
}

// TestMaxBytes: a node whose results are larger than allowed is refused before they are
// allocated, whoever has its operator, and runs where they are allowed.
func TestMaxBytes(t *testing.T) {
	check := func(t *testing.T, opType string, attributes protos.Attributes, inputs []tensor.Tensor, most int64) {
		m := ofConstants(t, opType, attributes, inputs)
		require.NoError(t, m.SetMaxBytes(most))
		_, err := m.Run(gonnx.Tensors{})
		require.True(t, errors.Is(err, dense.ErrMaxBytes), "%s: %v", opType, err)
		assert.ErrorContains(t, err, opType+` "make y"`)
		require.NoError(t, m.SetMaxBytes(16*most+4096))
		_, err = m.Run(gonnx.Tensors{})
		assert.NoError(t, err, opType)
	}
	for _, c := range growing {
		t.Run(c.opType, func(t *testing.T) {
			const n = 1 << 20
			attributes := func(n int64) protos.Attributes {
				if c.attributes == nil {
					return nil
				}
				return c.attributes(n)
			}
			check(t, c.opType, attributes(n), c.inputs(n), 4*n-1)
			// 20 GiB, with the limit that none was set for.
			const huge = 5 << 30
			_, err := ofConstants(t, c.opType, attributes(huge), c.inputs(huge)).Run(gonnx.Tensors{})
			assert.ErrorContains(t, err, c.opType+` "make y"`)
			_, err = apply(Operators(Builders(opset13.GetOperator, 13), 13), node1(c.opType, attributes(huge), c.inputs(huge)...), c.inputs(huge)...)
			assert.Error(t, err)
		})
	}
	for _, c := range squared {
		t.Run(c.opType, func(t *testing.T) {
			const n = 1 << 9
			check(t, c.opType, c.attributes, c.inputs(n), 4*n*n-1)
			_, err := ofConstants(t, c.opType, c.attributes, c.inputs(1<<17)).Run(gonnx.Tensors{}) // 64 GiB
			require.True(t, errors.Is(err, dense.ErrMaxBytes) || errors.Is(err, dense.ErrShape), "%s: %v", c.opType, err)
		})
	}
}

// TestSetMaxBytes: a limit is at least 1, and holds for what is allowed to the byte.
func TestSetMaxBytes(t *testing.T) {
	m := ofConstants(t, "Expand", nil, []tensor.Tensor{of([]float32{1}, 1), list(100)})
	for _, n := range []int64{0, -1} {
		err := m.SetMaxBytes(n)
		assert.ErrorIs(t, err, dense.ErrOption)
		assert.ErrorContains(t, err, "the least is 1")
	}
	for n, fits := range map[int64]bool{1: false, 399: false, 400: true, 1 << 62: true} {
		require.NoError(t, m.SetMaxBytes(n))
		_, err := m.Run(gonnx.Tensors{})
		assert.Equal(t, fits, err == nil, "%d: %v", n, err)
	}
}

// TestMaxBytesOfOwn: what gonnx itself computes is bounded, too.
func TestMaxBytesOfOwn(t *testing.T) {
	acos := ofConstants(t, "Acos", nil, []tensor.Tensor{zeros(10)})
	regressor := node1("LinearRegressor", protos.Attributes{"coefficients": make([]float32, 30), "intercepts": make([]float32, 30), "targets": 30}, zeros(10, 1))
	regressor.Domain = "ai.onnx.ml"
	k := newKept()
	get := operators(opset13.GetOperator, 13, nil, k)
	for n, fits := range map[int64]bool{39: false, 40: true} {
		require.NoError(t, acos.SetMaxBytes(n))
		_, err := acos.Run(gonnx.Tensors{})
		assert.Equal(t, fits, err == nil, "%v", err)
		assert.Equal(t, !fits, errors.Is(err, dense.ErrMaxBytes))
		k.setMaxBytes(30 * n)
		_, err = apply(get, regressor, zeros(10, 1))
		assert.Equal(t, fits, err == nil, "%v", err)
	}
}
