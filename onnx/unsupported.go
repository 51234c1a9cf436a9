package onnx

import (
	"fmt"
	"maps"
	"slices"

	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/opset"
)

// An UnsupportedError lists every operator of a model that Build does not have.
type UnsupportedError struct {
	Operators []string // sorted, each once; with its domain in front unless it is ONNX's own
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
		if question := opset.DidYouMean(op, known); question != "" {
			list[i] += " (" + question + ")"
		}
	}
	return fmt.Sprintf("the model needs %d %s not supported: %s (WithOperator takes builders for them, package onnx/builders has some)",
		len(e.Operators), noun, opset.List(list))
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
		return errors.WithStack(&UnsupportedError{Operators: slices.Clone(slices.Compact(list))})
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
