package onnx

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"gorgonia.org/gather/internal/badinput"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// badNodes are nodes, in the sense of ONNX, that are none.
func badNodes() map[string]Node {
	nodes := map[string]Node{
		"the zero Node":         {},
		"an unknown operator":   {OpType: "Conv", Opset: 13},
		"no opset":              {OpType: "Gather"},
		"a negative opset":      {OpType: "Gather", Opset: math.MinInt},
		"an opset to come":      {OpType: "Gather", Opset: math.MaxInt},
		"an unknown attribute":  {OpType: "Gather", Opset: 13, Attributes: map[string]any{"": nil}},
		"an attribute of nil":   {OpType: "Gather", Opset: 13, Attributes: map[string]any{"axis": nil}},
		"a nil pointer":         {OpType: "Gather", Opset: 13, Attributes: map[string]any{"axis": (*int)(nil)}},
		"a func":                {OpType: "Gather", Opset: 13, Attributes: map[string]any{"axis": func() {}}},
		"the least axis":        {OpType: "Gather", Opset: 13, Attributes: map[string]any{"axis": math.MinInt}},
		"the greatest axis":     {OpType: "GatherElements", Opset: 13, Attributes: map[string]any{"axis": math.MaxInt}},
		"the most batch dims":   {OpType: "GatherND", Opset: 13, Attributes: map[string]any{"batch_dims": math.MaxInt}},
		"the fewest batch dims": {OpType: "GatherND", Opset: 13, Attributes: map[string]any{"batch_dims": math.MinInt}},
	}
	for op, rows := range versions {
		for _, v := range rows {
			nodes[fmt.Sprint(op, v.Since)] = Node{OpType: op, Opset: v.Since}
		}
	}
	return nodes
}

// Every exported function takes arguments that it should not be given.
func TestBadArguments(t *testing.T) {
	sound := modelMessage(13, lookup())
	models := func() map[string]*Model {
		return map[string]*Model{"nil": nil, "the zero Model": {}, "sound": modelOf(t, sound)}
	}
	graphs := func() map[string]*Graph {
		built, err := modelOf(t, sound).Build(gorgonia.NewGraph())
		assert.NoError(t, err)
		all := map[string]*Graph{"nil": nil, "the zero Graph": {}, "sound": built, "of empty ports": {Inputs: make([]Port, 2), Outputs: make([]Port, 2), Constants: make([]Port, 2)}}
		for name, n := range badinput.Nodes(gorgonia.NewGraph()) {
			ports := []Port{{Value: Value{Name: "x"}, Node: n}}
			all[name] = &Graph{Inputs: ports, Outputs: ports}
		}
		return all
	}
	tooMany := func(t *testing.T, what string, n Node) {
		_, err := Apply(n, make([]*gorgonia.Node, 5)...)
		assert.Error(t, err, what)
		_, err = Eval(n, make([]tensor.Tensor, 5)...)
		assert.Error(t, err, what)
	}
	names := []string{"", "x", "i", "y", "absent", "\xff"}
	eachGraph := func(call func(name string, b *Graph)) func(t *testing.T) {
		return func(t *testing.T) {
			for what, b := range graphs() {
				for _, name := range names {
					badinput.Try(t, fmt.Sprintf("%s, %q", what, name), func() { call(name, b) })
				}
			}
		}
	}
	eachModel := func(call func(m *Model)) func(t *testing.T) {
		return func(t *testing.T) {
			for what, m := range models() {
				badinput.Try(t, what, func() { call(m) })
			}
		}
	}
	readers := func(read func(t *testing.T, what string, name string)) func(t *testing.T) {
		return func(t *testing.T) {
			for what := range badinput.Readers() {
				badinput.Try(t, what, func() { read(t, what, what) })
			}
		}
	}
	badinput.Calls(t, ".", map[string]func(t *testing.T){
		"Apply": func(t *testing.T) {
			for what, n := range badNodes() {
				badinput.Try(t, what, func() { tooMany(t, what, n) })
				for length := range len(operators[n.OpType].parameters) + 1 {
					badinput.Tuples(badinput.Nodes(gorgonia.NewGraph()), length, func(names []string, inputs []*gorgonia.Node) {
						badinput.OneOf(t, func() (*gorgonia.Node, error) { return Apply(n, inputs...) }, append(names, what)...)
					})
				}
			}
		},
		"Eval": func(t *testing.T) {
			for what, n := range badNodes() {
				for length := range len(operators[n.OpType].parameters) + 1 {
					badinput.Tuples(badinput.Tensors(), length, func(names []string, inputs []tensor.Tensor) {
						badinput.OneOf(t, func() (*tensor.Dense, error) { return Eval(n, inputs...) }, append(names, what)...)
					})
				}
			}
		},
		"NewEvaluator": func(t *testing.T) {
			for what, n := range badNodes() {
				badinput.Try(t, what, func() {
					_, _ = NewEvaluator(nil, n, nil)
					_, _ = NewEvaluator(nil, n, WithMaxBytes(math.MinInt64))
					_, _ = NewEvaluator(nil, n, (*MaxBytes)(nil))
				})
			}
			_, err := NewEvaluator(nil, Node{OpType: "Gather", Opset: 13}, nil)
			assert.Error(t, err)
			_, err = NewEvaluator(nil, Node{OpType: "Gather", Opset: 13}, WithMaxBytes(0))
			assert.Error(t, err)
		},
		"Evaluator.Eval": func(t *testing.T) {
			for _, e := range []*Evaluator{nil, {}} {
				badinput.Try(t, "an Evaluator that is not made by NewEvaluator", func() {
					_, err := e.Eval()
					assert.Error(t, err)
				})
			}
			for what, n := range badNodes() {
				e, err := NewEvaluator(nil, n)
				if err != nil {
					continue
				}
				badinput.Tuples(badinput.Tensors(), 2, func(names []string, inputs []tensor.Tensor) {
					badinput.Try(t, what+" "+strings.Join(names, " "), func() { _, _ = e.Eval(inputs...) })
				})
			}
		},
		"WithConstantInputs": func(t *testing.T) {
			x := tensor.New(tensor.WithShape(1), tensor.WithBacking([]float32{1}))
			for _, places := range [][]int{nil, {-1}, {math.MinInt}, {math.MaxInt, 2}, {0, 0}} {
				badinput.Try(t, fmt.Sprint(places), func() {
					e, err := NewEvaluator(nil, Node{OpType: "Gather", Opset: 13}, WithConstantInputs(places...))
					assert.NoError(t, err)
					_, err = e.Eval(x, x)
					assert.Error(t, err)
				})
			}
		},
		"EvalWith": func(t *testing.T) {
			_, err := EvalWith(nil, Node{OpType: "Neg", Opset: 13})
			assert.EqualError(t, err, "onnx: EvalWith of a nil Builder")
			first := func(_ Node, inputs ...*gorgonia.Node) ([]*gorgonia.Node, error) { return inputs[:1], nil }
			badinput.Tuples(badinput.Tensors(), 1, func(names []string, inputs []tensor.Tensor) {
				badinput.Try(t, strings.Join(names, " "), func() { _, _ = EvalWith(first, Node{OpType: "First", Opset: 13}, inputs...) })
			})
			_, err = EvalWith(first, Node{OpType: "First", Opset: 13})
			assert.ErrorContains(t, err, "its builder panicked")
		},
		"ReadModel": readers(func(t *testing.T, what, name string) {
			m, err := ReadModel(badinput.Readers()[name])
			assert.Error(t, err, what)
			assert.Nil(t, m, what)
		}),
		"ReadModelFile": func(t *testing.T) {
			folder := t.TempDir()
			text := filepath.Join(folder, "text.onnx")
			assert.NoError(t, os.WriteFile(text, []byte("text"), 0o600))
			for _, path := range []string{"", "\x00", folder, text, filepath.Join(text, "below"), filepath.Join(folder, "none.onnx"), os.DevNull} {
				badinput.Try(t, path, func() {
					m, err := ReadModelFile(path)
					assert.Error(t, err, path)
					assert.Nil(t, m, path)
				})
			}
		},
		"ReadTensor": readers(func(t *testing.T, what, name string) {
			d, err := ReadTensor(badinput.Readers()[name])
			assert.Error(t, err, what)
			assert.Nil(t, d, what)
		}),
		"WithMaxBytes": func(t *testing.T) {
			for _, n := range []int64{math.MinInt64, -1, 0, 1, math.MaxInt64} {
				badinput.Try(t, fmt.Sprint(n), func() {
					_, _ = ReadModel(bytes.NewReader(sound), WithMaxBytes(n))
					_, _ = modelOf(t, sound).Build(gorgonia.NewGraph(), WithMaxBytes(n))
				})
			}
		},
		"WithOperator": func(t *testing.T) {
			for what, b := range map[string]Builder{
				"nil":       nil,
				"none":      func(Node, ...*gorgonia.Node) ([]*gorgonia.Node, error) { return nil, nil },
				"nil nodes": func(Node, ...*gorgonia.Node) ([]*gorgonia.Node, error) { return make([]*gorgonia.Node, 3), nil },
				"bad nodes": func(Node, ...*gorgonia.Node) ([]*gorgonia.Node, error) {
					return []*gorgonia.Node{new(gorgonia.Node)}, nil
				},
				"a panic": func(Node, ...*gorgonia.Node) ([]*gorgonia.Node, error) { panic(nil) },
			} {
				badinput.Try(t, what, func() {
					for _, name := range []string{"Gather", "", ".", "a.b."} {
						_, err := modelOf(t, sound).Build(gorgonia.NewGraph(), WithOperator(name, b))
						assert.True(t, err != nil || name != "Gather", what)
					}
				})
			}
		},
		"WithOperators": func(t *testing.T) {
			for _, builders := range []map[string]Builder{nil, {}, {"": nil}} {
				badinput.Try(t, fmt.Sprint(len(builders)), func() { _, _ = modelOf(t, sound).Build(gorgonia.NewGraph(), WithOperators(builders)) })
			}
		},
		"WithInput": func(t *testing.T) {
			for what, v := range badinput.Tensors() {
				d, _ := v.(*tensor.Dense)
				for _, name := range names {
					badinput.Try(t, what, func() { _, _ = modelOf(t, sound).Build(gorgonia.NewGraph(), WithInput(name, d)) })
				}
			}
		},
		"DataType": func(t *testing.T) {
			for _, n := range []int{math.MinInt, -1, 0, 17, math.MaxInt} {
				badinput.Try(t, fmt.Sprint(n), func() {
					_, err := DataType(n)
					assert.Error(t, err)
				})
			}
		},
		"TypeName": func(t *testing.T) {
			badinput.Try(t, "no type", func() { assert.NotEmpty(t, TypeName(tensor.Dtype{})) })
		},
		"Model.Nodes": eachModel(func(m *Model) { _, _ = m.Nodes() }),
		"Model.Write": eachModel(func(m *Model) {
			assert.Error(t, m.Write(nil, nil))
			assert.Error(t, m.Write(full{}, nil))
			for what, v := range badinput.Tensors() {
				d, _ := v.(*tensor.Dense)
				for _, name := range append(names, "table") {
					badinput.Try(t, what, func() { assert.Error(t, m.Write(&bytes.Buffer{}, map[string]*tensor.Dense{name: d})) })
				}
			}
		}),
		"Graph.Weights":   eachGraph(func(_ string, b *Graph) { _, _ = b.Weights() }),
		"Graph.Trainable": eachGraph(func(_ string, b *Graph) { b.Trainable() }),
		"Graph.Untrained": eachGraph(func(_ string, b *Graph) { b.Untrained() }),
		"Untrained.String": func(t *testing.T) {
			assert.Equal(t, ": ", Untrained{}.String())
		},
		"Model.Opset":   eachModel(func(m *Model) { m.Opset() }),
		"Model.Inputs":  eachModel(func(m *Model) { m.Inputs() }),
		"Model.Outputs": eachModel(func(m *Model) { m.Outputs() }),
		"Model.SetInputShape": eachModel(func(m *Model) {
			for _, name := range names {
				for _, shape := range [][]int{nil, {}, {3, 4}, {-1, 4}, {math.MinInt}, {math.MaxInt, math.MaxInt}, make([]int, 1000)} {
					if err := m.SetInputShape(name, shape...); err == nil {
						assert.Equal(t, []int{3, 4}, shape)
					}
				}
			}
		}),
		"Model.Build": eachModel(func(m *Model) {
			_, err := m.Build(nil)
			assert.Error(t, err)
			_, err = m.Build(new(gorgonia.ExprGraph))
			assert.Error(t, err)
			_, _ = m.Build(gorgonia.NewGraph())
			_, _ = m.Build(gorgonia.NewGraph(), nil, MaxBytes{}, (*MaxBytes)(nil))
			full := gorgonia.NewGraph()
			badinput.Nodes(full)
			_, _ = m.Build(full)
		}),
		"Graph.Input":    eachGraph(func(name string, b *Graph) { b.Input(name) }),
		"Graph.Output":   eachGraph(func(name string, b *Graph) { b.Output(name) }),
		"Graph.Constant": eachGraph(func(name string, b *Graph) { b.Constant(name) }),
		"Graph.Value":    eachGraph(func(name string, b *Graph) { _, _ = b.Value(name) }),
		"Graph.Let": eachGraph(func(name string, b *Graph) {
			assert.Error(t, b.Let(name, nil))
			assert.Error(t, b.Let(name, new(tensor.Dense)))
			for what, v := range badinput.Tensors() {
				if d, ok := v.(*tensor.Dense); ok {
					badinput.Try(t, what, func() { _ = b.Let(name, d) })
				}
			}
		}),
		"Value.String": func(t *testing.T) {
			// Values are printed as they are, so that String cannot be a method of *Value
			// alone; package fmt prints a nil one all the same.
			assert.Equal(t, "<nil> <nil>", fmt.Sprint((*Value)(nil), " ", (*Port)(nil)))
			for _, v := range []Value{{}, {Shape: []int{-1, 2, math.MaxInt}}, {Shape: []int{-1, -1}, Dims: []string{"n"}}, {Shape: make([]int, 1000), Dims: make([]string, 5)}} {
				badinput.Try(t, fmt.Sprint(v.Shape), func() { _ = v.String() })
			}
		},
		"NodeError.Error": func(t *testing.T) {
			for _, e := range []*NodeError{nil, {}, {Err: (*VersionError)(nil)}, {Err: (*NodeError)(nil)}} {
				badinput.Try(t, "", func() { assert.NotEmpty(t, e.Error()) })
			}
		},
		"NodeError.Unwrap": func(t *testing.T) {
			for _, e := range []*NodeError{nil, {}} {
				badinput.Try(t, "", func() { assert.NoError(t, e.Unwrap()) })
			}
		},
		"AsNodeError": func(t *testing.T) {
			for _, err := range []error{nil, (*NodeError)(nil), &NodeError{}, &NodeError{Err: &NodeError{}}} {
				badinput.Try(t, "", func() { _, _ = AsNodeError(err) })
			}
		},
		"UnsupportedError.Error": func(t *testing.T) {
			for _, e := range []*UnsupportedError{nil, {}, {Operators: make([]string, 1000)}} {
				badinput.Try(t, "", func() { assert.NotEmpty(t, e.Error()) })
			}
		},
	})
}

// The operator that TensorScatter adds to a graph can be reached from its node.
func TestWriteTuplesBadArguments(t *testing.T) {
	op := tuplesOf(writes{update: tensor.Shape{2, 1}, axis: 1, size: 3})
	for length := range 3 {
		badinput.Tuples(badinput.Tensors(), length, func(names []string, in []tensor.Tensor) {
			name := strings.Join(names, " | ")
			badinput.Try(t, name, func() {
				values := make([]gorgonia.Value, len(in))
				for i, v := range in {
					if v != nil {
						values[i] = v
					}
				}
				_, err := op.Do(values...)
				if name != "empty" {
					assert.Error(t, err, name)
				}
			})
		})
	}
	badinput.Try(t, "a scalar of Gorgonia's", func() {
		_, err := op.Do(gorgonia.NewI64(1))
		assert.Error(t, err)
	})
	badinput.Try(t, "SymDiff", func() {
		_, err := op.SymDiff(nil, nil, nil)
		assert.Error(t, err)
	})
}

// The error about operators that nobody has asks for what may have been meant.
func TestUnsupportedErrorAsks(t *testing.T) {
	text := (&UnsupportedError{Operators: []string{"GatherNd"}}).Error()
	assert.Contains(t, text, "1 operator that is not supported: GatherNd (did you mean GatherND or Gather?)")
}

// Initializers whose values were taken away are an error, as is no graph at all.
func TestWeightsErrors(t *testing.T) {
	g := gorgonia.NewGraph()
	_, err := (&Graph{weights: map[string]*gorgonia.Node{"w": gorgonia.NewVector(g, tensor.Float32, gorgonia.WithShape(2), gorgonia.WithName("w"))}}).Weights()
	assert.ErrorContains(t, err, `onnx: initializer "w"`)
	_, err = (*Graph)(nil).Weights()
	assert.Error(t, err)
}
