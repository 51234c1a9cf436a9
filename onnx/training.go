package onnx

import (
	"slices"

	"gorgonia.org/tensor"
)

// training is what a file says about what its initializers were in PyTorch, and how its
// nodes use them. It holds nothing of the model: a Graph may outlive it.
type training struct {
	notes        notes
	initializers map[string]bool // all names of initializers
	weights      map[string]*weight
	nodes        []nodeNotes
	norm         groupNorm
}

// A weight is an initializer of floats that the notes speak of.
type weight struct {
	uses
	shape   tensor.Shape
	origins []string // the parameters that it holds, perhaps in another order, nil if it is nothing to train
	uniform bool     // all its elements are equal
}

// nodeNotes is what is kept of a node.
type nodeNotes struct {
	line    string   // of the exported program, if it has one
	weights []string // those that it uses, once for each use
}

// readTraining reads what the file says about the initializers.
func (b *builder) readTraining() (*training, error) {
	t := &training{weights: map[string]*weight{}, initializers: map[string]bool{}}
	t.norm = groupNorm{normalised: map[string]bool{}, scaled: map[string]bool{}}
	var err error
	if t.notes, err = b.model.readNotes(); err != nil || t.notes.signature == nil {
		return t, err
	}
	for _, v := range b.constants {
		t.initializers[v.name] = true
		if v.dtype() != tensor.Float32 && v.dtype() != tensor.Float64 || t.notes.kind(v.name) != parameterKind && t.notes.folded[v.name] == "" {
			continue
		}
		t.weights[v.name] = &weight{shape: v.shape(), uniform: v.shape().TotalSize() <= maxJoined && isUniform(v.known)}
	}
	return t, nil
}

// maxJoined is the number of elements up to which the exporter joins equal initializers.
const maxJoined = 1024

func isUniform(d *tensor.Dense) bool {
	switch d.Dtype() {
	case tensor.Float32:
		return allEqual(d.Float32s())
	case tensor.Float64:
		return allEqual(d.Float64s())
	}
	return false
}

func allEqual[T comparable](list []T) bool {
	return !slices.ContainsFunc(list, func(x T) bool { return x != list[0] })
}

// node notes how a node, which is that message, uses the weights.
func (t *training) node(n *modelNode, message []byte) {
	if t.notes.signature == nil {
		return
	}
	notes := nodeNotes{line: lineOf(message)}
	group := t.norm.roleIn(n)
	for i, name := range n.inputs {
		if w := t.weights[name]; w != nil {
			w.add(n.states(), group|n.roleOf(i, len(w.shape)))
			notes.weights = append(notes.weights, name)
		}
	}
	if notes.line != "" || notes.weights != nil {
		t.nodes = append(t.nodes, notes)
	}
}

// findOrigins finds the parameters that the weights hold, once all nodes have been noted.
func (t *training) findOrigins(m *Model) {
	for name, w := range t.weights {
		w.origins = t.originsOf(m, name, w)
	}
	t.norm = groupNorm{}
}

// originsOf are the parameters that a weight holds.
func (t *training) originsOf(m *Model, name string, w *weight) []string {
	if t.notes.kind(name) == parameterKind {
		return []string{name}
	}
	if w.role == 0 || len(w.shape) == 0 {
		return nil
	}
	s := t.notes.sources(m, name)
	if w.role&(gates|gateBiases) != 0 {
		count := w.shape[0] // one for each direction
		if w.role&gateBiases != 0 {
			count *= 2
		}
		t.leaveOutStates(&s, w.states)
		if len(s.named) == 0 && len(s.parameters) == count {
			return s.parameters
		}
		return nil
	}
	if len(s.parameters) != 1 || len(s.named) != 0 || !isUnnamed(name) {
		return nil
	}
	if w.role&operand != 0 || w.role&factor != 0 && s.unnamed == 0 {
		return s.parameters
	}
	return nil
}

// leaveOutStates takes the initial states of a recurrent layer out of the sources of its
// weights, and what the states were computed from: they give their shapes.
func (t *training) leaveOutStates(s *sources, states [2]string) {
	if len(s.named)+len(s.parameters) > maxNamed {
		return
	}
	isShaped := func(name string) bool {
		for _, state := range states {
			if name == state || t.notes.isSource(state, name) {
				return true
			}
		}
		return false
	}
	s.parameters, s.named = slices.DeleteFunc(s.parameters, isShaped), slices.DeleteFunc(s.named, isShaped)
}

// maxNamed bounds how many names are compared with the sources of the initial states.
const maxNamed = 100

// chosen tells whether an initializer is to be trained.
func (t *training) chosen(name string, shape tensor.Shape) bool {
	switch {
	case t.notes.signature != nil:
		return len(t.origins(name)) > 0
	case t.notes.marks != nil:
		return t.notes.marks[name] == parameterKind
	}
	return len(shape) > 0
}

// isChanged tells whether an initializer that has a parameter's name has other values.
func (t *training) isChanged(name string) bool {
	return t.notes.kind(name) == parameterKind && t.notes.marks[name] != parameterKind
}

// origins are the parameters that an initializer holds.
func (t *training) origins(name string) []string {
	if w := t.weights[name]; w != nil {
		return w.origins
	}
	return nil
}
