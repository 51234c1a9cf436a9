package dense_test

import (
	"strings"
	"testing"

	"gorgonia.org/gather/dense"
)

// TestSegmentsOutOfOrder: the error names the function that was called, and a scatter with a reduction instead of it only where
// there is one.
func TestSegmentsOutOfOrder(t *testing.T) {
	x, ids := values(dims{3, 1}, 1., 2, 3), values(dims{3}, int64(0), 2, 1)
	const order = "segmentIDs[1] is 2 and segmentIDs[2] is 1, they must be ascending, but for those of WithPadding: sort the rows"
	const scatter = ", or use ScatterUpdate with a reduction"
	_, sum := dense.SegmentSum(x, ids, 3)
	_, softmax := dense.SegmentSoftmax(x, ids, 3)
	for want, err := range map[string]error{
		"SegmentSum: " + order + scatter:    sum,
		"SegmentSoftmax: " + order:          softmax,
		"AddSegmentMax: " + order + scatter: dense.AddSegmentMax(values(dims{3, 1}, 0., 0, 0), x, x, ids, 3),
	} {
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}
