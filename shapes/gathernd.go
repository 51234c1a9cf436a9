package shapes

import (
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/tensor"
)

// GatherND returns the shape of GatherND's result,
//
//	i[:q-1] ++ s[b+k:]        rank q+r-k-1-b
//
// after checking r >= 1, q >= 1, 0 <= b < min(q, r), 1 <= k <= r-b and
// s[:b] = i[:b].
//
// Sources: ONNX GatherND-13, OpenVINO GatherND-8. OpenVINO's text allows
// k <= r whatever b is; its code demands k <= r-b, as the result needs.
func GatherND(data, indices tensor.Shape, batchDims int) (tensor.Shape, error) {
	return gatherND(make(tensor.Shape, 0, rankHint), data, indices, batchDims)
}

func gatherND(out, data, indices tensor.Shape, batchDims int) (tensor.Shape, error) {
	const op = "GatherND"
	if err := tuples(op, data, indices, batchDims, 1); err != nil {
		return nil, err
	}
	q, k := len(indices), indices[len(indices)-1]
	out = append(out, indices[:q-1]...)
	out = append(out, data[batchDims+k:]...)
	if !fault.Countable(out) {
		return nil, uncountable(op, "result", out)
	}
	return out, nil
}

// tuples checks what GatherND and ScatterND demand of data and indices, and that the
// length of a tuple is not below the least one.
func tuples(op string, data, indices tensor.Shape, b, least int) error {
	r, q := len(data), len(indices)
	if r == 0 {
		return needsRank1(op, "data")
	}
	if q == 0 {
		return needsRank1(op, "indices")
	}
	if b < 0 || b >= min(q, r) {
		return shapeError(op, "batch_dims %d is not in [0, %d) for data of rank %d and indices of rank %d", b, min(q, r), r, q)
	}
	if k := indices[q-1]; k < least || k > r-b {
		hint := ""
		if k > r-b {
			hint = singlesHint(indices)
		}
		return shapeError(op, "the last dim of indices %v is %d, allowed is %d to %d for data %v and batch_dims %d%s",
			fault.Shape(indices), k, least, r-b, fault.Shape(data), b, hint)
	}
	if !fault.Countable(data) {
		return uncountable(op, "data", data)
	}
	if !fault.Countable(indices) {
		return uncountable(op, "indices", indices)
	}
	if b == 0 {
		return nil
	}
	return sameBatch(op, data, indices, b)
}

// singlesHint goes behind a message about indices that may have been meant as tuples of
// one.
func singlesHint(indices tensor.Shape) string {
	return "; use " + fault.Shape(append(indices.Clone(), 1)) + " for single indices"
}
