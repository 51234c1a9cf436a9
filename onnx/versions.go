package onnx

import (
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/opset"
	"gorgonia.org/tensor"
)

// The sets that ONNX's type constraints name.
var (
	// t15 is T before bfloat16 came.
	t15 = opset.Dtypes{
		tensor.Bool,
		tensor.Int8, tensor.Int16, tensor.Int32, tensor.Int64,
		tensor.Uint8, tensor.Uint16, tensor.Uint32, tensor.Uint64,
		dense.Float16, tensor.Float32, tensor.Float64,
		tensor.Complex64, tensor.Complex128, tensor.String,
	}
	t16       = t15.And(dense.BFloat16)
	tFloat    = opset.Dtypes{dense.Float16, tensor.Float32, tensor.Float64}
	int32Or64 = opset.Dtypes{tensor.Int32, tensor.Int64}
	features  = opset.Dtypes{tensor.Float64, tensor.Float32, tensor.Int64, tensor.Int32, tensor.String}
	int64Only = opset.Dtypes{tensor.Int64}
	ranges    = opset.Dtypes{tensor.Float32, tensor.Float64, tensor.Int16, tensor.Int32, tensor.Int64}
)

// The attributes that versions have.
var (
	axis0        = opset.Attribute{Name: "axis", Default: int64(0), In: opset.AnyAxis}
	sequence     = opset.Attribute{Name: "axis", Default: int64(-2), In: opset.AnyAxis}
	batchDims    = opset.Attribute{Name: "batch_dims", Default: int64(0), In: opset.ProperBatch}
	addMul       = opset.Attribute{Name: "reduction", Default: "none", Words: []string{"none", "add", "mul"}}
	addMulMinMax = opset.Attribute{Name: "reduction", Default: "none", Words: []string{"none", "add", "mul", "min", "max"}}
	writeMode    = opset.Attribute{Name: "mode", Default: "linear", Words: []string{"linear", "circular"}}
)

// specification is ONNX's, as its texts spell it.
var specification = &opset.Specification{
	Versions: versions,
	Reductions: map[string]dense.Reduction{
		"none": dense.None, "add": dense.Add, "mul": dense.Mul, "min": dense.Min, "max": dense.Max,
	},
	TypeName: dtypeName,
	Opset:    "opset %d",
	Word:     "%s %q",
}

// versions is the table: ONNX's operator documents up to opset 28, which have
// not changed any of these operators after their last row, and those of ai.onnx.ml. A bad index, one
// outside [-s, s-1] or [0, s-1], is an error in every row.
var versions = map[string][]opset.Version{
	"Gather": {
		{Since: 1, Data: t15, Index: int32Or64, Attributes: []opset.Attribute{axis0}, Negatives: opset.Unstated},
		{Since: 11, Data: t15, Index: int32Or64, Attributes: []opset.Attribute{axis0}},
		{Since: 13, Data: t16, Index: int32Or64, Attributes: []opset.Attribute{axis0}},
	},
	"GatherElements": {
		{Since: 11, Data: t15, Index: int32Or64, Attributes: []opset.Attribute{axis0}},
		{Since: 13, Data: t16, Index: int32Or64, Attributes: []opset.Attribute{axis0}},
	},
	"GatherND": {
		{Since: 11, Data: t15, Index: int64Only},
		{Since: 12, Data: t15, Index: int64Only, Attributes: []opset.Attribute{batchDims}},
		{Since: 13, Data: t16, Index: int64Only, Attributes: []opset.Attribute{batchDims}},
	},
	"Scatter": {
		{Since: 9, Data: t15, Index: int32Or64, Attributes: []opset.Attribute{axis0}, Negatives: opset.Unstated},
		{Since: 11, Instead: "ScatterElements"},
	},
	"ScatterElements": {
		{Since: 11, Data: t15, Index: int32Or64, Attributes: []opset.Attribute{axis0}},
		{Since: 13, Data: t16, Index: int32Or64, Attributes: []opset.Attribute{axis0}},
		{Since: 16, Data: t16, Index: int32Or64, Attributes: []opset.Attribute{axis0, addMul}},
		{Since: 18, Data: t16, Index: int32Or64, Attributes: []opset.Attribute{axis0, addMulMinMax}},
	},
	"ScatterND": {
		{Since: 11, Data: t15, Index: int64Only},
		{Since: 13, Data: t16, Index: int64Only},
		{Since: 16, Data: t16, Index: int64Only, Attributes: []opset.Attribute{addMul}},
		{Since: 18, Data: t16, Index: int64Only, Attributes: []opset.Attribute{addMulMinMax}},
	},
	"TensorScatter": {
		{Since: 24, Data: t16, Index: int64Only, Attributes: []opset.Attribute{sequence, writeMode}, Negatives: opset.Refused},
	},
	machineLearning + ".ArrayFeatureExtractor": {
		{Since: 1, Data: features, Index: int64Only, Negatives: opset.Refused},
	},
	blocksName: {
		{Since: 1, Data: opset.Dtypes{tensor.Uint8}, Index: int32Or64, Attributes: []opset.Attribute{
			{Name: "gather_axis", Default: int64(0), In: opset.AnyAxis}, {Name: "quantize_axis", Default: int64(1), In: opset.AnyAxis},
			{Name: "block_size", Default: int64(128)}, {Name: "bits", Default: int64(4)},
		}},
	},
	"Constant": {
		{Since: 1, Data: tFloat, Attributes: constants("value")},
		{Since: 9, Data: t15, Attributes: constants("value")},
		{Since: 12, Data: t15, Attributes: constants("value", "value_float", "value_floats",
			"value_int", "value_ints", "value_string", "value_strings")},
		{Since: 13, Data: t16, Attributes: constants("value", "value_float", "value_floats",
			"value_int", "value_ints", "value_string", "value_strings")},
	},
	"Shape": {
		{Since: 1, Data: t15},
		{Since: 13, Data: t16},
		{Since: 15, Data: t16, Attributes: constants("start", "end")},
	},
	"Size":            {{Since: 1, Data: t15}, {Since: 13, Data: t16}},
	"ConstantOfShape": {{Since: 9, Data: int64Only, Attributes: constants("value")}},
	"Range":           {{Since: 11, Data: ranges}, {Since: 27, Data: ranges.And(dense.Float16, dense.BFloat16), Attributes: constants("stash_type")}},
	"Identity": {
		{Since: 1, Data: t15},
		{Since: 13, Data: t16},
	},
}
