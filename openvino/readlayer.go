package openvino

import (
	"encoding/xml"
	"slices"
	"strings"

	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/opset"
)

// layer begins a layer.
func (p *parser) layer(t xml.StartElement) error {
	var l Layer
	rest := xml.StartElement{}
	seen := map[*string]bool{}
	for _, a := range t.Attr {
		field := l.own(a.Name.Local)
		switch {
		case field != nil && seen[field]:
			return twice(a.Name.Local)
		case field != nil:
			*field, seen[field] = a.Value, true
			if err := p.take(uint64(len(a.Value)), "a layer's "+a.Name.Local); err != nil {
				return err
			}
		default:
			rest.Attr = append(rest.Attr, a)
		}
	}
	if l.Type == "" {
		return errors.Errorf("layer %q has no type", fault.Cut(l.ID))
	}
	if err := l.misspelt(); err != nil {
		return errors.WithMessagef(err, "layer %q", fault.Cut(l.ID))
	}
	rest.Attr = slices.DeleteFunc(rest.Attr, func(a xml.Attr) bool { return !everHas(l.Type, a.Name.Local) })
	if err := p.attributes(&l, rest); err != nil {
		return err
	}
	p.layers = append(p.layers, l)
	return nil
}

// own is where the layer keeps an attribute of its own element, nil for others.
func (l *Layer) own(attribute string) *string {
	switch attribute {
	case "id":
		return &l.ID
	case "name":
		return &l.Name
	case "type":
		return &l.Type
	case "version":
		return &l.Version
	}
	return nil
}

// everHas tells whether any version of an operator has that attribute.
func everHas(op, name string) bool {
	return slices.ContainsFunc(versions[op], func(v opset.Version) bool {
		_, ok := v.Attribute(name)
		return ok
	})
}

// attributes takes over an element's attributes as the layer's. Names and values
// of one element are parts of one text: as strings of their own they would keep
// what the decoder made beside them, which is five times as much.
func (p *parser) attributes(l *Layer, t xml.StartElement) error {
	own := slices.DeleteFunc(t.Attr, func(a xml.Attr) bool { return a.Name.Space == "xmlns" || a.Name.Local == "xmlns" })
	if len(own) == 0 {
		return nil
	}
	size := uint64(len(own)) * attributeBytes
	if l.Attributes == nil {
		size += mapBytes
	}
	var text strings.Builder
	for _, a := range own {
		size += uint64(len(a.Name.Local) + len(a.Value))
		text.WriteString(a.Name.Local)
		text.WriteString(a.Value)
	}
	if err := p.take(size, "the attributes of an element"); err != nil {
		return err
	}
	if l.Attributes == nil {
		l.Attributes = make(map[string]string, len(own))
	}
	rest := strings.Clone(text.String())
	for _, a := range own {
		name := rest[:len(a.Name.Local)]
		rest = rest[len(name):]
		if _, ok := l.Attributes[name]; ok {
			return twice(name)
		}
		l.Attributes[name] = rest[:len(a.Value)]
		rest = rest[len(a.Value):]
	}
	return nil
}

func twice(attribute string) error {
	return errors.Errorf("attribute %q stands twice in one layer", fault.Cut(attribute))
}
