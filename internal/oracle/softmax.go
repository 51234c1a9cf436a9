package oracle

import "math"

// SegmentSoftmax is the softmax over the rows of each segment, column by column. Rows
// in no segment are 0.
func SegmentSoftmax(data Array[float64], ids []int64, segments int) Array[float64] {
	out := New[float64](data.Shape...)
	for t, id := range ids {
		if id < 0 || id >= int64(segments) {
			continue
		}
		for c := range Coordinates(data.Shape[1:]) {
			values := column(data, ids, int(id), c)
			most, sum := math.Inf(-1), 0.0
			for _, x := range values {
				most = max(most, x)
			}
			for _, x := range values {
				sum += math.Exp(x - most)
			}
			at := join([]int{t}, c)
			out.Set(math.Exp(data.At(at...)-most)/sum, at...)
		}
	}
	return out
}

// SegmentSoftmaxGrad is the gradient of data, given the result y and its gradient:
// y·(grad - Σ grad·y) over each segment and column.
func SegmentSoftmaxGrad(grad, y Array[float64], ids []int64, segments int) Array[float64] {
	out := New[float64](y.Shape...)
	for t, id := range ids {
		if id < 0 || id >= int64(segments) {
			continue
		}
		for c := range Coordinates(y.Shape[1:]) {
			gs, ys, sum := column(grad, ids, int(id), c), column(y, ids, int(id), c), 0.0
			for i := range ys {
				sum += gs[i] * ys[i]
			}
			at := join([]int{t}, c)
			out.Set(y.At(at...)*(grad.At(at...)-sum), at...)
		}
	}
	return out
}
