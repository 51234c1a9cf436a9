package onnx

import (
	"fmt"
	"sort"
	"strings"

	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// An UnsupportedError lists every operator of a model that Build does not have.
type UnsupportedError struct {
	Operators []string // sorted, each once; with its domain in front unless it is ONNX's own
}

// Error reads like: the model needs 2 operators that are not supported: Conv, Relu
func (e *UnsupportedError) Error() string {
	noun := "operators that are"
	if len(e.Operators) == 1 {
		noun = "operator that is"
	}
	return fmt.Sprintf("the model needs %d %s not supported: %s", len(e.Operators), noun, strings.Join(e.Operators, ", "))
}

// Build adds the model to g.
//
// It takes models made of the operators of [Apply] and of Constant and Identity;
// any others are an [*UnsupportedError], which lists them all. Inputs become
// input nodes, for which the user binds values ([Graph.Let]). Initializers and
// Constants become input nodes with their values bound, not Gorgonia constants:
// those merge when they print alike, and a graph of nothing else makes
// NewTapeMachine panic. A node's name is the model's, with a number behind it
// where g has the name already.
//
// Identity adds nothing to the graph: its output is its input's node. A model
// whose nodes are not in topological order, as ONNX demands them, is an error,
// and so is one with a cycle. After an error g holds nodes that lead nowhere.
func (m *Model) Build(g *gorgonia.ExprGraph) (*Graph, error) {
	if g == nil {
		return nil, errors.New("onnx: Build into a nil graph")
	}
	b := builder{model: m, graph: g, values: map[string]*gorgonia.Node{}, taken: map[string]bool{}}
	built, err := b.build()
	return built, errors.WithMessage(err, "onnx")
}

// A builder is one build under way.
type builder struct {
	model  *Model
	graph  *gorgonia.ExprGraph
	built  Graph
	values map[string]*gorgonia.Node // by the model's names
	taken  map[string]bool           // the names of nodes in the graph
}

func (b *builder) build() (*Graph, error) {
	m := b.model
	if err := m.supported(); err != nil {
		return nil, err
	}
	if m.refusal != "" {
		return nil, errors.New(m.refusal)
	}
	if len(m.outputs) == 0 {
		return nil, errors.New("the model has no output")
	}
	for _, n := range b.graph.AllNodes() {
		b.taken[n.Name()] = true
	}
	for _, v := range m.Inputs() {
		n, err := b.input(v)
		if err != nil {
			return nil, err
		}
		b.values[v.Name] = n
		b.built.Inputs = append(b.built.Inputs, Port{Value: v, Node: n})
	}
	for _, t := range m.consts {
		d, err := t.dense()
		if err != nil {
			return nil, errors.WithMessage(err, "initializer")
		}
		if err := b.constant(t.name, d); err != nil {
			return nil, err
		}
	}
	for i, n := range m.nodes {
		if err := b.node(n); err != nil {
			return nil, errors.WithMessagef(err, "node %d (%s)", i, n.label())
		}
	}
	for _, v := range m.outputs {
		n, ok := b.values[v.Name]
		if !ok {
			return nil, errors.Errorf("output %q is given by no node, input or initializer", v.Name)
		}
		b.built.Outputs = append(b.built.Outputs, Port{Value: v, Node: n})
	}
	return &b.built, nil
}

// supported lists what the model needs and Build lacks.
func (m *Model) supported() error {
	lacking := map[string]bool{}
	for _, n := range m.nodes {
		_, known := versions[n.opType]
		switch {
		case n.domain != "":
			lacking[n.domain+"."+n.opType] = true
		case !known:
			lacking[n.opType] = true
		}
	}
	if len(lacking) > 0 {
		e := &UnsupportedError{}
		for name := range lacking {
			e.Operators = append(e.Operators, name)
		}
		sort.Strings(e.Operators)
		return errors.WithStack(e)
	}
	if m.opset == 0 && len(m.nodes) > 0 {
		return errors.New("the model imports no version of ONNX's operator set")
	}
	return nil
}

// input adds the node of a model's input.
func (b *builder) input(v Value) (*gorgonia.Node, error) {
	switch {
	case v.refusal != "":
		return nil, errors.Errorf("input %q is %s, not a tensor", v.Name, v.refusal)
	case v.Dtype.Type == nil:
		return nil, errors.Wrapf(dense.ErrDtype, "input %q: data type %s is not supported", v.Name, dataTypeName(v.dataType))
	case v.Shape == nil:
		return nil, errors.Wrapf(dense.ErrShape, "input %q has no shape: SetInputShape gives it one", v.Name)
	}
	for _, n := range v.Shape {
		if n < 0 {
			return nil, errors.Wrapf(dense.ErrShape, "input %v has open dims: SetInputShape fixes them", v)
		}
	}
	return b.newNode(v.Name, v.Dtype, v.Shape), nil
}

// constant adds an input node with its value bound.
func (b *builder) constant(name string, d *tensor.Dense) error {
	n := b.newNode(name, d.Dtype(), d.Shape())
	if err := gorgonia.Let(n, d); err != nil {
		return errors.Wrapf(err, "value of %q", name)
	}
	b.values[name] = n
	v := Value{Name: name, Dtype: d.Dtype(), Shape: d.Shape().Clone()}
	b.built.Constants = append(b.built.Constants, Port{Value: v, Node: n})
	return nil
}

// newNode adds an input node under a name that the graph does not have yet:
// input nodes of one name, type and shape would become a single one.
func (b *builder) newNode(name string, dt tensor.Dtype, shape tensor.Shape) *gorgonia.Node {
	unique := name
	for i := 2; b.taken[unique]; i++ {
		unique = fmt.Sprintf("%s_%d", name, i)
	}
	b.taken[unique] = true
	// A copy: Gorgonia keeps the shape and gives it back to a pool.
	shape = shape.Clone()
	if len(shape) == 0 {
		return gorgonia.NewScalar(b.graph, dt, gorgonia.WithName(unique))
	}
	return gorgonia.NewTensor(b.graph, dt, len(shape), gorgonia.WithShape(shape...), gorgonia.WithName(unique))
}

// node adds what one node of the model computes.
func (b *builder) node(n modelNode) error {
	inputs, err := b.inputs(n)
	if err != nil {
		return err
	}
	if len(n.outputs) != 1 || n.outputs[0] == "" {
		return errors.Wrapf(dense.ErrShape, "%d outputs, the operator has one", len(n.outputs))
	}
	out := n.outputs[0]
	switch n.opType {
	case "Constant":
		d, err := constant(n, b.model.opset)
		if err != nil {
			return err
		}
		return b.constant(out, d)
	case "Identity":
		b.values[out], err = identity(n, b.model.opset, inputs)
	default:
		b.values[out], err = Apply(Node{OpType: n.opType, Opset: b.model.opset, Attributes: n.attributes}, inputs...)
	}
	return err
}

// inputs finds the nodes of a node's inputs. An empty name is an optional input
// that is left out.
func (b *builder) inputs(n modelNode) ([]*gorgonia.Node, error) {
	inputs := make([]*gorgonia.Node, len(n.inputs))
	for i, name := range n.inputs {
		if name == "" {
			continue
		}
		in, ok := b.values[name]
		if !ok {
			return nil, errors.Errorf("input %q is given by no earlier node, input or initializer", name)
		}
		inputs[i] = in
	}
	return inputs, nil
}

func identity(n modelNode, opset int, inputs []*gorgonia.Node) (*gorgonia.Node, error) {
	v, err := versionOf("Identity", opset)
	if err != nil {
		return nil, err
	}
	c := call{op: "Identity", opset: opset, version: v}
	if len(inputs) != 1 || inputs[0] == nil {
		return nil, errors.Wrapf(dense.ErrShape, "%s: one input is allowed", c.name())
	}
	if len(n.attributes) != 0 {
		return nil, errors.Wrapf(dense.ErrOption, "%s: no attribute is allowed", c.name())
	}
	return inputs[0], c.checkDtype(parameter{name: "input"}, inputs[0].Dtype())
}
