package onnx

import (
	"fmt"

	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/fault"
)

// A modelNode is a NodeProto.
type modelNode struct {
	name            string
	domain, opType  string
	overload        string // of the function that it calls, if that has one
	inputs, outputs []string
	attributes      []attributeProto // by name
}

// operator is the name of the node's operator, with its domain and, if it has one, the overload, as
// ONNX's text format has them.
func (n *modelNode) operator() string {
	if n.overload != "" {
		return qualified(n.domain, n.opType) + ":" + n.overload
	}
	return qualified(n.domain, n.opType)
}

// label names the node in an error.
func (n *modelNode) label() string {
	label := fault.Cut(n.operator())
	switch {
	case n.name != "":
		label += " " + fault.Cut(n.name)
	case len(n.outputs) > 0:
		label += " of " + fault.Cut(n.outputs[0])
	}
	return label
}

// at is a place for errors, that of the node in its model.
func (n *modelNode) at(i int) func(error) error {
	text := fmt.Sprintf("node %d", i)
	if n.opType != "" {
		text += fmt.Sprintf(" (%s)", n.label())
	}
	return func(err error) error { return &NodeError{Index: i, Node: text, Err: err} }
}

// parse makes n the node of a message. It takes the lists that n has, where they
// are long enough, and counts before it makes longer ones.
func (n *modelNode) parse(b []byte, scratch *tensorProto) error {
	var inputs, outputs, attributes int
	err := eachField("NodeProto", b, func(f field) error {
		switch f.number {
		case 1:
			inputs++
		case 2:
			outputs++
		case 5:
			attributes++
		}
		return nil
	})
	if err != nil {
		return err
	}
	*n = modelNode{inputs: room(n.inputs, inputs), outputs: room(n.outputs, outputs), attributes: room(n.attributes, attributes)}
	err = eachField("NodeProto", b, func(f field) (err error) {
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
			var part []byte
			var a attributeProto
			if part, err = f.message(); err == nil {
				a, err = parseAttribute(part, scratch)
			}
			n.attributes = append(n.attributes, a)
		case 7:
			n.domain, err = f.text()
			n.domain = plainDomain(n.domain)
		case 8:
			n.overload, err = f.text()
		}
		return err
	})
	switch {
	case err != nil:
		return err
	case n.opType == "":
		return errors.New("NodeProto: no op_type")
	}
	return n.sortAttributes()
}

// room is an empty list with room for so many elements.
func room[T any](list []T, count int) []T {
	if list != nil && cap(list) >= count {
		return list[:0]
	}
	return make([]T, 0, count)
}
