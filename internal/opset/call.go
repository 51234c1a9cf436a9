package opset

import (
	"fmt"
	"maps"
	"slices"

	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/tensor"
)

// A Specification is a table of versions, and how its texts spell things.
type Specification struct {
	Versions   map[string][]Version // each in ascending order
	Reductions map[string]dense.Reduction
	TypeName   func(tensor.Dtype) string // "" for a dtype that only Go has
	Opset      string                    // an operator set, as "opset %d"
	Word       string                    // an attribute and its word, as "%s %q"
	OutOf      bool                      // an error lists what is allowed behind what is not, and not at its end
}

// A Call is one use of an operator: its version, and what its attributes and
// inputs say.
type Call struct {
	Op         string
	Opset      int
	Version    Version
	Parameters []Parameter
	AxisInput  bool // the axis is one more input, the last

	Ints        map[string]int64 // attributes, set or by default
	Words       map[string]string
	Axis        int  // where the operator has one
	NonNegative bool // indices below zero are out of range

	specification *Specification
}

// Call finds the operator's newest version that is not above the operator set.
func (s *Specification) Call(op string, opset int) (*Call, error) {
	rows := s.Versions[op]
	if opset < 1 {
		return nil, fault.Errorf(dense.ErrOption, "%s: opset %d, the first one is 1: set it in the node", op, opset)
	}
	if first := rows[0].Since; opset < first {
		return nil, errors.WithStack(&VersionError{Op: op, Opset: opset, Since: first, opset: s.Opset})
	}
	row := rows[0]
	for _, v := range rows[1:] {
		if v.Since <= opset {
			row = v
		}
	}
	c := &Call{
		Op: op, Opset: opset, Version: row, NonNegative: row.Negatives == Refused,
		Ints: map[string]int64{}, Words: map[string]string{}, specification: s,
	}
	if row.Instead != "" {
		return nil, errors.WithStack(&VersionError{Op: op, Opset: opset, Version: row.Since, Instead: row.Instead, opset: s.Opset})
	}
	return c, nil
}

// Name is the operator with its version, as Gather-11, for errors.
func (c *Call) Name() string { return fmt.Sprintf("%s-%d", c.Op, c.Version.Since) }

// NotAllowed is the error about what, which the version lacks. allows tells
// whether another version has it; nil stands for none.
func (c *Call) NotAllowed(cause error, what string, allows func(Version) bool) *VersionError {
	e := &VersionError{Op: c.Op, Opset: c.Opset, Version: c.Version.Since, What: what, cause: cause, opset: c.specification.Opset}
	for _, v := range c.specification.Versions[c.Op] {
		if allows != nil && v.Since > c.Version.Since && allows(v) {
			e.Since = v.Since
			break
		}
	}
	return e
}

// outOf is NotAllowed with a list of what is.
func (c *Call) outOf(cause error, what, allowed string, allows func(Version) bool) error {
	hint := ", allowed are " + allowed
	if c.specification.OutOf {
		what, hint = fmt.Sprintf("%s (out of %s)", what, allowed), ""
	}
	e := c.NotAllowed(cause, what, allows)
	e.hint = hint
	return errors.WithStack(e)
}

// NegativeIndex is the error about an index below zero that the version takes as
// out of range, but that later ones count from the end of the axis; where it is one
// of Released, from that release on.
func (c *Call) NegativeIndex(cause error, release string) error {
	e := c.NotAllowed(cause, "a negative index", func(v Version) bool { return v.Negatives != Refused })
	if c.Version.Negatives == Released {
		e.Since = c.Version.Since
	}
	for _, v := range c.specification.Versions[c.Op] {
		if v.Since == e.Since && v.Negatives == Released {
			e.Release = release
		}
	}
	return errors.WithStack(e)
}

// UnknownAttribute is the error about an attribute that the version lacks.
func (c *Call) UnknownAttribute(name string) error {
	e := c.NotAllowed(dense.ErrOption, fmt.Sprintf("attribute %q", fault.Cut(name)), func(v Version) bool {
		_, ok := v.Attribute(name)
		return ok
	})
	var known []string
	for _, a := range c.Version.Attributes {
		known = append(known, a.Name)
	}
	e.hint = Allowed(name, known)
	return errors.WithStack(e)
}

// ReadAttributes takes over what is set, and the defaults of the rest. read makes
// an int64 or a string of a value, as the attribute needs. Ranges that depend on
// the inputs are left to Check.
func ReadAttributes[T any](c *Call, set map[string]T, read func(c *Call, a Attribute, value T) (any, error)) error {
	for _, name := range slices.Sorted(maps.Keys(set)) {
		if _, ok := c.Version.Attribute(name); !ok {
			return c.UnknownAttribute(name)
		}
	}
	for _, a := range c.Version.Attributes {
		value := a.Default
		if given, ok := set[a.Name]; ok {
			var err error
			if value, err = read(c, a, given); err != nil {
				return err
			}
		} else if value == nil {
			return fault.Errorf(dense.ErrOption, "%s: no attribute %q, which must be set", c.Name(), a.Name)
		}
		if err := c.take(a, value); err != nil {
			return err
		}
	}
	return nil
}

// take takes the value of one attribute.
func (c *Call) take(a Attribute, value any) error {
	switch x := value.(type) {
	case int64:
		c.Ints[a.Name] = x
		if a.Name == "axis" {
			c.Axis = int(x) // Check knows the whole of it
		}
	case string:
		if !a.Allows(x) {
			return c.outOf(dense.ErrOption, fmt.Sprintf(c.specification.Word, a.Name, fault.Cut(x)), List(a.Words), func(v Version) bool {
				other, ok := v.Attribute(a.Name)
				return ok && other.Allows(x)
			})
		}
		c.Words[a.Name] = x
	}
	return nil
}

// Options are the version's settings for the operators of packages gather and
// dense.
func (c *Call) Options() []dense.Option {
	var options []dense.Option
	if c.NonNegative {
		options = append(options, dense.WithNonNegativeIndices())
	}
	if c.Version.OutOfRange != dense.Reject {
		options = append(options, dense.WithOutOfRange(c.Version.OutOfRange))
	}
	if n := c.Ints["batch_dims"]; n != 0 {
		options = append(options, dense.WithBatchDims(int(n)))
	}
	if c.Version.FusedBatch {
		options = append(options, dense.WithFusedBatchDims())
	}
	if word, ok := c.Words["reduction"]; ok {
		options = append(options, dense.WithReduction(c.specification.Reductions[word]))
	}
	if c.Words["use_init_val"] == "false" {
		options = append(options, dense.WithInitValue(false))
	}
	return options
}
