package openvino

import (
	"maps"
	"slices"
	"strconv"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/opset"
)

// A call is a layer resolved to a row of the table, with its attributes read,
// and its axis where that is an input. Apply, Eval and OutputShape all start from one
// and differ only in what they do with it.
type call struct {
	*opset.Call
	layer Layer
}

// resolve finds the layer's row of the table and reads its attributes. What
// depends on the inputs is left to check.
func resolve(l Layer) (*call, error) {
	op, ok := operators[l.Type]
	if !ok {
		return nil, fault.Errorf(dense.ErrOption, "layer type %q is not supported%s", fault.Cut(l.Type), opset.Allowed(l.Type, operatorNames()))
	}
	set, err := l.operatorSet()
	if err != nil {
		return nil, err
	}
	rel, err := l.release()
	if err != nil {
		return nil, err
	}
	c, err := specification.Call(l.Type, set)
	if err != nil {
		return nil, err
	}
	c.Parameters, c.AxisInput = op.parameters, op.axisInput
	if c.Version.Negatives == opset.Released {
		c.NonNegative = rel.before(negativesAccepted)
	}
	return &call{c, l}, opset.ReadAttributes(c, l.Attributes, readAttribute)
}

func operatorNames() []string { return slices.Sorted(maps.Keys(operators)) }

// readAttribute is the value of an attribute, which a layer has as text.
func readAttribute(c *opset.Call, a opset.Attribute, text string) (any, error) {
	if a.Words != nil {
		return text, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return nil, fault.Errorf(dense.ErrOption, "%s: attribute %q is %q, an integer is allowed", c.Name(), a.Name, fault.Cut(text))
	}
	return int64(n), nil
}
