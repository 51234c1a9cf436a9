package onnx

import (
	"bytes"
	"maps"
	"slices"
	"strings"
)

// A program is what the nodes of a model say of the exported program. The exporter writes
// on each of them the line of the program that it comes from, such as
//
//	%linear : [num_users=1] = call_function[target=torch.ops.aten.linear.default](args = (%x, %p_fc_weight, %p_fc_bias), kwargs = {})
//
// These lines are long, and a file may have lost them.
type program struct {
	lines     map[string]*line   // by the value that they give
	mentioned map[string][]*line // by the values that they mention; none for one that is an output
	users     map[string][]*line // by the initializers that their nodes use, nil for a node without a line
	sources   map[string]bool    // all that initializers were computed from
	gone      goneLines
}

// A line is one of the program, with what its nodes use.
type line struct {
	mentions map[string]int // how often it mentions a value
	uses     map[string]int // how often its nodes use an initializer that comes from parameters
}

// goneLines tells which lines of the program no node has.
type goneLines uint8

const (
	noLines    goneLines = iota
	moveLines            // some that only move elements
	otherLines           // others
)

// readProgram reads what the nodes say.
func (t *training) readProgram() *program {
	p := &program{lines: map[string]*line{}, mentioned: map[string][]*line{}, users: map[string][]*line{}, sources: map[string]bool{}}
	for _, name := range t.notes.outputs {
		p.mentioned[name] = nil
	}
	for name := range t.notes.folded {
		t.notes.eachSource(name, func(from string) { p.sources[from] = true })
	}
	for _, n := range t.nodes {
		l := p.line(n.line)
		for _, name := range n.weights {
			if l != nil {
				l.uses[name]++
			}
			if l == nil || l.uses[name] == 1 {
				p.users[name] = append(p.users[name], l)
			}
		}
	}
	p.gone = p.findGone(t)
	return p
}

// lineOf is the line of a NodeProto, empty if it has none. Metadata that are none are left
// alone: nothing but these lists depends on them.
func lineOf(node []byte) (text string) {
	_ = eachField("NodeProto", node, func(f field) error {
		if f.number != nodeMetadata || !bytes.Contains(f.bytes, lineKey) {
			return nil
		}
		key, value, err := parseEntry(f.bytes)
		if err == nil && bytes.Equal(key, lineKey) {
			text = string(value)
		}
		return nil
	})
	return text
}

// line is the line of that text, which several nodes may have, nil if it is none.
func (p *program) line(text string) *line {
	names := strings.Split(text, "%")[1:]
	if len(names) == 0 {
		return nil
	}
	for i, name := range names {
		if end := strings.IndexFunc(name, isNoName); end >= 0 {
			names[i] = name[:end]
		}
	}
	if l := p.lines[names[0]]; l != nil {
		return l
	}
	l := &line{mentions: map[string]int{}, uses: map[string]int{}}
	p.lines[names[0]] = l
	for _, name := range names[1:] {
		if l.mentions[name]++; l.mentions[name] == 1 {
			p.mentioned[name] = append(p.mentioned[name], l)
		}
	}
	return l
}

func isNoName(r rune) bool {
	return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
}

// movers are operators whose lines go where they change nothing.
var movers = []string{"alias", "clone", "contiguous", "detach", "dropout", "expand", "reshape", "slice", "squeeze", "to", "type_as", "unsqueeze", "view"}

// findGone looks for the lines that are mentioned and gone. What was computed from
// parameters and constants alone is among the sources of initializers.
func (p *program) findGone(t *training) goneLines {
	inputs := maps.Clone(t.notes.inputs)
	for _, target := range t.notes.targets {
		inputs[target.value] = true
	}
	gone := noLines
	for name := range p.mentioned {
		if p.lines[name] != nil || inputs[name] || p.sources[name] || t.initializers[name] {
			continue
		}
		switch operator := strings.TrimRight(name, "_0123456789"); {
		case operator == "getitem": // takes one result of several
		case slices.Contains(movers, operator):
			gone = max(gone, moveLines)
		default:
			return otherLines
		}
	}
	return gone
}

// covers tells whether every use of an initializer is one that the program mentions.
func (p *program) covers(t *training, name string) bool {
	for _, l := range p.users[name] {
		if l == nil {
			return false
		}
		mentions := 0
		for _, parameter := range t.origins(name) {
			mentions += l.mentions[t.notes.targets[parameter].value]
		}
		if l.uses[name] > mentions {
			return false
		}
	}
	return true
}

// inPlaceOf are the initializers that nodes use, it seems, in place of a parameter that
// their lines mention: those of parameters that have its name in another layer, with the
// values that these had. Others have a BatchNorm in them.
func (p *program) inPlaceOf(t *training, parameter string) []string {
	var others []string
	for _, l := range p.mentioned[t.notes.targets[parameter].value] {
		for name := range l.uses {
			from := t.origins(name)
			if t.isChanged(name) {
				continue
			}
			if slices.ContainsFunc(from, func(q string) bool { return lastPart(q) == lastPart(parameter) }) &&
				!slices.ContainsFunc(from, func(q string) bool { return l.mentions[t.notes.targets[q].value] > 0 }) {
				others = append(others, name)
			}
		}
	}
	slices.Sort(others)
	return slices.Compact(others)
}

// lastPart is the name that a parameter has in its layer.
func lastPart(parameter string) string { return parameter[strings.LastIndexByte(parameter, '.')+1:] }

// unused tells whether nothing that the outputs depend on mentions a parameter: PyTorch
// does not train it, either, or trains it under another name that it has.
//
// The exporter drops a term 0 and a factor 1, which may be a parameter without axes, and a
// line that only moves elements may hide that. The weights and biases of PyTorch's layers
// have axes.
func (p *program) unused(t *training, parameter string) bool {
	if _, ok := p.mentioned[t.notes.targets[parameter].value]; ok || len(p.lines) == 0 || p.sources[parameter] || p.gone == otherLines {
		return false
	}
	own := lastPart(parameter)
	return p.gone == noLines || strings.Contains(own, "weight") || strings.Contains(own, "bias")
}
