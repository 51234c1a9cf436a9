package onnx

import (
	"fmt"
	"maps"
	"slices"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/opset"
)

// A Node is one use of an operator: its name, the version of ONNX's operator set
// it is written for, and the attributes it sets. The operator's version is the
// newest one not newer than the opset: Gather in opset 12 is Gather-11. That of an
// operator of another domain is a version of that domain's set.
//
// An integer attribute may be an int64 or an int, a string attribute is a
// string. An attribute that is not set has its default.
type Node struct {
	OpType     string
	Opset      int
	Attributes map[string]any

	Domain          string   // of the operator, "" for ONNX's own, as "ai.onnx.ml"
	Name            string   // the model's, "" if it has none
	Inputs, Outputs []string // the model's names, "" for one that is left out
}

// A VersionError says that a node asks for what the version it names does not
// allow, and which version does. It wraps ErrDtype or ErrOption of package dense,
// or nothing. Its fields are
//
//	Op      string // the operator, as "Gather"
//	Opset   int    // the opset the node names
//	Version int    // the operator's version in it; 0 if it has none
//	What    string // what is not allowed, as "data of type bfloat16"; "" for the operator itself
//	Since   int    // the first opset that allows it; 0 if none does
//	Instead string // the operator that took its place, "" if none did
//	Release string // always "": only OpenVINO has releases
//
// It reads like
//
//	Gather-11: data of type bfloat16 is not allowed in opset 12, it is since opset 13
//
// Find it by errors.As:
//
//	var bad *onnx.VersionError
//	if errors.As(err, &bad) && bad.Since > 0 {
//		fmt.Println(bad.Op, "is allowed since", bad.Since)
//	}
type VersionError = opset.VersionError

// unknownOperator is the error about an operator that is in no list.
func unknownOperator(op string) error {
	known := slices.Sorted(maps.Keys(operators))
	return fault.Errorf(dense.ErrOption, "operator %q is not supported%s", fault.Cut(op), opset.Allowed(op, known))
}

// resolve finds the node's version and reads its attributes. Ranges that depend
// on the inputs are left to check.
func resolve(n Node) (*opset.Call, error) {
	name := qualified(plainDomain(n.Domain), n.OpType)
	op, ok := operators[name]
	if !ok {
		return nil, unknownOperator(name)
	}
	c, err := specification.Call(name, n.Opset)
	if err != nil {
		return nil, err
	}
	c.Parameters = op.parameters
	return c, opset.ReadAttributes(c, n.Attributes, readAttribute)
}

// qualified is an operator's name with its domain in front, unless that is ONNX's
// own.
func qualified(domain, operator string) string {
	if domain != "" {
		return domain + "." + operator
	}
	return operator
}

// readAttribute is the value of an attribute, which must be of the kind that the
// operator has.
func readAttribute(c *opset.Call, a opset.Attribute, value any) (any, error) {
	if a.Words == nil {
		return integer(c, a.Name, value)
	}
	if word, ok := value.(string); ok {
		return word, nil
	}
	return nil, fault.Errorf(dense.ErrOption, "%s: attribute %q is a %s, a string is allowed", c.Name(), a.Name, kindOf(value))
}

// integer is the value of an integer attribute.
func integer(c *opset.Call, name string, value any) (int64, error) {
	switch x := value.(type) {
	case int64:
		return x, nil
	case int:
		return int64(x), nil
	}
	return 0, fault.Errorf(dense.ErrOption, "%s: attribute %q is a %s, an integer is allowed", c.Name(), name, kindOf(value))
}

// kindOf names what an attribute holds.
func kindOf(value any) string {
	if kind, ok := value.(unread); ok {
		return string(kind)
	}
	return fmt.Sprintf("%T", value)
}
