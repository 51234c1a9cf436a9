package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pkg/errors"
	"gorgonia.org/gather/shapes"
	"gorgonia.org/tensor"
)

// Call is one call of an operator. Its name says everything, so that it can be
// measured again; the values follow from the name.
type Call struct {
	Op        string // of package dense
	Reduction string // of a scatter (none, add, max) or of bags (sum, mean, max)
	InPlace   bool   // a scatter changes data itself
	Dtype     string
	Data      []int
	Layout    string // "" is row-major, S1 every second half of axis 1, T102 a row-major tensor with its axes in that order
	Axis      int
	BatchDims int
	Count     int // of segments, or of bags with offsets
	Index     string
	Indices   []int
}

// form is what an index addresses.
type form int

const (
	rows     form = iota // slices along an axis
	elements             // an element of its own line
	tuples               // slices, several indices each
	segments             // the row's target
	bags                 // a row of a bag
)

// operator is what there is to know of one.
type operator struct {
	form
	changes bool // data: a scatter, and the gradient of a gather
}

var operators = map[string]operator{
	"Gather": {rows, false}, "GatherElements": {elements, false}, "GatherND": {tuples, false},
	"ScatterUpdate": {rows, true}, "ScatterElements": {elements, true}, "ScatterND": {tuples, true},
	"AddGather": {rows, true}, "AddGatherElements": {elements, true}, "AddGatherND": {tuples, true},
	"SegmentSum": {segments, false}, "SegmentMean": {segments, false}, "SegmentMax": {segments, false},
	"EmbeddingBagPacked": {bags, false}, "EmbeddingBagOffsets": {bags, false},
}

func (c Call) form() form    { return operators[c.Op].form }
func (c Call) changes() bool { return operators[c.Op].changes }

// overflows tells of the one dtype whose means a plain loop cannot make of its sums.
func (c Call) overflows() bool {
	return c.Dtype == "uint8" && (c.Op == "SegmentMean" || c.Reduction == "mean")
}

// String is the call's name: "ScatterUpdate,add,inplace float32:9x2x3:T102 axis=1 int64:5".
func (c Call) String() string {
	s := c.Op
	if c.Reduction != "" {
		s += "," + c.Reduction
	}
	if c.InPlace {
		s += ",inplace"
	}
	s += " " + c.Dtype + ":" + shapeText(c.Data)
	if c.Layout != "" {
		s += ":" + c.Layout
	}
	for _, n := range c.numbers() {
		if *n.value != 0 {
			s += fmt.Sprintf(" %s=%d", n.name, *n.value)
		}
	}
	return s + " " + c.Index + ":" + shapeText(c.Indices)
}

type number struct {
	name  string
	value *int
}

func (c *Call) numbers() []number {
	return []number{{"axis", &c.Axis}, {"batch", &c.BatchDims}, {"count", &c.Count}}
}

// shapeText is "3x4", and "scalar" for rank 0.
func shapeText(shape []int) string {
	if len(shape) == 0 {
		return "scalar"
	}
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(shape), "[]"), " ", "x")
}

// parseCall reads a name.
func parseCall(name string) (c Call, err error) {
	var tensors []string
	for i, word := range strings.Fields(name) {
		key, value, isNumber := strings.Cut(word, "=")
		switch {
		case i == 0:
			op := strings.Split(word, ",")
			c.Op = op[0]
			if last := len(op) - 1; op[last] == "inplace" {
				c.InPlace, op = true, op[:last]
			}
			if len(op) == 2 {
				c.Reduction = op[1]
			}
		case isNumber:
			for _, n := range c.numbers() {
				if n.name == key {
					*n.value, err = strconv.Atoi(value)
				}
			}
		default:
			tensors = append(tensors, word)
		}
		if err != nil {
			return c, errors.Wrap(err, name)
		}
	}
	if len(tensors) == 2 {
		data, indices := strings.Split(tensors[0]+"::", ":"), strings.Split(tensors[1]+":", ":")
		c.Dtype, c.Data, c.Layout = data[0], parseShape(data[1]), data[2]
		c.Index, c.Indices = indices[0], parseShape(indices[1])
	}
	if c.String() != name {
		return c, errors.Errorf("%q is not the name of a call, as the report has them: it reads as %q", name, c)
	}
	return c, c.check()
}

// parseShape drops what is no number, and the name is another one then.
func parseShape(text string) (shape []int) {
	for _, n := range strings.Split(text, "x") {
		if size, err := strconv.Atoi(n); err == nil {
			shape = append(shape, size)
		}
	}
	return shape
}

// check refuses a call that cannot be made.
func (c Call) check() error {
	items, err := c.items()
	_, known := operators[c.Op]
	switch {
	case err != nil:
		return errors.Wrap(err, c.String())
	case !known || dtypes[c.Dtype].Type == nil || c.Dtype == "int32" || c.Index != "int64" && c.Index != "int32":
		return errors.Errorf("%v: the operator or a dtype is not known", c)
	case c.overflows():
		return errors.Errorf("%v: the plain loop has no mean of uint8", c)
	case len(items) == 0:
		return errors.Errorf("%v: the result is a scalar", c)
	case len(c.Data) > 4 || slices.Min(c.Data) < 1 || len(c.Indices) > 0 && slices.Min(c.Indices) < 1:
		return errors.Errorf("%v: ranks are 1 to 4, and sizes at least 1", c)
	}
	return nil
}

// items is the shape of what a gather makes, or of a scatter's updates; of segments and
// bags it is that of the result.
func (c Call) items() (tensor.Shape, error) {
	switch c.form() {
	case rows:
		return shapes.Gather(c.Data, c.Indices, c.Axis, 0)
	case elements:
		return shapes.GatherElements(c.Data, c.Indices, c.Axis)
	case tuples:
		return shapes.GatherND(c.Data, c.Indices, c.BatchDims)
	}
	n := c.Count
	if n == 0 && len(c.Indices) > 0 {
		n = c.Indices[0]
	}
	return slices.Concat([]int{n}, c.Data[min(1, len(c.Data)):]), nil
}

// of is the number of elements of a shape.
func of(shape []int) int { return tensor.Shape(shape).TotalSize() }
