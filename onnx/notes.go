package onnx

import (
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// The fields in which notes stand: those of GraphProto, ValueInfoProto and NodeProto.
const (
	graphValueInfo protowire.Number = 13
	graphMetadata  protowire.Number = 16
	valueName      protowire.Number = 1
	valueMetadata  protowire.Number = 4
	nodeMetadata   protowire.Number = 9
)

// The keys of PyTorch's exporter and of its optimiser, and the kind of a parameter.
const (
	signatureKey  = "pkg.torch.export.ExportedProgram.graph_signature"
	kindKey       = "pkg.torch.export.graph_signature.InputSpec.kind"
	foldedKey     = "pkg.onnxscript.optimizer.folded_from"
	parameterKind = "PARAMETER"
)

// lineKey is the key of the line of the exported program that a node comes from.
var lineKey = []byte("pkg.torch.onnx.fx_node")

// notes are what PyTorch's exporter says about the initializers of a model.
type notes struct {
	*signature                   // nil if the file has none
	marks      map[string]string // the kinds that initializers are marked with, nil if there are no marks
	folded     map[string]string // the list of what an initializer was computed from
}

// A signature lists the inputs and outputs of the exported program. Parameters, buffers and
// constants are inputs, too.
type signature struct {
	parameters []string          // by PyTorch's names, in order
	targets    map[string]target // by PyTorch's names
	inputs     map[string]bool   // the names in the program of the other inputs
	outputs    []string          // the same of its outputs
	computed   map[string]bool   // those of them that a run computes
}

// A target is an input of the program that has a name in PyTorch.
type target struct {
	kind  string // PARAMETER, BUFFER and others
	value string // its name in the program: that of fc.weight is p_fc_weight
}

// kind is that of an input by its name in PyTorch, empty if there is none.
func (n *notes) kind(name string) string {
	if n.signature == nil {
		return ""
	}
	return n.targets[name].kind
}

// readNotes reads the notes about the initializers.
func (m *Model) readNotes() (notes, error) {
	n := notes{folded: map[string]string{}}
	err := eachField("GraphProto", m.graph, func(f field) error {
		switch f.number {
		case graphValueInfo, graphInput:
			return n.readValue(m, f.bytes)
		case graphMetadata:
			key, value, err := parseEntry(f.bytes)
			if err == nil && string(key) == signatureKey {
				n.signature = parseSignature(string(value))
			}
			return err
		}
		return nil
	})
	if n.signature != nil && len(n.outputs) == len(m.outputs) {
		for i, name := range n.outputs {
			n.computed[name] = m.isComputed(m.value(m.outputs[i]).Name)
		}
	}
	return n, err
}

// readValue reads the notes in a ValueInfoProto, if it is that of an initializer.
func (n *notes) readValue(m *Model, b []byte) error {
	var name, kind, folded []byte
	err := eachField("ValueInfoProto", b, func(f field) error {
		switch f.number {
		case valueName:
			name = f.bytes
		case valueMetadata:
			key, value, err := parseEntry(f.bytes)
			if err != nil {
				return err
			}
			switch string(key) {
			case kindKey:
				kind = value
			case foldedKey:
				folded = value
			}
		}
		return nil
	})
	if err != nil || kind == nil && folded == nil || !m.isInitializer(string(name)) {
		return err
	}
	if kind != nil {
		if n.marks == nil {
			n.marks = map[string]string{}
		}
		n.marks[string(name)] = string(kind)
	}
	if folded != nil {
		n.folded[string(name)] = string(folded)
	}
	return nil
}

func (m *Model) isInitializer(name string) bool {
	s := m.values.lookup(name)
	return s != nil && (s.giver == anInitializer || s.giver == aDefault)
}

// isComputed tells whether a run computes a value.
func (m *Model) isComputed(name string) bool {
	s := m.values.lookup(name)
	return s != nil && (s.giver == aNode || s.giver == anInput)
}

// parseSignature reads lines such as
//
//	p_fc_weight: PARAMETER target='fc.weight'
//
// behind a line "# inputs", and those of the outputs behind a line "# outputs". It is nil if
// the text lists no input.
func parseSignature(text string) *signature {
	s := &signature{targets: map[string]target{}, inputs: map[string]bool{}, computed: map[string]bool{}}
	section := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		value, rest, ok := strings.Cut(line, ": ")
		switch {
		case strings.HasPrefix(line, "#"):
			section = line
			continue
		case ok && section == "# outputs":
			s.outputs = append(s.outputs, value)
			continue
		case !ok || section != "# inputs":
			continue
		}
		kind, rest, _ := strings.Cut(rest, " ")
		name, ok := firstQuoted(rest)
		if !strings.HasPrefix(rest, "target=") || !ok {
			s.inputs[value] = true
			continue
		}
		if s.targets[name].kind == "" && kind == parameterKind {
			s.parameters = append(s.parameters, name)
		}
		s.targets[name] = target{kind, value}
	}
	if len(s.targets)+len(s.inputs) == 0 {
		return nil
	}
	return s
}

// firstQuoted is the first string of a text in Python's notation.
func firstQuoted(text string) (quoted string, ok bool) {
	eachQuoted(text, func(s string) bool {
		quoted, ok = s, true
		return false
	})
	return quoted, ok
}

// eachQuoted calls visit for the strings of a text in Python's notation, such as
// ['fc.weight', 'val_1'], until it returns false. No name has a quote or a backslash in it.
func eachQuoted(text string, visit func(string) bool) {
	for {
		begin := strings.IndexAny(text, `'"`)
		if begin < 0 {
			return
		}
		length := strings.IndexByte(text[begin+1:], text[begin])
		if length < 0 || !visit(text[begin+1:begin+1+length]) {
			return
		}
		text = text[begin+length+2:]
	}
}

// maxSources is the length of the longest list of sources that is read. Those of an LSTM have 1 KiB.
const maxSources = 1 << 16

// eachSource calls visit for all that an initializer was computed from.
func (n *notes) eachSource(name string, visit func(string)) {
	if list := n.folded[name]; len(list) <= maxSources {
		eachQuoted(list, func(from string) bool {
			visit(from)
			return true
		})
	}
}

// isSource tells whether an initializer was computed from that value.
func (n *notes) isSource(name, from string) bool {
	list := n.folded[name]
	return len(list) <= maxSources && (strings.Contains(list, "'"+from+"'") || strings.Contains(list, `"`+from+`"`))
}

// The sources of an initializer are what it was computed from, or only by whose shape.
type sources struct {
	parameters []string
	named      []string // values of the model that have names of their own, and buffers
	unnamed    int      // values inside of an operator
}

// sources sorts what an initializer was computed from. A value that a run computes can have
// given its shape alone. Inputs and outputs of the program have other names in the file if
// the export gave them some.
func (n *notes) sources(m *Model, name string) sources {
	var s sources
	n.eachSource(name, func(from string) {
		kind := n.kind(from)
		switch {
		case kind == parameterKind:
			s.parameters = append(s.parameters, from)
		case kind == "" && (isUnnamed(from) || m.isComputed(from) || n.inputs[from] || n.computed[from]):
			s.unnamed++
		default:
			s.named = append(s.named, from)
		}
	})
	return s
}

// isUnnamed tells the names that the exporter makes up for values inside of an operator,
// such as val_12, from those that it makes of the operators' names.
func isUnnamed(name string) bool {
	number, ok := strings.CutPrefix(name, "val_")
	return ok && number != "" && strings.Trim(number, "0123456789_") == ""
}
