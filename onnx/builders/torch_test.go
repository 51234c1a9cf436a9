package builders

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gorgonia.org/gather/internal/gradtest"
	"gorgonia.org/gather/onnx"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A torchTensor is one that testdata/torchmodels.py wrote.
type torchTensor struct {
	Dtype  string
	Shape  []int
	Values []float64
}

func (v torchTensor) dense() *tensor.Dense {
	switch v.Dtype {
	case "float32":
		return value(converted[float32](v.Values), v.Shape...)
	case "int64":
		return value(converted[int64](v.Values), v.Shape...)
	}
	return value(v.Values, v.Shape...)
}

func converted[T number](values []float64) []T {
	list := make([]T, len(values))
	for i, x := range values {
		list[i] = T(x)
	}
	return list
}

// A torchCase is a model of the folder testdata/torch, and what PyTorch made of
// it.
type torchCase struct {
	model  *onnx.Model
	Inputs map[string]torchTensor
	Output torchTensor
	U      torchTensor
	Grads  map[string]torchTensor
}

func readTorch(t *testing.T, name string) *torchCase {
	t.Helper()
	c := &torchCase{}
	data, err := os.ReadFile(strings.TrimSuffix(name, ".onnx") + ".json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, c); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if c.model, err = onnx.ReadModel(file); err != nil {
		t.Fatal(err)
	}
	for name, in := range c.Inputs {
		if err := c.model.SetInputShape(name, in.Shape...); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// TestTorch builds models that PyTorch exported, and demands PyTorch's output and
// gradients of both machines. A parameter that the exporter transposed has
// another name in the model, and is left out; no other is.
func TestTorch(t *testing.T) {
	files, err := filepath.Glob("testdata/torch/*.onnx")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d models, %v", len(files), err)
	}
	for _, file := range files {
		for _, machine := range []gradtest.Machine{gradtest.Tape, gradtest.Lisp} {
			t.Run(filepath.Base(file)+"/"+machine.String(), func(t *testing.T) {
				c := readTorch(t, file)
				g := G.NewGraph()
				built, err := c.model.Build(g, All())
				if err != nil {
					t.Fatal(err)
				}
				for name, in := range c.Inputs {
					if err := built.Let(name, in.dense()); err != nil {
						t.Fatal(err)
					}
				}
				nodes := map[string]*G.Node{}
				var wrt G.Nodes
				for name := range c.Grads {
					n := built.Input(name)
					if n == nil {
						n = built.Constant(name)
					}
					if n != nil {
						nodes[name], wrt = n, append(wrt, n)
					}
				}
				if missing := len(c.Grads) - len(nodes); missing > 4 || missing > 0 && !strings.Contains(file, "_folded") {
					t.Errorf("the model has %d of %d parameters", len(nodes), len(c.Grads))
				}
				u := G.NewTensor(g, c.U.dense().Dtype(), len(c.U.Shape), G.WithShape(c.U.Shape...), G.WithName("u"), G.WithValue(c.U.dense()))
				cost := G.Must(G.Sum(G.Must(G.HadamardProd(built.Output("y"), u))))
				run(t, machine, cost, wrt)
				y, err := built.Value("y")
				if err != nil {
					t.Fatal(err)
				}
				close(t, "y", y, c.Output)
				for name, n := range nodes {
					grad, err := n.Grad()
					if err != nil {
						t.Fatal(err)
					}
					close(t, "gradient of "+name, grad, c.Grads[name])
				}
			})
		}
	}
}

// run runs a graph forward and backward.
func run(t *testing.T, machine gradtest.Machine, cost *G.Node, wrt G.Nodes) {
	t.Helper()
	var vm G.VM
	if machine == gradtest.Tape {
		if _, err := G.Grad(cost, wrt...); err != nil {
			t.Fatal(err)
		}
		vm = G.NewTapeMachine(cost.Graph(), G.BindDualValues(wrt...))
	} else {
		vm = G.NewLispMachine(cost.Graph())
	}
	defer vm.Close()
	if err := vm.RunAll(); err != nil {
		t.Fatal(err)
	}
}

// close compares to 1e-5, relative above 1.
func close(t *testing.T, what string, got G.Value, want torchTensor) {
	t.Helper()
	values, err := gradtest.Floats(got)
	if err != nil {
		t.Fatal(err)
	}
	if len(values) != len(want.Values) {
		t.Fatalf("%s: %d values, want %d", what, len(values), len(want.Values))
	}
	for i, v := range want.Values {
		if !gradtest.Close(values[i], v, 1e-5) {
			t.Fatalf("%s: got %v\nwant %v", what, values, want.Values)
		}
	}
}
