package gather

// Other layers: shape shapes/gathertree.go, tensors internal/core/tree.go, loops
// internal/kernel/gather_tree.go, without a graph dense/gathertree.go, oracle
// internal/oracle/gathertree.go.

import (
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/graph"
	"gorgonia.org/gather/internal/plan"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// GatherTree reads whole beams out of a beam search. For batch b and beam w,
// with L = min(T, maxSeqLen[b]), it goes back from the last step:
//
//	out[L-1, b, w] = stepIDs[L-1, b, w],   p = parentIDs[L-1, b, w]
//	out[t, b, w]   = stepIDs[t, b, p],     p = parentIDs[t, b, p]     for t = L-2 … 0
//
// Steps from L on are endToken, and so is all that follows the first endToken
// of a beam. stepIDs and parentIDs have the shape (T, B, W), maxSeqLen (B), and
// endToken is a scalar; all are of one dtype, an integer or a real float. A
// parent that is followed and lies outside [0, W) is an [*IndexError], whose
// position is that in parentIDs. Of several, it is the first one as they are read:
// batch by batch, beam by beam, each from its last step.
//
// It has no gradient: Grad refuses to go through it, and LispMachine's backward
// pass leaves it out.
//
// Source: OpenVINO GatherTree-1.
func GatherTree(stepIDs, parentIDs, maxSeqLen, endToken *G.Node) (*G.Node, error) {
	inputs := []*G.Node{stepIDs, parentIDs, maxSeqLen, endToken}
	_, d, err := describe(plan.GatherTree, 0, 0, inputs, nil, func(p plan.Params, dst *tensor.Dense, in []tensor.Tensor) (*tensor.Dense, error) {
		return core.GatherTree(p, dst, in...)
	})
	if err != nil {
		return nil, err
	}
	return graph.Apply(&gatherTreeOp{graph.New(d)}, inputs...)
}

// gatherTreeOp is an operator of (stepIDs, parentIDs, maxSeqLen, endToken).
type gatherTreeOp struct{ graph.Operator }

// DiffWRT is false for all inputs.
func (op *gatherTreeOp) DiffWRT(int) []bool { return make([]bool, op.Arity()) }

// SymDiff has nothing to give.
func (op *gatherTreeOp) SymDiff(G.Nodes, *G.Node, *G.Node) (G.Nodes, error) {
	return make(G.Nodes, op.Arity()), nil
}

var _ G.SDOp = (*gatherTreeOp)(nil)
