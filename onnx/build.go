package onnx

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/graph"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Build adds the model to g.
//
// It has the operators of [Apply], Constant and Identity, and those of
// [WithOperator], of which package onnx/builders has many; others are
// an [*UnsupportedError], which lists them all. Inputs become input nodes, whose
// values [Graph.Let] sets. Initializers and Constants that an
// operator uses become input nodes with their values bound, not Gorgonia
// constants: those merge when they print alike, and a graph of nothing else makes
// NewTapeMachine panic. A node's name is the model's, with a number behind it
// where g has the name already. Identity adds nothing to the graph: its output is
// its input's node.
//
// What depends only on shapes is computed when the graph is built, since graphs of
// Gorgonia have fixed shapes: Shape, Size, ConstantOfShape and Range, and arithmetic,
// slicing and joining of their results and of integers and bools in initializers and
// Constants. An initializer that was used for this cannot be changed any more.
//
// A model whose nodes are not in topological order, as ONNX demands them, is an
// error, and so is one with a cycle, one whose values would take more memory than
// [WithMaxBytes] allows, one with a result of more than 64 axes, and one of more
// than 65536 nodes, which are its operators and the inputs and constants that these
// use: Gorgonia searches the graph for each one. An error about a node is
// a [*NodeError], and so is one of a run. Two nodes of g that Gorgonia would merge
// because of equal hashes are an error. After an error g has nodes that are not used.
func (m *Model) Build(g *gorgonia.ExprGraph, options ...BuildOption) (*Graph, error) {
	built, err := m.build(g, maxNodes, options)
	return built, errors.WithMessage(err, "onnx")
}

// maxNodes is how many nodes a graph gets.
const maxNodes = 1 << 16

func (m *Model) build(g *gorgonia.ExprGraph, nodes int, options []BuildOption) (*Graph, error) {
	switch {
	case m == nil:
		return nil, errors.New("Build of a nil Model")
	case g == nil:
		return nil, errors.New("Build into a nil graph")
	case !made(g):
		return nil, errors.New("Build into the zero ExprGraph, gorgonia.NewGraph makes one that can be used")
	}
	settings, err := readSettings(m.maxBytes, options)
	if err != nil {
		return nil, err
	}
	b := builder{
		model: m, graph: g, settings: settings, nodes: nodes,
		values: map[string]*binding{}, taken: map[string]bool{}, counted: map[*gorgonia.Node]bool{}, used: map[string]bool{},
		reads: map[*gorgonia.Node]*gorgonia.Value{}, built: Graph{reads: map[string]*gorgonia.Value{}},
	}
	if b.opsets, err = m.opsets(); err != nil {
		return nil, err
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
	model     *Model
	graph     *gorgonia.ExprGraph
	settings  settings
	opsets    map[string]int // by domain
	built     Graph
	values    map[string]*binding                // by the model's names
	constants []*binding                         // the values that are known, in the model's order
	used      map[string]bool                    // the names that nodes or the model's outputs use
	taken     map[string]bool                    // the names of nodes in the graph
	counted   map[*gorgonia.Node]bool            // those of this build, whose memory is taken from the budget
	nodes     int                                // how many more the graph may get
	reads     map[*gorgonia.Node]*gorgonia.Value // where runs put the values of outputs
}

func (b *builder) build() (*Graph, error) {
	m := b.model
	if err := b.supported(); err != nil {
		return nil, err
	}
	if err := m.checkFunctions(); err != nil {
		return nil, err
	}
	if m.refusal != "" {
		return nil, errors.New(m.refusal)
	}
	if len(m.outputs) == 0 {
		return nil, errors.New("the model has no output")
	}
	outputs := m.Outputs()
	if err := b.findUsed(outputs); err != nil {
		return nil, err
	}
	for _, n := range b.graph.AllNodes() {
		b.taken[n.Name()] = true
	}
	for _, v := range m.Inputs() {
		if value, given := b.settings.inputs[v.Name]; given {
			if err := b.givenInput(v, value); err != nil {
				return nil, errors.WithMessagef(err, "input %q", fault.Cut(v.Name))
			}
			delete(b.settings.inputs, v.Name)
			continue
		}
		n, err := b.input(v)
		if err != nil {
			return nil, err
		}
		b.values[v.Name] = &binding{name: v.Name, node: n, packed: v.fourBits()}
		b.built.Inputs = append(b.built.Inputs, Port{Value: v, Node: n})
	}
	for name := range b.settings.inputs {
		return nil, errors.Errorf("WithInput: the model has no input %q, its inputs are %s", fault.Cut(name), m.inputNames())
	}
	for _, p := range m.consts {
		if err := b.initializer(p); err != nil {
			return nil, errors.WithMessage(err, "initializer")
		}
	}
	var err error
	if b.built.training, err = b.readTraining(); err != nil {
		return nil, err
	}
	i := 0
	err = m.eachNode(func(n *modelNode) error {
		b.built.training.node(n, m.part(m.nodes[i]))
		place := n.at(i)
		i++
		return b.node(n, place)
	})
	if err != nil {
		return nil, err
	}
	for _, v := range outputs {
		given, ok := b.values[v.Name]
		if !ok {
			return nil, errors.Errorf("output %q is given by no node, input or initializer", fault.Cut(v.Name))
		}
		if given.packed != nil && !given.packed.wide {
			return nil, given.packed.refused("output", v.Name)
		}
		n, err := b.nodeOf(given)
		if err != nil {
			return nil, errors.WithMessagef(err, "output %q", fault.Cut(v.Name))
		}
		b.built.Outputs = append(b.built.Outputs, Port{Value: v, Node: n})
		if err := b.read(v.Name, n); err != nil {
			return nil, errors.WithMessagef(err, "output %q", fault.Cut(v.Name))
		}
	}
	if err := graph.Check(b.graph); err != nil {
		return nil, err
	}
	b.built.training.findOrigins(m)
	b.ports()
	b.built.inputs, b.built.outputs, b.built.constants = places(b.built.Inputs), places(b.built.Outputs), places(b.built.Constants)
	return &b.built, nil
}

// read has runs keep the value of an output: an operator of Gorgonia that the user
// applies to it may write its result into the output's memory, as Sub of a constant
// does. Inputs and constants are not written to. A copy of strings by package tensor
// would be lost to the garbage collector, and no operator of Gorgonia takes them; one
// of an empty tensor panics in the second run.
func (b *builder) read(name string, n *gorgonia.Node) error {
	if n.Op() == nil || n.Dtype() == tensor.String || slices.Contains(n.Shape(), 0) {
		return nil
	}
	held := b.reads[n]
	if held == nil {
		if err := b.takeNode(1); err != nil {
			return err
		}
		if err := takeTensor(b.settings.budget, n.Dtype(), n.Shape()); err != nil {
			return err
		}
		var reader *gorgonia.Node
		held, reader = graph.Read(n)
		b.counted[reader] = true
		b.reads[n] = held
	}
	b.built.reads[name] = held
	return nil
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
	if err := takeTensor(b.settings.budget, v.Dtype, v.Shape); err != nil {
		return nil, errors.WithMessagef(err, "input %q", name)
	}
	n, err := b.newNode(v.Name, v.Dtype, v.Shape)
	return n, errors.WithMessagef(err, "input %q", name)
}

// initializer adds the node of an initializer.
func (b *builder) initializer(p part) error {
	t, err := parseTensor(b.model.part(p))
	if err != nil {
		return err
	}
	if err := b.takeValues(1); err != nil {
		return err
	}
	if err := t.load(b.model.outside); err != nil {
		return err
	}
	d, err := t.initial(b.settings.budget)
	if err != nil {
		return err
	}
	v := b.constant(t.name, d)
	v.weight, v.packed = true, t.packed()
	return nil
}

// newNode adds an input node.
func (b *builder) newNode(name string, dt tensor.Dtype, shape tensor.Shape) (*gorgonia.Node, error) {
	if err := b.takeNode(0); err != nil {
		return nil, err
	}
	n := inputNode(b.graph, b.unique(name), dt, shape)
	b.taken[n.Name()] = true
	b.counted[n] = true
	return n, nil
}

// inputNode adds an input node, with a number behind the name where another node has
// the hash that Gorgonia tells it by.
func inputNode(g *gorgonia.ExprGraph, name string, dt tensor.Dtype, shape tensor.Shape) *gorgonia.Node {
	given := name
	for i := 2; graph.Taken(g, graph.Operand{Rank: len(shape), Dtype: dt}.Type(), shape, name); i++ {
		name = fmt.Sprintf("%s_%d", given, i)
	}
	// A copy: Gorgonia keeps the shape and gives it back to a pool.
	shape = shape.Clone()
	if len(shape) == 0 {
		return gorgonia.NewScalar(g, dt, gorgonia.WithName(name))
	}
	return gorgonia.NewTensor(g, dt, len(shape), gorgonia.WithShape(shape...), gorgonia.WithName(name))
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
