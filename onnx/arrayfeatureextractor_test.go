package onnx

import (
	"testing"

	"github.com/pkg/errors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// features1 is the operator's name in the tables.
const features1 = "ai.onnx.ml.ArrayFeatureExtractor"

func extractor() Node {
	return Node{Domain: "ai.onnx.ml", OpType: "ArrayFeatureExtractor", Opset: 1}
}

// TestArrayFeatureExtractor gathers along the last axis: indices count as one list,
// and data of one axis gives one row.
func TestArrayFeatureExtractor(t *testing.T) {
	rows := of([]float32{0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23}, 3, 4)
	for name, c := range map[string]struct {
		data, indices *tensor.Dense
		shape         tensor.Shape
		want          []float32
	}{
		"a list":               {rows, of(i64(3, 0), 2), tensor.Shape{3, 2}, []float32{3, 0, 13, 10, 23, 20}},
		"a row of indices":     {rows, of(i64(3, 0), 1, 2), tensor.Shape{3, 2}, []float32{3, 0, 13, 10, 23, 20}},
		"a matrix of indices":  {rows, of(i64(3, 0, 1, 1), 2, 2), tensor.Shape{3, 4}, []float32{3, 0, 1, 1, 13, 10, 11, 11, 23, 20, 21, 21}},
		"1-D data":             {of([]float32{5, 6, 7}, 3), of(i64(2, 0), 2), tensor.Shape{1, 2}, []float32{7, 5}},
		"1-D data, a row":      {of([]float32{5, 6, 7}, 3), of(i64(2, 0), 1, 2), tensor.Shape{1, 2}, []float32{7, 5}},
		"1-D data, one index":  {of([]float32{5, 6, 7}, 3), of(i64(1), 1), tensor.Shape{1, 1}, []float32{6}},
		"three axes, one list": {of([]float32{0, 1, 2, 3, 4, 5, 6, 7}, 2, 2, 2), of(i64(1), 1), tensor.Shape{2, 2, 1}, []float32{1, 3, 5, 7}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := both(t, extractor(), c.data, c.indices)
			require.NoError(t, err)
			assert.Equal(t, c.shape, got.Shape())
			assert.Equal(t, c.want, got.Float32s())
		})
	}
	var bad *dense.IndexError
	for name, index := range map[string]int64{"past the end": 4, "below zero": -1} {
		_, err := both(t, extractor(), rows, of(i64(index), 1))
		assert.True(t, errors.As(err, &bad), "%s: %v", name, err)
	}
	for name, c := range map[string]struct {
		node   Node
		inputs []*tensor.Dense
		is     error
	}{
		"another domain":     {Node{Domain: "com.example", OpType: "Gather", Opset: 13}, []*tensor.Dense{rows, of(i64(0), 1)}, dense.ErrOption},
		"without its domain": {Node{OpType: "ArrayFeatureExtractor", Opset: 1}, []*tensor.Dense{rows, of(i64(0), 1)}, dense.ErrOption},
		"32-bit indices":     {extractor(), []*tensor.Dense{rows, of([]int32{0}, 1)}, dense.ErrDtype},
		"data of float16":    {extractor(), []*tensor.Dense{sample(dense.Float16, 3, 4), of(i64(0), 1)}, dense.ErrDtype},
		"a scalar index":     {extractor(), []*tensor.Dense{rows, of(i64(0))}, dense.ErrShape},
		"no indices at all":  {extractor(), []*tensor.Dense{rows}, dense.ErrShape},
	} {
		_, err := both(t, c.node, c.inputs...)
		assert.ErrorIs(t, err, c.is, name)
	}
	// ai.onnx is ONNX's own domain.
	_, err := both(t, Node{Domain: "ai.onnx", OpType: "Gather", Opset: 13}, rows, of(i64(0), 1))
	assert.NoError(t, err)
}

// TestArrayFeatureExtractorTrains has duplicates, whose gradients add up.
func TestArrayFeatureExtractorTrains(t *testing.T) {
	g := gorgonia.NewGraph()
	x := gorgonia.NewMatrix(g, tensor.Float64, gorgonia.WithShape(2, 3), gorgonia.WithName("x"), gorgonia.WithValue(of([]float64{0, 1, 2, 3, 4, 5}, 2, 3)))
	y, err := Apply(extractor(), x, gorgonia.NewConstant(of(i64(2, 2), 1, 2)))
	require.NoError(t, err)
	gradients, err := gorgonia.Grad(gorgonia.Must(gorgonia.Sum(y)), x)
	require.NoError(t, err)
	var got gorgonia.Value
	gorgonia.Read(gradients[0], &got)
	vm := gorgonia.NewTapeMachine(g)
	defer vm.Close()
	require.NoError(t, vm.RunAll())
	assert.Equal(t, []float64{0, 0, 2, 0, 0, 2}, got.(*tensor.Dense).Float64s())
}

// TestArrayFeatureExtractorInAModel builds one of a model that imports its domain,
// and none of one that does not.
func TestArrayFeatureExtractorInAModel(t *testing.T) {
	graph := message{}.bytes(1, nodeMessage("ArrayFeatureExtractor", []string{"x", "i"}, []string{"y"}).text(7, "ai.onnx.ml")).
		bytes(graphInput, valueMessage("x", 1, 2, 3)).bytes(graphInput, valueMessage("i", 7, 1, 2)).bytes(graphOutput, valueMessage("y", 1, 2, 2))
	imports := message{}.text(1, "ai.onnx.ml").varint(2, 3)
	g := gorgonia.NewGraph()
	built, err := modelOf(t, modelMessage(13, graph).bytes(8, imports)).Build(g)
	require.NoError(t, err)
	require.NoError(t, built.Let("x", of([]float32{0, 1, 2, 3, 4, 5}, 2, 3)))
	require.NoError(t, built.Let("i", of(i64(2, 0), 1, 2)))
	vm := gorgonia.NewTapeMachine(g)
	defer vm.Close()
	require.NoError(t, vm.RunAll())
	assert.Equal(t, []float32{2, 0, 5, 3}, built.Outputs[0].Node.Value().(*tensor.Dense).Float32s())

	_, err = modelOf(t, modelMessage(13, graph)).Build(gorgonia.NewGraph())
	assert.ErrorContains(t, err, `no version of domain "ai.onnx.ml"`)
}
