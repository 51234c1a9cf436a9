package transformer

import (
	"math"
	"slices"

	"github.com/pkg/errors"
	"github.com/x448/float16"
	"gorgonia.org/gather/dense"
	"gorgonia.org/tensor"
)

var layerNormalizations = []version{
	{since: 17, inputs: []parameter{{name: "X", of: floats16}, {name: "Scale", same: true}, {name: "B", same: true}}, least: 2, outputs: 3,
		apply: layerNormalization, attributes: map[string]any{"axis": int64(-1), "epsilon": float32(1e-5), "stash_type": int64(stashFloat)}},
}

// The types of TensorProto that stash_type may name.
const (
	stashFloat    = 1
	stashBFloat16 = 16
)

// layerNormalization brings each slice along the last axes, from axis on, to mean 0
// and variance 1, and then scales and shifts it:
//
//	Y = (X - Mean) * InvStdDev * Scale + B,  InvStdDev = 1 / sqrt(Var + epsilon)
//
// Scale and B are broadcast to X. Mean and InvStdDev have the shape of X with 1 for
// the axes taken together, and the type that stash_type names.
func layerNormalization(c call, in []*tensor.Dense) ([]*tensor.Dense, error) {
	shape := in[0].Shape()
	rank := len(shape)
	axis := c.int("axis")
	if axis < -int64(rank) || axis >= int64(rank) {
		return nil, errors.Wrapf(dense.ErrAxis, "axis %d is not in [%d, %d] for X of rank %d", axis, -rank, rank-1, rank)
	}
	if axis < 0 {
		axis += int64(rank)
	}
	if stash := c.int("stash_type"); stash != stashFloat && stash != stashBFloat16 {
		return nil, errors.Wrapf(dense.ErrOption, "stash_type is %d, %d (float) and %d (bfloat16) are allowed", stash, stashFloat, stashBFloat16)
	}
	for i, name := range []string{"Scale", "B"} {
		if in[i+1] == nil {
			continue
		}
		full, err := broadcast(shape, in[i+1].Shape())
		if err != nil || !slices.Equal(full, shape) {
			return nil, errors.Wrapf(dense.ErrShape, "%s has shape %v, which cannot be repeated to that of X, %v", name, in[i+1].Shape(), shape)
		}
	}
	switch in[0].Dtype() {
	case tensor.Float32:
		return normalize(c, int(axis), in, func(x float32) float64 { return float64(x) }, func(x float64) float32 { return float32(x) })
	case tensor.Float64:
		return normalize(c, int(axis), in, same[float64], same[float64])
	case dense.Float16:
		return normalize(c, int(axis), in, wideHalf[float16.Float16], narrowHalf[float16.Float16])
	}
	return normalize(c, int(axis), in, wideHalf[dense.BF16], narrowHalf[dense.BF16])
}

func wideHalf[T halfwidth](x T) float64   { return float64(widen(x)) }
func narrowHalf[T halfwidth](x float64) T { return narrow[T](float32(x)) }

func normalize[T any](c call, axis int, in []*tensor.Dense, wide func(T) float64, round func(float64) T) ([]*tensor.Dense, error) {
	shape := in[0].Shape()
	n, rows := size(shape[axis:]), size(shape[:axis])
	x, y := elements[T](in[0]), make([]T, size(shape))
	scale, shift := operand(in[1], shape, n, wide), operand(in[2], shape, n, wide)
	means, inverses := make([]float64, rows), make([]float64, rows)
	row := make([]float64, n)
	for r := range rows {
		for i, v := range x[r*n : (r+1)*n] {
			row[i] = wide(v)
		}
		if c.int("stash_type") == stashBFloat16 {
			means[r], inverses[r] = standardizeInBFloat16(row, c.float("epsilon"))
		} else {
			means[r], inverses[r] = standardize(row, float64(c.float("epsilon")))
		}
		scales, shifts := scale.row(r), shift.row(r)
		out := y[r*n : (r+1)*n]
		for i, v := range row {
			v *= scales[i]
			if shifts != nil {
				v += shifts[i]
			}
			out[i] = round(v)
		}
	}
	stash := shape.Clone()
	for i := axis; i < len(stash); i++ {
		stash[i] = 1
	}
	results := []*tensor.Dense{newDense(shape.Clone(), y)}
	for _, values := range [][]float64{means, inverses} {
		if c.int("stash_type") == stashBFloat16 {
			results = append(results, newDense(stash.Clone(), converted(values, narrowHalf[dense.BF16])))
		} else {
			results = append(results, newDense(stash.Clone(), converted(values, func(x float64) float32 { return float32(x) })))
		}
	}
	return results[:c.outputs], nil
}

// standardize brings the row to mean 0 and variance 1. Two passes: the mean of the
// squares less the square of the mean loses all digits of a row of large numbers
// that hardly differ.
func standardize(row []float64, epsilon float64) (mean, inverse float64) {
	for _, v := range row {
		mean += v
	}
	mean /= float64(len(row))
	variance := 0.0
	for i, v := range row {
		v -= mean
		row[i] = v
		variance += v * v
	}
	inverse = 1 / math.Sqrt(variance/float64(len(row))+epsilon)
	for i := range row {
		row[i] *= inverse
	}
	return mean, inverse
}

// standardizeInBFloat16 is standardize with every step rounded.
func standardizeInBFloat16(row []float64, epsilon float32) (mean, inverse float64) {
	rounded := func(x float64) float64 { return float64(widen(bfloat(float32(x)))) }
	for i, v := range row {
		row[i] = rounded(v)
		mean += row[i]
	}
	mean = rounded(mean / float64(len(row)))
	variance := 0.0
	for i, v := range row {
		row[i] = rounded(v - mean)
		variance += rounded(row[i] * row[i])
	}
	variance = rounded(variance / float64(len(row)))
	inverse = rounded(1 / rounded(math.Sqrt(rounded(variance+rounded(float64(epsilon))))))
	for i := range row {
		row[i] = rounded(row[i] * inverse)
	}
	return mean, inverse
}

// rowsOf is Scale or B as float64: one row for all, or, where it differs from row to
// row, repeated to the shape of X.
type rowsOf struct {
	values []float64
	n      int
}

func operand[T any](d *tensor.Dense, shape tensor.Shape, n int, wide func(T) float64) rowsOf {
	if d == nil {
		return rowsOf{}
	}
	if size(d.Shape()) == n && slices.Equal(d.Shape(), shape[len(shape)-len(d.Shape()):]) {
		return rowsOf{values: converted(elements[T](d), wide), n: n}
	}
	from := converted(elements[T](d), wide)
	all := rowsOf{values: make([]float64, 0, size(shape)), n: n}
	eachRow(shape, [][]int{stridesTo(d.Shape(), shape)}, func(n int, offsets, steps []int) {
		for i := range n {
			all.values = append(all.values, from[offsets[0]+i*steps[0]])
		}
	})
	return all
}

// row is the part for row r, nil of an operand that there is not.
func (o rowsOf) row(r int) []float64 {
	if o.values == nil || len(o.values) == o.n {
		return o.values
	}
	return o.values[r*o.n : (r+1)*o.n]
}

func converted[T, U any](from []T, convert func(T) U) []U {
	to := make([]U, len(from))
	for i, x := range from {
		to[i] = convert(x)
	}
	return to
}
