package graph

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chewxy/hm"
	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/plan"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Nodes checks the arguments of an API function: nodes of one graph, each with
// the type of a tensor or a scalar, and with a shape. Constants may be in no graph
// yet, as long as one of the others is: see Bind. Two arguments that are one input
// without a name are an error: Gorgonia may have made one of two.
func Nodes(op string, arguments []string, nodes ...*G.Node) error {
	first := -1 // the first node that has a graph
	for i, n := range nodes {
		argument := arguments[i]
		if n == nil {
			return errors.Errorf("%s: %s is nil, a node is needed", op, argument)
		}
		name := func() string {
			if nameless(n) {
				return "(an input without a name)"
			}
			return fault.Name(n.Name())
		}
		v, constant := unmerged(n)
		switch {
		case !typed(n.Type()):
			return errors.Errorf("%s: %s %s has no type of a tensor or a scalar, but %v", op, argument, name(), n.Type())
		case n.Dims() != len(n.Shape()):
			return errors.Errorf("%s: %s %s has no shape", op, argument, name())
		case constant && !usable(v):
			return errors.Errorf("%s: %s %s is a constant %T, a *tensor.Dense or a scalar is needed", op, argument, name(), v)
		case nameless(n) && slices.Contains(nodes[:i], n):
			return errors.Errorf("%s: %s and %s are one input node without a name: name the inputs with gorgonia.WithName; %s",
				op, arguments[slices.Index(nodes, n)], argument, merges)
		case n.Graph() == nil && !constant:
			return errors.Errorf("%s: %s %s is in no graph", op, argument, name())
		case n.Graph() == nil:
		case first < 0:
			first = i
		case n.Graph() != nodes[first].Graph():
			return errors.Errorf("%s: %s %s and %s %s are of different graphs, all must be in one",
				op, arguments[first], fault.Name(nodes[first].Name()), argument, name())
		}
	}
	if first < 0 {
		return errors.Errorf("%s: %s are constants without a graph, one of them must be in one: gorgonia.In puts it there", op, strings.Join(arguments, ", "))
	}
	return nil
}

// typed reports whether nodes of a type have a dtype. Others have a type variable
// or nothing, and their methods panic.
func typed(t hm.Type) bool {
	if tt, ok := t.(G.TensorType); ok {
		t = tt.Of
	}
	dt, ok := t.(tensor.Dtype)
	return ok && dt.Type != nil
}

// Named refuses indices that are an input node without a name. By now Gorgonia has
// made one node of all those of one type and shape, so that lookups by different
// indices would give the same.
func Named(op, argument string, n *G.Node) error {
	if !nameless(n) {
		return nil
	}
	return errors.Errorf("%s: %s are an input node without a name: name it with gorgonia.WithName, or give gorgonia.NewConstant(values); %s",
		op, argument, merges)
}

// NamedIndices is Named for those of an operator's inputs that are indices, or say where bags begin.
func NamedIndices(op plan.Op, inputs []*G.Node) error {
	for i, argument := range op.Arguments()[:len(inputs)] {
		switch argument {
		case "indices", "offsets", "segmentIDs", "parentIDs":
			if err := Named(op.String(), argument, inputs[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// unnamed is what Gorgonia calls an input node without a name.
var unnamed = fmt.Sprintf("%s()", G.Op(nil))

const merges = "Gorgonia merges inputs of one type and shape without names"

// nameless reports whether a node is an input without a name.
func nameless(n *G.Node) bool { return n.Op() == nil && n.Name() == unnamed }

// unmerged is the value of a constant that Gorgonia has not put into a graph yet.
// It does so when another operator is applied to it, and reads the first and
// last elements of its value alone to find out whether it is there already.
func unmerged(n *G.Node) (G.Value, bool) {
	op, ok := n.Op().(interface{ Value() G.Value })
	if !ok || n.ID() != -1 {
		return nil, false
	}
	return op.Value(), true
}

// usable reports whether a constant's value can be that of an input node.
func usable(v G.Value) bool {
	if d, ok := v.(*tensor.Dense); ok {
		return d != nil
	}
	scalar, ok := v.(G.Scalar)
	return ok && scalarMemory(scalar) != nil
}

// Bind puts input nodes into the place of constants, among nodes that Nodes
// accepts. They are of the graph of the first node that has one, have names of
// their own and hold the constants' values. One value is one node, however often
// it is given. Constants stay where no node has a graph.
func Bind(nodes ...*G.Node) []*G.Node {
	nodes = slices.Clone(nodes)
	first := slices.IndexFunc(nodes, func(n *G.Node) bool { return n.Graph() != nil })
	if first < 0 {
		return nodes
	}
	for i, n := range nodes {
		if v, ok := unmerged(n); ok {
			nodes[i] = bind(nodes[first].Graph(), n, v)
		}
	}
	return nodes
}

// bindings is what the names of bound constants start with.
const bindings = "gather: constant "

func bind(g *G.ExprGraph, constant *G.Node, v G.Value) *G.Node {
	number := 1
	for _, n := range g.AllNodes() {
		if n.Op() == nil && strings.HasPrefix(n.Name(), bindings) {
			if n.Value() == v {
				return n
			}
			number++
		}
	}
	t := constant.Type()
	if len(v.Shape()) == 0 {
		t = v.Dtype() // Gorgonia's own type for a scalar *tensor.Dense is one of rank 0
	}
	// Where there is a node of that name, type and shape, Gorgonia returns it.
	for Taken(g, t, v.Shape(), fmt.Sprint(bindings, number)) {
		number++
	}
	// With the shape, which is copied: Gorgonia gives those of nodes back to a pool.
	return G.NewUniqueNode(G.WithType(t), G.In(g), G.WithShape(v.Shape()...), G.WithName(fmt.Sprint(bindings, number)), G.WithValue(v))
}

// Apply makes the node of an operator that is in no graph yet. Constants among its
// operands become input nodes, once nothing can go wrong any more: LispMachine takes an
// input node that nothing uses for a cost. The operator gets to know the names of its
// operands, and a hash that no other node of the graph has.
func Apply(op G.Op, nodes ...*G.Node) (*G.Node, error) { return apply(op, false, nodes) }

// ApplyAgain is Apply for an operator that has its operands' names already, from
// another node of it.
func ApplyAgain(op G.Op, nodes ...*G.Node) (*G.Node, error) { return apply(op, true, nodes) }

func apply(op G.Op, again bool, nodes []*G.Node) (*G.Node, error) {
	shape, err := fits(op, nodes)
	if err != nil {
		return nil, err
	}
	first := slices.IndexFunc(nodes, func(n *G.Node) bool { return n.Graph() != nil })
	ours, ok := op.(operator)
	if !ok || first < 0 {
		return G.ApplyOp(op, Bind(nodes...)...)
	}
	g := nodes[first].Graph()
	if err := distinct(op, g, nodes); err != nil {
		return nil, err
	}
	nodes = Bind(nodes...)
	if !again {
		ours.common().setOperands(nodes)
	}
	return G.ApplyOp(salted(ours, again, g, shape, nodes), nodes...)
}

// fits checks the types and shapes of operands, and gives the shape of the result.
func fits(op G.Op, nodes []*G.Node) (tensor.Shape, error) {
	dims := make([]G.DimSizer, len(nodes))
	want := op.Type()
	for i, n := range nodes {
		f, ok := want.(*hm.FunctionType)
		if !ok {
			return nil, errors.Errorf("%v: %d operands are too many", fault.Operator(op), len(nodes))
		}
		scalar := n.Dims() == 0 && f.Arg() == hm.Type(n.Dtype())
		if _, constant := unmerged(n); !f.Arg().Eq(n.Type()) && !(constant && scalar) {
			return nil, errors.Errorf("%v: operand %s is of type %v, %v is needed", fault.Operator(op), fault.Name(n.Name()), n.Type(), f.Arg())
		}
		dims[i], want = n.Shape(), f.Ret(false)
	}
	return op.InferShape(dims...)
}
