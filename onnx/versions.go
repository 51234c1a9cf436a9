package onnx

import (
	"strings"

	"gorgonia.org/gather/dense"
	"gorgonia.org/tensor"
)

// dtypes is the set of dtypes that a version allows for one of its inputs.
type dtypes []tensor.Dtype

// The sets that ONNX's type constraints name.
var (
	// t15 is T before bfloat16 came.
	t15 = dtypes{
		tensor.Bool,
		tensor.Int8, tensor.Int16, tensor.Int32, tensor.Int64,
		tensor.Uint8, tensor.Uint16, tensor.Uint32, tensor.Uint64,
		dense.Float16, tensor.Float32, tensor.Float64,
		tensor.Complex64, tensor.Complex128, tensor.String,
	}
	t16       = append(t15[:len(t15):len(t15)], dense.BFloat16)
	tFloat    = dtypes{dense.Float16, tensor.Float32, tensor.Float64}
	int32Or64 = dtypes{tensor.Int32, tensor.Int64}
	int64Only = dtypes{tensor.Int64}
	ranges    = dtypes{tensor.Float32, tensor.Float64, tensor.Int16, tensor.Int32, tensor.Int64}
)

func (set dtypes) has(dt tensor.Dtype) bool {
	for _, d := range set {
		if d == dt {
			return true
		}
	}
	return false
}

// String lists the set's types, for errors.
func (set dtypes) String() string {
	list := make([]string, len(set))
	for i, dt := range set {
		list[i] = dtypeName(dt)
	}
	return strings.Join(list, ", ")
}

// An attribute is one that a version has: an integer within a range that
// depends on the inputs, or a string out of a list.
type attribute struct {
	name     string
	fallback any      // its default: int64 or string
	in       interval // of an integer
	words    []string // of a string
}

// interval is the range of an integer attribute, as a function of the ranks of
// data and indices.
type interval func(r, q int) (low, high int)

var (
	axis0        = attribute{name: "axis", fallback: int64(0), in: anyAxis}
	sequence     = attribute{name: "axis", fallback: int64(-2), in: anyAxis}
	batchDims    = attribute{name: "batch_dims", fallback: int64(0), in: properBatch}
	addMul       = attribute{name: "reduction", fallback: "none", words: []string{"none", "add", "mul"}}
	addMulMinMax = attribute{name: "reduction", fallback: "none", words: []string{"none", "add", "mul", "min", "max"}}
	writeMode    = attribute{name: "mode", fallback: "linear", words: []string{"linear", "circular"}}
)

func anyAxis(r, _ int) (int, int)     { return -r, r - 1 }
func properBatch(r, q int) (int, int) { return 0, min(r, q) - 1 }

// negatives says what a version holds of indices below zero.
type negatives int

const (
	counted  negatives = iota // they count from the end of the axis
	unstated                  // the text is silent; they count, as ONNX Runtime takes them
	refused                   // they are an error
)

// A version is one row of the table: what an operator allows from an opset on,
// until the next row of the same operator.
type version struct {
	since     int
	data      dtypes // of data and of updates, which must agree
	index     dtypes
	attrs     []attribute
	negatives negatives
	instead   string // the operator to use instead: this row ends the older one
}

// versions is the table: ONNX's operator documents up to opset 28, which have
// not changed any of these operators after their last row. A bad index, one
// outside [-s, s-1] or [0, s-1], is an error in every row.
var versions = map[string][]version{
	"Gather": {
		{since: 1, data: t15, index: int32Or64, attrs: []attribute{axis0}, negatives: unstated},
		{since: 11, data: t15, index: int32Or64, attrs: []attribute{axis0}},
		{since: 13, data: t16, index: int32Or64, attrs: []attribute{axis0}},
	},
	"GatherElements": {
		{since: 11, data: t15, index: int32Or64, attrs: []attribute{axis0}},
		{since: 13, data: t16, index: int32Or64, attrs: []attribute{axis0}},
	},
	"GatherND": {
		{since: 11, data: t15, index: int64Only},
		{since: 12, data: t15, index: int64Only, attrs: []attribute{batchDims}},
		{since: 13, data: t16, index: int64Only, attrs: []attribute{batchDims}},
	},
	"Scatter": {
		{since: 9, data: t15, index: int32Or64, attrs: []attribute{axis0}, negatives: unstated},
		{since: 11, instead: "ScatterElements"},
	},
	"ScatterElements": {
		{since: 11, data: t15, index: int32Or64, attrs: []attribute{axis0}},
		{since: 13, data: t16, index: int32Or64, attrs: []attribute{axis0}},
		{since: 16, data: t16, index: int32Or64, attrs: []attribute{axis0, addMul}},
		{since: 18, data: t16, index: int32Or64, attrs: []attribute{axis0, addMulMinMax}},
	},
	"ScatterND": {
		{since: 11, data: t15, index: int64Only},
		{since: 13, data: t16, index: int64Only},
		{since: 16, data: t16, index: int64Only, attrs: []attribute{addMul}},
		{since: 18, data: t16, index: int64Only, attrs: []attribute{addMulMinMax}},
	},
	"TensorScatter": {
		{since: 24, data: t16, index: int64Only, attrs: []attribute{sequence, writeMode}, negatives: refused},
	},
	"Constant": {
		{since: 1, data: tFloat, attrs: constants("value")},
		{since: 9, data: t15, attrs: constants("value")},
		{since: 12, data: t15, attrs: constants("value", "value_float", "value_floats",
			"value_int", "value_ints", "value_string", "value_strings")},
		{since: 13, data: t16, attrs: constants("value", "value_float", "value_floats",
			"value_int", "value_ints", "value_string", "value_strings")},
	},
	"Shape": {
		{since: 1, data: t15},
		{since: 13, data: t16},
		{since: 15, data: t16, attrs: constants("start", "end")},
	},
	"Size":            {{since: 1, data: t15}, {since: 13, data: t16}},
	"ConstantOfShape": {{since: 9, data: int64Only, attrs: constants("value")}},
	"Range":           {{since: 11, data: ranges}, {since: 27, data: append(ranges[:5:5], dense.Float16, dense.BFloat16)}},
	"Identity": {
		{since: 1, data: t15},
		{since: 13, data: t16},
	},
}
