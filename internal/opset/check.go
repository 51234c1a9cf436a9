package opset

import (
	"fmt"

	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/tensor"
)

// A Role is what an input is to an operator.
type Role int

const (
	Data    Role = iota
	Indices      // of the dtypes in the version's other column
	Alike        // of data's dtype
	Own          // of dtypes of its own
)

// A Parameter is one input of an operator, under the specification's name for it.
type Parameter struct {
	Name     string
	Role     Role
	Rank     int // the least
	Optional bool
	Dtypes   Dtypes // of an Own
}

// Describe describes the inputs, each by a call of one. Errors name the parameter.
func Describe[T any](c *Call, inputs []T, one func(T) (Description, error)) ([]Description, error) {
	described := make([]Description, len(inputs))
	for i, in := range inputs {
		var err error
		if described[i], err = one(in); err != nil {
			return nil, errors.WithMessagef(err, "%s: %s", c.Name(), c.inputName(i))
		}
	}
	return described, nil
}

// inputName is what an error calls an input. One more than the operator has may be
// the axis, where that is an input.
func (c *Call) inputName(i int) string {
	if i < len(c.Parameters) {
		return c.Parameters[i].Name
	}
	if i == len(c.Parameters) && c.AxisInput {
		return "axis"
	}
	return fmt.Sprintf("input %d", i)
}

// Check applies the version's rules to the inputs: which there are, their dtypes
// and ranks, and the ranges of attributes that depend on them. How the shapes must
// fit each other is the operators' own concern. An input without a dtype is held to
// its rank alone.
func (c *Call) Check(inputs []Description) error {
	for i, p := range c.Parameters {
		switch given := i < len(inputs) && inputs[i].Given; {
		case given:
			if err := c.checkInput(p, inputs[i], inputs[0].Dtype); err != nil {
				return err
			}
		case !p.Optional:
			return fault.Errorf(dense.ErrShape, "%s: no %s, its input %d", c.Name(), p.Name, i)
		}
	}
	return c.checkRanges(inputs)
}

// checkInput holds one input to the dtypes of the version, to that of data, and to
// its least rank.
func (c *Call) checkInput(p Parameter, in Description, data tensor.Dtype) error {
	if in.Dtype.Type != nil {
		if err := c.CheckDtype(p, in.Dtype); err != nil {
			return err
		}
		if p.Role == Alike && in.Dtype != data {
			return fault.Errorf(dense.ErrDtype, "%s: %s of type %s, %s is of type %s",
				c.Name(), p.Name, c.typeName(in.Dtype), c.Parameters[0].Name, c.typeName(data))
		}
	}
	if len(in.Shape) < p.Rank {
		return fault.Errorf(dense.ErrShape, "%s: %s %s has rank %d, the least is %d%s",
			c.Name(), p.Name, fault.Shape(in.Shape), len(in.Shape), p.Rank, fault.ScalarHint(in.Shape, fault.Ones(p.Rank)))
	}
	return nil
}

// CheckDtype applies the version's type constraint to one input.
func (c *Call) CheckDtype(p Parameter, dt tensor.Dtype) error {
	column := func(v Version) Dtypes { return v.Data }
	switch p.Role {
	case Indices:
		column = func(v Version) Dtypes { return v.Index }
	case Own:
		column = func(Version) Dtypes { return p.Dtypes }
	}
	set := column(c.Version)
	if set.Has(dt) {
		return nil
	}
	return c.outOf(dense.ErrDtype, fmt.Sprintf("%s of type %s", p.Name, c.typeName(dt)), set.Text(c.specification.TypeName),
		func(v Version) bool { return column(v).Has(dt) })
}

// typeName is the specification's name of a dtype, or Go's where it has none.
func (c *Call) typeName(dt tensor.Dtype) string { return c.specification.NameOf(dt) }

// NameOf is the specification's name of a dtype, or Go's where it has none.
func (s *Specification) NameOf(dt tensor.Dtype) string {
	if name := s.TypeName(dt); name != "" {
		return name
	}
	if dt.Type == nil {
		return "none"
	}
	return dt.String()
}

// checkRanges holds the integer attributes to the ranges that the ranks of data
// and indices give them.
func (c *Call) checkRanges(inputs []Description) error {
	rank := map[Role]int{}
	for i, in := range inputs[:min(len(inputs), len(c.Parameters))] {
		rank[c.Parameters[i].Role] = len(in.Shape)
	}
	for _, a := range c.Version.Attributes {
		if a.In == nil {
			continue
		}
		low, high := a.In(rank[Data], rank[Indices])
		n := c.Ints[a.Name]
		switch {
		case n >= int64(low) && n <= int64(high):
		case a.Name == "axis":
			return fault.Errorf(dense.ErrAxis, "%s: axis %d is not in [%d, %d] for data of rank %d", c.Name(), n, low, high, rank[Data])
		default:
			return fault.Errorf(dense.ErrOption, "%s: %s %d is not in [%d, %d] for data of rank %d and indices of rank %d",
				c.Name(), a.Name, n, low, high, rank[Data], rank[Indices])
		}
	}
	return nil
}
