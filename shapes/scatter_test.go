package shapes_test

import (
	"math"
	"testing"

	"gorgonia.org/gather/shapes"
)

func TestScatterElements(t *testing.T) {
	scatterElements := func(data, indices, updates shape, axis int) func() (shape, error) {
		return func() (shape, error) { return shapes.ScatterElements(data, indices, updates, axis) }
	}
	run(t, []row{
		{name: "data's shape", got: scatterElements(shape{3, 7, 5}, shape{2, 9, 4}, shape{2, 9, 4}, 1), want: shape{3, 7, 5}},
		{name: "axis from the end", got: scatterElements(shape{3, 7}, shape{3, 9}, shape{3, 9}, -1), want: shape{3, 7}},
		{name: "no indices", got: scatterElements(shape{3, 7}, shape{0, 7}, shape{0, 7}, 0), want: shape{3, 7}},

		{name: "scalars", got: scatterElements(shape{}, shape{}, shape{}, 0), err: shapes.ErrShape,
			text: "ScatterElements: data is a scalar, rank 1 or more is needed; a backing of one element makes a scalar unless WithShape(1) is given"},
		{name: "axis r", got: scatterElements(shape{3, 4}, shape{3, 4}, shape{3, 4}, 2), err: shapes.ErrAxis,
			text: "ScatterElements: axis 2 is not in [-2, 1] for rank 2"},
		{name: "lower rank", got: scatterElements(shape{3, 4}, shape{3}, shape{3}, 0), err: shapes.ErrShape,
			text: "ScatterElements: indices (3) has rank 1, data (3, 4) has rank 2: the ranks must be equal; use (n, 4), or ScatterUpdate for whole slices"},
		{name: "more than data beside the axis", got: scatterElements(shape{3, 4}, shape{5, 4}, shape{5, 4}, 1), err: shapes.ErrShape,
			text: "ScatterElements: indices (5, 4) has 5 at axis 0, at most 3 is allowed for data (3, 4) and axis 1"},
		{name: "larger updates", got: scatterElements(shape{3, 4}, shape{3, 2}, shape{3, 4}, 1), err: shapes.ErrShape,
			text: "ScatterElements: updates (3, 4) must have the shape of indices (3, 2)"},
		{name: "scalar updates", got: scatterElements(shape{3}, shape{1}, shape{}, 0), err: shapes.ErrShape,
			text: "ScatterElements: updates () must have the shape of indices (1); a backing of one element makes a scalar unless WithShape(1) is given"},
	})
}

func TestScatterND(t *testing.T) {
	scatterND := func(data, indices, updates shape) func() (shape, error) {
		return func() (shape, error) { return shapes.ScatterND(data, indices, updates) }
	}
	run(t, []row{
		{name: "slices", got: scatterND(shape{3, 4, 5}, shape{6, 7, 1}, shape{6, 7, 4, 5}), want: shape{3, 4, 5}},
		{name: "elements", got: scatterND(shape{3, 4}, shape{6, 2}, shape{6}), want: shape{3, 4}},
		{name: "one whole tuple, scalar updates", got: scatterND(shape{3, 4}, shape{2}, shape{}), want: shape{3, 4}},
		{name: "no tuples", got: scatterND(shape{3, 4}, shape{0, 1}, shape{0, 4}), want: shape{3, 4}},

		{name: "k = 0, two tuples", got: scatterND(shape{3, 4}, shape{2, 0}, shape{2, 3, 4}), want: shape{3, 4}},
		{name: "k = 0, one tuple", got: scatterND(shape{3, 4}, shape{0}, shape{3, 4}), want: shape{3, 4}},
		{name: "k = 0, no tuples", got: scatterND(shape{3, 4}, shape{2, 0, 0}, shape{2, 0, 3, 4}), want: shape{3, 4}},

		{name: "k = 0, updates of one slice", got: scatterND(shape{3, 4}, shape{2, 0}, shape{2, 4}), err: shapes.ErrShape,
			text: "ScatterND: updates (2, 4) must have the shape (2, 3, 4) for data (3, 4) and indices (2, 0)"},
		{name: "k = 0, data of rank 0", got: scatterND(shape{}, shape{2, 0}, shape{2}), err: shapes.ErrShape,
			text: "ScatterND: data is a scalar, rank 1 or more is needed; a backing of one element makes a scalar unless WithShape(1) is given"},
		{name: "k below 0", got: scatterND(shape{3, 4}, shape{2, -1}, shape{2}), err: shapes.ErrShape,
			text: "ScatterND: the last dim of indices (2, -1) is -1, allowed is 0 to 2 for data (3, 4) and batch_dims 0"},
		{name: "k above r", got: scatterND(shape{3, 4}, shape{2, 3}, shape{2}), err: shapes.ErrShape,
			text: "ScatterND: the last dim of indices (2, 3) is 3, allowed is 0 to 2 for data (3, 4) and batch_dims 0; use (2, 3, 1) for single indices"},
		{name: "n single indices as one tuple", got: scatterND(shape{3, 4}, shape{2}, shape{2, 4}), err: shapes.ErrShape,
			text: "ScatterND: updates (2, 4) must have the shape () for data (3, 4) and indices (2); use (2, 1) for single indices"},
		{name: "scalar indices", got: scatterND(shape{3}, shape{}, shape{}), err: shapes.ErrShape,
			text: "ScatterND: indices is a scalar, rank 1 or more is needed; a backing of one element makes a scalar unless WithShape(1) is given"},
		{name: "updates do not broadcast", got: scatterND(shape{3, 4}, shape{2, 1}, shape{2, 1}), err: shapes.ErrShape,
			text: "ScatterND: updates (2, 1) must have the shape (2, 4) for data (3, 4) and indices (2, 1)"},
	})
}

func TestScatterUpdate(t *testing.T) {
	scatterUpdate := func(data, indices, updates shape, axis int) func() (shape, error) {
		return func() (shape, error) { return shapes.ScatterUpdate(data, indices, updates, axis) }
	}
	run(t, []row{
		{name: "an inner axis", got: scatterUpdate(shape{3, 4, 5}, shape{6, 7}, shape{3, 6, 7, 5}, 1), want: shape{3, 4, 5}},
		{name: "axis from the end", got: scatterUpdate(shape{3, 4}, shape{2}, shape{3, 2}, -1), want: shape{3, 4}},
		{name: "scalar index", got: scatterUpdate(shape{3, 4}, shape{}, shape{4}, 0), want: shape{3, 4}},

		{name: "scalar data", got: scatterUpdate(shape{}, shape{}, shape{}, 0), err: shapes.ErrShape,
			text: "ScatterUpdate: data is a scalar, rank 1 or more is needed; a backing of one element makes a scalar unless WithShape(1) is given"},
		{name: "axis r", got: scatterUpdate(shape{3, 4}, shape{2}, shape{3, 2}, 2), err: shapes.ErrAxis,
			text: "ScatterUpdate: axis 2 is not in [-2, 1] for rank 2"},
		{name: "updates of indices' shape", got: scatterUpdate(shape{3, 4}, shape{2}, shape{2}, 0), err: shapes.ErrShape,
			text: "ScatterUpdate: updates (2) must have the shape (2, 4) for data (3, 4), indices (2) and axis 0"},
		{name: "too many indices", got: scatterUpdate(shape{3, 4}, shape{math.MaxInt, 2}, shape{2}, 0), err: shapes.ErrShape,
			text: "ScatterUpdate: indices shape " + show(math.MaxInt, 2) + " has more elements than an int can count"},
	})
}

func TestGatherTree(t *testing.T) {
	gatherTree := func(steps, parents, lengths, end shape) func() (shape, error) {
		return func() (shape, error) { return shapes.GatherTree(steps, parents, lengths, end) }
	}
	run(t, []row{
		{name: "(time, batch, beam)", got: gatherTree(shape{3, 4, 5}, shape{3, 4, 5}, shape{4}, shape{}), want: shape{3, 4, 5}},

		{name: "rank 2", got: gatherTree(shape{3, 4}, shape{3, 4}, shape{4}, shape{}), err: shapes.ErrShape,
			text: "GatherTree: stepIDs (3, 4) has rank 2, (max_time, batch, beam) is needed"},
		{name: "other parents", got: gatherTree(shape{3, 4, 5}, shape{3, 5, 4}, shape{4}, shape{}), err: shapes.ErrShape,
			text: "GatherTree: parentIDs (3, 5, 4) must have the shape of stepIDs (3, 4, 5)"},
		{name: "lengths of beams", got: gatherTree(shape{3, 4, 5}, shape{3, 4, 5}, shape{5}, shape{}), err: shapes.ErrShape,
			text: "GatherTree: maxSeqLen (5) must have the shape (4), one length a batch of stepIDs (3, 4, 5)"},
		{name: "lengths of rank 2", got: gatherTree(shape{3, 4, 5}, shape{3, 4, 5}, shape{4, 1}, shape{}), err: shapes.ErrShape,
			text: "GatherTree: maxSeqLen (4, 1) must have the shape (4), one length a batch of stepIDs (3, 4, 5)"},
		{name: "end token in a tensor", got: gatherTree(shape{3, 4, 5}, shape{3, 4, 5}, shape{4}, shape{1}), err: shapes.ErrShape,
			text: "GatherTree: endToken (1) must be a scalar"},
	})
}
