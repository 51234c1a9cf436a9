package openvino

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/opset"
)

// A call is a layer resolved to a row of the table, with its attributes read,
// and its axis where that is an input. Apply, Eval and OutputShape all start from one
// and differ only in what they do with it.
type call struct {
	operator
	layer   Layer
	opset   int
	version version
	negates bool // negative indices count from the end

	ints  map[string]int // attributes, set or by default
	words map[string]string
	axis  int // an attribute or an input, where the operator has one
}

// name is the operator with its version, for errors.
func (c *call) name() string { return fmt.Sprintf("%s-%d", c.layer.Type, c.version.since) }

// resolve finds the layer's row of the table and reads its attributes. What
// depends on the inputs is left to check.
func resolve(l Layer) (*call, error) {
	op, ok := operators[l.Type]
	if !ok {
		return nil, fault.Errorf(dense.ErrOption, "layer type %q is not supported%s", fault.Cut(l.Type), opset.Allowed(l.Type, operatorNames()))
	}
	c := &call{operator: op, layer: l, ints: map[string]int{}, words: map[string]string{}}
	var err error
	if c.opset, err = l.opset(); err != nil {
		return nil, err
	}
	rel, err := l.release()
	if err != nil {
		return nil, err
	}
	if c.version, err = c.row(); err != nil {
		return nil, err
	}
	c.negates = c.version.negatives == counted || c.version.negatives == released && !rel.before(negativesAccepted)
	return c, c.readAttributes()
}

func operatorNames() []string { return slices.Sorted(maps.Keys(operators)) }

// row is the operator's newest version that is not above the operator set.
func (c *call) row() (version, error) {
	rows := versions[c.layer.Type]
	if first := rows[0].since; c.opset < first {
		return version{}, errors.WithStack(&VersionError{Op: c.layer.Type, Opset: c.opset, Since: first})
	}
	row := rows[0]
	for _, v := range rows[1:] {
		if v.since <= c.opset {
			row = v
		}
	}
	return row, nil
}

// notAllowed is the error about what, which the version lacks. allows tells
// whether another version has it.
func (c *call) notAllowed(cause error, what string, allows func(version) bool) *VersionError {
	e := &VersionError{Op: c.layer.Type, Opset: c.opset, Version: c.version.since, What: what, cause: cause}
	for _, v := range versions[c.layer.Type] {
		if v.since > c.version.since && allows(v) {
			e.Since = v.since
			break
		}
	}
	return e
}

// readAttributes takes over what the layer sets, and the defaults of the rest.
func (c *call) readAttributes() error {
	for _, name := range slices.Sorted(maps.Keys(c.layer.Attributes)) {
		if _, ok := c.version.attribute(name); !ok {
			return c.unknownAttribute(name)
		}
	}
	for _, a := range c.version.attrs {
		value, given := c.layer.Attributes[a.name]
		if !given {
			if value = a.fallback; value == "" {
				return fault.Errorf(dense.ErrOption, "%s: no attribute %q, which must be set", c.name(), a.name)
			}
		}
		if err := c.readAttribute(a, value); err != nil {
			return err
		}
	}
	return nil
}

// unknownAttribute is the error about an attribute that the version lacks.
func (c *call) unknownAttribute(name string) error {
	e := c.notAllowed(dense.ErrOption, fmt.Sprintf("attribute %q", fault.Cut(name)), func(v version) bool {
		_, has := v.attribute(name)
		return has
	})
	var known []string
	for _, a := range c.version.attrs {
		known = append(known, a.name)
	}
	e.hint = opset.Allowed(name, known)
	return errors.WithStack(e)
}

func (c *call) readAttribute(a attribute, value string) error {
	if a.words == nil {
		n, err := strconv.Atoi(value)
		if err != nil {
			return fault.Errorf(dense.ErrOption, "%s: attribute %q is %q, an integer is allowed", c.name(), a.name, fault.Cut(value))
		}
		c.ints[a.name] = n
		if a.name == "axis" {
			c.axis = n
		}
		return nil
	}
	if !a.allows(value) {
		allowed := c.notAllowed(dense.ErrOption, "", func(v version) bool {
			later, has := v.attribute(a.name)
			return has && later.allows(value)
		})
		allowed.What = fmt.Sprintf("attribute %q with value %q (out of %s)", a.name, fault.Cut(value), strings.Join(a.words, ", "))
		return errors.WithStack(allowed)
	}
	c.words[a.name] = value
	return nil
}

// options are the version's settings for the operators of packages gather and
// dense.
func (c *call) options() []dense.Option {
	var options []dense.Option
	if !c.negates {
		options = append(options, dense.WithNonNegativeIndices())
	}
	if c.version.outOfRange != dense.Reject {
		options = append(options, dense.WithOutOfRange(c.version.outOfRange))
	}
	if n := c.ints["batch_dims"]; n != 0 {
		options = append(options, dense.WithBatchDims(n))
	}
	if c.version.fused {
		options = append(options, dense.WithFusedBatchDims())
	}
	if word, ok := c.words["reduction"]; ok {
		options = append(options, dense.WithReduction(reductions[word]))
	}
	if c.words["use_init_val"] == "false" {
		options = append(options, dense.WithInitValue(false))
	}
	return options
}
