package gather

import (
	"fmt"
	"hash"

	"github.com/chewxy/hm"
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
// position is that in parentIDs.
//
// It has no gradient: Grad refuses to go through it, and LispMachine's backward
// pass leaves it out.
//
// Source: OpenVINO GatherTree-1.
func GatherTree(stepIDs, parentIDs, maxSeqLen, endToken *G.Node) (*G.Node, error) {
	op := &gatherTreeOp{params: plan.Params{Op: plan.GatherTree}}
	arguments := []string{"stepIDs", "parentIDs", "maxSeqLen", "endToken"}
	inputs := []*G.Node{stepIDs, parentIDs, maxSeqLen, endToken}
	if err := graph.Nodes(op.params.Op.String(), arguments, inputs...); err != nil {
		return nil, err
	}
	if err := graph.Named(op.params.Op.String(), "parentIDs", parentIDs); err != nil {
		return nil, err
	}
	if _, err := op.params.Shape(stepIDs.Shape(), parentIDs.Shape(), maxSeqLen.Shape(), endToken.Shape()); err != nil {
		return nil, err
	}
	dtypes := make([]tensor.Dtype, len(inputs))
	for i, n := range inputs {
		dtypes[i] = n.Dtype()
	}
	if err := core.CheckDtypes(&op.params, dtypes...); err != nil {
		return nil, err
	}
	op.dtype = dtypes[0]
	return graph.Apply(op, inputs...)
}

// gatherTreeOp is an operator of (stepIDs, parentIDs, maxSeqLen, endToken).
type gatherTreeOp struct {
	graph.Pure
	graph.Names
	params plan.Params
	dtype  tensor.Dtype
}

// Arity is 4.
func (op *gatherTreeOp) Arity() int { return 4 }

// Type is ids → ids → vector → scalar → ids.
func (op *gatherTreeOp) Type() hm.Type {
	of := func(rank int) hm.Type { return graph.Operand{Rank: rank, Dtype: op.dtype}.Type() }
	return hm.NewFnType(of(3), of(3), of(1), of(0), of(3))
}

// InferShape is the shape function of package shapes.
func (op *gatherTreeOp) InferShape(in ...G.DimSizer) (tensor.Shape, error) {
	s, err := graph.Shapes(op, in)
	if err != nil {
		return nil, err
	}
	return op.params.Shape(s...)
}

// Do runs the operator.
func (op *gatherTreeOp) Do(inputs ...G.Value) (G.Value, error) {
	return graph.Do(op, inputs, op.run)
}

// UsePreallocDo is Do, into a tensor of the result's dtype and shape.
func (op *gatherTreeOp) UsePreallocDo(prealloc G.Value, inputs ...G.Value) (G.Value, error) {
	return graph.UsePreallocDo(op, prealloc, inputs, op.run)
}

func (op *gatherTreeOp) run(dst *tensor.Dense, in []tensor.Tensor) (*tensor.Dense, error) {
	return core.GatherTree(op.params, dst, in...)
}

// DiffWRT is false for all inputs.
func (op *gatherTreeOp) DiffWRT(int) []bool { return make([]bool, op.Arity()) }

// SymDiff has nothing to give.
func (op *gatherTreeOp) SymDiff(G.Nodes, *G.Node, *G.Node) (G.Nodes, error) {
	return make(G.Nodes, op.Arity()), nil
}

// WriteHash writes every field but the names of operands.
func (op *gatherTreeOp) WriteHash(h hash.Hash) { graph.WriteHash(h, fmt.Sprint(op, " ", op.dtype)) }

// Hashcode hashes every field.
func (op *gatherTreeOp) Hashcode() uint32 { return graph.Hashcode(op) }

// String is the operator's name.
func (op *gatherTreeOp) String() string { return op.params.String() }

var (
	_ G.Op              = (*gatherTreeOp)(nil)
	_ G.SDOp            = (*gatherTreeOp)(nil)
	_ G.UsePreallocDoer = (*gatherTreeOp)(nil)
)
