package onnx

import (
	"slices"

	"gorgonia.org/tensor"
)

// A role is what a node's input admits as a parameter that the exporter has rewritten.
// An initializer with several uses has the roles that all of them have in common.
type role uint8

const (
	// A factor of a product: the exporter transposes it, and scales some, which takes a
	// constant. So it may be computed from the parameter alone.
	factor role = 1 << iota
	// The operand of a layer: its axes may be others, which takes constants, too.
	operand
	// Weights and biases of a recurrent layer: parameters in another order, joined.
	gates
	gateBiases
)

// operands are the inputs of operators that are layers' own parameters.
var operands = map[string][]int{
	"Gemm": {1, 2}, "Einsum": {0, 1, 2, 3}, "Conv": {1, 2}, "ConvTranspose": {1, 2}, "PRelu": {1}, "Gather": {0},
	"BatchNormalization": {1, 2}, "InstanceNormalization": {1, 2}, "GroupNormalization": {1, 2},
	"LayerNormalization": {1, 2}, "RMSNormalization": {1},
}

// uses tells how the nodes use an initializer.
type uses struct {
	count  int
	role   role
	states [2]string // the initial states of the recurrent layer
}

// findUses looks up how the nodes use the initializers that chosen has.
func (m *Model) findUses(chosen map[string]*binding) (map[string]*uses, error) {
	found := make(map[string]*uses, len(chosen))
	norm := groupNorm{normalised: map[string]bool{}, scaled: map[string]bool{}}
	err := m.eachNode(func(n *modelNode) error {
		group := norm.roleIn(n)
		for i, name := range n.inputs {
			v := chosen[name]
			if v == nil {
				continue
			}
			u := found[name]
			if u == nil {
				u = &uses{role: ^role(0), states: n.states()}
				found[name] = u
			}
			u.count++
			u.role &= group | n.roleOf(i, len(v.shape()))
			if u.states != n.states() {
				u.role &^= gates | gateBiases
			}
		}
		return nil
	})
	return found, err
}

// states are the initial states, if the node is a recurrent layer.
func (n *modelNode) states() (states [2]string) {
	if n.isRecurrent() && len(n.inputs) > 5 {
		copy(states[:], n.inputs[5:])
	}
	return states
}

func (n *modelNode) isRecurrent() bool {
	return n.domain == "" && (n.opType == "LSTM" || n.opType == "GRU" || n.opType == "RNN")
}

// groupNorm finds GroupNorm, which is exported as InstanceNormalization, Reshape, Mul and Add.
type groupNorm struct{ normalised, scaled map[string]bool }

// roleIn is the role of the operands of a node in a GroupNorm.
func (g groupNorm) roleIn(n *modelNode) role {
	if n.domain != "" || len(n.inputs) == 0 || len(n.outputs) != 1 {
		return 0
	}
	of := func(values map[string]bool) bool {
		return slices.ContainsFunc(n.inputs, func(name string) bool { return values[name] })
	}
	switch {
	case n.opType == "InstanceNormalization" || n.opType == "Reshape" && of(g.normalised):
		g.normalised[n.outputs[0]] = true
	case n.opType == "Mul" && of(g.normalised):
		g.scaled[n.outputs[0]] = true
		return factor | operand
	case n.opType == "Add" && of(g.scaled):
		return factor | operand
	}
	return 0
}

// roleOf is the role that input i is, for an initializer of that rank.
func (n *modelNode) roleOf(i, rank int) role {
	switch {
	case n.domain != "":
		return 0
	case n.opType == "MatMul" && i == 1 && rank == 2: // nn.Bilinear's weight has three axes before
		return factor | operand
	case n.opType == "MatMul":
		return factor
	case slices.Contains(operands[n.opType], i):
		return factor | operand
	case n.isRecurrent() && (i == 1 || i == 2):
		return gates
	case n.isRecurrent() && i == 3:
		return gateBiases
	}
	return 0
}

// originsOf are the parameters that an initializer holds, perhaps in another order, nil if it
// is nothing to train.
func (t *training) originsOf(name string, u *uses, shape tensor.Shape) []string {
	if t.notes.kind(name) == parameterKind {
		return []string{name}
	}
	s := t.notes.sources(t.model, name)
	if u.role&(gates|gateBiases) != 0 && len(shape) > 0 {
		count := shape[0] // one for each direction
		if u.role&gateBiases != 0 {
			count *= 2
		}
		t.leaveOutStates(&s, u.states)
		if len(s.named) == 0 && len(s.parameters) == count {
			return s.parameters
		}
		return nil
	}
	if len(shape) == 0 || len(s.parameters) != 1 || len(s.named) != 0 || !isUnnamed(name) {
		return nil
	}
	if u.role&operand != 0 || u.role&factor != 0 && s.unnamed == 0 {
		return s.parameters
	}
	return nil
}

// leaveOutStates takes the initial states of a recurrent layer out of the sources of its
// weights, and what the states were computed from: they give their shapes.
func (t *training) leaveOutStates(s *sources, states [2]string) {
	shaped := map[string]bool{}
	for _, state := range states {
		shaped[state] = true
		t.notes.eachSource(state, func(from string) { shaped[from] = true })
	}
	isShaped := func(name string) bool { return shaped[name] }
	s.parameters, s.named = slices.DeleteFunc(s.parameters, isShaped), slices.DeleteFunc(s.named, isShaped)
}
