package shapes_test

import (
	"fmt"
	"math"
	"testing"

	"gorgonia.org/gather/shapes"
)

func TestEmbeddingBagOffsets(t *testing.T) {
	bags := func(table, indices, offsets shape, weights ...shape) func() (shape, error) {
		return func() (shape, error) { return shapes.EmbeddingBagOffsets(table, indices, offsets, weights...) }
	}
	run(t, []row{
		{name: "rows", got: bags(shape{5, 3, 4}, shape{7}, shape{2}), want: shape{2, 3, 4}},
		{name: "numbers, with weights", got: bags(shape{5}, shape{7}, shape{2}, shape{7}), want: shape{2}},
		{name: "no bags", got: bags(shape{5, 3}, shape{7}, shape{0}), want: shape{0, 3}},
		{name: "nothing at all", got: bags(shape{0, 3}, shape{0}, shape{2}), want: shape{2, 3}},

		{name: "scalar table", got: bags(shape{}, shape{7}, shape{2}), err: shapes.ErrShape,
			text: "EmbeddingBagOffsets: table is a scalar, rank 1 or more is needed; a backing of one element makes a scalar unless WithShape(1) is given"},
		{name: "negative dim", got: bags(shape{5, -3}, shape{7}, shape{2}), err: shapes.ErrShape,
			text: "EmbeddingBagOffsets: table shape (5, -3) has the negative dim -3 at axis 1"},
		{name: "indices of rank 2", got: bags(shape{5, 3}, shape{7, 2}, shape{2}), err: shapes.ErrShape,
			text: "EmbeddingBagOffsets: indices (7, 2) have rank 2, 1 is needed"},
		{name: "scalar offsets", got: bags(shape{5, 3}, shape{7}, shape{}), err: shapes.ErrShape,
			text: "EmbeddingBagOffsets: offsets () have rank 0, 1 is needed; a backing of one element makes a scalar unless WithShape(1) is given"},
		{name: "negative number of bags", got: bags(shape{5, 3}, shape{7}, shape{-2}), err: shapes.ErrShape,
			text: "EmbeddingBagOffsets: offsets shape (-2) has the negative dim -2 at axis 0"},
		{name: "fewer weights", got: bags(shape{5, 3}, shape{7}, shape{2}, shape{6}), err: shapes.ErrShape,
			text: "EmbeddingBagOffsets: weights (6) must have the shape of indices (7)"},
		{name: "weights twice", got: bags(shape{5, 3}, shape{7}, shape{2}, shape{7}, shape{7}), err: shapes.ErrShape,
			text: "EmbeddingBagOffsets: 2 shapes of weights, 1 is allowed"},
		{name: "too large", got: bags(shape{0, math.MaxInt}, shape{7}, shape{2}), err: shapes.ErrShape,
			text: fmt.Sprintf("EmbeddingBagOffsets: result shape (2, %d) has more elements than an int can count", math.MaxInt)},
	})
}

func TestEmbeddingBagPacked(t *testing.T) {
	bags := func(table, indices shape, weights ...shape) func() (shape, error) {
		return func() (shape, error) { return shapes.EmbeddingBagPacked(table, indices, weights...) }
	}
	run(t, []row{
		{name: "rows", got: bags(shape{5, 3, 4}, shape{7, 2}), want: shape{7, 3, 4}},
		{name: "empty bags, with weights", got: bags(shape{5, 3}, shape{7, 0}, shape{7, 0}), want: shape{7, 3}},

		{name: "scalar table", got: bags(shape{}, shape{7, 2}), err: shapes.ErrShape,
			text: "EmbeddingBagPacked: table is a scalar, rank 1 or more is needed; a backing of one element makes a scalar unless WithShape(1) is given"},
		{name: "indices of rank 1", got: bags(shape{5, 3}, shape{7}), err: shapes.ErrShape,
			text: "EmbeddingBagPacked: indices (7) have rank 1, 2 is needed"},
		{name: "weights of another shape", got: bags(shape{5, 3}, shape{7, 2}, shape{2, 7}), err: shapes.ErrShape,
			text: "EmbeddingBagPacked: weights (2, 7) must have the shape of indices (7, 2)"},
	})
}

func TestEmbeddingSegments(t *testing.T) {
	segments := func(table, indices, ids shape, n int, weights ...shape) func() (shape, error) {
		return func() (shape, error) { return shapes.EmbeddingSegments(table, indices, ids, n, weights...) }
	}
	run(t, []row{
		{name: "rows", got: segments(shape{5, 3, 4}, shape{7}, shape{7}, 9), want: shape{9, 3, 4}},
		{name: "no segments, with weights", got: segments(shape{5}, shape{7}, shape{7}, 0, shape{7}), want: shape{0}},

		{name: "fewer segment ids", got: segments(shape{5, 3}, shape{7}, shape{6}, 9), err: shapes.ErrShape,
			text: "EmbeddingSegments: segmentIDs (6) must have the shape of indices (7)"},
		{name: "scalar indices", got: segments(shape{5, 3}, shape{}, shape{}, 9), err: shapes.ErrShape,
			text: "EmbeddingSegments: indices () have rank 0, 1 is needed; a backing of one element makes a scalar unless WithShape(1) is given"},
		{name: "negative number of segments", got: segments(shape{5, 3}, shape{7}, shape{7}, -1), err: shapes.ErrShape,
			text: "EmbeddingSegments: numSegments is -1, 0 is the least"},
		{name: "too large", got: segments(shape{5, 3}, shape{7}, shape{7}, math.MaxInt), err: shapes.ErrShape,
			text: fmt.Sprintf("EmbeddingSegments: result shape (%d, 3) has more elements than an int can count", math.MaxInt)},
	})
}

func TestSegmentMax(t *testing.T) {
	segments := func(data, ids shape, n int) func() (shape, error) {
		return func() (shape, error) { return shapes.SegmentMax(data, ids, n) }
	}
	run(t, []row{
		{name: "rows", got: segments(shape{5, 3, 4}, shape{5}, 9), want: shape{9, 3, 4}},
		{name: "no rows", got: segments(shape{0, 3}, shape{0}, 2), want: shape{2, 3}},

		{name: "scalar data", got: segments(shape{}, shape{1}, 2), err: shapes.ErrShape,
			text: "SegmentMax: data is a scalar, rank 1 or more is needed; a backing of one element makes a scalar unless WithShape(1) is given"},
		{name: "negative dim", got: segments(shape{-5}, shape{5}, 2), err: shapes.ErrShape,
			text: "SegmentMax: data shape (-5) has the negative dim -5 at axis 0"},
		{name: "fewer segment ids", got: segments(shape{5, 3}, shape{4}, 9), err: shapes.ErrShape,
			text: "SegmentMax: segmentIDs (4) must have the shape (5), one for each row of data (5, 3)"},
		{name: "negative number of segments", got: segments(shape{5, 3}, shape{5}, -2), err: shapes.ErrShape,
			text: "SegmentMax: numSegments is -2, 0 is the least"},
	})
}
