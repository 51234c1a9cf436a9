package openvino

import (
	"encoding/xml"
	"io"
	"strconv"
	"strings"

	"github.com/pkg/errors"
)

// Bounds of what ReadLayers reads. The largest IR files have some tens of
// megabytes of text; loops within loops nest layers a few elements deep.
const (
	maxText  = 64 << 20
	maxDepth = 100
)

// ReadLayers reads all layers of an IR file, in the order of the file and with
// those inside the bodies of loops behind the layer that holds them. The text
// may also be a single layer element, or several. Layers of any type are read;
// which are supported is [Apply]'s business.
//
// Attributes are those of the layer's data element. Some of OpenVINO's published
// examples print reduction and use_init_val in the layer element itself; there
// the attributes that any supported operator has are taken too. Axis and Release
// are left for the caller.
//
// Text that is not well-formed, has a layer without a type or a dim that is no
// number, has more than 64 MiB or nests deeper than 100 elements is an error,
// and so is text without any layer.
func ReadLayers(r io.Reader) ([]Layer, error) { return readLayers(r, maxText) }

// readLayers is ReadLayers with another bound of the text.
func readLayers(r io.Reader, limit int64) ([]Layer, error) {
	// One byte more than allowed tells a text that ends there from a longer one.
	text := &io.LimitedReader{R: r, N: limit + 1}
	p := parser{decoder: xml.NewDecoder(text)}
	err := p.run()
	if text.N <= 0 {
		err = errors.Errorf("more than %d bytes of text", limit)
	}
	if err == nil && len(p.layers) == 0 {
		err = errors.New("no layer element")
	}
	if err != nil {
		line, column := p.decoder.InputPos()
		return nil, errors.WithMessagef(err, "openvino: IR line %d column %d", line, column)
	}
	return p.layers, nil
}

// A parser is one ReadLayers under way.
type parser struct {
	decoder *xml.Decoder
	layers  []Layer
	path    []element
}

// An element is one whose end has not come yet.
type element struct {
	name  string
	layer int    // its own place in layers, for a layer element
	data  bool   // a layer that had its data element
	text  []byte // of a dim
}

func (p *parser) run() error {
	for {
		token, err := p.decoder.Token()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return errors.WithStack(err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			err = p.start(t)
		case xml.EndElement:
			err = p.end()
		case xml.CharData:
			err = p.characters(t)
		}
		if err != nil {
			return err
		}
	}
}

// parent is the element n levels above the one that is being read.
func (p *parser) parent(n int) *element {
	if n > len(p.path) {
		return &element{}
	}
	return &p.path[len(p.path)-n]
}

func (p *parser) start(t xml.StartElement) error {
	if len(p.path) == maxDepth {
		return errors.Errorf("elements nest deeper than %d", maxDepth)
	}
	e := element{name: t.Name.Local}
	outer := p.parent(1)
	var err error
	switch {
	case e.name == "layer":
		e.layer = len(p.layers)
		err = p.layer(t)
	case e.name == "data" && outer.name == "layer":
		if outer.data {
			return errors.New("a layer has two data elements")
		}
		outer.data = true
		err = p.attributes(&p.layers[outer.layer], t)
	case e.name == "port" && p.parent(2).name == "layer":
		l := &p.layers[p.parent(2).layer]
		switch outer.name {
		case "input":
			l.Inputs = append(l.Inputs, []int{})
		case "output":
			l.Outputs = append(l.Outputs, []int{})
		}
	}
	p.path = append(p.path, e)
	return err
}

// layer begins a layer.
func (p *parser) layer(t xml.StartElement) error {
	var l Layer
	own := map[string]*string{"id": &l.ID, "name": &l.Name, "type": &l.Type, "version": &l.Version}
	seen := map[string]bool{}
	rest := xml.StartElement{}
	for _, a := range t.Attr {
		field, isOwn := own[a.Name.Local]
		if isOwn && seen[a.Name.Local] {
			return twice(a.Name.Local)
		}
		seen[a.Name.Local] = true
		if isOwn {
			*field = a.Value
		} else if tableAttributes[a.Name.Local] {
			rest.Attr = append(rest.Attr, a)
		}
	}
	if l.Type == "" {
		return errors.Errorf("layer %q has no type", l.ID)
	}
	if err := p.attributes(&l, rest); err != nil {
		return err
	}
	p.layers = append(p.layers, l)
	return nil
}

// tableAttributes are the names of all attributes in the table of versions.
var tableAttributes = func() map[string]bool {
	names := map[string]bool{}
	for _, rows := range versions {
		for _, v := range rows {
			for _, a := range v.attrs {
				names[a.name] = true
			}
		}
	}
	return names
}()

// attributes takes over an element's attributes as the layer's.
func (p *parser) attributes(l *Layer, t xml.StartElement) error {
	for _, a := range t.Attr {
		if a.Name.Space == "xmlns" || a.Name.Local == "xmlns" {
			continue
		}
		if _, ok := l.Attributes[a.Name.Local]; ok {
			return twice(a.Name.Local)
		}
		if l.Attributes == nil {
			l.Attributes = map[string]string{}
		}
		l.Attributes[a.Name.Local] = a.Value
	}
	return nil
}

func twice(attribute string) error {
	return errors.Errorf("attribute %q stands twice in one layer", attribute)
}

// characters collects the text of a dim, which comments may cut in pieces.
func (p *parser) characters(text []byte) error {
	e := p.parent(1)
	if e.name == "dim" {
		e.text = append(e.text, text...)
	}
	if e.name == "" && strings.TrimSpace(string(text)) != "" {
		return errors.New("text outside of all elements")
	}
	return nil
}

func (p *parser) end() error {
	e := *p.parent(1)
	p.path = p.path[:len(p.path)-1]
	if e.name != "dim" || p.parent(1).name != "port" || p.parent(3).name != "layer" {
		return nil
	}
	text := strings.TrimSpace(string(e.text))
	n, err := strconv.Atoi(text)
	if err != nil || n < -1 {
		return errors.Errorf("dim %q, a number from -1 is allowed, which is an open dim", text)
	}
	l := &p.layers[p.parent(3).layer]
	switch p.parent(2).name {
	case "input":
		addDim(l.Inputs, n)
	case "output":
		addDim(l.Outputs, n)
	}
	return nil
}

// addDim adds a dim to the last port.
func addDim(ports [][]int, n int) {
	last := &ports[len(ports)-1]
	*last = append(*last, n)
}
