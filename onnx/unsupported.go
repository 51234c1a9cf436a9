package onnx

import (
	"fmt"
	"maps"
	"slices"

	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/opset"
)

// An UnsupportedError lists every operator of a model that Build does not have.
type UnsupportedError struct {
	Operators []string // sorted, each once; with its domain in front unless it is ONNX's own
	given     bool     // builders of operators were given
}

// instead says what to do about operators that graphs of fixed shapes cannot have, or
// whose work can be had by others.
var instead = map[string]string{
	"Loop":              "export a fixed number of steps; for nn.EmbeddingBag, Embedding(x).mean(1)",
	"Scan":              "export a fixed number of steps",
	"If":                "export for fixed shapes, of which one branch remains",
	"TopK":              "leave it out of the model, and choose in Go",
	"NonZero":           "its shape depends on values; use Where with a mask",
	"SequenceConstruct": "export a stacked tensor", "SequenceInsert": "export a stacked tensor", "ConcatFromSequence": "export a stacked tensor",
	"SequenceEmpty": "export a stacked tensor", "SequenceMap": "export a stacked tensor",
}

// Error reads like: the model needs 2 operators that are not supported: Conv, GatherNd (did you mean GatherND?)
func (e *UnsupportedError) Error() string {
	if e == nil {
		return "no error"
	}
	noun := "operators that are"
	if len(e.Operators) == 1 {
		noun = "operator that is"
	}
	known := slices.Sorted(maps.Keys(versions))
	list := slices.Clone(e.Operators[:min(opset.Shown+1, len(e.Operators))])
	for i, op := range list {
		if advice := instead[op]; advice != "" {
			list[i] += " (" + advice + ")"
		} else if question := opset.DidYouMean(op, known); question != "" {
			list[i] += " (" + question + ")"
		}
	}
	todo := "builders.All() of package onnx/builders, given to Build, has many"
	if e.given {
		todo = "the builders given to Build lack them: add your own by WithOperator"
	}
	return fmt.Sprintf("the model needs %d %s not supported: %s; %s", len(e.Operators), noun, opset.List(list), todo)
}

// supported lists what the model needs and nobody has.
func (b *builder) supported() error {
	count := 0
	if err := b.eachLacking(func(string) { count++ }); err != nil {
		return err
	}
	if count > 0 {
		list := make([]string, 0, count)
		if err := b.eachLacking(func(operator string) { list = append(list, operator) }); err != nil {
			return err
		}
		slices.Sort(list)
		return errors.WithStack(&UnsupportedError{Operators: slices.Clone(slices.Compact(list)), given: len(b.settings.operators) > 0})
	}
	return nil
}

// eachLacking calls visit for every node whose operator nobody has.
func (b *builder) eachLacking(visit func(operator string)) error {
	return b.model.eachNode(func(n *modelNode) error {
		_, given := b.settings.operators[n.operator()]
		if _, known := versions[n.operator()]; !given && !known {
			visit(n.operator())
		}
		return nil
	})
}

// checkFunctions refuses a function of the model that has the name of an operator of ONNX or of this
// package which a node uses: ONNX leaves open which of the two the node means.
func (m *Model) checkFunctions() error {
	var used map[string]bool // the operators of the nodes, if there is a function
	return eachField("ModelProto", m.file, func(f field) error {
		if f.number != modelFunction {
			return nil
		}
		function, err := f.message()
		if err != nil {
			return err
		}
		var n modelNode // that calls it
		if err := eachField("FunctionProto", function, func(f field) (err error) {
			switch f.number {
			case 1:
				n.opType, err = f.text()
			case 10:
				n.domain, err = f.text()
				n.domain = plainDomain(n.domain)
			case 13:
				n.overload, err = f.text()
			}
			return err
		}); err != nil {
			return err
		}
		if used == nil {
			used = map[string]bool{}
			if err := m.eachNode(func(n *modelNode) error {
				used[n.operator()] = true
				return nil
			}); err != nil {
				return err
			}
		}
		if operator := n.operator(); used[operator] && (n.domain == "" || versions[operator] != nil) {
			return errors.Errorf("the model has a function with the name of an operator, %s: export with functions inlined", fault.Cut(operator))
		}
		return nil
	})
}
