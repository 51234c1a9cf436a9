package onnx

import (
	"fmt"
	"reflect"

	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/graph"
	"gorgonia.org/gather/internal/opset"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

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
// and so is one with a cycle, one whose values would take more memory than
// [WithMaxBytes] allows, and one of more than 65536 operators, for which Gorgonia
// would take minutes: it looks through the graph for each one. An error about a
// node is a [*NodeError], and so is one of a run. After an error g holds nodes that
// lead nowhere.
func (m *Model) Build(g *gorgonia.ExprGraph, options ...BuildOption) (*Graph, error) {
	built, err := m.build(g, maxOperators, options)
	return built, errors.WithMessage(err, "onnx")
}

// maxOperators is how many operators a graph gets.
const maxOperators = 1 << 16

func (m *Model) build(g *gorgonia.ExprGraph, operators int, options []BuildOption) (*Graph, error) {
	switch {
	case m == nil:
		return nil, errors.New("Build of a nil Model")
	case g == nil:
		return nil, errors.New("Build into a nil graph")
	case !made(g):
		return nil, errors.New("Build into the zero ExprGraph, gorgonia.NewGraph makes one that can be used")
	}
	budget, err := buildBudget(m.maxBytes, options)
	if err != nil {
		return nil, err
	}
	b := builder{
		model: m, graph: g, budget: budget, operators: operators,
		values: map[string]*gorgonia.Node{}, taken: map[string]bool{}, counted: map[*gorgonia.Node]bool{},
	}
	return b.build()
}

// made tells a graph that NewGraph has made from the zero ExprGraph, which panics
// when a node is added to it: its maps are nil.
func made(g *gorgonia.ExprGraph) bool {
	nodes := reflect.ValueOf(g).Elem().FieldByName("byHash")
	return !nodes.IsValid() || !nodes.IsNil()
}

// A builder is one build under way.
type builder struct {
	model   *Model
	graph   *gorgonia.ExprGraph
	budget  *opset.Budget
	built   Graph
	values  map[string]*gorgonia.Node // by the model's names
	taken   map[string]bool           // the names of nodes in the graph
	counted map[*gorgonia.Node]bool   // those of this build, whose memory is taken from the budget

	operators int // how many more the graph may get
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
	for _, p := range m.consts {
		if err := b.initializer(p); err != nil {
			return nil, errors.WithMessage(err, "initializer")
		}
	}
	var n modelNode
	var scratch tensorProto
	for i, p := range m.nodes {
		err := n.parse(m.part(p), &scratch)
		if err == nil {
			err = b.node(&n, n.at(i))
		}
		if err != nil {
			return nil, n.at(i)(err)
		}
	}
	for _, v := range m.Outputs() {
		n, ok := b.values[v.Name]
		if !ok {
			return nil, errors.Errorf("output %q is given by no node, input or initializer", fault.Cut(v.Name))
		}
		b.built.Outputs = append(b.built.Outputs, Port{Value: v, Node: n})
	}
	b.built.inputs, b.built.outputs, b.built.constants = places(b.built.Inputs), places(b.built.Outputs), places(b.built.Constants)
	return &b.built, nil
}

// input adds the node of a model's input.
func (b *builder) input(v Value) (*gorgonia.Node, error) {
	name := fault.Cut(v.Name)
	switch {
	case v.other != 0:
		return nil, errors.Errorf("input %q is %s, not a tensor", name, kinds[v.other])
	case v.Dtype.Type == nil:
		return nil, fault.Errorf(dense.ErrDtype, "input %q: data type %s is not supported", name, dataTypeName(v.dataType))
	case v.Shape == nil:
		return nil, fault.Errorf(dense.ErrShape, "input %q has no shape: SetInputShape gives it one", name)
	}
	for _, n := range v.Shape {
		if n < 0 {
			return nil, fault.Errorf(dense.ErrShape, "input %s has open dims: SetInputShape fixes them", fault.Cut(v.String()))
		}
	}
	if err := takeTensor(b.budget, v.Dtype, v.Shape); err != nil {
		return nil, errors.WithMessagef(err, "input %q", name)
	}
	return b.newNode(v.Name, v.Dtype, v.Shape), nil
}

// initializer adds the node of an initializer.
func (b *builder) initializer(p part) error {
	t, err := parseTensor(b.model.part(p))
	if err != nil {
		return err
	}
	d, err := t.dense(b.budget)
	if err != nil {
		return err
	}
	return b.constant(t.name, d)
}

// constant adds an input node with its value bound, whose memory has been taken
// from the budget.
func (b *builder) constant(name string, d *tensor.Dense) error {
	n := b.newNode(name, d.Dtype(), d.Shape())
	if err := gorgonia.Let(n, d); err != nil {
		return errors.Wrapf(err, "value of %q", fault.Cut(name))
	}
	b.values[name] = n
	v := Value{Name: name, Dtype: d.Dtype(), Shape: d.Shape().Clone()}
	b.built.Constants = append(b.built.Constants, Port{Value: v, Node: n})
	return nil
}

// newNode adds an input node.
func (b *builder) newNode(name string, dt tensor.Dtype, shape tensor.Shape) *gorgonia.Node {
	// A copy: Gorgonia keeps the shape and gives it back to a pool.
	shape = shape.Clone()
	var n *gorgonia.Node
	if unique := gorgonia.WithName(b.unique(name)); len(shape) == 0 {
		n = gorgonia.NewScalar(b.graph, dt, unique)
	} else {
		n = gorgonia.NewTensor(b.graph, dt, len(shape), gorgonia.WithShape(shape...), unique)
	}
	b.counted[n] = true
	return n
}

// unique is a name that the graph does not have yet: input nodes of one name,
// type and shape would become a single one.
func (b *builder) unique(name string) string {
	unique := name
	for i := 2; b.taken[unique]; i++ {
		unique = fmt.Sprintf("%s_%d", name, i)
	}
	b.taken[unique] = true
	return unique
}

// node adds what one node of the model computes. Errors of a run have its place.
func (b *builder) node(n *modelNode, place func(error) error) error {
	inputs, err := b.inputs(n)
	if err != nil {
		return err
	}
	if len(n.outputs) != 1 || n.outputs[0] == "" {
		return fault.Errorf(dense.ErrShape, "%d outputs, the operator has one", len(n.outputs))
	}
	out := n.outputs[0]
	switch n.opType {
	case "Constant":
		d, err := constant(n, b.model.opset, b.budget)
		if err != nil {
			return err
		}
		return b.constant(out, d)
	case "Identity":
		b.values[out], err = identity(n, b.model.opset, inputs)
	default:
		b.values[out], err = b.apply(n, inputs, place)
	}
	return err
}

// apply adds an operator. Its node gets the name of the model's value: errors of
// a run name the operands of an operator, and Gorgonia's own names are numbers.
func (b *builder) apply(n *modelNode, inputs []*gorgonia.Node, place func(error) error) (*gorgonia.Node, error) {
	if b.operators--; b.operators < 0 {
		return nil, errors.Errorf("more operators than the %d that a graph may get", maxOperators)
	}
	attributes := make(map[string]any, len(n.attributes))
	for _, a := range n.attributes {
		value, err := a.value()
		if err != nil {
			return nil, err
		}
		attributes[a.name] = value
	}
	out, err := Apply(Node{OpType: n.opType, Opset: b.model.opset, Attributes: attributes}, inputs...)
	if err != nil || b.counted[out] {
		return out, err
	}
	if err := b.count(out, place); err != nil {
		return nil, err
	}
	gorgonia.WithName(b.unique(n.outputs[0]))(out)
	return out, nil
}

// count takes the memory of a node from the budget, and that of nodes below it
// that are as new: a TensorScatter makes two. Nothing has been allocated for them
// yet. A run would, and its errors get the place.
func (b *builder) count(n *gorgonia.Node, place func(error) error) error {
	b.counted[n] = true
	graph.Place(n, place)
	if err := takeTensor(b.budget, n.Dtype(), n.Shape()); err != nil {
		return err
	}
	for children := b.graph.From(n.ID()); children.Next(); {
		if child, ok := children.Node().(*gorgonia.Node); ok && !b.counted[child] {
			if err := b.count(child, place); err != nil {
				return err
			}
		}
	}
	return nil
}

// inputs finds the nodes of a node's inputs. An empty name is an optional input
// that is left out.
func (b *builder) inputs(n *modelNode) ([]*gorgonia.Node, error) {
	inputs := make([]*gorgonia.Node, len(n.inputs))
	for i, name := range n.inputs {
		if name == "" {
			continue
		}
		in, ok := b.values[name]
		if !ok {
			return nil, errors.Errorf("input %q is given by no earlier node, input or initializer", fault.Cut(name))
		}
		inputs[i] = in
	}
	return inputs, nil
}

func identity(n *modelNode, version int, inputs []*gorgonia.Node) (*gorgonia.Node, error) {
	v, err := versionOf("Identity", version)
	if err != nil {
		return nil, err
	}
	c := call{op: "Identity", opset: version, version: v}
	if len(inputs) != 1 || inputs[0] == nil {
		return nil, fault.Errorf(dense.ErrShape, "%s: one input is allowed", c.name())
	}
	if len(n.attributes) != 0 {
		return nil, fault.Errorf(dense.ErrOption, "%s: no attribute is allowed", c.name())
	}
	return inputs[0], c.checkDtype(parameter{name: "input"}, inputs[0].Dtype())
}
