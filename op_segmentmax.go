package gather

// Other layers: operator op_bags.go, shape shapes/segments.go, tensors
// internal/core/bag.go, loops internal/bag/reduce.go, without a graph
// dense/embeddingbag.go, gradient diff/bag_vjp.go, oracle internal/oracle/bag.go.

import (
	"gorgonia.org/gather/internal/plan"
	G "gorgonia.org/gorgonia"
)

// SegmentMax is the greatest of the rows of each segment:
//
//	out[s, d…] = max data[p, d…]    over all p with segmentIDs[p] = s
//
// data has the shape (n, d…) and rank 1 or more, of any integer or real float;
// segmentIDs are (n) of any integer dtype, ascending and within [0, numSegments), or
// with [Skip] left out if they are not. The result is (numSegments, d…); a segment
// without rows is zeros, or what [WithEmptySegment] says, or by [WithFillMode] the
// lowest number. A NaN makes the maximum
// NaN.
//
// The gradient of an element is divided between the rows of its segment that have
// the greatest value there. It cannot be differentiated again.
//
// Options: [WithEmptySegment], [WithFillMode], [WithOutOfRange], [WithPadding]. Errors: as for
// [EmbeddingBagOffsets].
//
// Source: OpenVINO SegmentMax-16.
func SegmentMax(data, segmentIDs *G.Node, numSegments int, opts ...Option) (*G.Node, error) {
	return applyBag(plan.SegmentMax, numSegments, []*G.Node{data, segmentIDs}, opts)
}
