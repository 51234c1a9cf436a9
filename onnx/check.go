package onnx

import (
	"fmt"

	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/opset"
	"gorgonia.org/tensor"
)

// A role is what an input is to an operator.
type role int

const (
	data role = iota
	indices
	updates
)

// A parameter is one input of an operator, under ONNX's name for it.
type parameter struct {
	name     string
	role     role
	rank     int // the least
	optional bool
}

// check applies the version's rules to the inputs: their number, dtypes and
// ranks, and the ranges of attributes that depend on them. How the shapes must
// fit each other is the operators' own concern.
func (c call) check(inputs []opset.Description) error {
	if len(inputs) > len(c.parameters) {
		return fault.Errorf(dense.ErrShape, "%s: %d inputs, at most %d are allowed", c.name(), len(inputs), len(c.parameters))
	}
	rank := map[role]int{}
	var elements tensor.Dtype // of data
	for i, p := range c.parameters {
		if i >= len(inputs) || !inputs[i].Given {
			if p.optional {
				continue
			}
			return fault.Errorf(dense.ErrShape, "%s: no %s, its input %d", c.name(), p.name, i)
		}
		in := inputs[i]
		if err := c.checkDtype(p, in.Dtype); err != nil {
			return err
		}
		if p.role == data {
			elements = in.Dtype
		}
		if p.role == updates && in.Dtype != elements {
			return fault.Errorf(dense.ErrDtype, "%s: %s of type %s, data is of type %s", c.name(), p.name, dtypeName(in.Dtype), dtypeName(elements))
		}
		if len(in.Shape) < p.rank {
			return fault.Errorf(dense.ErrShape, "%s: %s %s has rank %d, the least is %d%s", c.name(), p.name, fault.Shape(in.Shape), len(in.Shape), p.rank, fault.ScalarHint(in.Shape, fault.Ones(p.rank)))
		}
		rank[p.role] = len(in.Shape)
	}
	for _, a := range c.version.attrs {
		if a.in == nil {
			continue
		}
		low, high := a.in(rank[data], rank[indices])
		if x := c.ints[a.name]; x < int64(low) || x > int64(high) {
			if a.name == "axis" {
				return fault.Errorf(dense.ErrAxis, "%s: axis %d is not in [%d, %d] for data of rank %d", c.name(), x, low, high, rank[data])
			}
			return fault.Errorf(dense.ErrOption, "%s: %s %d is not in [%d, %d] for data of rank %d and indices of rank %d",
				c.name(), a.name, x, low, high, rank[data], rank[indices])
		}
	}
	return nil
}

// checkDtype applies the version's type constraint to one input.
func (c call) checkDtype(p parameter, dt tensor.Dtype) error {
	set := func(v version) dtypes {
		if p.role == indices {
			return v.index
		}
		return v.data
	}
	if set(c.version).has(dt) {
		return nil
	}
	e := c.notAllowed(dense.ErrDtype, fmt.Sprintf("%s of type %s", p.name, dtypeName(dt)),
		func(v version) bool { return set(v).has(dt) })
	e.hint = ", allowed are " + set(c.version).String()
	return errors.WithStack(e)
}
