package onnx

import (
	"io"

	"github.com/pkg/errors"
	"google.golang.org/protobuf/encoding/protowire"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/opset"
)

func readModel(r io.Reader, o *outside, options []ReadOption) (*Model, error) {
	b, budget, err := readAll(r, options)
	if err != nil {
		return nil, err
	}
	m, err := parseModel(b, o, budget)
	if err != nil {
		return nil, err
	}
	m.maxBytes = budget.Limit()
	return m, nil
}

// The fields of a ModelProto.
const (
	modelIRVersion protowire.Number = 1
	modelGraph     protowire.Number = 7
	modelOpset     protowire.Number = 8
	modelFunction  protowire.Number = 25
)

func parseModel(b []byte, o *outside, budget *opset.Budget) (*Model, error) {
	var graph []byte
	var irVersion int64
	opset, imports, graphs := 0, 0, 0
	err := eachField("ModelProto", b, func(f field) (err error) {
		switch f.number {
		case modelIRVersion:
			irVersion, err = f.integer()
		case modelGraph:
			if graphs++; graphs > 1 {
				return errors.New("two graphs")
			}
			graph, err = f.message()
		case modelOpset:
			var id []byte
			if id, err = f.message(); err != nil {
				return err
			}
			imports++
			domain, version, err := parseOpset(id)
			if err != nil || domain != "" {
				return err
			}
			if opset != 0 {
				return errors.New("two imports of ONNX's own operator set")
			}
			opset = version
		}
		return err
	})
	var wire *wireTypeError
	switch {
	case len(b) == 0:
		return nil, errors.New("not an ONNX file: it is empty")
	case irVersion == 0 && (graphs == 0 || err != nil):
		// What is wrong with it as a message says nothing of another kind of file.
		return nil, errors.Errorf("not an ONNX file: %d bytes that begin with %q", len(b), b[:min(16, len(b))])
	case errors.As(err, &wire):
		return nil, errors.WithMessage(err, "not an ONNX file")
	case err != nil:
		return nil, err
	case graphs == 0:
		return nil, errors.New("not an ONNX file: ModelProto: no graph")
	case irVersion < 1:
		return nil, errors.Errorf("ModelProto: ir_version %d", irVersion)
	case imports == 0 && irVersion < 3:
		opset = 1 // what the first IR versions meant
	}
	m := &Model{opset: opset, file: b, graph: graph, outside: o}
	return m, errors.WithMessage(m.parseGraph(budget), "ModelProto")
}

// parseOpset reads an OperatorSetIdProto. The domain of ONNX's own operators is
// "" and may be written as ai.onnx.
func parseOpset(b []byte) (domain string, version int, err error) {
	err = eachField("OperatorSetIdProto", b, func(f field) (err error) {
		switch f.number {
		case 1:
			domain, err = f.text()
			domain = plainDomain(domain)
		case 2:
			var v int64
			if v, err = f.integer(); err == nil && (v < 1 || v > maxOpset) {
				return errors.Errorf("version %d is not in [1, %d]", v, maxOpset)
			}
			version = int(v)
		}
		return err
	})
	if err == nil && version == 0 {
		err = errors.Errorf("OperatorSetIdProto: no version for domain %q", fault.Cut(domain))
	}
	return domain, version, err
}

// maxOpset keeps an opset within a 32-bit int.
const maxOpset = 1<<31 - 1

func plainDomain(domain string) string {
	if domain == "ai.onnx" {
		return ""
	}
	return domain
}

// The fields of a GraphProto.
const (
	graphNode        protowire.Number = 1
	graphInitializer protowire.Number = 5
	graphInput       protowire.Number = 11
	graphOutput      protowire.Number = 12
	graphSparse      protowire.Number = 15
)

// parseGraph finds the parts of the graph and looks through each of them.
func (m *Model) parseGraph(budget *opset.Budget) error {
	if err := m.findParts(budget); err != nil {
		return err
	}
	given, err := m.checkParts(budget)
	if err == nil {
		err = m.checkNames(given, budget)
	}
	return errors.WithMessage(err, "GraphProto")
}

// parts is the list of the parts that stand in a field of that number, nil if
// there is none.
func (m *Model) parts(number protowire.Number) *[]part {
	switch number {
	case graphNode:
		return &m.nodes
	case graphInitializer:
		return &m.consts
	case graphInput:
		return &m.inputs
	case graphOutput:
		return &m.outputs
	}
	return nil
}

// findParts counts the parts first: a slice that grows takes five times the
// memory.
func (m *Model) findParts(budget *opset.Budget) error {
	var counts [graphOutput + 1]int
	total := 0
	err := eachField("GraphProto", m.graph, func(f field) error {
		if f.number == graphSparse {
			m.refusal = "sparse initializers are not supported"
		}
		if m.parts(f.number) == nil {
			return nil
		}
		counts[f.number]++
		total++
		return f.want(protowire.BytesType)
	})
	if err != nil {
		return err
	}
	const partBytes = 8
	if err := budget.Take(partBytes*uint64(total), func() string { return "the list of the graph's parts" }); err != nil {
		return err
	}
	for number, count := range counts {
		if list := m.parts(protowire.Number(number)); list != nil {
			*list = make([]part, 0, count)
		}
	}
	return eachField("GraphProto", m.graph, func(f field) error {
		if list := m.parts(f.number); list != nil {
			*list = append(*list, part{uint32(f.end - len(f.bytes)), uint32(f.end)})
		}
		return nil
	})
}

// checkParts looks through the parts, and returns how many names the nodes give.
// It decodes them into the same memory, one after the other.
func (m *Model) checkParts(budget *opset.Budget) (given int, err error) {
	var v valueProto
	for _, list := range [][]part{m.inputs, m.outputs} {
		for _, p := range list {
			if err := v.parse(m.part(p)); err != nil {
				return 0, err
			}
		}
	}
	var t tensorProto
	for _, p := range m.consts {
		if err := t.parse(m.part(p)); err != nil {
			return 0, err
		}
		if t.segment {
			return 0, errors.Errorf("initializer %q holds a segment of a larger tensor", fault.Cut(t.name))
		}
		if t.external && m.outside != nil && len(t.place.location) > 0 {
			if err := m.outside.read(string(t.place.location), budget); err != nil {
				return 0, errors.WithMessagef(err, "initializer %q", fault.Cut(t.name))
			}
		}
		if err := t.load(m.outside); err != nil {
			return 0, errors.WithMessagef(err, "initializer %q", fault.Cut(t.name))
		}
	}
	var n modelNode
	for i, p := range m.nodes {
		if err := n.parse(m.part(p), &t); err != nil {
			return 0, n.at(i)(err)
		}
		for _, name := range n.outputs {
			if name != "" {
				given++
			}
		}
	}
	return given, nil
}

// checkNames demands that every value is given once, and every output named once.
// An initializer may share its name with an input, whose default it is.
func (m *Model) checkNames(given int, budget *opset.Budget) error {
	count := len(m.inputs) + len(m.consts) + given
	slots := max(slotsFor(count), slotsFor(len(m.outputs)))
	if err := budget.Take(slotBytes*uint64(slots), func() string { return "the table of names" }); err != nil {
		return err
	}
	// The outputs first, so that their table is gone when the other is made.
	outputs := newNames(m.graph, len(m.outputs))
	for i, p := range m.outputs {
		if err := outputs.takeName(m.part(p), p.start, 1, anOutput, i); err != nil {
			return err
		}
	}
	m.values = newNames(m.graph, count)
	for i, p := range m.inputs {
		if err := m.values.takeName(m.part(p), p.start, 1, anInput, i); err != nil {
			return err
		}
	}
	for i, p := range m.consts {
		if err := m.values.takeName(m.part(p), p.start, tensorName, anInitializer, i); err != nil {
			return err
		}
	}
	for _, p := range m.nodes {
		err := eachField("NodeProto", m.part(p), func(f field) error {
			if f.number != 2 || len(f.bytes) == 0 {
				return nil // an empty name is an output that nobody wants
			}
			return m.values.take(f.bytes, p.start+uint32(f.at), aNode, 0)
		})
		if err != nil {
			return err
		}
	}
	for _, s := range m.values.slots {
		if s.giver == aDefault {
			m.defaults++
		}
	}
	return nil
}
