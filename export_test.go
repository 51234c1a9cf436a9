package gather

import G "gorgonia.org/gorgonia"

// OperandNames are the names that the operator of a node knows its operands by.
func OperandNames(n *G.Node) []string { return n.Op().(interface{ Operands() []string }).Operands() }
