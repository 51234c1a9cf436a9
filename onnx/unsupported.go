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
	return fmt.Sprintf("the model needs %d %s not supported: %s", len(e.Operators), noun, opset.List(list))
}

// supported lists what the model needs and Build lacks.
func (m *Model) supported() error {
	count := 0
	if err := m.eachLacking(func(string) { count++ }); err != nil {
		return err
	}
	if count > 0 {
		list := make([]string, 0, count)
		if err := m.eachLacking(func(operator string) { list = append(list, operator) }); err != nil {
			return err
		}
		slices.Sort(list)
		return errors.WithStack(&UnsupportedError{Operators: slices.Clone(slices.Compact(list))})
	}
	if m.opset == 0 && len(m.nodes) > 0 {
		return errors.New("the model imports no version of ONNX's operator set")
	}
	return nil
}

// eachLacking calls visit for every node whose operator Build lacks.
func (m *Model) eachLacking(visit func(operator string)) error {
	var n modelNode
	var scratch tensorProto
	for i, p := range m.nodes {
		if err := n.parse(m.part(p), &scratch); err != nil {
			return n.at(i)(err)
		}
		if _, known := versions[n.opType]; !known || n.domain != "" {
			visit(n.operator())
		}
	}
	return nil
}
