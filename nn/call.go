package nn

import (
	"fmt"
	"math"
	"regexp"
	"strings"

	"gorgonia.org/gather"
	"gorgonia.org/gather/internal/elem"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/graph"
	"gorgonia.org/gather/onnx"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// operands are what errors call the operands of a function, and which dtypes they have, all the
// same one. A name that ends in ? is of one that may be nil, in ! of one whose dtype is another,
// and in … of any number of them.
type operands struct {
	names  []string
	dtypes string // what is allowed, "" if it is everything
	allows func(x *G.Node) bool
}

func floats(names string) operands {
	return operands{strings.Fields(names), "float32 and float64", isFloat}
}

func numbers(names string) operands {
	return operands{strings.Fields(names), "float32, float64 and integers", func(x *G.Node) bool { return isFloat(x) || elem.IsIndex(x.Dtype()) }}
}

func anything(names string) operands { return operands{names: strings.Fields(names)} }

// name is that of operand i.
func (o operands) name(i int) string {
	if last := len(o.names) - 1; i >= last && strings.HasSuffix(o.names[last], "…") {
		return fmt.Sprintf("%s[%d]", strings.TrimSuffix(o.names[last], "…"), i-last)
	}
	return strings.TrimRight(o.names[i], "?!")
}

// has reports whether the name of operand i has a mark at its end.
func (o operands) has(mark string, i int) bool {
	return i < len(o.names) && strings.Contains(o.names[i], mark)
}

// check refuses nodes that are nil, of another graph, without a shape, or of other dtypes.
func (o operands) check(function string, nodes ...*G.Node) error {
	var names, alike []string
	var given, typed []*G.Node
	for i, n := range nodes {
		if n == nil && o.has("?", i) {
			continue
		}
		names, given = append(names, o.name(i)), append(given, n)
		if !o.has("!", i) {
			alike, typed = append(alike, o.name(i)), append(typed, n)
		}
	}
	if len(given) == 0 {
		return fault.Errorf(gather.ErrShape, "%s: no tensors, at least one is needed", function)
	}
	if err := graph.Nodes(function, names, given...); err != nil {
		return err
	}
	for i, n := range typed {
		switch {
		case o.dtypes != "" && !o.allows(n):
			return fault.Errorf(gather.ErrDtype, "%s: %s has dtype %v, allowed: %s", function, alike[i], elem.Name(n.Dtype()), o.dtypes)
		case n.Dtype() != typed[0].Dtype():
			hint := ""
			if isFloat(typed[0]) && isFloat(n) && (n.IsScalar() || typed[0].IsScalar()) {
				hint = ": a number is NewConstant(float32(2)) beside float32, NewConstant(2.) beside float64"
			}
			return fault.Errorf(gather.ErrDtype, "%s: %s has dtype %v, %s has %v, they must be equal%s",
				function, alike[0], elem.Name(typed[0].Dtype()), alike[i], elem.Name(n.Dtype()), hint)
		}
	}
	return nil
}

// checkBool refuses an operand, which has been checked but for its dtype, that is not bool.
func checkBool(function, operand string, n *G.Node) error {
	if n.Dtype() != tensor.Bool {
		return fault.Errorf(gather.ErrDtype, "%s: %s has dtype %v, allowed: bool", function, operand, elem.Name(n.Dtype()))
	}
	return nil
}

// call adds an operator of package builders to the graph, by the rules of an opset. name is
// what this package calls it.
func call(name string, o operands, build onnx.Builder, opset int, a attributes, inputs ...*G.Node) (*G.Node, error) {
	if err := o.check(name, inputs...); err != nil {
		return nil, err
	}
	if epsilon, given := a["epsilon"].(float64); given && !(epsilon >= 0 && epsilon <= math.MaxFloat64) {
		return nil, fault.Errorf(gather.ErrOption, "%s: epsilon is %v, a finite number from 0 on is needed", name, epsilon)
	}
	// A builder may need one of them alone, which as a constant has no graph.
	last := len(inputs)
	for last > 0 && inputs[last-1] == nil {
		last--
	}
	out, err := build(onnx.Node{OpType: name, Opset: opset, Attributes: a}, graph.Bind(inputs[:last]...)...)
	if err != nil {
		return nil, fault.Reword(err, name+": "+o.reword(name, err.Error()))
	}
	return out[0], nil
}

// onnxWords are what packages onnx and builders call what has another name here, or none.
var onnxWords = regexp.MustCompile(`^([A-Z]\w*-\d+: )+|\binput \d+\b|\b(strides|pads|dilations) are\b|\b(kernel_shape|pads|dilations|num_groups|perm|double|float|data)\b|\b[XW] (of|has)\b| in opset \d+, nor in any other$`)

// reword puts the words of this package into an error of package builders.
func (o operands) reword(name, text string) string {
	text = onnxWords.ReplaceAllStringFunc(text, func(word string) string {
		var i int
		if _, err := fmt.Sscanf(word, "input %d", &i); err == nil && (i < len(o.names) || strings.HasSuffix(o.names[len(o.names)-1], "…")) {
			return o.name(i)
		}
		switch to, ok := map[string]string{
			"kernel_shape": "Window.Kernel", "strides are": "Window.Stride is", "pads are": "Window.Padding of both ends is", "dilations are": "Window.Dilation is", "pads": "Window.Padding", "dilations": "Window.Dilation",
			"num_groups": "groups", "perm": "order", "float": "float32", "double": "float64", "data": "x",
			"X of": "x of", "W of": "weight of", "W has": "weight has",
		}[word]; {
		case ok:
			return to
		case strings.HasSuffix(word, ": "), strings.HasPrefix(word, " "):
			return ""
		}
		return word
	})
	text, again := strings.CutPrefix(text, name)
	if again {
		text = strings.TrimLeft(text, ": ")
	}
	return text
}

// named is an error with the name of the function in front, unless it begins with that.
func named(name string, err error) error {
	if err == nil || strings.HasPrefix(err.Error(), name+":") {
		return err
	}
	return fault.Reword(err, name+": "+err.Error())
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

// isFloat reports whether a node is of a dtype in which models are computed.
func isFloat(x *G.Node) bool { return x.Dtype() == tensor.Float32 || x.Dtype() == tensor.Float64 }

// attributes are those of a node.
type attributes = map[string]any
