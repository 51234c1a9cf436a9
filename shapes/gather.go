package shapes

import (
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/tensor"
)

// rankHint is the capacity the exported functions give the shapes they make.
// The functions are small enough to be inlined, so that a caller which does
// not keep the shape gets it on its stack; a longer shape moves to the heap.
const rankHint = 8

// Gather returns the shape of Gather's result,
//
//	s[:a] ++ i[b:] ++ s[a+1:]        rank r+q-1-b
//
// after checking r >= 1, -r <= axis < r, -q <= batchDims <= q, b <= a and
// s[:b] = i[:b]. A negative batchDims counts from the rank of indices.
//
// Sources: ONNX Gather-13 (batchDims 0), OpenVINO Gather-8.
func Gather(data, indices tensor.Shape, axis, batchDims int) (tensor.Shape, error) {
	return gather(make(tensor.Shape, 0, rankHint), data, indices, axis, batchDims)
}

func gather(out, data, indices tensor.Shape, axis, batchDims int) (tensor.Shape, error) {
	const op = "Gather"
	a, err := dataAxis(op, axis, len(data))
	if err != nil {
		return nil, err
	}
	if !fault.Countable(data) {
		return nil, uncountable(op, "data", data)
	}
	b := batchDims
	if b != 0 {
		if b, err = gatherBatchDims(op, data, indices, a, batchDims); err != nil {
			return nil, err
		}
	}
	out = append(out, data[:a]...)
	out = append(out, indices[b:]...)
	out = append(out, data[a+1:]...)
	if !fault.Countable(out) {
		return nil, uncountable(op, "result", out)
	}
	return out, nil
}

// gatherBatchDims counts Gather's possibly negative batch dims from the front:
// -1 is q-1, for indices of rank q. It checks that both inputs have them.
func gatherBatchDims(op string, data, indices tensor.Shape, a, batchDims int) (int, error) {
	b, q := batchDims, len(indices)
	if b < -q || b > q {
		return 0, shapeError(op, "batch_dims %d is not in [%d, %d] for indices of rank %d", b, -q, q, q)
	}
	if b < 0 {
		b += q
	}
	if b > a {
		return 0, shapeError(op, "batch_dims %d exceeds axis %d, at most the axis is allowed", b, a)
	}
	return b, sameBatch(op, data, indices, b)
}

// sameBatch demands that data and indices agree on their first b dims.
func sameBatch(op string, data, indices tensor.Shape, b int) error {
	for d := range b {
		if data[d] != indices[d] {
			return shapeError(op, "batch dim %d is %d in data %v but %d in indices %v",
				d, data[d], fault.Shape(data), indices[d], fault.Shape(indices))
		}
	}
	return nil
}
