package dense

import (
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/plan"
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
// Options: [WithReuse]. Errors: as for [Gather].
//
// Source: OpenVINO GatherTree-1.
func GatherTree(stepIDs, parentIDs, maxSeqLen, endToken tensor.Tensor, opts ...Option) (*tensor.Dense, error) {
	var p plan.Params
	dst, err := p.Resolve(plan.GatherTree, 0, opts...)
	if err != nil {
		return nil, err
	}
	return core.GatherTree(p, dst, stepIDs, parentIDs, maxSeqLen, endToken)
}
