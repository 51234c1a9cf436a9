package onnx

import (
	"maps"
	"slices"

	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/opset"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A Builder adds one node of a model to the graph of its inputs, and returns its
// outputs in the model's order. An optional input that is left out is nil. An
// output whose name in n.Outputs is empty is not used: return nil for it, so that the
// graph gets no unused node.
//
// Initializers, Constants, and values computed from shapes are input nodes with values:
// read an input that determines the shape of the result, such as the axes of a
// ReduceSum, by its Value when the graph is built. Build may call the builder with nodes
// of another graph, to compute a value at once (see [Model.Build]).
//
// An error should say what is wrong, but not where: Build adds the node's number,
// operator and name.
type Builder func(n Node, inputs ...*gorgonia.Node) ([]*gorgonia.Node, error)

// WithOperator gives Build a builder for an operator that this package does not have,
// or a builder that replaces the package's own. The name of an operator of another
// domain than ONNX's begins with the domain, as in an [*UnsupportedError]:
// com.example.Scale is the operator Scale of domain com.example. Of two options for one
// operator the last one counts.
func WithOperator(operator string, b Builder) BuildOption {
	return operatorOption{operator: b}
}

// WithOperators is [WithOperator] for several operators: a map from names to builders.
func WithOperators(builders map[string]Builder) BuildOption {
	return operatorOption(maps.Clone(builders))
}

// WithInput sets the value of an input when the graph is built, as if it were an
// initializer. It is for inputs that determine shapes, such as the limit of a Range or
// the axes of a ReduceSum. Dtype and shape must be those that the model declares. The
// graph then has no such input; do not change the value after.
func WithInput(name string, value *tensor.Dense) BuildOption { return inputOption{name, value} }

type inputOption struct {
	name  string
	value *tensor.Dense
}

func (inputOption) buildOption() {}

type operatorOption map[string]Builder

func (operatorOption) buildOption() {}

// settings are what the options of a build say.
type settings struct {
	budget    *opset.Budget
	operators map[string]Builder
	inputs    map[string]*tensor.Dense
}

// readSettings reads the options. The limit is that of the reader, 0 if there was
// none.
func readSettings(limit int64, options []BuildOption) (s settings, err error) {
	if limit == 0 {
		limit = opset.DefaultMaxBytes
	}
	s.operators, s.inputs = map[string]Builder{}, map[string]*tensor.Dense{}
	for i, o := range options {
		switch o := o.(type) {
		case MaxBytes:
			limit = o.bytes
		case operatorOption:
			for name, b := range o {
				if b == nil {
					return s, errors.Errorf("option %d: the builder for operator %q is nil", i, fault.Cut(name))
				}
				s.operators[name] = b
			}
		case inputOption:
			s.inputs[o.name] = o.value
		default:
			return s, errors.Errorf("option %d is a %T, WithInput, WithMaxBytes, WithOperator and WithOperators are allowed", i, o)
		}
	}
	s.budget, err = opset.NewBudget(limit)
	return s, err
}

// Nodes are the model's nodes in its order, with what a [Builder] for them must handle. An
// attribute is an int64, a float32, a string, a *tensor.Dense, or a list of one of the
// first three; for other kinds, such as a graph, it has a type that cannot be used.
func (m *Model) Nodes() ([]Node, error) {
	if m == nil {
		return nil, errors.New("onnx: Nodes of a nil Model")
	}
	s, err := readSettings(m.maxBytes, nil)
	if err != nil {
		return nil, errors.WithMessage(err, "onnx")
	}
	opsets, err := m.opsets()
	if err != nil {
		return nil, errors.WithMessage(err, "onnx")
	}
	nodes := make([]Node, 0, len(m.nodes))
	err = m.eachNode(func(n *modelNode) error {
		node, err := n.node(opsets, s.budget)
		// n is used again for the next node.
		node.Inputs, node.Outputs = slices.Clone(node.Inputs), slices.Clone(node.Outputs)
		nodes = append(nodes, node)
		return err
	})
	if err != nil {
		return nil, errors.WithMessage(err, "onnx")
	}
	return nodes, nil
}

// node is the node with its attributes decoded.
func (n *modelNode) node(opsets map[string]int, budget *opset.Budget) (Node, error) {
	version, ok := opsets[n.domain]
	if !ok && n.domain != "" {
		return Node{}, errors.Errorf("the model imports no version of domain %q", fault.Cut(n.domain))
	}
	node := Node{
		OpType: n.opType, Opset: version, Attributes: make(map[string]any, len(n.attributes)),
		Domain: n.domain, Name: n.name, Inputs: n.inputs, Outputs: n.outputs,
	}
	for _, a := range n.attributes {
		var value any
		var err error
		if a.kind == kindTensor {
			value, err = a.dense(budget)
		} else {
			value, err = a.value()
		}
		if err != nil {
			return Node{}, errors.WithMessagef(err, "attribute %q", fault.Cut(a.name))
		}
		node.Attributes[a.name] = value
	}
	return node, nil
}

// opsets are the versions of the domains that the model imports.
func (m *Model) opsets() (map[string]int, error) {
	versions := map[string]int{}
	err := eachField("ModelProto", m.file, func(f field) error {
		if f.number != modelOpset {
			return nil
		}
		domain, version, err := parseOpset(f.bytes)
		if err != nil {
			return err
		}
		if _, twice := versions[domain]; twice {
			return errors.Errorf("two imports of domain %q", fault.Cut(domain))
		}
		versions[domain] = version
		return nil
	})
	versions[""] = m.opset
	return versions, err
}

// givenInput binds an input to the value that an option gives.
func (b *builder) givenInput(v Value, value *tensor.Dense) error {
	got, err := opset.DescribeTensor(value)
	if err != nil || !got.Given {
		return sameKind(value, v.Dtype, nil)
	}
	if v.Shape != nil && !v.admits(got.Shape) {
		return fault.Errorf(dense.ErrShape, "shape %s does not fit the model's %s", fault.Shape(got.Shape), fault.Cut(v.String()))
	}
	dt := v.Dtype
	if dt.Type == nil {
		dt = got.Dtype // the model declares none
	}
	if err := sameKind(value, dt, got.Shape); err != nil {
		return err
	}
	if err := takeTensor(b.settings.budget, got.Dtype, got.Shape); err != nil {
		return err
	}
	b.constant(v.Name, value).packed = v.fourBits()
	return nil
}

// custom calls the builder of a node, and checks what it returns.
func (b *builder) custom(build Builder, n Node, inputs []*gorgonia.Node) ([]*gorgonia.Node, error) {
	n.Outputs = b.usedOutputs(n.Outputs)
	out, err := guarded(build, n, inputs)
	if err != nil {
		return nil, err
	}
	for i, name := range n.Outputs {
		if name == "" {
			continue
		}
		if i >= len(out) || out[i] == nil {
			return nil, errors.Errorf("its builder gives no output %d, %q", i, fault.Cut(name))
		}
		if _, err := opset.DescribeNode(out[i]); err != nil {
			return nil, errors.WithMessagef(err, "output %d of its builder", i)
		}
		if len(inputs) > 0 && inputs[0] != nil && out[i].Graph() != inputs[0].Graph() {
			return nil, errors.Errorf("output %d of its builder is in another graph", i)
		}
		if !inGraph(out[i]) {
			return nil, errors.Errorf("output %d of its builder has not been added to the graph", i)
		}
	}
	return out, nil
}

// inGraph reports whether a node is in its graph: a constant may name one and not be in it.
func inGraph(n *gorgonia.Node) bool {
	g := n.Graph()
	return g != nil && g.Node(n.ID()) == n
}

// guarded makes an error of a panic: Gorgonia panics on many mistakes.
func guarded(build Builder, n Node, inputs []*gorgonia.Node) (out []*gorgonia.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			out, err = nil, errors.Errorf("its builder panicked: %v", r)
		}
	}()
	return build(n, inputs...)
}

// usedOutputs are the names of outputs, "" for those that nobody uses.
func (b *builder) usedOutputs(names []string) []string {
	list := make([]string, len(names))
	for i, name := range names {
		if b.used[name] {
			list[i] = name
		}
	}
	return list
}

// eachNode calls visit for every node. Errors are those of the node.
func (m *Model) eachNode(visit func(n *modelNode) error) error {
	var n modelNode
	var scratch tensorProto
	for i, p := range m.nodes {
		err := n.parse(m.part(p), &scratch)
		if err == nil {
			err = visit(&n)
		}
		if err != nil {
			return n.at(i)(err)
		}
	}
	return nil
}

// findUsed notes which values are used, for the builders of other operators.
func (b *builder) findUsed(outputs []Value) error {
	if len(b.settings.operators) == 0 {
		return nil
	}
	for _, v := range outputs {
		b.used[v.Name] = true
	}
	return b.model.eachNode(func(n *modelNode) error {
		for _, name := range n.inputs {
			b.used[name] = true
		}
		return nil
	})
}
