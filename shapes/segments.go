package shapes

import (
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/tensor"
)

// SegmentMax returns the shape of SegmentMax's result, (numSegments) ++ s[1:] for
// data of shape s, after checking that data has an axis, that segmentIDs are
// (s[0]), and that numSegments is not negative.
//
// Source: OpenVINO SegmentMax-16.
func SegmentMax(data, segmentIDs tensor.Shape, numSegments int) (tensor.Shape, error) {
	return reduced("SegmentMax", make(tensor.Shape, 0, rankHint), data, segmentIDs, numSegments)
}

// SegmentSum returns the shape of SegmentSum's result: see [SegmentMax].
func SegmentSum(data, segmentIDs tensor.Shape, numSegments int) (tensor.Shape, error) {
	return reduced("SegmentSum", make(tensor.Shape, 0, rankHint), data, segmentIDs, numSegments)
}

// SegmentMean returns the shape of SegmentMean's result: see [SegmentMax].
func SegmentMean(data, segmentIDs tensor.Shape, numSegments int) (tensor.Shape, error) {
	return reduced("SegmentMean", make(tensor.Shape, 0, rankHint), data, segmentIDs, numSegments)
}

// SegmentMin returns the shape of SegmentMin's result: see [SegmentMax].
func SegmentMin(data, segmentIDs tensor.Shape, numSegments int) (tensor.Shape, error) {
	return reduced("SegmentMin", make(tensor.Shape, 0, rankHint), data, segmentIDs, numSegments)
}

// SegmentProd returns the shape of SegmentProd's result: see [SegmentMax].
func SegmentProd(data, segmentIDs tensor.Shape, numSegments int) (tensor.Shape, error) {
	return reduced("SegmentProd", make(tensor.Shape, 0, rankHint), data, segmentIDs, numSegments)
}

// SegmentSoftmax returns the shape of SegmentSoftmax's result, that of data, after the
// checks of [SegmentMax].
func SegmentSoftmax(data, segmentIDs tensor.Shape, numSegments int) (tensor.Shape, error) {
	return softmax(make(tensor.Shape, 0, rankHint), data, segmentIDs, numSegments)
}

func softmax(out, data, segmentIDs tensor.Shape, numSegments int) (tensor.Shape, error) {
	if err := segmented("SegmentSoftmax", data, segmentIDs, numSegments); err != nil {
		return nil, err
	}
	return append(out, data...), nil
}

func reduced(op string, out, data, segmentIDs tensor.Shape, numSegments int) (tensor.Shape, error) {
	if err := segmented(op, data, segmentIDs, numSegments); err != nil {
		return nil, err
	}
	return bags(op, out, numSegments, data)
}

// segmented checks data whose rows are in segments.
func segmented(op string, data, segmentIDs tensor.Shape, numSegments int) error {
	if len(data) == 0 {
		return needsRank1(op, "data")
	}
	if !fault.Countable(data) {
		return uncountable(op, "data", data)
	}
	if len(segmentIDs) != 1 || segmentIDs[0] != data[0] {
		return shapeError(op, "segmentIDs %v must have the shape (%d), one for each row of data %v%s",
			fault.Shape(segmentIDs), data[0], fault.Shape(data), fault.ScalarHint(segmentIDs, data[:1]))
	}
	return notNegative(op, numSegments)
}

func notNegative(op string, numSegments int) error {
	if numSegments < 0 {
		return shapeError(op, "numSegments is %d, 0 is the least", numSegments)
	}
	return nil
}
