package shapes

import (
	"slices"

	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/tensor"
)

// EmbeddingBagOffsets returns the shape of EmbeddingBagOffsets' result, (bags) ++
// s[1:] for a table of shape s, after checking that the table has an axis, that
// indices are (n), offsets (bags), and weights, of which there may be none, (n).
//
// Source: OpenVINO EmbeddingBagOffsets-15.
func EmbeddingBagOffsets(table, indices, offsets tensor.Shape, weights ...tensor.Shape) (tensor.Shape, error) {
	return embeddingBagOffsets(make(tensor.Shape, 0, rankHint), table, indices, offsets, weights)
}

func embeddingBagOffsets(out, table, indices, offsets tensor.Shape, weights []tensor.Shape) (tensor.Shape, error) {
	const op = "EmbeddingBagOffsets"
	if err := rows(op, "table", table, indices, 1, weights); err != nil {
		return nil, err
	}
	if err := needsRank(op, "offsets", offsets, 1); err != nil {
		return nil, err
	}
	return bags(op, out, offsets[0], table)
}

// EmbeddingBagPacked returns the shape of EmbeddingBagPacked's result, (bags) ++
// s[1:] for a table of shape s, after checking that the table has an axis, that
// indices are (bags, k), and weights, of which there may be none, the same.
//
// Source: OpenVINO EmbeddingBagPacked-15.
func EmbeddingBagPacked(table, indices tensor.Shape, weights ...tensor.Shape) (tensor.Shape, error) {
	return embeddingBagPacked(make(tensor.Shape, 0, rankHint), table, indices, weights)
}

func embeddingBagPacked(out, table, indices tensor.Shape, weights []tensor.Shape) (tensor.Shape, error) {
	const op = "EmbeddingBagPacked"
	if err := rows(op, "table", table, indices, 2, weights); err != nil {
		return nil, err
	}
	return bags(op, out, indices[0], table)
}

// EmbeddingSegments returns the shape of EmbeddingSegments' result, (numSegments) ++
// s[1:] for a table of shape s, after checking that the table has an axis, that
// indices are (n), segmentIDs (n), and weights, of which there may be none, (n), and
// that numSegments is not negative.
//
// Source: OpenVINO EmbeddingSegmentsSum-3.
func EmbeddingSegments(table, indices, segmentIDs tensor.Shape, numSegments int, weights ...tensor.Shape) (tensor.Shape, error) {
	return embeddingSegments(make(tensor.Shape, 0, rankHint), table, indices, segmentIDs, numSegments, weights)
}

func embeddingSegments(out, table, indices, segmentIDs tensor.Shape, numSegments int, weights []tensor.Shape) (tensor.Shape, error) {
	const op = "EmbeddingSegments"
	if err := rows(op, "table", table, indices, 1, weights); err != nil {
		return nil, err
	}
	if !slices.Equal(segmentIDs, indices) {
		return nil, shapeError(op, "segmentIDs %v must have the shape of indices %v%s",
			fault.Shape(segmentIDs), fault.Shape(indices), fault.ScalarHint(segmentIDs, indices))
	}
	return segments(op, out, numSegments, table)
}

// rows checks a table, the indices of rows of it, and the weights of these rows.
func rows(op, argument string, table, indices tensor.Shape, rank int, weights []tensor.Shape) error {
	if len(table) == 0 {
		return needsRank1(op, argument)
	}
	if !fault.Countable(table) {
		return uncountable(op, argument, table)
	}
	if err := needsRank(op, "indices", indices, rank); err != nil {
		return err
	}
	if len(weights) > 1 {
		return shapeError(op, "%d shapes of weights, 1 is allowed", len(weights))
	}
	for _, w := range weights {
		if !slices.Equal(w, indices) {
			return shapeError(op, "weights %v must have the shape of indices %v%s",
				fault.Shape(w), fault.Shape(indices), fault.ScalarHint(w, indices))
		}
	}
	return nil
}

// needsRank returns an error unless the shape has the rank, and dims that a tensor can have.
func needsRank(op, argument string, s tensor.Shape, rank int) error {
	if len(s) != rank {
		return shapeError(op, "%s %v have rank %d, %d is needed%s", argument, fault.Shape(s), len(s), rank, fault.ScalarHint(s, fault.Ones(rank)))
	}
	if !fault.Countable(s) {
		return uncountable(op, argument, s)
	}
	return nil
}

// segments is the shape of a number of bags that the caller gives.
func segments(op string, out tensor.Shape, numSegments int, table tensor.Shape) (tensor.Shape, error) {
	if err := notNegative(op, numSegments); err != nil {
		return nil, err
	}
	return bags(op, out, numSegments, table)
}

// bags is the shape of n rows of a table.
func bags(op string, out tensor.Shape, n int, table tensor.Shape) (tensor.Shape, error) {
	out = append(append(out, n), table[1:]...)
	if !fault.Countable(out) {
		return nil, uncountable(op, "result", out)
	}
	return out, nil
}
