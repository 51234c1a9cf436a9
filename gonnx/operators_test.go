package gathergonnx

import (
	"fmt"
	"math"
	"testing"

	"github.com/advancedclimatesystems/gonnx"
	pb "github.com/advancedclimatesystems/gonnx/onnx"
	"github.com/advancedclimatesystems/gonnx/ops"
	"github.com/advancedclimatesystems/gonnx/ops/opset13"
	"github.com/pkg/errors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/gonnx/internal/protos"
	"gorgonia.org/gather/onnx"
	"gorgonia.org/tensor"
)

// of makes a tensor of a slice; no shape is a scalar.
func of[T any](values []T, shape ...int) *tensor.Dense {
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(values))
}

func list(values ...int64) *tensor.Dense { return of(values, len(values)) }

// apply does what gonnx does with a node.
func apply(get gonnx.OpGetter, n *pb.NodeProto, inputs ...tensor.Tensor) ([]tensor.Tensor, error) {
	op, err := get(n.OpType)
	if err != nil {
		return nil, err
	}
	if err := op.Init(n); err != nil {
		return nil, err
	}
	in, err := op.ValidateInputs(inputs)
	if err != nil {
		return nil, err
	}
	return op.Apply(in)
}

// node is one with as many inputs as are given.
func node1(opType string, attributes protos.Attributes, inputs ...tensor.Tensor) *pb.NodeProto {
	names := make([]string, len(inputs))
	for i := range names {
		names[i] = fmt.Sprintf("x%d", i)
	}
	return protos.Node(opType, names, []string{"y"}, attributes)
}

func TestOperators(t *testing.T) {
	x := of([]float32{1, 2, 3, 4, 5, 6}, 2, 3)
	cases := []struct {
		opType     string
		opset      int
		attributes protos.Attributes
		inputs     []tensor.Tensor
		want       *tensor.Dense
	}{
		{"Gather", 1, nil, []tensor.Tensor{x, of([]int64{1})}, of([]float32{4, 5, 6}, 3)},
		{"Gather", 17, protos.Attributes{"axis": -1}, []tensor.Tensor{x, of([]int32{2, -3}, 2)}, of([]float32{3, 1, 6, 4}, 2, 2)},
		{"Gather", 13, nil, []tensor.Tensor{of([]string{"a", "b"}, 2), list(1, 1)}, of([]string{"b", "b"}, 2)},
		{"Gather", 13, nil, []tensor.Tensor{of([]float32{}, 0, 2), of([]int64{}, 0)}, of([]float32{}, 0, 2)},
		{"GatherElements", 11, protos.Attributes{"axis": 1}, []tensor.Tensor{x, of([]int64{2, 0}, 2, 1)}, of([]float32{3, 4}, 2, 1)},
		{"GatherND", 12, protos.Attributes{"batch_dims": 1}, []tensor.Tensor{x, of([]int64{2, 0}, 2, 1)}, of([]float32{3, 4}, 2)},
		{"Scatter", 9, nil, []tensor.Tensor{x, of([]int64{1}, 1, 1), of([]float32{9}, 1, 1)}, of([]float32{1, 2, 3, 9, 5, 6}, 2, 3)},
		{"ScatterElements", 16, protos.Attributes{"axis": 1, "reduction": "add"}, []tensor.Tensor{x, of([]int64{0, 0}, 1, 2), of([]float32{10, 20}, 1, 2)}, of([]float32{31, 2, 3, 4, 5, 6}, 2, 3)},
		{"ScatterND", 18, protos.Attributes{"reduction": "max"}, []tensor.Tensor{x, of([]int64{0}, 1, 1), of([]float32{0, 9, 0}, 1, 3)}, of([]float32{1, 9, 3, 4, 5, 6}, 2, 3)},
		{"TensorScatter", 24, nil, []tensor.Tensor{x, of([]float32{7, 8, 9}, 1, 3)}, nil}, // batch dims differ: an error
		{"TensorScatter", 24, nil, []tensor.Tensor{of([]float32{1, 2, 3, 4}, 1, 4, 1), of([]float32{9}, 1, 1, 1), list(2)}, of([]float32{1, 2, 9, 4}, 1, 4, 1)},
	}
	for _, c := range cases {
		t.Run(fmt.Sprintf("%s in %d", c.opType, c.opset), func(t *testing.T) {
			out, err := apply(Operators(nil, c.opset), node1(c.opType, c.attributes, c.inputs...), c.inputs...)
			if c.want == nil {
				require.Error(t, err)
				return
			}
			require.NoError(t, err)
			require.Len(t, out, 1)
			assertSame(t, c.want, out[0])
		})
	}
}

// assertSame compares dtypes, shapes and all bytes.
func assertSame(t *testing.T, want *tensor.Dense, got tensor.Tensor) {
	t.Helper()
	d, ok := got.(*tensor.Dense)
	require.True(t, ok, "%T", got)
	require.Equal(t, want.Dtype(), d.Dtype())
	w, g := protos.Tensor("", want), protos.Tensor("", d)
	require.Equal(t, w.Dims, g.Dims)
	require.Equal(t, w.StringData, g.StringData)
	require.Equal(t, w.RawData, g.RawData)
}

// TestVersionsDiffer: what a version forbids is an error that says since when it is
// allowed, of the model's own opset and not of gonnx's 13.
func TestVersionsDiffer(t *testing.T) {
	x, at := of([]float32{1, 2}, 2, 1), of([]int64{0}, 1, 1)
	brain := of([]dense.BF16{1, 2}, 2, 1)
	cases := []struct {
		opset  int
		node   string
		attrs  protos.Attributes
		inputs []tensor.Tensor
		since  int
	}{
		{10, "GatherElements", nil, []tensor.Tensor{x, at}, 11},
		{10, "GatherND", nil, []tensor.Tensor{x, at}, 11},
		{11, "GatherND", protos.Attributes{"batch_dims": 0}, []tensor.Tensor{x, at}, 12},
		{12, "Gather", nil, []tensor.Tensor{brain, at}, 13},
		{15, "ScatterElements", protos.Attributes{"reduction": "add"}, []tensor.Tensor{x, at, of([]float32{1}, 1, 1)}, 16},
		{17, "ScatterND", protos.Attributes{"reduction": "min"}, []tensor.Tensor{x, of([]int64{0, 0}, 1, 2), of([]float32{1}, 1)}, 18},
		{11, "Scatter", nil, []tensor.Tensor{x, at, of([]float32{1}, 1, 1)}, 0},
		{23, "TensorScatter", nil, []tensor.Tensor{of([]float32{1}, 1, 1, 1), of([]float32{1}, 1, 1, 1)}, 24},
	}
	for _, c := range cases {
		_, err := apply(Operators(nil, c.opset), node1(c.node, c.attrs, c.inputs...), c.inputs...)
		var version *onnx.VersionError
		require.True(t, errors.As(err, &version), "%s in %d: %v", c.node, c.opset, err)
		assert.Equal(t, c.since, version.Since)
		if c.since > 0 {
			_, err := apply(Operators(nil, c.since), node1(c.node, c.attrs, c.inputs...), c.inputs...)
			assert.NoError(t, err)
		}
	}
}

func TestOperatorErrors(t *testing.T) {
	x, at := of([]float32{1, 2}, 2), list(0)
	masked := tensor.New(tensor.WithShape(2), tensor.WithBacking([]float32{1, 2}, []bool{true, false}))
	twice := node1("Gather", protos.Attributes{"axis": 0}, x, at)
	twice.Attribute = append(twice.Attribute, twice.Attribute[0])
	refers := node1("Gather", nil, x, at)
	refers.Attribute = []*pb.AttributeProto{{Name: "axis", RefAttrName: "outer", Type: pb.AttributeProto_INT}}
	unknownKind := node1("Gather", nil, x, at)
	unknownKind.Attribute = []*pb.AttributeProto{{Name: "axis", Type: 99}}
	elsewhere := node1("Gather", nil, x, at)
	elsewhere.Domain = "com.example"
	two := node1("Gather", nil, x, at)
	two.Output = []string{"y", "z"}
	none := node1("Gather", nil, x, at)
	none.Output = nil
	cases := []struct {
		name   string
		node   *pb.NodeProto
		inputs []tensor.Tensor
		is     error
		says   string
	}{
		{"an index out of range", node1("Gather", nil, x, at), []tensor.Tensor{x, list(0, 2)}, nil, "indices[1]: 2 out of range [-2, 2)"},
		{"the least index there is", node1("Gather", nil, x, at), []tensor.Tensor{x, list(math.MinInt64)}, nil, "out of range"},
		{"an axis out of range", node1("Gather", protos.Attributes{"axis": 1}, x, at), []tensor.Tensor{x, at}, dense.ErrAxis, "axis 1"},
		{"indices of another dtype", node1("Gather", nil, x, at), []tensor.Tensor{x, of([]float32{0}, 1)}, dense.ErrDtype, "indices"},
		{"indices of Go's int", node1("Gather", nil, x, at), []tensor.Tensor{x, of([]int{0}, 1)}, dense.ErrDtype, "indices"},
		{"int32 tuples", node1("GatherND", nil, x, at), []tensor.Tensor{x, of([]int32{0}, 1)}, dense.ErrDtype, "indices"},
		{"updates of another dtype", node1("ScatterElements", nil, x, at, x), []tensor.Tensor{x, at, of([]float64{1}, 1)}, dense.ErrDtype, "updates"},
		{"shapes that do not fit", node1("ScatterElements", nil, x, at, x), []tensor.Tensor{x, at, x}, dense.ErrShape, ""},
		{"too few inputs", node1("Gather", nil, x), []tensor.Tensor{x}, dense.ErrShape, "no indices"},
		{"too many inputs", node1("Gather", nil, x, at, x), []tensor.Tensor{x, at, x}, dense.ErrShape, "3 inputs"},
		{"a nil input", node1("Gather", nil, x, at), []tensor.Tensor{x, nil}, dense.ErrShape, "no indices"},
		{"a nil *Dense", node1("Gather", nil, x, at), []tensor.Tensor{(*tensor.Dense)(nil), at}, dense.ErrShape, "no data"},
		{"a mask", node1("Gather", nil, x, at), []tensor.Tensor{masked, at}, dense.ErrLayout, "masked"},
		{"an unknown attribute", node1("Gather", protos.Attributes{"speed": 1}, x, at), []tensor.Tensor{x, at}, dense.ErrOption, `"speed"`},
		{"an attribute of another kind", node1("Gather", protos.Attributes{"axis": "last"}, x, at), []tensor.Tensor{x, at}, dense.ErrOption, "integer"},
		{"a graph as attribute", node1("Gather", protos.Attributes{"axis": &pb.GraphProto{}}, x, at), []tensor.Tensor{x, at}, dense.ErrOption, "integer"},
		{"an unknown reduction", node1("ScatterND", protos.Attributes{"reduction": "mean"}, x, at, x), []tensor.Tensor{x, of([]int64{0}, 1, 1), of([]float32{1}, 1)}, dense.ErrOption, `"mean"`},
		{"an attribute twice", twice, []tensor.Tensor{x, at}, dense.ErrOption, "twice"},
		{"an attribute of a function", refers, []tensor.Tensor{x, at}, dense.ErrOption, "function"},
		{"an attribute of a kind nobody knows", unknownKind, []tensor.Tensor{x, at}, dense.ErrOption, "kind 99"},
		{"a domain of others", elsewhere, []tensor.Tensor{x, at}, nil, "com.example"},
		{"two outputs", two, []tensor.Tensor{x, at}, dense.ErrShape, "2 outputs"},
		{"no outputs", none, []tensor.Tensor{x, at}, dense.ErrShape, "0 outputs"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := apply(Operators(nil, 18), c.node, c.inputs...)
			require.Error(t, err)
			if c.is != nil {
				assert.True(t, errors.Is(err, c.is), "%v", err)
			}
			assert.ErrorContains(t, err, c.says)
			assert.ErrorContains(t, err, c.node.OpType)
		})
	}
	_, err := apply(Operators(nil, 18), node1("Gather", nil, x, at), x, list(0, 2))
	var bad *dense.IndexError
	require.True(t, errors.As(err, &bad))
	assert.Equal(t, int64(2), bad.Index)
	assert.ErrorContains(t, err, `gonnx: Gather "make y": `)
}

// TestOpsets asks for operators of opsets that there are not, and of all there are.
func TestOpsets(t *testing.T) {
	for _, opset := range []int{math.MinInt, -1, 0, newestOpset + 1, math.MaxInt} {
		for _, opType := range []string{"Gather", "Constant", "Add", "Nonsense"} {
			_, err := Operators(opset13.GetOperator, opset)(opType)
			assert.True(t, errors.Is(err, ops.ErrUnsupportedOpsetVersion), "opset %d: %v", opset, err)
			assert.ErrorContains(t, err, opType)
		}
	}
	for opset := firstOpset; opset <= newestOpset; opset++ {
		for _, opType := range gathers {
			op, err := Operators(nil, opset)(opType)
			require.NoError(t, err)
			assert.Contains(t, op.String(), opType)
		}
	}
}

// TestBase: what base does wrong is explained.
func TestBase(t *testing.T) {
	_, err := Operators(nil, 13)("Add")
	assert.True(t, errors.Is(err, ops.ErrUnsupportedOperator))
	assert.ErrorContains(t, err, "base is nil")
	_, err = Operators(opset13.GetOperator, 13)("If")
	assert.True(t, errors.Is(err, ops.ErrUnsupportedOperator))
	assert.ErrorContains(t, err, `"If"`)
	_, err = Operators(opset13.GetOperator, 13)("")
	assert.Error(t, err)
	_, err = Operators(func(string) (ops.Operator, error) { return nil, nil }, 13)("Add")
	assert.ErrorContains(t, err, "base gave nil")

	x := list(1)
	_, err = apply(Operators(func(string) (ops.Operator, error) { return &broken{}, nil }, 13), node1("Add", nil, x), x)
	assert.ErrorContains(t, err, `gonnx: Add "make y": computing it panicked: index out of range`)
	_, err = apply(Operators(func(string) (ops.Operator, error) { return &broken{outputs: []tensor.Tensor{}}, nil }, 13), node1("Add", nil, x), x)
	assert.ErrorContains(t, err, "gives 0 outputs, the node names 1")
	_, err = apply(Operators(func(string) (ops.Operator, error) { return &broken{outputs: []tensor.Tensor{nil}}, nil }, 13), node1("Add", nil, x), x)
	assert.ErrorContains(t, err, `no output "y"`)
	out, err := apply(Operators(func(string) (ops.Operator, error) { return &broken{outputs: []tensor.Tensor{x, x, x}}, nil }, 13), node1("Add", nil, x), x)
	require.NoError(t, err)
	assert.Len(t, out, 1)

	// Wrapped twice, once for each, as a layer of a layer would be.
	_, err = apply(Operators(Operators(opset13.GetOperator, 17), 17), node1("Add", nil, x, x), x, x)
	assert.NoError(t, err)
}

// broken is an operator that gives what it was told, or panics.
type broken struct {
	opset13.Add
	outputs []tensor.Tensor
}

func (b *broken) ValidateInputs(in []tensor.Tensor) ([]tensor.Tensor, error) { return in, nil }

func (b *broken) Apply([]tensor.Tensor) ([]tensor.Tensor, error) {
	if b.outputs == nil {
		panic("index out of range")
	}
	return b.outputs, nil
}

// TestPanicsOfGonnx: what gonnx and package tensor panic on are errors.
func TestPanicsOfGonnx(t *testing.T) {
	x := of([]float32{1, 2, 3, 4}, 2, 2)
	for _, c := range []struct {
		node   *pb.NodeProto
		inputs []tensor.Tensor
	}{
		{node1("Div", nil, x, x), []tensor.Tensor{list(1), list(0)}},                                                                         // division by zero
		{node1("Slice", nil, x, x, x), []tensor.Tensor{x, list(0, 0, 0), list(1, 1, 1)}},                                                     // more axes than there are
		{node1("Reshape", nil, x, x), []tensor.Tensor{x, list(3, -1)}},                                                                       // 4 elements as (3, 1)
		{node1("Reshape", nil, x, x), []tensor.Tensor{of([]float32{}, 0), list(0, -1)}},                                                      // division by zero
		{node1("Flatten", protos.Attributes{"axis": 9}, x), []tensor.Tensor{x}},                                                              // beyond the rank
		{node1("Cast", protos.Attributes{"to": 1}, x), []tensor.Tensor{of([]float32{}, 0)}},                                                  // Data of nothing
		{node1("LinearRegressor", nil, x), []tensor.Tensor{x}},                                                                               // no coefficients
		{node1("Transpose", protos.Attributes{"perm": []int64{0, 7}}, x), []tensor.Tensor{x}},                                                // no such axis
		{node1("Conv", nil, x, x), []tensor.Tensor{of([]float32{1, 2, 3, 4}, 1, 1, 2, 2), x}},                                                // a kernel of another rank
		{node1("Softmax", protos.Attributes{"axis": -1}, x), []tensor.Tensor{of([]float32{}, 0, 3)}},                                         // of nothing
		{node1("ConstantOfShape", nil, x), []tensor.Tensor{list(1<<40, 1<<40)}},                                                              // no such memory
		{node1("ConstantOfShape", protos.Attributes{"value": &pb.TensorProto{DataType: 1, Dims: []int64{-1}}}, x), []tensor.Tensor{list(1)}}, // no such dim
	} {
		if c.node.OpType == "LinearRegressor" {
			c.node.Domain = "ai.onnx.ml"
		}
		require.NotPanics(t, func() {
			_, err := apply(Operators(opset13.GetOperator, 13), c.node, c.inputs...)
			if err != nil {
				assert.ErrorContains(t, err, c.node.OpType)
				assert.ErrorContains(t, err, "make y")
			} else {
				t.Logf("%s took it", c.node.OpType)
			}
		})
	}
}
