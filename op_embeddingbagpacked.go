package gather

// Other layers: operator op_bags.go, shape shapes/embeddingbag.go, tensors
// internal/core/bag.go, loops internal/bag/reduce.go, without a graph
// dense/embeddingbag.go, gradient diff/bag_vjp.go, oracle internal/oracle/bag.go.

import (
	"gorgonia.org/gather/internal/plan"
	G "gorgonia.org/gorgonia"
)

// EmbeddingBagPacked reduces bags of rows of a table that all have the same number
// of positions: bag b is row b of indices.
//
//	out[b, d…] = Σ weights[b, p] · table[indices[b, p], d…]    over p
//
// Indices have the shape (bags, k), and weights the same, or are nil for ones.
// Otherwise it is like [EmbeddingBagOffsets]; there is no default row.
//
// Options: [WithReduction], [WithOutOfRange], [WithPadding], [WithNonNegativeIndices]. Errors: as
// for [EmbeddingBagOffsets].
//
// Sources: OpenVINO EmbeddingBagPackedSum-3, EmbeddingBagPacked-15.
func EmbeddingBagPacked(table, indices, weights *G.Node, opts ...Option) (*G.Node, error) {
	return applyBag(plan.EmbeddingBagPacked, 0, []*G.Node{table, indices, weights}, opts)
}
