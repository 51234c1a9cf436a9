package onnx

import (
	"fmt"
	"maps"
	"slices"

	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/opset"
)

// A Node is one use of an operator: its name, the version of ONNX's operator set
// it is written for, and the attributes it sets. The operator's version is the
// newest one not newer than the opset: Gather in opset 12 is Gather-11.
//
// An integer attribute may be an int64 or an int, a string attribute is a
// string. An attribute that is not set has its default.
type Node struct {
	OpType     string
	Opset      int
	Attributes map[string]any

	Domain          string   // of the operator, "" for ONNX's own
	Name            string   // the model's, "" if it has none
	Inputs, Outputs []string // the model's names, "" for one that is left out
}

// A VersionError says that a node asks for what the version it names does not
// allow, and which version does.
type VersionError struct {
	Op      string // the operator, as "Gather"
	Opset   int    // the opset the node names
	Version int    // the operator's version in it; 0 if it has none
	What    string // what is not allowed, as "data of type bfloat16"; "" for the operator itself
	Since   int    // the first opset that allows it; 0 if none does
	Instead string // the operator that took its place

	kind error
	hint string // what is allowed, for an error about what no version allows
}

// Error reads like
//
//	Gather-11: data of type bfloat16 is not allowed in opset 12, it is since opset 13
func (e *VersionError) Error() string {
	if e == nil {
		return "no error"
	}
	name, what := e.Op, e.What+" is"
	if e.Version != 0 {
		name = fmt.Sprintf("%s-%d", e.Op, e.Version)
	}
	if e.What == "" {
		what = "the operator is"
	}
	switch {
	case e.Instead != "":
		return fmt.Sprintf("%s: %s not allowed in opset %d, use %s", name, what, e.Opset, e.Instead)
	case e.Since != 0:
		return fmt.Sprintf("%s: %s not allowed in opset %d, it is since opset %d", name, what, e.Opset, e.Since)
	}
	return fmt.Sprintf("%s: %s not allowed in opset %d, nor in any other%s", name, what, e.Opset, e.hint)
}

// Unwrap is ErrDtype or ErrOption of packages dense and gather, or nil.
func (e *VersionError) Unwrap() error {
	if e == nil {
		return nil
	}
	return e.kind
}

// A call is a node whose version, attributes and inputs were checked. Apply and
// Eval differ only in what they do with one.
type call struct {
	operator
	op      string
	opset   int
	version version
	ints    map[string]int64
	words   map[string]string
}

// name is the operator with its version, for errors.
func (c call) name() string { return fmt.Sprintf("%s-%d", c.op, c.version.since) }

// notAllowed is the error about what, which the version lacks. allows tells
// whether another version has it.
func (c call) notAllowed(kind error, what string, allows func(version) bool) *VersionError {
	e := &VersionError{Op: c.op, Opset: c.opset, Version: c.version.since, What: what, kind: kind}
	for _, v := range versions[c.op] {
		if v.since > c.version.since && allows(v) {
			e.Since = v.since
			break
		}
	}
	return e
}

// unknownAttribute is the error about an attribute that the version lacks.
func (c call) unknownAttribute(name string) error {
	e := c.notAllowed(dense.ErrOption, fmt.Sprintf("attribute %q", fault.Cut(name)), func(v version) bool {
		_, ok := v.attribute(name)
		return ok
	})
	var known []string
	for _, a := range c.version.attrs {
		known = append(known, a.name)
	}
	e.hint = opset.Allowed(name, known)
	return errors.WithStack(e)
}

// unknownOperator is the error about an operator that is in no list.
func unknownOperator(op string) error {
	known := slices.Sorted(maps.Keys(operators))
	return fault.Errorf(dense.ErrOption, "operator %q is not supported%s", fault.Cut(op), opset.Allowed(op, known))
}

// versionOf finds the row of the table for an operator in an opset.
func versionOf(op string, opset int) (version, error) {
	rows := versions[op]
	if opset < 1 {
		return version{}, fault.Errorf(dense.ErrOption, "%s: opset %d, the first one is 1", op, opset)
	}
	if first := rows[0].since; opset < first {
		return version{}, errors.WithStack(&VersionError{Op: op, Opset: opset, Since: first})
	}
	row := rows[0]
	for _, v := range rows[1:] {
		if v.since <= opset {
			row = v
		}
	}
	if row.instead != "" {
		return row, errors.WithStack(&VersionError{Op: op, Opset: opset, Version: row.since, Instead: row.instead})
	}
	return row, nil
}

// resolve finds the node's version and reads its attributes. Ranges that depend
// on the inputs are left to check.
func resolve(n Node) (call, error) {
	op, ok := operators[n.OpType]
	if !ok {
		return call{}, unknownOperator(n.OpType)
	}
	c := call{operator: op, op: n.OpType, opset: n.Opset, ints: map[string]int64{}, words: map[string]string{}}
	var err error
	if c.version, err = versionOf(n.OpType, n.Opset); err != nil {
		return c, err
	}
	for _, name := range slices.Sorted(maps.Keys(n.Attributes)) {
		if _, ok := c.version.attribute(name); !ok {
			return c, c.unknownAttribute(name)
		}
	}
	for _, a := range c.version.attrs {
		value, given := n.Attributes[a.name]
		if !given {
			value = a.fallback
		}
		if err := c.set(a, value); err != nil {
			return c, err
		}
	}
	return c, nil
}

// set takes the value of one attribute.
func (c call) set(a attribute, value any) error {
	if a.words == nil {
		switch x := value.(type) {
		case int64:
			c.ints[a.name] = x
		case int:
			c.ints[a.name] = int64(x)
		default:
			return fault.Errorf(dense.ErrOption, "%s: attribute %q is a %s, an integer is allowed", c.name(), a.name, kindOf(value))
		}
		return nil
	}
	word, ok := value.(string)
	if !ok {
		return fault.Errorf(dense.ErrOption, "%s: attribute %q is a %s, a string is allowed", c.name(), a.name, kindOf(value))
	}
	if !a.allows(word) {
		e := c.notAllowed(dense.ErrOption, fmt.Sprintf("%s %q", a.name, fault.Cut(word)), func(v version) bool {
			later, ok := v.attribute(a.name)
			return ok && later.allows(word)
		})
		e.hint = ", allowed are " + opset.List(a.words)
		return errors.WithStack(e)
	}
	c.words[a.name] = word
	return nil
}

// kindOf names what an attribute holds.
func kindOf(value any) string {
	if kind, ok := value.(unread); ok {
		return string(kind)
	}
	return fmt.Sprintf("%T", value)
}

func (v version) attribute(name string) (attribute, bool) {
	for _, a := range v.attrs {
		if a.name == name {
			return a, true
		}
	}
	return attribute{}, false
}

func (a attribute) allows(word string) bool {
	for _, w := range a.words {
		if w == word {
			return true
		}
	}
	return false
}
