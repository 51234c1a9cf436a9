package shapes

import (
	"slices"

	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/tensor"
)

// GatherTree returns the shape of GatherTree's result, the (T, B, W) of
// stepIDs, after checking that stepIDs and parentIDs have one and the same
// shape of rank 3, that maxSeqLen is (B) and that endToken is a scalar.
//
// Source: OpenVINO GatherTree-1.
func GatherTree(stepIDs, parentIDs, maxSeqLen, endToken tensor.Shape) (tensor.Shape, error) {
	return gatherTree(make(tensor.Shape, 0, rankHint), stepIDs, parentIDs, maxSeqLen, endToken)
}

func gatherTree(out, stepIDs, parentIDs, maxSeqLen, endToken tensor.Shape) (tensor.Shape, error) {
	const op = "GatherTree"
	if len(stepIDs) != 3 {
		return nil, shapeError(op, "stepIDs %v has rank %d, (max_time, batch, beam) is needed", fault.Shape(stepIDs), len(stepIDs))
	}
	if !fault.Countable(stepIDs) {
		return nil, uncountable(op, "stepIDs", stepIDs)
	}
	if !slices.Equal(parentIDs, stepIDs) {
		return nil, shapeError(op, "parentIDs %v must have the shape of stepIDs %v", fault.Shape(parentIDs), fault.Shape(stepIDs))
	}
	if len(maxSeqLen) != 1 || maxSeqLen[0] != stepIDs[1] {
		return nil, shapeError(op, "maxSeqLen %v must have the shape (%d), one length a batch of stepIDs %v%s",
			fault.Shape(maxSeqLen), stepIDs[1], fault.Shape(stepIDs), fault.ScalarHint(maxSeqLen, stepIDs[1:2]))
	}
	if len(endToken) != 0 {
		return nil, shapeError(op, "endToken %v must be a scalar", fault.Shape(endToken))
	}
	return append(out, stepIDs...), nil
}
