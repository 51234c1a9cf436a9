package onnx

import "gorgonia.org/gather/internal/graph"

// A NodeError is an error with the node of the model that it is about. [ReadModel],
// [Model.Build] and a machine that runs the graph return such errors. errors.As finds it
// in those of the first two, [AsNodeError] in all of them.
type NodeError struct {
	Index int    // the node's place in the model, the first is 0
	Node  string // the place, and the operator with the node's name or that of its output: node 3 (Gather lookup)
	Err   error
}

// Error reads like
//
//	node 3 (Gather lookup): Gather(table, words): indices[0 1]: 9 out of range [-4, 4) for data axis 0
func (e *NodeError) Error() string {
	if e == nil || e.Err == nil {
		return "no error"
	}
	return e.Node + ": " + e.Err.Error()
}

// Unwrap is the error without the node.
func (e *NodeError) Unwrap() error {
	if e == nil {
		return nil
	}
	return e.Err
}

// AsNodeError finds the [*NodeError] in an error's chain. Unlike errors.As it also
// finds one in what RunAll of a Gorgonia machine returns, which wraps the
// operator's error in a type without Unwrap.
func AsNodeError(err error) (*NodeError, bool) {
	bad, ok := graph.As[*NodeError](err)
	return bad, ok && bad != nil
}
