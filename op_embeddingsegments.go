package gather

// Other layers: operator op_bags.go, shape shapes/embeddingbag.go, tensors
// internal/core/bag.go, loops internal/bag/reduce.go, without a graph
// dense/embeddingbag.go, gradient diff/bag_vjp.go, oracle internal/oracle/bag.go.

import (
	"gorgonia.org/gather/internal/plan"
	G "gorgonia.org/gorgonia"
)

// EmbeddingSegments reduces bags of rows of a table, where each position has the
// number of its bag:
//
//	out[s, d…] = Σ weights[p] · table[indices[p], d…]    over all p with segmentIDs[p] = s
//
// Indices, segmentIDs and weights, unless they are nil for ones, have the shape
// (n); the result is (numSegments, d…). segmentIDs are of any integer dtype,
// ascending, and within [0, numSegments): one that is not is an [*IndexError] whose
// Argument is "segmentIDs". Otherwise it is like [EmbeddingBagOffsets].
//
// Options and errors: as for [EmbeddingBagOffsets], but WithLengths and WithLastOffset.
//
// Source: OpenVINO EmbeddingSegmentsSum-3.
func EmbeddingSegments(table, indices, segmentIDs, weights *G.Node, numSegments int, opts ...Option) (*G.Node, error) {
	return applyBag(plan.EmbeddingSegments, numSegments, []*G.Node{table, indices, segmentIDs, weights}, opts)
}
