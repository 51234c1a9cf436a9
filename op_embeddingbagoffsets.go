package gather

// Other layers: operator op_bags.go, shape shapes/embeddingbag.go, tensors
// internal/core/bag.go, loops internal/bag/reduce.go, without a graph
// dense/embeddingbag.go, gradient diff/bag_vjp.go, oracle internal/oracle/bag.go.

import (
	"gorgonia.org/gather/internal/plan"
	G "gorgonia.org/gorgonia"
)

// EmbeddingBagOffsets reduces bags of rows of a table, without writing the rows out.
// Bag b has the positions p from offsets[b] to offsets[b+1]-1, the last one to n-1:
//
//	out[b, d…] = Σ weights[p] · table[indices[p], d…]    over the positions p of bag b
//
// or, by [WithReduction], over the weights w of its positions, which are 1 if there are none,
//
//	Mean    that sum / Σ w
//	SqrtN   that sum / √Σ w²
//	Max     the greatest of the rows, without weights
//
// Weights may be negative; a divisor of 0 gives zeros and no gradient. A bag
// without positions is zeros, or the row of [WithDefaultIndex], unweighted.
// Positions before offsets[0] are in no bag. By [WithLengths] offsets are the number of
// positions of each bag, and by [WithLastOffset] there is one more, n. PyTorch calls this
// embedding_bag, and TensorFlow embedding_lookup_sparse, with the combiners sum, mean and
// sqrtn.
//
// The table has the shape (R, d…) and rank 1 or more, indices have (n), offsets
// (bags), and weights (n), or are nil for ones; the result is (bags, d…). The table
// is of any integer or float, complex or 16-bit, and weights are like it; complex
// numbers have no Max, and they and integers no SqrtN and no Mean with weights. Indices
// and offsets are of any integer dtypes; offsets are
// ascending and within [0, n]. Sums begin with 0 and take the positions in order;
// integers wrap around, but their mean is exact and rounded toward minus infinity. For
// SqrtN, and for Mean with weights, each weight is divided first: Σ w and Σ w² are made in
// float64, and the quotient is rounded to the dtype. A NaN makes the maximum NaN. An index out
// of range, with [ZeroFill], or the padding of [WithPadding] takes no part, and the mean does
// not count it.
//
// Table and weights have gradients, whose formulas package diff has. They can be
// differentiated again, except for those of Max, and of the weights of Mean and SqrtN.
//
// Options: [WithReduction], [WithDefaultIndex], [WithLengths], [WithLastOffset],
// [WithOutOfRange], [WithPadding], [WithNonNegativeIndices]. Errors when building: [ErrShape],
// [ErrDtype], [ErrOption]; when running: an [*IndexError], see [AsIndexError], and [ErrShape]
// for offsets out of order.
//
// Sources: OpenVINO EmbeddingBagOffsetsSum-3, EmbeddingBagOffsets-15.
func EmbeddingBagOffsets(table, indices, offsets, weights *G.Node, opts ...Option) (*G.Node, error) {
	return applyBag(plan.EmbeddingBagOffsets, 0, []*G.Node{table, indices, offsets, weights}, opts)
}
