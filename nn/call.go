package nn

import (
	"strings"

	"github.com/pkg/errors"
	"gorgonia.org/gather/onnx"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// call adds an operator of package builders to the graph, by the rules of an opset. name is
// what this package calls it.
func call(name string, build onnx.Builder, opset int, attributes map[string]any, inputs ...*G.Node) (*G.Node, error) {
	out, err := build(onnx.Node{OpType: name, Opset: opset, Attributes: attributes}, inputs...)
	if err != nil {
		return nil, named(name, err)
	}
	return out[0], nil
}

// named is an error with the name of the function in front, unless it begins with that.
func named(name string, err error) error {
	if err == nil || strings.HasPrefix(err.Error(), name+"-") || strings.HasPrefix(err.Error(), name+":") {
		return err
	}
	return errors.WithMessage(err, name)
}

// chain hands the result of each step to the next, until one fails.
func chain(name string, x *G.Node, steps ...func(*G.Node) (*G.Node, error)) (*G.Node, error) {
	for _, step := range steps {
		var err error
		if x, err = step(x); err != nil {
			return nil, named(name, err)
		}
	}
	return x, nil
}

// number is a constant of a node's graph and dtype, which is float32 or float64.
func number(like *G.Node, x float64) *G.Node {
	in := G.In(like.Graph())
	if like.Dtype() == tensor.Float32 {
		return G.NewConstant(float32(x), in)
	}
	return G.NewConstant(x, in)
}

// attributes are those of a node.
type attributes = map[string]any
