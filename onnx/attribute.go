package onnx

import (
	"math"
	"slices"
	"strings"

	"github.com/pkg/errors"
	"google.golang.org/protobuf/encoding/protowire"
	"gorgonia.org/gather/internal/fault"
)

// The kinds of an attribute in AttributeProto.AttributeType.
const (
	kindFloat   = 1
	kindInt     = 2
	kindString  = 3
	kindTensor  = 4
	kindFloats  = 6
	kindInts    = 7
	kindStrings = 8
)

// kindNames spells the kinds as AttributeProto does.
var kindNames = map[int64]string{
	kindFloat: "FLOAT", kindInt: "INT", kindString: "STRING", kindTensor: "TENSOR", 5: "GRAPH",
	kindFloats: "FLOATS", kindInts: "INTS", kindStrings: "STRINGS", 9: "TENSORS", 10: "GRAPHS",
	11: "SPARSE_TENSOR", 12: "SPARSE_TENSORS", 13: "TYPE_PROTO", 14: "TYPE_PROTOS",
}

// The fields of an AttributeProto.
const (
	attributeName    protowire.Number = 1
	attributeFloat   protowire.Number = 2
	attributeInt     protowire.Number = 3
	attributeString  protowire.Number = 4
	attributeTensor  protowire.Number = 5
	attributeFloats  protowire.Number = 7
	attributeInts    protowire.Number = 8
	attributeStrings protowire.Number = 9
	attributeKind    protowire.Number = 20
	attributeRef     protowire.Number = 21
)

// kindOfField tells which kind of attribute a field of AttributeProto holds.
var kindOfField = map[protowire.Number]int64{
	2: kindFloat, 3: kindInt, 4: kindString, 5: kindTensor, 6: 5,
	7: kindFloats, 8: kindInts, 9: kindStrings, 10: 9, 11: 10, 14: 13, 15: 14, 22: 11, 23: 12,
}

// An attributeProto is an AttributeProto whose name and kind are known and whose
// value is still where the file has it. Graphs inside it are never read, so
// that nothing here nests deeper than the messages of one flat model.
type attributeProto struct {
	name string
	kind int64
	body []byte // the whole message
}

// unread stands for an attribute of a kind that no operator of this package has: a
// tensor, a graph, a type or a list of them. It holds the kind's name.
type unread string

// parseAttribute reads an AttributeProto, and looks through all of its value.
// scratch is a tensor to use for that.
func parseAttribute(b []byte, scratch *tensorProto) (attributeProto, error) {
	a := attributeProto{body: b}
	held := int64(0) // the kind of the value found, 0 if there is none
	skip := func(uint64) error { return nil }
	err := eachField("AttributeProto", b, func(f field) (err error) {
		if k, ok := kindOfField[f.number]; ok {
			if held != 0 && held != k {
				return errors.Errorf("%q is both %s and %s", fault.Cut(a.name), kindNames[held], kindNames[k])
			}
			held = k
		}
		switch f.number {
		case attributeName:
			a.name, err = f.text()
		case attributeFloat:
			err = f.want(fixed32)
		case attributeInt:
			err = f.want(varint)
		case attributeString, attributeStrings:
			err = f.want(protowire.BytesType)
		case attributeTensor:
			var t []byte
			if t, err = f.message(); err == nil {
				err = scratch.parse(t)
			}
		case attributeFloats:
			err = f.eachScalar(fixed32, skip)
		case attributeInts:
			err = f.eachScalar(varint, skip)
		case attributeKind:
			a.kind, err = f.integer()
		case attributeRef:
			err = errors.New("ref_attr_name outside a function")
		}
		return err
	})
	if err != nil {
		return a, err
	}
	if a.kind == 0 {
		a.kind = held // the first IR versions declared no kind
	}
	name := fault.Cut(a.name)
	switch {
	case name == "":
		return a, errors.New("AttributeProto: no name")
	case kindNames[a.kind] == "":
		return a, errors.Errorf("AttributeProto: %q is of kind %d, which is none", name, a.kind)
	// Writers of protobuf 3 leave out a field that is zero or empty.
	case held != 0 && held != a.kind:
		return a, errors.Errorf("AttributeProto: %q is declared as %s and holds %s", name, kindNames[a.kind], kindNames[held])
	case a.kind == kindTensor && held == 0:
		return a, errors.Errorf("AttributeProto: %q has no tensor", name)
	}
	return a, nil
}

// sortAttributes puts the attributes in the order of their names, in which two of
// one name stand side by side.
func (n *modelNode) sortAttributes() error {
	slices.SortFunc(n.attributes, func(a, b attributeProto) int { return strings.Compare(a.name, b.name) })
	for i := range n.attributes[min(1, len(n.attributes)):] {
		if n.attributes[i].name == n.attributes[i+1].name {
			return errors.Errorf("AttributeProto: %q appears twice", fault.Cut(n.attributes[i].name))
		}
	}
	return nil
}

// each calls visit for every field of that number.
func (a attributeProto) each(number protowire.Number, visit func(field) error) error {
	return eachField("AttributeProto", a.body, func(f field) error {
		if f.number != number {
			return nil
		}
		return visit(f)
	})
}

// value is an integer, a float or a string, 0 or "" where the file has none, of
// which the last one counts, or a list of them.
func (a attributeProto) value() (value any, err error) {
	switch a.kind {
	case kindFloat:
		var x float32
		err = a.each(attributeFloat, func(f field) error { x = math.Float32frombits(uint32(f.word)); return nil })
		return x, err
	case kindInt:
		var x int64
		err = a.each(attributeInt, func(f field) error { x = int64(f.word); return nil })
		return x, err
	case kindString:
		var x string
		err = a.each(attributeString, func(f field) error { x = string(f.bytes); return nil })
		return x, err
	case kindFloats, kindInts, kindStrings:
		return a.list()
	}
	return unread(kindNames[a.kind]), nil
}

// eachElement calls visit for every element of a list of numbers.
func (a attributeProto) eachElement(visit func(uint64) error) error {
	number, wire := attributeInts, varint
	if a.kind == kindFloats {
		number, wire = attributeFloats, fixed32
	}
	return a.each(number, func(f field) error { return f.eachScalar(wire, visit) })
}

// length is the number of elements of a list.
func (a attributeProto) length() (n int, err error) {
	if a.kind == kindStrings {
		err = a.each(attributeStrings, func(field) error { n++; return nil })
	} else {
		err = a.eachElement(func(uint64) error { n++; return nil })
	}
	return n, err
}

// list is a list of floats, integers or strings. They are counted first: a slice
// that grows takes five times the memory.
func (a attributeProto) list() (any, error) {
	n, err := a.length()
	if err != nil {
		return nil, err
	}
	switch a.kind {
	case kindFloats:
		list := make([]float32, 0, n)
		err := a.eachElement(func(w uint64) error { list = append(list, math.Float32frombits(uint32(w))); return nil })
		return list, err
	case kindInts:
		list := make([]int64, 0, n)
		err := a.eachElement(func(w uint64) error { list = append(list, int64(w)); return nil })
		return list, err
	}
	list := make([]string, 0, n)
	err = a.each(attributeStrings, func(f field) error { list = append(list, string(f.bytes)); return nil })
	return list, err
}
