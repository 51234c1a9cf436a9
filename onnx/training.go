package onnx

import (
	"slices"

	"gorgonia.org/tensor"
)

// training is what a file says about what its initializers were in PyTorch.
type training struct {
	model   *Model
	notes   notes
	weights map[string]*binding // the initializers of floats that the graph has
	uses    map[string]*uses    // how nodes use those that the notes speak of
	origins map[string][]string // the parameters that these hold
	uniform map[string]bool     // those of equal elements that have several uses
}

// readTraining reads what the file says, and looks up how it uses the initializers that
// come from parameters.
func (b *builder) readTraining() (*training, error) {
	t := &training{model: b.model, weights: map[string]*binding{}, origins: map[string][]string{}, uniform: map[string]bool{}}
	var err error
	if t.notes, err = b.model.readNotes(); err != nil || t.notes.signature == nil {
		return t, err
	}
	for _, v := range b.constants {
		if v.weight && v.node != nil && (v.dtype() == tensor.Float32 || v.dtype() == tensor.Float64) &&
			(t.notes.kind(v.name) == parameterKind || t.notes.folded[v.name] != nil) {
			t.weights[v.name] = v
		}
	}
	if t.uses, err = b.model.findUses(t.weights); err != nil {
		return nil, err
	}
	for name, v := range t.weights {
		u := t.uses[name]
		if u == nil { // an output of the model, and nothing else
			u = &uses{}
			t.uses[name] = u
		}
		if from := t.originsOf(name, u, v.shape()); from != nil {
			t.origins[name] = from
			t.uniform[name] = u.count > 1 && v.known.Shape().TotalSize() <= maxJoined && isUniform(v.known)
		}
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

// chosen tells whether an initializer is to be trained.
func (t *training) chosen(name string, shape tensor.Shape) bool {
	switch {
	case t.notes.signature != nil:
		return t.origins[name] != nil
	case t.notes.marks != nil:
		return t.notes.marks[name] == parameterKind
	}
	return len(shape) > 0
}
