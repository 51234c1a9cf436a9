package openvino

import (
	"bytes"
	"encoding/xml"
	"io"
	"strconv"
	"strings"
	"unicode"

	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/opset"
)

// Bounds of what ReadLayers reads. The largest IR files have some tens of
// megabytes of text; loops within loops nest layers a few elements deep; an
// element has some ten attributes, and a dim some ten digits.
const (
	maxText  = 64 << 20
	maxDepth = 100
	maxEqual = 1 << 14 // equals signs between two tokens: each may be an attribute
	maxDim   = 100     // bytes
)

// ReadLayers reads all layers of an IR file, in the order of the file, with those in the
// body of a loop after the layer of the loop. The text may also be one or more layer
// elements, and may begin with a byte order mark. Layers of any type are read; [Apply]
// checks which are supported.
//
// Attributes are those of the layer's data element. Some of OpenVINO's published
// examples print reduction and use_init_val in the layer element itself; there
// the attributes that the layer's operator has in any version are taken too. Axis
// and Release are left for the caller.
//
// Text that is not well-formed, has a layer without a type or a dim that is no
// number, has more than 64 MiB or nests deeper than 100 elements is an error,
// and so is text without any layer. The version of a supported operator must be an
// operator set, such as opset8; that of another one may be any name, such as extension,
// but no misspelt operator set.
//
// The text and its layers never take more than 16 times the size of the text at one time.
// [WithMaxBytes] sets another bound. The decoder of package encoding/xml allocates some
// hundred bytes more for each element, which are garbage at once.
func ReadLayers(r io.Reader, options ...ReadOption) ([]Layer, error) {
	layers, err := readLayers(r, maxText, options)
	return layers, errors.WithMessage(err, "openvino")
}

// readLayers is ReadLayers with another bound of the text.
func readLayers(r io.Reader, limit int64, options []ReadOption) ([]Layer, error) {
	budget, err := readBudget(options)
	if err != nil {
		return nil, err
	}
	text, err := opset.ReadAll(r, min(limit, budget.Limit()))
	if err != nil {
		return nil, errors.WithMessage(err, "reading")
	}
	if int64(len(text)) > limit {
		return nil, errors.Errorf("more than %d bytes of text", limit)
	}
	if err := budget.Take(uint64(len(text)), func() string { return "the text, as far as it was read," }); err != nil {
		return nil, err
	}
	in := &source{text: bytes.TrimPrefix(text, []byte("\ufeff"))}
	p := parser{decoder: xml.NewDecoder(in), source: in, budget: budget}
	if err = p.makeRoom(); err == nil {
		err = p.run()
	}
	if err == nil && len(p.layers) == 0 {
		err = errors.New("no layer element")
	}
	if err != nil {
		line, column := p.decoder.InputPos()
		return nil, errors.WithMessagef(err, "IR line %d column %d", line, column)
	}
	return p.layers, nil
}

// A parser is one ReadLayers under way.
type parser struct {
	decoder *xml.Decoder
	source  *source
	budget  *opset.Budget
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

// makeRoom makes the list of layers, long enough for all of them: one that grows
// would take three times the memory for a moment. The name layer stands behind <
// or behind the colon of a prefix, and no layer is shorter than one with a type of
// one letter.
func (p *parser) makeRoom() error {
	text := p.source.text
	count := bytes.Count(text, []byte("<layer")) + bytes.Count(text, []byte(":layer"))
	count = min(count, len(text)/len(`<layer type="A"/>`))
	if err := p.take(uint64(count)*layerBytes, "the list of layers"); err != nil {
		return err
	}
	p.layers = make([]Layer, 0, count)
	return nil
}

func (p *parser) run() error {
	for {
		token, err := p.decoder.Token()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			// The decoder quotes names in full.
			return fault.Errorf(err, "%s", fault.Cut(err.Error()))
		}
		p.source.equal = 0
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
		if ports := p.ports(1); ports != nil {
			*ports = append(*ports, []int{})
			err = p.take(portBytes, "a port")
		}
	}
	p.path = append(p.path, e)
	return err
}

// ports are those of the layer, where the element n levels above is its input or
// its output; else nil.
func (p *parser) ports(n int) *[][]int {
	l := &p.layers[p.parent(n+1).layer]
	switch p.parent(n).name {
	case "input":
		return &l.Inputs
	case "output":
		return &l.Outputs
	}
	return nil
}

// characters collects the text of a dim, which comments may cut in pieces.
func (p *parser) characters(text []byte) error {
	e := p.parent(1)
	switch {
	case e.name == "dim":
		if len(e.text) == 0 {
			text = bytes.TrimLeftFunc(text, unicode.IsSpace)
		}
		if e.text = append(e.text, text[:min(len(text), maxDim)]...); len(e.text) > maxDim || len(text) > maxDim {
			return badDim(string(e.text))
		}
	case e.name == "" && len(bytes.TrimSpace(text)) > 0:
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
	ports := p.ports(2)
	if ports == nil {
		return nil
	}
	text := strings.TrimSpace(string(e.text))
	n, err := strconv.Atoi(text)
	if err != nil || n < -1 {
		return badDim(text)
	}
	last := &(*ports)[len(*ports)-1]
	*last = append(*last, n)
	return p.take(dimBytes, "a dim")
}

func badDim(text string) error {
	return errors.Errorf("dim %q, a number from -1 is allowed, which is an open dim", fault.Cut(text))
}
