package zoo

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gorgonia.org/gather/onnx"
	"gorgonia.org/gather/onnx/builders"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// An array is a tensor that generate.py wrote.
type array struct {
	Dtype  string
	Shape  []int
	Values []any // numbers, or bools
}

func (a array) floats() []float64 {
	list := make([]float64, len(a.Values))
	for i, x := range a.Values {
		list[i], _ = x.(float64)
	}
	return list
}

func (a array) dense(t *testing.T) *tensor.Dense {
	t.Helper()
	shape := tensor.WithShape(a.Shape...)
	switch a.Dtype {
	case "float32":
		return tensor.New(shape, tensor.WithBacking(as[float32](a.floats())))
	case "int64":
		return tensor.New(shape, tensor.WithBacking(as[int64](a.floats())))
	}
	require.Equal(t, "bool", a.Dtype)
	list := make([]bool, len(a.Values))
	for i, x := range a.Values {
		list[i] = x.(bool)
	}
	return tensor.New(shape, tensor.WithBacking(list))
}

func as[T float32 | int64](values []float64) []T {
	list := make([]T, len(values))
	for i, x := range values {
		list[i] = T(x)
	}
	return list
}

// A specimen is a model in one of the two ways, and what PyTorch made of it.
type specimen struct {
	Inputs         map[string]array
	Output, Target array
	Gradients      map[string]array // by parameter
	Trained        map[string]array
	Rates          map[string]float64   // by optimiser
	Losses         map[string][]float64 // before, between and after ten steps

	// By way and parameter, which of the parameter's elements are where in initializers: -1 is none, and nil all in
	// their order.
	Initializers map[string]map[string]map[string][]int

	path, way string
}

var ways = []string{"default", "plain"}

// each runs a test for every model in both ways.
func each(t *testing.T, test func(t *testing.T, s *specimen)) {
	t.Helper()
	files, err := filepath.Glob("testdata/*.json")
	require.NoError(t, err)
	require.Len(t, files, 26)
	for _, file := range files {
		for _, way := range ways {
			name := strings.TrimSuffix(file, ".json") + "." + way
			t.Run(filepath.Base(name), func(t *testing.T) {
				test(t, read(t, file, way))
			})
		}
	}
}

// read reads the data beside a model.
func read(t *testing.T, file, way string) *specimen {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	s := &specimen{path: strings.TrimSuffix(file, ".json") + "." + way + ".onnx", way: way}
	require.NoError(t, json.Unmarshal(data, s))
	return s
}

// A built specimen is its model in a graph, with PyTorch's cost, the mean of the squared distance from the target.
type builtSpecimen struct {
	*specimen
	model  *onnx.Model
	graph  *onnx.Graph
	cost   *G.Node
	output G.Value
	wrt    G.Nodes            // the initializers that have elements of parameters
	names  map[string]*G.Node // the same by name
}

func (s *specimen) build(t *testing.T) *builtSpecimen {
	t.Helper()
	b := &builtSpecimen{specimen: s}
	var err error
	b.model, err = onnx.ReadModelFile(s.path)
	require.NoError(t, err)
	g := G.NewGraph()
	b.graph, err = b.model.Build(g, builders.All())
	require.NoError(t, err)
	for name, v := range s.Inputs {
		if b.graph.Input(name) != nil { // an optimiser may leave one out
			require.NoError(t, b.graph.Let(name, v.dense(t)))
		}
	}
	y := b.graph.Output("y")
	require.NotNil(t, y)
	G.Read(y, &b.output)
	target := G.NodeFromAny(g, s.Target.dense(t), G.WithName("target"))
	apply := func(op onnx.Builder, name string, in ...*G.Node) *G.Node {
		out, err := op(onnx.Node{OpType: name, Opset: 14, Attributes: map[string]any{}}, in...)
		require.NoError(t, err)
		return out[0]
	}
	distance := apply(builders.Sub, "Sub", y, target)
	mean, err := builders.ReduceMean(onnx.Node{OpType: "ReduceMean", Opset: 14, Attributes: map[string]any{"keepdims": int64(0)}},
		apply(builders.Mul, "Mul", distance, distance))
	require.NoError(t, err)
	b.cost = mean[0]
	b.names = map[string]*G.Node{}
	for _, initializers := range s.Initializers[s.way] {
		for name := range initializers {
			if n := b.graph.Constant(name); b.names[name] == nil {
				require.NotNil(t, n, name)
				b.names[name], b.wrt = n, append(b.wrt, n)
			}
		}
	}
	return b
}

// gradient is that of a parameter: the sum over the places where its elements are.
func (b *builtSpecimen) gradient(t *testing.T, parameter string) []float64 {
	t.Helper()
	sums := make([]float64, len(b.Gradients[parameter].Values))
	for name, elements := range b.Initializers[b.way][parameter] {
		grad, err := b.names[name].Grad()
		require.NoError(t, err)
		for i, g := range floatsOf(t, grad) {
			if elements != nil {
				i = elements[i]
			}
			if i >= 0 {
				sums[i] += g
			}
		}
	}
	return sums
}

// near fails unless the values are within a tolerance, absolute below 1 and relative above.
func near(t *testing.T, what string, want, got []float64, tolerance float64) {
	t.Helper()
	require.Len(t, got, len(want), what)
	for i, v := range want {
		require.InDelta(t, v, got[i], tolerance*max(1, v, -v), "%s [%d]", what, i)
	}
}

func floatsOf(t *testing.T, v G.Value) []float64 {
	t.Helper()
	if x, ok := v.(*G.F32); ok {
		return []float64{float64(*x)}
	}
	d, ok := v.(*tensor.Dense)
	require.True(t, ok, "%T", v)
	list := make([]float64, 0, d.Shape().TotalSize())
	for _, x := range d.Float32s() {
		list = append(list, float64(x))
	}
	return list
}

// TestOutputsAndGradients compares both machines with PyTorch.
func TestOutputsAndGradients(t *testing.T) {
	covered, specimens := map[string]int{}, 0
	each(t, func(t *testing.T, s *specimen) {
		specimens++
		for _, initializers := range s.Initializers[s.way] {
			if len(initializers) > 0 {
				covered[s.way]++
			}
		}
		for _, machine := range []string{"TapeMachine", "LispMachine"} {
			t.Run(machine, func(t *testing.T) {
				b := s.build(t)
				var vm G.VM
				if machine == "TapeMachine" {
					_, err := G.Grad(b.cost, b.wrt...)
					require.NoError(t, err)
					vm = G.NewTapeMachine(b.cost.Graph(), G.BindDualValues(b.wrt...))
				} else {
					vm = G.NewLispMachine(b.cost.Graph())
				}
				defer vm.Close()
				require.NoError(t, vm.RunAll())
				near(t, "y", s.Output.floats(), floatsOf(t, b.output), 1e-5)
				for parameter, want := range s.Gradients {
					if len(s.Initializers[s.way][parameter]) > 0 {
						near(t, "gradient of "+parameter, want.floats(), b.gradient(t, parameter), 1e-4)
					}
				}
			})
		}
	})
	// All parameters of the plain way, and of the default all but those of the convolutions into which the exporter
	// folds their batch normalisation.
	if specimens == 52 {
		require.Equal(t, map[string]int{"plain": 206, "default": 199}, covered)
	}
}

// TestTraining takes PyTorch's ten steps.
func TestTraining(t *testing.T) {
	each(t, func(t *testing.T, s *specimen) {
		b := s.build(t)
		_, err := G.Grad(b.cost, b.wrt...)
		require.NoError(t, err)
		vm := G.NewTapeMachine(b.cost.Graph(), G.BindDualValues(b.wrt...))
		defer vm.Close()
		solver := G.NewVanillaSolver(G.WithLearnRate(s.Rates["sgd"]))
		for range 10 {
			require.NoError(t, vm.RunAll())
			require.NoError(t, solver.Step(G.NodesToValueGrads(b.wrt)))
			vm.Reset()
		}
		if s.way == "plain" {
			for parameter, want := range s.Trained {
				near(t, parameter, want.floats(), floatsOf(t, b.graph.Constant(parameter).Value()), 1e-4)
			}
		}
		written := filepath.Join(t.TempDir(), "trained.onnx")
		f, err := os.Create(written)
		require.NoError(t, err)
		weights, err := b.graph.Weights()
		require.NoError(t, err)
		require.NoError(t, b.model.Write(f, weights))
		require.NoError(t, f.Close())
		require.NoError(t, vm.RunAll())
		ours := floatsOf(t, b.output)
		require.NotEqual(t, s.Output.floats(), ours)
		if theirs := runtimeOutput(t, s, written); theirs != nil {
			near(t, "y of the written file", theirs, ours, 1e-5)
		}
	})
}
