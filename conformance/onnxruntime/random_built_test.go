package onnxruntime

import (
	"bytes"
	"math"
	"slices"

	"github.com/pkg/errors"
	"gorgonia.org/gather/onnx"
	"gorgonia.org/gather/onnx/builders"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A built model is ready to run on values of its inputs.
type builtModel struct {
	m     *RandomModel
	graph *G.ExprGraph
	built *onnx.Graph
	y     *G.Node
}

func buildModel(m *RandomModel) (*builtModel, error) {
	read, err := onnx.ReadModel(bytes.NewReader(m.File(false)))
	if err != nil {
		return nil, err
	}
	b := &builtModel{m: m, graph: G.NewGraph()}
	if b.built, err = read.Build(b.graph, builders.All()); err != nil {
		return nil, err
	}
	b.y = b.built.Output(m.output)
	return b, b.let(nil, 0)
}

// let binds the inputs, moved by h along a direction.
func (b *builtModel) let(direction [][]float64, h float64) error {
	for i, name := range b.m.Names {
		d := b.m.Inputs[i].Dense(rowMajor)
		if direction != nil {
			for k, x := range direction[i] {
				d.Float64s()[k] += h * x
			}
		}
		if err := b.built.Let(name, d); err != nil {
			return err
		}
	}
	return nil
}

// cost adds the sum of the result times u.
func (b *builtModel) cost(u []float64) (*G.Node, error) {
	if b.y.IsScalar() {
		var one any = u[0]
		if b.m.DType == Float {
			one = float32(u[0])
		}
		return G.Mul(b.y, G.NodeFromAny(b.graph, one, G.WithName("u")))
	}
	var backing any = slices.Clone(u)
	if b.m.DType == Float {
		narrow := make([]float32, len(u))
		for i, x := range u {
			narrow[i] = float32(x)
		}
		backing = narrow
	}
	node := G.NodeFromAny(b.graph, tensor.New(tensor.WithShape(b.y.Shape()...), tensor.WithBacking(backing)), G.WithName("u"))
	product, err := G.HadamardProd(b.y, node)
	if err != nil {
		return nil, err
	}
	return G.Sum(product)
}

// forward runs a model on values moved along a direction.
func forward(m *RandomModel, direction [][]float64, h float64) (*Value, error) {
	b, err := buildModel(m)
	if err != nil {
		return nil, err
	}
	if err := b.let(direction, h); err != nil {
		return nil, err
	}
	vm := G.NewTapeMachine(b.graph)
	defer vm.Close()
	if err := vm.RunAll(); err != nil {
		return nil, err
	}
	d, err := b.built.Value(m.output)
	if err != nil {
		return nil, err
	}
	return fromDense(d)
}

// backward is the gradients of all inputs of <y, u>, at values moved along a direction.
func backward(m *RandomModel, lisp bool, u []float64, direction [][]float64, h float64) ([][]float64, error) {
	b, err := buildModel(m)
	if err != nil {
		return nil, err
	}
	if err := b.let(direction, h); err != nil {
		return nil, err
	}
	cost, err := b.cost(u)
	if err != nil {
		return nil, err
	}
	var inputs G.Nodes
	for _, name := range m.Names {
		inputs = append(inputs, b.built.Input(name))
	}
	var vm G.VM
	if lisp {
		vm = G.NewLispMachine(b.graph)
	} else {
		if _, err := G.Grad(cost, inputs...); err != nil {
			return nil, err
		}
		vm = G.NewTapeMachine(b.graph, G.BindDualValues(inputs...))
	}
	defer vm.Close()
	if err := vm.RunAll(); err != nil {
		return nil, err
	}
	var grads [][]float64
	for _, n := range inputs {
		v, err := n.Grad()
		if err != nil {
			return nil, err
		}
		d, ok := v.(*tensor.Dense)
		if !ok {
			return nil, errors.Errorf("the gradient of %v is a %T", n, v)
		}
		value, err := fromDense(d)
		if err != nil {
			return nil, err
		}
		grads = append(grads, value.floats())
	}
	return grads, nil
}

// floats are the elements.
func (v *Value) floats() []float64 {
	list := make([]float64, elements(v.Shape))
	for i := range list {
		list[i] = v.float(i)
	}
	return list
}

// near compares lists of numbers, relative to the largest of them. NaN equals NaN, and infinities themselves.
func near(a, b []float64, tolerance float64) bool {
	largest := 1.0
	for _, x := range b {
		if !math.IsInf(x, 0) && !math.IsNaN(x) {
			largest = max(largest, math.Abs(x))
		}
	}
	return len(a) == len(b) && slices.EqualFunc(a, b, func(x, y float64) bool {
		return x == y || math.IsNaN(x) && math.IsNaN(y) || math.Abs(x-y) <= tolerance*largest
	})
}

func dot(a, b [][]float64) float64 {
	sum := 0.0
	for i := range a {
		for j := range a[i] {
			sum += a[i][j] * b[i][j]
		}
	}
	return sum
}
