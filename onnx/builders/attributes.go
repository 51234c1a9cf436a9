package builders

import (
	"slices"
	"strings"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
)

// integer is an integer attribute.
func (c *call) integer(name string, fallback int) (int, error) {
	switch x := c.node.Attributes[name].(type) {
	case nil:
		return fallback, nil
	case int64:
		return bounded(x), nil
	case int:
		return x, nil
	default:
		return 0, c.wrongKind(name, x, "an integer")
	}
}

// boolean is an integer attribute that is 0 or 1.
func (c *call) boolean(name string, fallback bool) (bool, error) {
	n := 0
	if fallback {
		n = 1
	}
	n, err := c.integer(name, n)
	if err == nil && n != 0 && n != 1 {
		err = fault.Errorf(dense.ErrOption, "%s is %d, 0 and 1 are allowed", name, n)
	}
	return n == 1, err
}

// real is a float attribute.
func (c *call) real(name string, fallback float64) (float64, error) {
	switch x := c.node.Attributes[name].(type) {
	case nil:
		return fallback, nil
	case float32:
		return float64(x), nil
	case float64:
		return x, nil
	default:
		return 0, c.wrongKind(name, x, "a float")
	}
}

// text is an attribute that is a string, one of those allowed.
func (c *call) text(name, fallback string, allowed ...string) (string, error) {
	switch x := c.node.Attributes[name].(type) {
	case nil:
		return fallback, nil
	case string:
		if !slices.Contains(allowed, x) {
			return "", fault.Errorf(dense.ErrOption, "%s is %q, %s are allowed", name, fault.Cut(x), strings.Join(allowed, ", "))
		}
		return x, nil
	default:
		return "", c.wrongKind(name, x, "a string")
	}
}

// integers is an attribute that is a list of integers, and whether it is given.
func (c *call) integers(name string) ([]int, bool, error) {
	var list []int
	switch x := c.node.Attributes[name].(type) {
	case nil:
		return nil, false, nil
	case []int64:
		for _, n := range x {
			list = append(list, bounded(n))
		}
	case []int:
		list = x
	default:
		return nil, true, c.wrongKind(name, x, "a list of integers")
	}
	return list, true, checkLength(name, len(list))
}

// maxAxes bounds the lists that have an element for each axis, or two: a list of a
// million ones would make a shape of a million axes.
const maxAxes = 128

// checkLength refuses lists that no operator can use. The sizes of a Split may be
// any number.
func checkLength(name string, n int) error {
	if n > maxAxes && name != "split" {
		return fault.Errorf(dense.ErrShape, "%s of %d elements, at most %d are allowed", name, n, maxAxes)
	}
	return nil
}

func (c *call) wrongKind(name string, value any, allowed string) error {
	return fault.Errorf(dense.ErrOption, "attribute %q is a %T, %s is allowed", name, value, allowed)
}
