package openvino

import (
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/opset"
	"gorgonia.org/tensor"
)

// The sets that the operators' texts name.
var (
	// int32Or64 counts Go's int among the two, since it is one of them.
	int32Or64  = opset.Dtypes{tensor.Int32, tensor.Int64, tensor.Int}
	anyInteger = opset.Dtypes{
		tensor.Int8, tensor.Int16, tensor.Int32, tensor.Int64, tensor.Int,
		tensor.Uint8, tensor.Uint16, tensor.Uint32, tensor.Uint64, tensor.Uint,
	}
	numeric     = anyInteger.And(dense.Float16, dense.BFloat16, tensor.Float32, tensor.Float64)
	withBoolean = numeric.And(tensor.Bool)
	anyType     = withBoolean.And(tensor.String)
)

// The attributes that versions have.
var (
	// A negative batch_dims of Gather counts from the rank of indices.
	gatherBatch = opset.Attribute{Name: "batch_dims", Default: int64(0), In: func(r, q int) (int, int) { return -min(r, q), min(r, q) }}
	tupleBatch  = opset.Attribute{Name: "batch_dims", Default: int64(0), In: opset.ProperBatch}
	neededAxis  = opset.Attribute{Name: "axis", In: opset.AnyAxis}

	elementsReduction = opset.Attribute{Name: "reduction", Default: "none", Words: []string{"none", "sum", "prod", "min", "max", "mean"}}
	tupleReduction    = opset.Attribute{Name: "reduction", Default: "none", Words: []string{"none", "sum", "sub", "prod", "min", "max"}}
	bagReduction      = opset.Attribute{Name: "reduction", Default: "sum", Words: []string{"sum", "mean"}}
	fillMode          = opset.Attribute{Name: "fill_mode", Words: []string{"ZERO", "LOWEST"}}
	useInitVal        = opset.Attribute{Name: "use_init_val", Default: "true", Words: []string{"true", "false"}}
)

// specification is OpenVINO's, as its texts spell it.
var specification = &opset.Specification{
	Versions: versions,
	Reductions: map[string]dense.Reduction{
		"none": dense.None, "sum": dense.Add, "sub": dense.Sub, "prod": dense.Mul,
		"min": dense.Min, "max": dense.Max, "mean": dense.Mean,
	},
	TypeName: func(dt tensor.Dtype) string { return typeNames[dt] },
	Opset:    "opset%d",
	Word:     "attribute %q with value %q",
	OutOf:    true,
}

// versions is the table. The operators' texts leave the following open:
//   - Gather-1 and Gather-7 do not say what an index out of range does. Here
//     Gather-1 rejects it, and Gather-7 fills with zeros as OpenVINO's own
//     implementation does, also for negative indices.
//   - ScatterNDUpdate-3 is named after opset3, and OpenVINO reads it from
//     opset4 on. Here it is there from opset3.
var versions = map[string][]opset.Version{
	"Gather": {
		{Since: 1, Data: anyType, Index: anyInteger, Negatives: opset.Refused, OutOfRange: dense.Reject},
		{Since: 7, Data: anyType, Index: anyInteger, Negatives: opset.Refused, OutOfRange: dense.ZeroFill, Attributes: []opset.Attribute{gatherBatch}},
		{Since: 8, Data: anyType, Index: anyInteger, Negatives: opset.Counted, OutOfRange: dense.ZeroFill, Attributes: []opset.Attribute{gatherBatch}},
	},
	"GatherElements": {
		{Since: 6, Data: anyType, Index: int32Or64, Negatives: opset.Released, Attributes: []opset.Attribute{neededAxis}},
	},
	"GatherND": {
		{Since: 5, Data: anyType, Index: anyInteger, Negatives: opset.Refused, Attributes: []opset.Attribute{tupleBatch}, FusedBatch: true},
		{Since: 8, Data: anyType, Index: anyInteger, Negatives: opset.Released, Attributes: []opset.Attribute{tupleBatch}},
	},
	"EmbeddingBagOffsetsSum": {
		{Since: 3, Data: numeric, Index: int32Or64, Negatives: opset.Refused},
	},
	"EmbeddingBagOffsets": {
		{Since: 15, Data: numeric, Index: int32Or64, Negatives: opset.Refused, Attributes: []opset.Attribute{bagReduction}},
	},
	"EmbeddingBagPackedSum": {
		{Since: 3, Data: numeric, Index: int32Or64, Negatives: opset.Refused},
	},
	"EmbeddingBagPacked": {
		{Since: 15, Data: numeric, Index: int32Or64, Negatives: opset.Refused, Attributes: []opset.Attribute{bagReduction}},
	},
	"EmbeddingSegmentsSum": {
		{Since: 3, Data: numeric, Index: int32Or64, Negatives: opset.Refused},
	},
	"SegmentMax": {
		{Since: 16, Data: numeric, Index: int32Or64, Negatives: opset.Refused, Attributes: []opset.Attribute{fillMode}},
	},
	"GatherTree": {
		{Since: 1, Data: numeric, Index: numeric, Negatives: opset.Refused},
	},
	"ScatterUpdate": {
		{Since: 3, Data: numeric, Index: anyInteger, Negatives: opset.Refused},
	},
	"ScatterElementsUpdate": {
		{Since: 3, Data: numeric, Index: anyInteger, Negatives: opset.Refused},
		{Since: 12, Data: anyType, Index: anyInteger, Negatives: opset.Counted, Attributes: []opset.Attribute{elementsReduction, useInitVal}},
	},
	"ScatterNDUpdate": {
		{Since: 3, Data: numeric, Index: int32Or64, Negatives: opset.Refused},
		{Since: 15, Data: withBoolean, Index: int32Or64, Negatives: opset.Counted, Attributes: []opset.Attribute{tupleReduction}},
	},
}

// typeNames are OpenVINO's names of the dtypes, for errors.
var typeNames = map[tensor.Dtype]string{
	tensor.Bool: "boolean", tensor.String: "string",
	tensor.Int8: "i8", tensor.Int16: "i16", tensor.Int32: "i32", tensor.Int64: "i64",
	tensor.Uint8: "u8", tensor.Uint16: "u16", tensor.Uint32: "u32", tensor.Uint64: "u64",
	dense.Float16: "f16", dense.BFloat16: "bf16", tensor.Float32: "f32", tensor.Float64: "f64",
}
