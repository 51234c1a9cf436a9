package gradtest

import (
	"fmt"
	"slices"

	"github.com/pkg/errors"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Input is a value fed into a graph. Each becomes an input node with a name of its own: Gorgonia merges constants that print
// alike.
type Input struct {
	Value         any  // a *tensor.Dense in any layout, or a Go scalar
	Differentiate bool // whether its gradient is wanted
}

// Builder makes the output of a graph from one node per input. Every node it makes has to lead to the output: LispMachine
// takes all ends of a graph for costs.
type Builder func(inputs []*G.Node) (*G.Node, error)

// Machine is one of Gorgonia's two machines.
type Machine int

// Tape differentiates with gorgonia.Grad (SymDiff) and runs a TapeMachine; Lisp runs a LispMachine (DoDiff).
const (
	Tape Machine = iota
	Lisp
)

// String is the machine's name, for the names of tests.
func (m Machine) String() string {
	switch m {
	case Tape:
		return "TapeMachine"
	case Lisp:
		return "LispMachine"
	}
	return fmt.Sprintf("Machine(%d)", int(m))
}

// Result is what one run of a graph gave, in row-major order.
type Result struct {
	Shape  tensor.Shape // of the output
	Output []float64
	Grads  [][]float64 // one per input, nil where it was not wanted
}

// Forward builds a graph, runs it on a machine and returns its output, without a gradient.
func Forward(m Machine, inputs []Input, build Builder) (Result, error) {
	return run(m, inputs, build, nil)
}

// Backward builds a graph, runs it on a machine and returns its output and the gradients of <output, u>, where u has one
// value per element of the output, in row-major order. Graph and machine are new ones: LispMachine adds to the gradients of
// an earlier run. It is an error if the run changed an input. A panic while the machine runs ends the test, since a machine
// has a goroutine of its own.
func Backward(m Machine, inputs []Input, build Builder, u []float64) (Result, error) {
	if u == nil {
		u = []float64{}
	}
	return run(m, inputs, build, u)
}

// run goes backward unless u is nil.
func run(m Machine, inputs []Input, build Builder, u []float64) (result Result, err error) {
	// Gorgonia panics on most mistakes in the building of graphs and machines.
	defer func() {
		if r := recover(); r != nil {
			err = errors.Errorf("%v: panic: %v", m, r)
		}
	}()

	before, err := flatten(inputs)
	if err != nil {
		return Result{}, err
	}
	g := G.NewGraph()
	nodes := make([]*G.Node, len(inputs))
	for i, input := range inputs {
		nodes[i] = G.NodeFromAny(g, bare(input.Value), G.WithName(fmt.Sprintf("input %d", i)))
	}
	out, err := build(nodes)
	if err != nil {
		return Result{}, err
	}
	// An inner node may be overwritten by later instructions; what Read fetches is a copy made in time.
	var output G.Value
	G.Read(out, &output)

	grads := make([]G.Value, len(inputs))
	if u == nil {
		err = forward(m, g)
	} else {
		grads, err = backward(m, nodes, inputs, out, u)
	}
	if err != nil {
		return Result{}, err
	}

	result = Result{Shape: out.Shape(), Grads: make([][]float64, len(inputs))}
	if result.Output, err = Floats(output); err != nil {
		return Result{}, errors.Wrap(err, "output")
	}
	for i := range inputs {
		if u == nil || !inputs[i].Differentiate {
			continue
		}
		if result.Grads[i], err = Floats(grads[i]); err != nil {
			return Result{}, errors.Wrapf(err, "gradient of input %d", i)
		}
	}
	after, err := flatten(inputs)
	if err != nil {
		return Result{}, err
	}
	for i := range before {
		if !slices.Equal(before[i], after[i]) {
			return Result{}, errors.Errorf("%v changed input %d from %v to %v", m, i, before[i], after[i])
		}
	}
	return result, nil
}

// bare returns the number in a scalar tensor. Gorgonia takes scalar tensors, too, but its arithmetic refuses to combine them
// with its own scalars.
func bare(value any) any {
	dense, ok := value.(*tensor.Dense)
	if !ok || !dense.IsScalar() {
		return value
	}
	switch number := dense.ScalarValue().(type) {
	case float64, float32, int, int64, int32, uint8, bool:
		return number
	}
	// Gorgonia has no scalar of its own for other types.
	return value
}

func backward(m Machine, nodes []*G.Node, inputs []Input, out *G.Node, u []float64) ([]G.Value, error) {
	cost, err := costOf(out, u)
	if err != nil {
		return nil, err
	}
	if m == Tape {
		return backwardTape(nodes, inputs, cost)
	}
	return backwardLisp(nodes, inputs, cost)
}

func forward(m Machine, g *G.ExprGraph) error {
	if m == Tape {
		return runAndClose(G.NewTapeMachine(g))
	}
	return runAndClose(G.NewLispMachine(g, G.ExecuteFwdOnly()))
}

// backwardTape differentiates with SymDiff: the gradients are nodes of the graph, and read like the output.
func backwardTape(nodes []*G.Node, inputs []Input, cost *G.Node) ([]G.Value, error) {
	var wrt []*G.Node
	for i, input := range inputs {
		if input.Differentiate {
			wrt = append(wrt, nodes[i])
		}
	}
	gradNodes, err := G.Grad(cost, wrt...)
	if err != nil {
		return nil, err
	}
	values := make([]G.Value, len(inputs))
	next := 0
	for i, input := range inputs {
		if input.Differentiate {
			G.Read(gradNodes[next], &values[i])
			next++
		}
	}
	return values, runAndClose(G.NewTapeMachine(cost.Graph()))
}

// backwardLisp differentiates with DoDiff: the gradients are values that hang on the input nodes after the run.
func backwardLisp(nodes []*G.Node, inputs []Input, cost *G.Node) ([]G.Value, error) {
	if err := runAndClose(G.NewLispMachine(cost.Graph())); err != nil {
		return nil, err
	}
	values := make([]G.Value, len(inputs))
	for i, input := range inputs {
		if !input.Differentiate {
			continue
		}
		var err error
		if values[i], err = nodes[i].Grad(); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// runAndClose keeps the error as the machine gave it, for callers who look for an index error inside.
func runAndClose(vm G.VM) error {
	err := vm.RunAll()
	if closeErr := vm.Close(); err == nil {
		err = closeErr
	}
	return err
}

// costOf makes the node <out, u>.
func costOf(out *G.Node, u []float64) (*G.Node, error) {
	shape := out.Shape()
	if n := shape.TotalSize(); n != len(u) {
		return nil, errors.Errorf("cotangent has %d values, the output of shape %v has %d", len(u), shape, n)
	}
	if len(u) == 0 {
		return G.ApplyOp(emptySum{dtype: out.Dtype(), axes: shape.Dims()}, out)
	}
	value, err := valueOf(out.Dtype(), shape, u)
	if err != nil {
		return nil, err
	}
	cotangent := G.NodeFromAny(out.Graph(), value, G.WithName("cotangent"))
	if out.IsScalar() {
		return G.Mul(out, cotangent)
	}
	product, err := G.HadamardProd(out, cotangent)
	if err != nil {
		return nil, err
	}
	return G.Sum(product)
}

// flatten returns the values of all inputs.
func flatten(inputs []Input) ([][]float64, error) {
	values := make([][]float64, len(inputs))
	for i, input := range inputs {
		var err error
		if values[i], err = Floats(input.Value); err != nil {
			return nil, errors.Wrapf(err, "input %d", i)
		}
	}
	return values, nil
}
