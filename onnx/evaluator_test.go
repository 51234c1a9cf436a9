package onnx_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/onnx"
	"gorgonia.org/gather/onnx/builders"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// counted is a builder that counts its calls.
func counted(calls *int, b onnx.Builder) onnx.Builder {
	return func(n onnx.Node, inputs ...*gorgonia.Node) ([]*gorgonia.Node, error) {
		*calls++
		return b(n, inputs...)
	}
}

func vectorOf(values ...float32) *tensor.Dense {
	return tensor.New(tensor.WithShape(len(values)), tensor.WithBacking(values))
}

func longsOf(values ...int64) *tensor.Dense {
	return tensor.New(tensor.WithShape(len(values)), tensor.WithBacking(values))
}

func evaluator(t *testing.T, b onnx.Builder, n onnx.Node, options ...onnx.EvalOption) *onnx.Evaluator {
	t.Helper()
	e, err := onnx.NewEvaluator(b, n, options...)
	require.NoError(t, err)
	return e
}

// An Evaluator makes a graph for every type, shape and static value, and none for other
// values.
func TestEvaluatorKeepsGraphs(t *testing.T) {
	calls := 0
	e := evaluator(t, counted(&calls, builders.Add), onnx.Node{OpType: "Add", Opset: 14})
	add := func(want []float32, a, b *tensor.Dense) {
		t.Helper()
		out, err := e.Eval(a, b)
		require.NoError(t, err)
		assert.Equal(t, want, out[0].Data())
	}
	add([]float32{4, 6}, vectorOf(1, 2), vectorOf(3, 4))
	add([]float32{2, 2}, vectorOf(1, 1), vectorOf(1, 1))
	assert.Equal(t, 1, calls)
	add([]float32{2}, vectorOf(1), vectorOf(1))
	add([]float32{4, 6}, vectorOf(1, 2), vectorOf(3, 4))
	assert.Equal(t, 2, calls)
	_, err := e.Eval(vectorOf(1, 2), longsOf(1, 2))
	assert.ErrorIs(t, err, dense.ErrDtype)
	many := calls
	_, err = e.Eval(vectorOf(1, 2), longsOf(1, 2))
	assert.ErrorIs(t, err, dense.ErrDtype)
	assert.Equal(t, many, calls, "the error is kept, too")

	// Of Slice all but the data are needed, and of Reshape of integers the second.
	calls = 0
	e = evaluator(t, counted(&calls, builders.Slice), onnx.Node{OpType: "Slice", Opset: 13})
	for range 3 {
		for _, c := range []struct {
			start, end int64
			want       []float32
		}{{0, 2, []float32{1, 2}}, {1, 2, []float32{2}}, {0, 3, []float32{1, 2, 3}}} {
			for _, more := range []float32{0, 10} {
				out, err := e.Eval(vectorOf(1+more, 2+more, 3+more), longsOf(c.start), longsOf(c.end))
				require.NoError(t, err)
				for i, x := range c.want {
					assert.Equal(t, x+more, out[0].Float32s()[i])
				}
				require.Equal(t, len(c.want), out[0].Shape()[0])
			}
		}
	}
	first := calls
	assert.LessOrEqual(t, first, 10, "once to find out what is needed, and once for each of three slices")
	_, err = e.Eval(vectorOf(4, 5, 6), longsOf(0), longsOf(2))
	require.NoError(t, err)
	assert.Equal(t, first, calls)
	calls = 0
	e = evaluator(t, counted(&calls, builders.Reshape), onnx.Node{OpType: "Reshape", Opset: 13})
	for i := range int64(20) {
		out, err := e.Eval(longsOf(i, -i), longsOf(1, 2))
		require.NoError(t, err)
		assert.Equal(t, []int64{i, -i}, out[0].Data())
	}
	assert.LessOrEqual(t, calls, 5, "the data are no shape")
}

// Only a few graphs are kept, those that were used last.
func TestEvaluatorForgets(t *testing.T) {
	calls := 0
	e := evaluator(t, counted(&calls, builders.Neg), onnx.Node{OpType: "Neg", Opset: 13})
	run := func(n int) {
		_, err := e.Eval(tensor.New(tensor.Of(tensor.Float32), tensor.WithShape(n)))
		require.NoError(t, err)
	}
	for n := 1; n <= 100; n++ {
		run(1)
		run(n)
	}
	assert.Equal(t, 100, calls)
	run(100)
	run(1)
	assert.Equal(t, 100, calls)
	run(2)
	assert.Equal(t, 101, calls)
}

// Values of static inputs may change in place: those that the graph was made for count.
func TestEvaluatorStaticValues(t *testing.T) {
	e := evaluator(t, builders.Reshape, onnx.Node{OpType: "Reshape", Opset: 13})
	shape := longsOf(2, 2)
	for _, want := range [][]int64{{2, 2}, {4, 1}, {1, 4}} {
		copy(shape.Int64s(), want)
		out, err := e.Eval(vectorOf(1, 2, 3, 4), shape)
		require.NoError(t, err)
		assert.Equal(t, []int{int(want[0]), int(want[1])}, []int(out[0].Shape()))
	}
	// Every second element of a list, and a column of a matrix, are other values.
	wide := longsOf(4, 9, 1, 9)
	view, err := wide.Slice(gorgonia.S(0, 4, 2))
	require.NoError(t, err)
	out, err := e.Eval(vectorOf(1, 2, 3, 4), view)
	require.NoError(t, err)
	assert.Equal(t, []int{4, 1}, []int(out[0].Shape()))
}

// What follows from constant inputs alone is computed once.
func TestEvaluatorConstants(t *testing.T) {
	twice := func(n onnx.Node, in ...*gorgonia.Node) ([]*gorgonia.Node, error) {
		double, err := builders.Add(onnx.Node{Opset: 14}, in[1], in[1])
		if err != nil {
			return nil, err
		}
		return builders.Mul(onnx.Node{Opset: 14}, in[0], double[0])
	}
	c := vectorOf(1, 2)
	for _, constant := range []bool{true, false} {
		var options []onnx.EvalOption
		if constant {
			options = append(options, onnx.WithConstantInputs(1, 7))
		}
		e := evaluator(t, twice, onnx.Node{OpType: "Twice"}, options...)
		c.Float32s()[0] = 1
		out, err := e.Eval(vectorOf(5, 5), c)
		require.NoError(t, err)
		assert.Equal(t, []float32{10, 20}, out[0].Data())
		// The promise is broken, to see that it was used.
		c.Float32s()[0] = 100
		out, err = e.Eval(vectorOf(1, 1), c)
		require.NoError(t, err)
		assert.Equal(t, constant, out[0].Float32s()[0] == 2, "%v", out[0])
	}
}

// A result larger than the limit is an error before it is allocated.
func TestEvaluatorMaxBytes(t *testing.T) {
	for name, c := range map[string]struct {
		b      onnx.Builder
		n      onnx.Node
		inputs []tensor.Tensor
		fits   int64
	}{
		"Expand":          {builders.Expand, onnx.Node{Opset: 13}, []tensor.Tensor{vectorOf(1), longsOf(100)}, 400},
		"Pad":             {builders.Pad, onnx.Node{Opset: 13}, []tensor.Tensor{vectorOf(1), longsOf(50, 49)}, 404},
		"ConstantOfShape": {nil, onnx.Node{Opset: 9}, []tensor.Tensor{longsOf(10, 10)}, 400},
		"Range": {nil, onnx.Node{Opset: 11}, []tensor.Tensor{tensor.New(tensor.FromScalar(int64(0))), tensor.New(tensor.FromScalar(int64(50))),
			tensor.New(tensor.FromScalar(int64(1)))}, 400},
		"Gather": {nil, onnx.Node{Opset: 13}, []tensor.Tensor{vectorOf(1), tensor.New(tensor.WithShape(100), tensor.WithBacking(make([]int64, 100)))}, 400},
	} {
		t.Run(name, func(t *testing.T) {
			c.n.OpType = name
			e := evaluator(t, c.b, c.n, onnx.WithMaxBytes(c.fits))
			_, err := e.Eval(c.inputs...)
			require.NoError(t, err)
			e = evaluator(t, c.b, c.n, onnx.WithMaxBytes(c.fits-1))
			_, err = e.Eval(c.inputs...)
			assert.ErrorIs(t, err, onnx.ErrMaxBytes)
			assert.ErrorContains(t, err, name)
		})
	}
	_, err := onnx.NewEvaluator(nil, onnx.Node{}, onnx.WithMaxBytes(0))
	assert.ErrorContains(t, err, "WithMaxBytes(0)")
	_, err = onnx.NewEvaluator(nil, onnx.Node{}, nil)
	assert.ErrorContains(t, err, "option 0")
}

// Goroutines share an Evaluator.
func TestEvaluatorAtOnce(t *testing.T) {
	e := evaluator(t, builders.Reshape, onnx.Node{OpType: "Reshape", Opset: 13})
	var all sync.WaitGroup
	for i := range 8 {
		all.Add(1)
		go func() {
			defer all.Done()
			for j := range 50 {
				n := 1 + (i+j)%12
				x := tensor.New(tensor.Of(tensor.Float32), tensor.WithShape(n))
				x.Float32s()[n-1] = float32(i)
				out, err := e.Eval(x, longsOf(int64(n), 1))
				if err != nil || out[0].Float32s()[n-1] != float32(i) || out[0].Shape()[0] != n {
					t.Errorf("%v, %v", out, err)
				}
			}
		}()
	}
	all.Wait()
}

// Shape, Size, ConstantOfShape and Range are computed without a graph.
func TestEvalKnown(t *testing.T) {
	scalar := func(x int64) tensor.Tensor { return tensor.New(tensor.FromScalar(x)) }
	columns := tensor.New(tensor.WithShape(2, 3), tensor.AsFortran([]float32{1, 2, 3, 4, 5, 6}))
	strided, err := longsOf(2, 9, 3, 9).Slice(gorgonia.S(0, 4, 2))
	require.NoError(t, err)
	for _, c := range []struct {
		op     string
		attrs  map[string]any
		inputs []tensor.Tensor
		shape  []int
		want   any
	}{
		{"Shape", nil, []tensor.Tensor{columns}, []int{2}, []int64{2, 3}},
		{"Shape", map[string]any{"start": int64(1)}, []tensor.Tensor{columns}, []int{1}, []int64{3}},
		{"Size", nil, []tensor.Tensor{columns}, []int{}, int64(6)},
		{"Range", nil, []tensor.Tensor{scalar(5), scalar(0), scalar(-2)}, []int{3}, []int64{5, 3, 1}},
		{"ConstantOfShape", nil, []tensor.Tensor{strided}, []int{2, 3}, make([]float32, 6)},
		{"ConstantOfShape", nil, []tensor.Tensor{tensor.New(tensor.WithShape(0), tensor.WithBacking([]int64{}))}, []int{}, float32(0)},
	} {
		out, err := onnx.Eval(onnx.Node{OpType: c.op, Opset: 17, Attributes: c.attrs}, c.inputs...)
		require.NoError(t, err, c.op)
		assert.Equal(t, c.shape, append([]int{}, out.Shape()...), c.op)
		assert.Equal(t, c.want, out.Data(), c.op)
	}
	_, err = onnx.Eval(onnx.Node{OpType: "Range", Opset: 17}, scalar(1), nil, scalar(1))
	assert.ErrorContains(t, err, "Range-11: 3 inputs, 3 are needed")
	_, err = onnx.Eval(onnx.Node{OpType: "ConstantOfShape", Opset: 17}, longsOf(1<<40, 1<<20))
	assert.ErrorIs(t, err, dense.ErrShape)
}
