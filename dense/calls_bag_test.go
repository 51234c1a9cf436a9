package dense_test

import (
	"fmt"
	"slices"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/layout"
	"gorgonia.org/gather/internal/oracle"
	"gorgonia.org/tensor"
)

// bagOperators are those that reduce bags of rows.
var bagOperators = []string{"EmbeddingBagOffsets", "EmbeddingBagPacked", "EmbeddingSegments", "SegmentMax"}

// A bagCall is one use of such an operator or of its adjoint.
type bagCall struct {
	op                    string
	table                 []int // shape
	indices               oracle.Array[int64]
	borders               []int64 // offsets or segment ids
	segments              int
	lengths, last         bool // what borders are, of EmbeddingBagOffsets
	weighted              bool
	rule                  oracle.BagRule
	lowest, skip          bool           // of SegmentMax
	paddingID             oracle.Padding // of SegmentMax
	odd                   int            // one in so many numbers is NaN, an infinity or the like; 0 for none
	indexType, borderType indexType
	reuse                 bool
	in, at, out           layout.Layout
}

func (c *bagCall) String() string {
	return fmt.Sprintf("%s table %v %v, indices %v %v %v = %v, borders %v %v lengths=%v last=%v, %d segments, weights %v, result %v reuse=%v, %+v lowest=%v skip=%v %+v odd=%d",
		c.op, c.table, c.in, c.indexType, c.indices.Shape, c.at, c.indices.Data, c.borderType, c.borders, c.lengths, c.last, c.segments, c.weighted, c.out, c.reuse, c.rule, c.lowest, c.skip, c.paddingID, c.odd)
}

func (c *bagCall) options() []dense.Option {
	var opts []dense.Option
	if c.op == "SegmentMax" {
		if c.lowest {
			opts = append(opts, dense.WithFillMode(dense.FillLowest))
		}
		if c.skip {
			opts = append(opts, dense.WithOutOfRange(dense.Skip))
		}
		return append(opts, withPadding(c.paddingID)...)
	}
	opts = append(opts, dense.WithReduction(dense.Reduction(c.rule.Reduction)))
	if c.rule.NonNegative {
		opts = append(opts, dense.WithNonNegativeIndices())
	}
	if c.rule.ZeroFill {
		opts = append(opts, dense.WithOutOfRange(dense.ZeroFill))
	}
	if c.rule.Default >= 0 {
		opts = append(opts, dense.WithDefaultIndex(c.rule.Default))
	}
	if c.lengths {
		opts = append(opts, dense.WithLengths())
	}
	if c.last {
		opts = append(opts, dense.WithLastOffset())
	}
	return append(opts, withPadding(c.rule.Padding)...)
}

// run calls the operator. Weights may be nil.
func (c *bagCall) run(table, indices, borders, weights tensor.Tensor, opts ...dense.Option) (*tensor.Dense, error) {
	opts = append(c.options(), opts...)
	switch c.op {
	case "EmbeddingBagOffsets":
		return dense.EmbeddingBagOffsets(table, indices, borders, weights, opts...)
	case "EmbeddingBagPacked":
		return dense.EmbeddingBagPacked(table, indices, weights, opts...)
	case "EmbeddingSegments":
		return dense.EmbeddingSegments(table, indices, borders, weights, c.segments, opts...)
	}
	return dense.SegmentMax(table, borders, c.segments, opts...)
}

// runAdd calls the operator's adjoint.
func (c *bagCall) runAdd(dst, updates, table, indices, borders, weights tensor.Tensor) error {
	opts := c.options()
	switch c.op {
	case "EmbeddingBagOffsets":
		return dense.AddEmbeddingBagOffsets(dst, updates, table, indices, borders, weights, opts...)
	case "EmbeddingBagPacked":
		return dense.AddEmbeddingBagPacked(dst, updates, table, indices, weights, opts...)
	case "EmbeddingSegments":
		return dense.AddEmbeddingSegments(dst, updates, table, indices, borders, weights, c.segments, opts...)
	}
	return dense.AddSegmentMax(dst, updates, table, borders, c.segments, opts...)
}

// bags are the positions of each bag.
func (c *bagCall) bags() [][]int {
	switch c.op {
	case "EmbeddingBagOffsets":
		switch n := len(c.borders) - 1; {
		case c.lengths:
			return oracle.LengthBags(c.borders)
		case c.last:
			return oracle.OffsetBags(len(c.indices.Data), c.borders[:n])
		}
		return oracle.OffsetBags(len(c.indices.Data), c.borders)
	case "EmbeddingBagPacked":
		return oracle.PackedBags(c.indices.Shape[0], c.indices.Shape[1])
	}
	return oracle.SegmentBags(c.paddingID.Kept(c.borders), c.segments)
}

// badBorder tells whether offsets or segment ids are out of order or out of range.
func (c *bagCall) badBorder() bool {
	if c.op == "EmbeddingBagPacked" {
		return false
	}
	limit, borders := int64(len(c.indices.Data)), slices.DeleteFunc(slices.Clone(c.borders), func(v int64) bool { return c.paddingID.Padded && v == c.paddingID.ID })
	switch c.op {
	case "EmbeddingSegments":
		limit = int64(c.segments) - 1
	case "SegmentMax":
		if c.skip {
			return !slices.IsSorted(borders)
		}
		limit = int64(c.segments) - 1
	}
	outside := func(v int64) bool { return v < 0 || v > limit }
	if c.lengths && !slices.ContainsFunc(borders, outside) {
		sum := int64(0)
		for _, length := range borders {
			sum += length
		}
		return sum != limit
	}
	if c.last && borders[len(borders)-1] != limit {
		return true
	}
	return slices.ContainsFunc(borders, outside) || !slices.IsSorted(borders)
}

// normalized tells whether the weights are divided before anything is added.
func (c *bagCall) normalized() bool {
	return c.rule.Reduction == oracle.SqrtN || c.rule.Reduction == oracle.Mean && c.weighted
}
