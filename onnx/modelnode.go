package onnx

import (
	"math"

	"github.com/pkg/errors"
	"google.golang.org/protobuf/encoding/protowire"
)

// A modelNode is a NodeProto.
type modelNode struct {
	name            string
	domain, opType  string
	inputs, outputs []string
	attributes      map[string]any
}

// label names the node in an error.
func (n modelNode) label() string {
	label := n.opType
	if n.domain != "" {
		label = n.domain + "." + label
	}
	if n.name != "" {
		return label + " " + n.name
	}
	if len(n.outputs) > 0 {
		return label + " of " + n.outputs[0]
	}
	return label
}

func parseNode(b []byte) (modelNode, error) {
	var n modelNode
	err := eachField("NodeProto", b, func(f field) (err error) {
		var s string
		switch f.number {
		case 1:
			s, err = f.text()
			n.inputs = append(n.inputs, s)
		case 2:
			s, err = f.text()
			n.outputs = append(n.outputs, s)
		case 3:
			n.name, err = f.text()
		case 4:
			n.opType, err = f.text()
		case 5:
			var a []byte
			if a, err = f.message(); err == nil {
				err = n.parseAttribute(a)
			}
		case 7:
			n.domain, err = f.text()
			n.domain = plainDomain(n.domain)
		}
		return err
	})
	if err == nil && n.opType == "" {
		err = errors.New("NodeProto: no op_type")
	}
	return n, err
}

// unread stands for an attribute whose kind no operator here has: a graph, a
// sparse tensor, a type and their lists. It holds the kind's name.
type unread string

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

// kindOfField tells which kind of attribute a field of AttributeProto holds.
var kindOfField = map[protowire.Number]int64{
	2: kindFloat, 3: kindInt, 4: kindString, 5: kindTensor, 6: 5,
	7: kindFloats, 8: kindInts, 9: kindStrings, 10: 9, 11: 10, 14: 13, 15: 14, 22: 11, 23: 12,
}

// parseAttribute reads an AttributeProto. Graphs inside it stay unread, so that
// nothing here nests deeper than the messages of one flat model.
func (n *modelNode) parseAttribute(b []byte) error {
	var name string
	var kind, held int64 // as declared and as found; 0 when there is none
	var number int64
	var real float32
	var text string
	var tens *tensorProto
	var reals []float32
	var ints []int64
	var texts []string
	err := eachField("AttributeProto", b, func(f field) (err error) {
		if k, ok := kindOfField[f.number]; ok {
			if held != 0 && held != k {
				return errors.Errorf("%q is both %s and %s", name, kindNames[held], kindNames[k])
			}
			held = k
		}
		switch f.number {
		case 1:
			name, err = f.text()
		case 2:
			real, err = math.Float32frombits(uint32(f.word)), f.want(protowire.Fixed32Type)
		case 3:
			number, err = f.integer()
		case 4:
			var s []byte
			s, err = f.message()
			text = string(s)
		case 5:
			var t []byte
			if t, err = f.message(); err == nil {
				tens, err = parseTensor(t)
			}
		case 7:
			err = f.eachScalar(protowire.Fixed32Type, func(w uint64) error {
				reals = append(reals, math.Float32frombits(uint32(w)))
				return nil
			})
		case 8:
			err = f.eachScalar(protowire.VarintType, func(w uint64) error {
				ints = append(ints, int64(w))
				return nil
			})
		case 9:
			var s []byte
			s, err = f.message()
			texts = append(texts, string(s))
		case 20:
			kind, err = f.integer()
		case 21:
			err = errors.New("ref_attr_name outside a function")
		}
		return err
	})
	if err != nil {
		return err
	}
	if kind == 0 {
		kind = held // the first IR versions declared no kind
	}
	// Writers of protobuf 3 leave out a field that is zero or empty.
	if held != 0 && held != kind {
		return errors.Errorf("AttributeProto: %q is declared as %s and holds %s", name, kindNames[kind], kindNames[held])
	}
	if name == "" {
		return errors.New("AttributeProto: no name")
	}
	if _, twice := n.attributes[name]; twice {
		return errors.Errorf("AttributeProto: %q appears twice", name)
	}
	if n.attributes == nil {
		n.attributes = map[string]any{}
	}
	switch kind {
	case kindFloat:
		n.attributes[name] = real
	case kindInt:
		n.attributes[name] = number
	case kindString:
		n.attributes[name] = text
	case kindTensor:
		if tens == nil {
			return errors.Errorf("AttributeProto: %q has no tensor", name)
		}
		n.attributes[name] = tens
	case kindFloats:
		n.attributes[name] = reals
	case kindInts:
		n.attributes[name] = ints
	case kindStrings:
		n.attributes[name] = texts
	default:
		known, ok := kindNames[kind]
		if !ok {
			return errors.Errorf("AttributeProto: %q is of kind %d, which is none", name, kind)
		}
		n.attributes[name] = unread(known)
	}
	return nil
}
