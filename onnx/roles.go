package onnx

import "slices"

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
	"Gemm": {1, 2}, "Einsum": {0, 1, 2, 3}, "Conv": {1, 2}, "ConvTranspose": {1, 2}, "PRelu": {1}, "Gather": {0}, "GatherND": {0},
	"InstanceNormalization": {1, 2}, "GroupNormalization": {1, 2},
	"LayerNormalization": {1, 2}, "RMSNormalization": {1},
}

// uses tells how the nodes use an initializer.
type uses struct {
	count  int
	role   role
	states [2]string // the initial states of the recurrent layer
}

// add notes one more use.
func (u *uses) add(states [2]string, as role) {
	if u.count++; u.count == 1 {
		u.role, u.states = as, states
	}
	if u.states != states {
		as &^= gates | gateBiases
	}
	u.role &= as
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
