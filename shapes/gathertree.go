package shapes

import "gorgonia.org/tensor"

// GatherTree returns the shape of GatherTree's output, the (T, B, W) of
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
		return nil, shapeError(op, "step_ids %v has rank %d, (max_time, batch, beam) is needed", show(stepIDs), len(stepIDs))
	}
	if err := valid(op, "step_ids", stepIDs); err != nil {
		return nil, err
	}
	if !Equal(parentIDs, stepIDs) {
		return nil, shapeError(op, "parent_ids %v must have the shape of step_ids %v", show(parentIDs), show(stepIDs))
	}
	if len(maxSeqLen) != 1 || maxSeqLen[0] != stepIDs[1] {
		return nil, shapeError(op, "max_seq_len %v must have the shape (%d), one length a batch of step_ids %v",
			show(maxSeqLen), stepIDs[1], show(stepIDs))
	}
	if len(endToken) != 0 {
		return nil, shapeError(op, "end_token %v must be a scalar", show(endToken))
	}
	return append(out, stepIDs...), nil
}
