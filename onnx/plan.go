package onnx

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/opset"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A plan is what a builder has made of a node for inputs of some types and shapes: the
// operators in their order. It does not change, and holds no graph.
type plan struct {
	op     string
	given  []opset.Description
	values []*tensor.Dense // of the inputs that the builder could read, nil for the others: see keep

	constants []gorgonia.Value // of nodes that the builder made, behind the inputs
	steps     []planStep       // behind the constants
	operands  int              // of all steps
	outputs   []int            // what is to be returned, -1 for nothing
	err       error            // why the builder made nothing
}

// A planStep is an operator, with the places of its operands: an input, a constant or the
// result of an earlier step.
type planStep struct {
	op       gorgonia.Op
	operands []int
}

// describeInputs are the types and shapes of inputs.
func describeInputs(n Node, inputs []tensor.Tensor) ([]opset.Description, error) {
	given := make([]opset.Description, len(inputs))
	for i, t := range inputs {
		d, err := opset.DescribeTensor(t)
		if err != nil {
			return nil, errors.WithMessagef(err, "%s: input %d", n.OpType, i)
		}
		given[i] = d
	}
	return given, nil
}

// makePlan calls the builder. It may read the values of static inputs. What follows from
// constant inputs alone is computed at once.
func makePlan(b Builder, n Node, given []opset.Description, inputs []tensor.Tensor, static, constant []bool, limit MaxBytes) *plan {
	p := &plan{op: n.OpType}
	budget, err := opset.NewBudget(limit.bytes)
	if err != nil {
		p.err = err
		return p
	}
	g := gorgonia.NewGraph()
	nodes := make([]*gorgonia.Node, len(inputs))
	places := map[*gorgonia.Node]int{}
	for i, d := range given {
		d.Shape = d.Shape.Clone()
		p.given = append(p.given, d)
		if !d.Given {
			continue
		}
		nodes[i] = inputNode(g, fmt.Sprint("input ", i), d.Dtype, d.Shape)
		places[nodes[i]] = i
		if !static[i] {
			continue
		}
		if err := gorgonia.Let(nodes[i], inputs[i]); err != nil {
			p.err = errors.Wrapf(err, "%s: input %d", n.OpType, i)
			return p
		}
	}
	out, err := guarded(b, n, nodes)
	if err == nil {
		err = p.take(out, places, budget, func(n *gorgonia.Node) (gorgonia.Value, bool) {
			i, input := places[n]
			if input && i < len(inputs) {
				return inputs[i], constant[i]
			}
			return n.Value(), n.Op() == nil
		})
	}
	p.err = err
	return p
}

// take notes the operators that outputs need. known tells the value of a node that has no
// operator, and whether it is the same in every run.
func (p *plan) take(out []*gorgonia.Node, places map[*gorgonia.Node]int, budget *opset.Budget, known func(*gorgonia.Node) (gorgonia.Value, bool)) error {
	var order []*gorgonia.Node
	seen := map[*gorgonia.Node]bool{}
	var visit func(n *gorgonia.Node) error
	visit = func(n *gorgonia.Node) error {
		if _, input := places[n]; input || seen[n] {
			return nil
		}
		seen[n] = true
		if n.Op() == nil {
			if n.Value() == nil {
				return errors.Errorf("%s: node %s of its builder has no value", p.op, n.Name())
			}
			places[n] = len(p.given) + len(p.constants)
			p.constants = append(p.constants, n.Value())
			return nil
		}
		for _, child := range children(n) {
			if err := visit(child); err != nil {
				return err
			}
		}
		order = append(order, n)
		return p.afford(n, budget)
	}
	for i, n := range out {
		if n == nil {
			continue
		}
		if _, err := opset.DescribeNode(n); err != nil {
			return errors.WithMessagef(err, "%s: output %d", p.op, i)
		}
		if err := visit(n); err != nil {
			return err
		}
	}
	order, err := p.fold(order, places, known)
	if err != nil {
		return err
	}
	for i, n := range order {
		places[n] = len(p.given) + len(p.constants) + i
		step := planStep{op: n.Op()}
		for _, child := range children(n) {
			step.operands = append(step.operands, places[child])
		}
		p.steps = append(p.steps, step)
		p.operands += len(step.operands)
	}
	for _, n := range out {
		place := -1
		if n != nil {
			place = places[n]
		}
		p.outputs = append(p.outputs, place)
	}
	return nil
}

// maxFoldedBytes bounds the results that a plan keeps: of small operators, which take
// longer to call than to compute.
const maxFoldedBytes = 1 << 16

// fold computes what is the same in every run, as far as it is small, and returns the rest.
func (p *plan) fold(order []*gorgonia.Node, places map[*gorgonia.Node]int, known func(*gorgonia.Node) (gorgonia.Value, bool)) ([]*gorgonia.Node, error) {
	var rest []*gorgonia.Node
	left := uint64(maxFoldedBytes)
	values := map[*gorgonia.Node]gorgonia.Value{}
next:
	for _, n := range order {
		bytes := opset.TensorBytes(n.Dtype(), n.Shape())
		if bytes > left {
			rest = append(rest, n)
			continue
		}
		var operands []gorgonia.Value
		for _, child := range children(n) {
			v, ok := values[child]
			if !ok && child.Op() == nil {
				v, ok = known(child)
			}
			if !ok {
				rest = append(rest, n)
				continue next
			}
			operands = append(operands, v)
		}
		v, err := do(n, operands)
		if err != nil {
			return nil, err
		}
		left -= bytes
		values[n] = v
		places[n] = len(p.given) + len(p.constants)
		p.constants = append(p.constants, v)
	}
	return rest, nil
}

func children(n *gorgonia.Node) []*gorgonia.Node {
	var list []*gorgonia.Node
	for c := n.Graph().From(n.ID()); c.Next(); {
		list = append(list, c.Node().(*gorgonia.Node))
	}
	return list
}

// afford takes the memory of a result from the budget. None may be larger than the
// machine's.
func (p *plan) afford(n *gorgonia.Node, budget *opset.Budget) error {
	d, err := opset.DescribeNode(n)
	if err != nil {
		return nil // no tensor: a sequence
	}
	if err := core.Fits(p.op, "a result", d.Shape, d.Dtype); err != nil {
		return err
	}
	return errors.WithMessage(takeTensor(budget, d.Dtype, d.Shape), p.op)
}

// keep lets the plan be used again: it copies the values that it was made with, but not
// those of constants, which are the same.
func (p *plan) keep(inputs []tensor.Tensor, static []bool, constants []int) {
	p.values = make([]*tensor.Dense, len(inputs))
	for i, t := range inputs {
		if !static[i] || !p.given[i].Given || slices.Contains(constants, i) {
			continue
		}
		p.values[i] = t.(*tensor.Dense)
		if slices.Contains(p.given[i].Shape, 0) {
			continue
		}
		if d, err := packedCopy(p.values[i]); err == nil { // which fails for no type that a builder can read
			p.values[i] = d
		}
	}
}

// fits tells whether the plan is one for these inputs.
func (p *plan) fits(given []opset.Description, inputs []tensor.Tensor) bool {
	if len(given) != len(p.given) {
		return false
	}
	for i, d := range given {
		if own := p.given[i]; d.Given != own.Given || d.Dtype != own.Dtype || !slices.Equal(d.Shape, own.Shape) {
			return false
		}
	}
	for i, v := range p.values {
		if v != nil && !sameValues(v, inputs[i].(*tensor.Dense)) {
			return false
		}
	}
	return true
}

// sameValues compares a packed tensor with one of its type and shape, bit by bit.
func sameValues(a, b *tensor.Dense) bool {
	if slices.Contains(a.Shape(), 0) {
		return true
	}
	if len(b.Shape()) > 1 || b.RequiresIterator() {
		var err error
		if b, err = packedCopy(b); err != nil {
			return false
		}
	}
	if a.Dtype() == tensor.String {
		return slices.Equal(a.Strings(), b.Strings())
	}
	return bytes.Equal(a.Uint8s(), b.Uint8s())
}
