package gathergonnx

import (
	pb "github.com/advancedclimatesystems/gonnx/onnx"
	"github.com/pkg/errors"
	"gorgonia.org/gather/gonnx/internal/node"
)

// check makes the checks that package onnx leaves to the code that runs a model: that
// every name is defined before it is used, and that gonnx can run the model.
func check(g *pb.GraphProto) error {
	if len(g.GetSparseInitializer()) > 0 {
		return errors.Errorf("sparse initializers are not supported, the model has %d", len(g.GetSparseInitializer()))
	}
	given := map[string]bool{}
	for _, t := range g.GetInitializer() {
		given[t.GetName()] = true
	}
	for _, v := range g.GetInput() {
		given[v.GetName()] = true
		if v.GetType() != nil && v.GetType().GetValue() != nil && v.GetType().GetTensorType() == nil {
			return errors.Errorf("input %q is no tensor", v.GetName())
		}
	}
	for _, n := range g.GetNode() {
		for i, name := range n.GetInput() {
			if name != "" && !given[name] {
				return errors.Errorf("%s: its input %d is %q, which no input, initializer or node before it gives", node.Label(n), i, name)
			}
		}
		for _, name := range n.GetOutput() {
			given[name] = true
		}
	}
	if len(g.GetOutput()) == 0 {
		return errors.New("the model has no output")
	}
	for _, v := range g.GetOutput() {
		if !given[v.GetName()] {
			return errors.Errorf("the model's output %q is given by nothing in it", v.GetName())
		}
	}
	return nil
}
