package onnx

import (
	"slices"
	"sync"

	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/opset"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// An Evaluator computes one node on plain tensors, as [EvalWith] does, time after time. It
// keeps the graphs that the builder makes, so that inputs of the same types and shapes,
// and of the same values where the builder needs these, cost no new one. Memory is kept
// for a few graphs, those that were used last. It may be used by several goroutines at
// once.
type Evaluator struct {
	build Builder
	node  Node
	limit MaxBytes
	own   bool // the operator is one of this package

	constants []int // the inputs that are always the same

	mu     sync.Mutex
	plans  []*plan // the one used last in front
	static []bool  // the inputs whose values the builder has needed
}

// keptPlans is how many graphs an Evaluator keeps: a few lengths of sequences or sizes of
// batches.
const keptPlans = 8

// NewEvaluator returns an Evaluator for a node, whose attributes must not change. Without
// a Builder the node's operator is one of [Eval]. Options are
// [WithMaxBytes] and [WithConstantInputs].
func NewEvaluator(b Builder, n Node, options ...EvalOption) (*Evaluator, error) {
	e := &Evaluator{build: b, node: n, limit: MaxBytes{opset.DefaultMaxBytes}}
	for i, o := range options {
		switch o := o.(type) {
		case MaxBytes:
			e.limit = o
		case ConstantInputs:
			e.constants = o.places
		default:
			return nil, errors.Errorf("onnx: option %d is a %T, WithMaxBytes and WithConstantInputs are allowed", i, o)
		}
	}
	if b == nil {
		e.build, e.own = applied, true
	}
	_, err := opset.NewBudget(e.limit.bytes)
	return e, errors.WithMessage(err, "onnx")
}

// applied is the Builder of this package's operators.
func applied(n Node, inputs ...*gorgonia.Node) ([]*gorgonia.Node, error) {
	y, err := Apply(n, inputs...)
	return []*gorgonia.Node{y}, err
}

// Eval computes the node: see [EvalWith].
func (e *Evaluator) Eval(inputs ...tensor.Tensor) ([]*tensor.Dense, error) {
	if e == nil || e.build == nil {
		return nil, errors.New("onnx: NewEvaluator makes an Evaluator, this one is nil or the zero Evaluator")
	}
	if isKnown(e.node) {
		budget, err := opset.NewBudget(e.limit.bytes)
		if err != nil {
			return nil, err
		}
		d, err := evalKnownTensors(e.node, inputs, func(dt tensor.Dtype, shape tensor.Shape) error { return takeTensor(budget, dt, shape) })
		return []*tensor.Dense{d}, err
	}
	given, err := describeInputs(e.node, inputs)
	if err != nil {
		return nil, err
	}
	p, err := e.plan(given, inputs)
	if err != nil {
		return nil, err
	}
	if e.own { // the plan has found that it fits; without a graph errors do not name its inputs
		d, err := Eval(e.node, inputs...)
		return []*tensor.Dense{d}, err
	}
	return p.run(inputs)
}

// plan finds the plan for inputs, or makes it.
func (e *Evaluator) plan(given []opset.Description, inputs []tensor.Tensor) (*plan, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i, p := range e.plans {
		if p.fits(given, inputs) {
			copy(e.plans[1:i+1], e.plans[:i])
			e.plans[0] = p
			return p, p.err
		}
	}
	p, static := e.newPlan(given, inputs)
	// An error about types is the same for all values, others may not be.
	if p.err == nil || errors.Is(p.err, dense.ErrDtype) {
		if p.err == nil {
			p.keep(inputs, static, e.constants)
		}
		e.plans = slices.Insert(e.plans[:min(len(e.plans), keptPlans-1)], 0, p)
	}
	return p, p.err
}

// newPlan makes a plan with the values that the builder needs, and says which these are.
func (e *Evaluator) newPlan(given []opset.Description, inputs []tensor.Tensor) (*plan, []bool) {
	for len(e.static) < len(given) {
		e.static = append(e.static, false)
	}
	constant := make([]bool, len(given))
	for _, i := range e.constants {
		if i >= 0 && i < len(given) {
			constant[i] = given[i].Given
		}
	}
	try := func(static []bool) *plan { return makePlan(e.build, e.node, given, inputs, static, constant, e.limit) }
	if p := try(e.static); p.err == nil {
		return p, e.static
	}
	every := slices.Repeat([]bool{true}, len(given))
	whole := try(every)
	if whole.err != nil {
		return whole, every
	}
	for i, d := range given {
		if d.Given && !e.static[i] {
			every[i] = false
			e.static[i] = try(every).err != nil
			every[i] = true
		}
	}
	if p := try(e.static); p.err == nil {
		return p, e.static
	}
	return whole, every
}
