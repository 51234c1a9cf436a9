package onnx

import (
	"fmt"
	"slices"
	"strings"

	"gorgonia.org/gather/dense"
)

// An Untrained is a parameter of a PyTorch model whose training differs from PyTorch's.
type Untrained struct {
	Name   string // PyTorch's, such as fc.weight
	Reason string // why, in words
}

// String is the name and the reason.
func (u Untrained) String() string { return u.Name + ": " + u.Reason }

// Untrained lists the parameters that training does not change as PyTorch would, by
// PyTorch's names and in its order. A reason begins with one of these words:
//
//	joined       one initializer with a parameter, buffer or constant that was equal when the
//	             model was exported, such as the weights of new normalisations
//	copied       in several initializers, which train apart
//	repeated     several times in an initializer, such as once for each element of the batch
//	folded away  in a value that was computed from it
//	changed      in the file with other values: a BatchNorm was folded into it
//	missing      not in the file: one of these, or not used
//	float16, bfloat16  of this type, or used by way of it, as in w.half().float()
//
// It is nil if all parameters train as in PyTorch, and for a file in which PyTorch's exporter
// has not written what the parameters are. Exporting with optimize=False keeps all of them.
// Files do not say requires_grad and padding_idx.
func (b *Graph) Untrained() []Untrained {
	if b == nil || b.training == nil || b.training.notes.signature == nil {
		return nil
	}
	a := audit{training: b.training, program: b.training.readProgram(), holders: map[string][]string{}, narrow: map[string]string{}}
	reached := b.reached()
	for _, p := range b.Constants {
		if p.Dtype == dense.Float16 || p.Dtype == dense.BFloat16 {
			a.narrow[p.Name] = dtypeName(p.Dtype) + " is not trained"
		}
		narrow := reached.narrow[p.Node]
		if a.weights[p.Name] == nil || b.weights[p.Name] != p.Node || narrow == "" && !reached.wide[p.Node] {
			continue
		}
		hold := func(parameter string) { a.holders[parameter] = append(a.holders[parameter], p.Name) }
		if narrow != "" {
			hold = func(parameter string) { a.narrow[parameter] = narrow + " is on the way to it, and not trained" }
		}
		if from := a.origins(p.Name); from != nil {
			for _, parameter := range from {
				hold(parameter)
			}
			continue
		}
		a.notes.eachSource(p.Name, hold)
	}
	var list []Untrained
	for _, parameter := range a.notes.parameters {
		if reason := a.reason(parameter); reason != "" {
			list = append(list, Untrained{Name: parameter, Reason: reason})
		}
	}
	return list
}

// An audit compares the parameters of a program with the initializers that are trained.
type audit struct {
	*training
	program *program
	holders map[string][]string // the initializers with a gradient that a parameter went into
	narrow  map[string]string   // the reasons for parameters that are of 16 bits, or used by way of such
}

// reason tells why training a parameter differs from PyTorch, and is empty if it does not.
func (a *audit) reason(parameter string) string {
	if reason := a.narrow[parameter]; reason != "" {
		return reason
	}
	var trained, others []string
	for _, name := range a.holders[parameter] {
		if a.origins(name) != nil {
			trained = append(trained, name)
		} else {
			others = append(others, name)
		}
	}
	switch {
	case len(trained) > 1:
		return fmt.Sprintf("copied: %s train apart", quoted(trained, "and"))
	case len(trained) == 1 && len(others) > 0:
		return fmt.Sprintf("copied: %s computed from it, too, and not trained", quoted(others, "and"))
	case len(trained) == 1 && a.isChanged(trained[0]):
		return "changed: its values are not those it had in PyTorch"
	case len(trained) == 1 && a.joined(trained[0]):
		return fmt.Sprintf("joined with what was equal: %q is used %d times", trained[0], a.weights[trained[0]].count)
	case len(trained) == 1:
		return ""
	case slices.ContainsFunc(others, isRepeated):
		return fmt.Sprintf("repeated in %s", quoted(others, "and"))
	case len(others) > 0:
		return fmt.Sprintf("folded away: %s computed from it", quoted(others, "and"))
	}
	return a.missing(parameter)
}

// isRepeated tells the names of operators that repeat an operand.
func isRepeated(name string) bool {
	return strings.HasPrefix(name, "expand") || strings.HasPrefix(name, "repeat") || strings.HasPrefix(name, "tile")
}

// missing is the reason for a parameter that went into nothing that has a gradient.
func (a *audit) missing(parameter string) string {
	if a.initializers[parameter] {
		return "" // PyTorch has no gradient of it, either
	}
	if others := a.program.inPlaceOf(a.training, parameter); len(others) > 0 {
		return fmt.Sprintf("joined with %s, which was equal", quoted(others, "or"))
	}
	if a.program.unused(a.training, parameter) {
		return ""
	}
	return "missing: equal to something else, folded away, or not used"
}

// joined tells whether an initializer that is trained may also stand for what is none of
// its parameters. Parameters are equal to other things while they are new, all 0 or all 1,
// or to a buffer that is their copy.
func (a *audit) joined(name string) bool {
	if a.weights[name].count < 2 || a.program.covers(a.training, name) {
		return false
	}
	return a.weights[name].uniform || a.lostBuffer()
}

// lostBuffer tells whether the file has lost a buffer or constant. The number of batches of
// a BatchNorm is never used.
func (a *audit) lostBuffer() bool {
	for name, target := range a.notes.targets {
		if target.kind != parameterKind && !a.initializers[name] && !a.program.sources[name] && lastPart(name) != "num_batches_tracked" {
			return true
		}
	}
	return false
}

// quoted lists names.
func quoted(names []string, conjunction string) string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = fmt.Sprintf("%q", name)
	}
	return strings.Join(list, " "+conjunction+" ")
}
